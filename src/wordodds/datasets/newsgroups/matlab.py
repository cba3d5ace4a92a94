"""20 Newsgroups, split by date, as the publisher's bag of words."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from wordodds.datasets.corpus import BagOfWords
from wordodds.datasets.download import DamagedFileError
from wordodds.datasets.newsgroups import lookup
from wordodds.datasets.newsgroups.archive import members
from wordodds.datasets.newsgroups.groups import GROUPS
from wordodds.typing import Ints

__all__ = ["read_matlab"]

ARCHIVE = "20news-bydate-matlab.tgz"
VOCABULARY = "vocabulary.txt"
PUBLISHER = "http://qwone.com/~jason/20Newsgroups/"

SHA256 = {
    "train.data": "dc3bf23fa28511494ee406bd3baa6565ad156c0d48e56bc9aea247c4dd0b81be",
    "train.label": "90e46f67c51005c7bb707a61cd4a49bd996bc98c5c2acaaa36fbd22dc179101f",
    "test.data": "2e739450e07c6201ae4eff90bb26cd69d26c45243bd923a29fc2caaae3a4c34a",
    "test.label": "5eb0491245caaffb86980dcd7b707e65815ae0a600b214ac99e62fa5a713e6e1",
    VOCABULARY: "3c0f0d64a814ba8836334a0f23925cef751fb3636baea55772f1f8ede4b791bc",
}

_OTHER_WAYS = "use make_corpus() for a synthetic corpus"
_MAX_VOCABULARY = 1 << 24


def read_matlab(parts: Sequence[str], *, download: bool) -> list[BagOfWords]:
    """Return one bag of words for each of ``parts``, reading the archive once."""
    found = lookup.search(
        ARCHIVE,
        PUBLISHER + ARCHIVE,
        download=download,
        check=_check_archive,
        other_ways=_OTHER_WAYS,
    )
    try:
        files = _read(found.path, parts)
    except DamagedFileError as reason:
        raise found.unusable(reason) from reason
    if VOCABULARY not in files:
        files[VOCABULARY] = _read_vocabulary(download=download)
    words = files[VOCABULARY].decode("ascii").split()
    return [_bag(part, files, words, found.source) for part in parts]


def _read(path: Path, parts: Sequence[str]) -> dict[str, bytes]:
    """Return the verified files of ``parts``, and the vocabulary if the archive holds one."""
    wanted = {f"{part}.{kind}" for part in parts for kind in ("data", "label")}
    files: dict[str, bytes] = {}
    for name, body in members(path):
        short = name.removeprefix("20news-bydate/matlab/")
        if short in wanted or short == VOCABULARY:
            _verify(short, body)
            files[short] = body
    if missing := sorted(wanted - files.keys()):
        raise DamagedFileError(f"it lacks {', '.join(missing)}")
    return files


def _verify(short: str, body: bytes) -> None:
    digest = hashlib.sha256(body).hexdigest()
    if digest != SHA256[short]:
        raise DamagedFileError(f"the sha256 of {short} is {digest}, expected {SHA256[short]}")


def _check_archive(path: Path) -> None:
    _read(path, ("train", "test"))


def _check_vocabulary(path: Path) -> None:
    with path.open("rb") as file:
        _verify(VOCABULARY, file.read(_MAX_VOCABULARY))


def _read_vocabulary(*, download: bool) -> bytes:
    """Return the word list, which the publisher keeps beside the archive, not in it."""
    found = lookup.search(
        VOCABULARY,
        PUBLISHER + VOCABULARY,
        download=download,
        check=_check_vocabulary,
        other_ways=_OTHER_WAYS,
    )
    try:
        _check_vocabulary(found.path)
    except DamagedFileError as reason:
        raise found.unusable(reason) from reason
    return found.path.read_bytes()


def _bag(part: str, files: dict[str, bytes], words: list[str], source: str) -> BagOfWords:
    from scipy.sparse import csr_array  # here: readers of texts do without scipy

    labels = _integers(files[f"{part}.label"])
    document, word, count = _integers(files[f"{part}.data"]).reshape(-1, 3).T
    # The entries are sorted by document, then word (the checksum vouches for it).
    indptr = np.searchsorted(document, np.arange(1, len(labels) + 2))
    counts = csr_array(
        (np.ascontiguousarray(count), (word - 1).astype(np.int32), indptr.astype(np.int32)),
        shape=(len(labels), len(words)),
    )
    return BagOfWords(
        counts=counts,
        labels=np.array(GROUPS, dtype=np.str_)[labels - 1],
        label_names=list(GROUPS),
        words=list(words),
        name=f"20 Newsgroups bydate-matlab, {part}",
        source=source,
    )


def _integers(text: bytes) -> Ints:
    # With sep, fromstring parses text: twice as fast as loadtxt.
    return np.fromstring(text, dtype=np.int64, sep=" ")

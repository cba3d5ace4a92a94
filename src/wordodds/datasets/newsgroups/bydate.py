"""20 Newsgroups, split by date, as whole messages."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from wordodds.datasets.corpus import Corpus
from wordodds.datasets.download import DamagedFileError
from wordodds.datasets.newsgroups import lookup
from wordodds.datasets.newsgroups.archive import members
from wordodds.datasets.newsgroups.groups import GROUPS

__all__ = ["read_bydate"]

ARCHIVE = "20news-bydate.tar.gz"
URL = "http://qwone.com/~jason/20Newsgroups/20news-bydate.tar.gz"

# Of the messages, not of the archive: a copy that was packed again is accepted too.
CONTENT_SHA256 = {
    "train": "f74be63133a9e326a2152d1b62f5761515cf17ff73ef5379976e6cb049ddb947",
    "test": "1643d5b8aaf530d05eff6365633bfbb476cfd52a5c7e8f0223a4ba1ec72ab49e",
}

_MESSAGE = re.compile("20news-bydate-(train|test)/([^/]+)/([0-9]{1,9})")

# (group, number of the message) -> its bytes
Messages = dict[tuple[str, int], bytes]


def read_bydate(parts: Sequence[str], *, download: bool) -> list[Corpus]:
    """Return one corpus for each of ``parts``, reading the archive once."""
    found = lookup.search(
        ARCHIVE,
        URL,
        download=download,
        check=_check,
        other_ways='use variant="letters", or make_corpus() for a synthetic one',
    )
    try:
        messages = _read(found.path, parts)
    except DamagedFileError as reason:
        raise found.unusable(reason) from reason
    return [_corpus(part, messages[part], found.source) for part in parts]


def content_sha256(messages: Mapping[tuple[str, int], bytes]) -> str:
    """Return the checksum of a part: names, lengths and bytes in sorted order.

    The lengths keep two different divisions into messages from having the same checksum.
    """
    digest = hashlib.sha256()
    for (group, number), body in sorted(messages.items()):
        digest.update(f"{group}/{number}\n{len(body)}\n".encode())
        digest.update(body)
    return digest.hexdigest()


def _read(path: Path, parts: Sequence[str]) -> dict[str, Messages]:
    """Return the messages of ``parts``; raise DamagedFileError if not as published."""
    messages: dict[str, Messages] = {part: {} for part in parts}
    for name, body in members(path):
        place = _MESSAGE.fullmatch(name)
        if place and place[1] in messages:
            messages[place[1]][place[2], int(place[3])] = body
    for part in parts:
        if content_sha256(messages[part]) != CONTENT_SHA256[part]:
            raise DamagedFileError(
                f"the {len(messages[part]):,} messages of its {part} part are not those published"
            )
    return messages


def _check(path: Path) -> None:
    _read(path, tuple(CONTENT_SHA256))


def _corpus(part: str, messages: Messages, source: str) -> Corpus:
    keys = sorted(messages)
    return Corpus(
        # latin-1: every byte is a character, so the bytes can be had back.
        texts=[messages[key].decode("latin-1") for key in keys],
        labels=np.array([group for group, _ in keys], dtype=np.str_),
        label_names=list(GROUPS),
        name=f"20 Newsgroups bydate, {part}",
        source=source,
    )

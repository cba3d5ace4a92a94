"""The corpora of ``$WORDODDS_DATA``, each with a training part and a test part.

WebKB's file has 28 rows for pages without any text, in which the label lost its last letter and
took the place of the text ("facult", "faculty"); these rows are dropped.
"""

import gzip
import os
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Labels: TypeAlias = npt.NDArray[Any]
NEWSGROUPS = "20-newsgroups"
SPLIT_FILES = ("trec6", "rt-polarity", "subjectivity", "webkb", "ag-news-small")
SETS = (NEWSGROUPS, *SPLIT_FILES, "reuters-r8", "sms-spam")
SMALLEST_CLASS = 3  # documents that cross-validation with three folds needs


class Split(NamedTuple):
    """A corpus: documents to learn from, and new ones whose labels only score final models."""

    name: str
    texts: list[str]
    labels: Labels
    new: list[str]
    truth: Labels

    @property
    def classes(self) -> Labels:
        """The labels of the training part, sorted."""
        return np.unique(self.labels)


@cache
def load(name: str, limit: int | None = None) -> Split:
    """Return one of `SETS`, or for trial runs `limit` random documents of each of its parts."""
    split = Split(name, *_read(name))
    return split if limit is None else limited(split, limit)


def limited(split: Split, limit: int) -> Split:
    """Return at most `limit` documents of each part.

    Training classes too small for cross-validation are dropped from both parts.
    """
    rng = np.random.default_rng(0)
    rows = np.sort(rng.permutation(len(split.texts))[:limit])
    classes, sizes = np.unique(split.labels[rows], return_counts=True)
    kept = classes[sizes >= SMALLEST_CLASS]
    rows = rows[np.isin(split.labels[rows], kept)]
    new = np.sort(rng.permutation(len(split.new))[:limit])
    new = new[np.isin(split.truth[new], kept)]
    return Split(
        split.name,
        [split.texts[i] for i in rows],
        split.labels[rows],
        [split.new[i] for i in new],
        split.truth[new],
    )


def _read(name: str) -> tuple[list[str], Labels, list[str], Labels]:
    """Return texts and labels of the training part, then of the test part."""
    if name == NEWSGROUPS:
        return _read_newsgroups()
    if name in SPLIT_FILES:
        rows = [line.split("\t", 2) for line in _lines(f"{name}.tsv.gz")]
        rows = [row for row in rows if not _is_empty_page(*row[1:])]
        train, test = ([row[1:] for row in rows if row[0] == part] for part in ("train", "test"))
    elif name == "reuters-r8":  # three lines of header
        train, test = (
            [line.split("\t", 1) for line in _lines(f"{name}-{part}.tab.gz")[3:]]
            for part in ("train", "test")
        )
    elif name == "sms-spam":
        rows = [line.split("\t", 1) for line in _lines("sms-spam.tsv")]
        train, test = [row for i, row in enumerate(rows) if i % 5 != 4], rows[4::5]
    else:
        raise ValueError(f"name must be one of {', '.join(SETS)}, got {name!r}")
    return *_columns(train), *_columns(test)


def _read_newsgroups() -> tuple[list[str], Labels, list[str], Labels]:
    from wordodds.datasets import load_newsgroups

    train, test = (load_newsgroups("bydate", part, download=False) for part in ("train", "test"))
    return list(train.texts), np.asarray(train.labels), list(test.texts), np.asarray(test.labels)


def _is_empty_page(label: str, text: str) -> bool:
    return label == text[:-1]


def _columns(rows: list[list[str]]) -> tuple[list[str], Labels]:
    return [text for _, text in rows], np.array([label for label, _ in rows])


def _lines(name: str) -> list[str]:
    if "WORDODDS_DATA" not in os.environ:
        raise SystemExit("set WORDODDS_DATA to the folder of the corpora")
    content = (Path(os.environ["WORDODDS_DATA"]) / "text" / name).read_bytes()
    content = gzip.decompress(content) if name.endswith(".gz") else content
    # Not splitlines: some texts contain characters that it takes for ends of lines.
    return [line for line in content.decode("utf-8").split("\n") if line.strip()]

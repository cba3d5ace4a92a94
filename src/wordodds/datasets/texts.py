"""Small corpora of several kinds of text, each with a training part and a test part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal, TypeAlias

import numpy as np

from wordodds.datasets.corpus import Corpus
from wordodds.datasets.download import DamagedFileError, DatasetUnavailable
from wordodds.datasets.stored import read_stored

__all__ = ["TEXT_NAMES", "TextName", "load_texts"]

FOLDER = "text"
_EVERY_FIFTH = 5  # message is a test document: the corpus has no official split
_HEADERS = 3  # lines in front of Reuters' documents

TextName: TypeAlias = Literal[
    "ag-news-small",
    "reuters-r8",
    "rt-polarity",
    "sms-spam",
    "subjectivity",
    "trec6",
    "webkb",
]
TEXT_NAMES: tuple[TextName, ...] = (
    "trec6",
    "rt-polarity",
    "subjectivity",
    "webkb",
    "ag-news-small",
    "reuters-r8",
    "sms-spam",
)
Subset: TypeAlias = Literal["train", "test"]
_Rows: TypeAlias = list[Sequence[str]]  # label and text of each document


def load_texts(name: TextName, subset: Subset = "train") -> Corpus:
    """Load one of seven small corpora: questions, reviews, web pages, news or messages.

    The file is looked for in ``$WORDODDS_DATA/text``, then in the folder ``text`` of the cache
    (``$XDG_CACHE_HOME/wordodds`` or ``~/.cache/wordodds``), plain or compressed (``.gz``). It is
    never downloaded, as no publisher keeps the corpora in this form.

    Each line holds one document, tab-separated: part (``train`` or ``test``), label, text. Reuters
    R8 has one file per part, with three header lines, then label and text. The messages have no
    official split: every fifth is a test document. Rows of WebKB whose page is empty (the label is
    cut by a letter and repeated as text) are dropped.

    Parameters
    ----------
    name : {"ag-news-small", "reuters-r8", "rt-polarity", "sms-spam", "subjectivity", "trec6", \
"webkb"}
        Name of the corpus.
    subset : {"train", "test"}, default="train"
        Documents to learn from, or those to test with.

    Returns
    -------
    corpus : Corpus
        Texts and labels of the part; ``label_names`` are those that occur in it.

    Raises
    ------
    DatasetUnavailable
        When the file is not there, or is damaged; the message says where and what to do.
    ValueError
        When ``name`` or ``subset`` is unknown.

    Examples
    --------
    >>> from wordodds.datasets import DatasetUnavailable, load_texts
    >>> try:
    ...     n_questions = len(load_texts("trec6"))
    ... except DatasetUnavailable:  # not on this machine
    ...     n_questions = 5452
    >>> n_questions
    5452
    """
    if name not in TEXT_NAMES:
        raise ValueError(f"name must be one of {', '.join(sorted(TEXT_NAMES))}; got {name!r}")
    if subset not in ("train", "test"):
        raise ValueError(f"subset must be 'train' or 'test', got {subset!r}")
    file, parse = f"{name}.tsv", _READERS.get(name, _with_parts)
    if name == "reuters-r8":
        file = f"{name}-{subset}.tab"
    rows, source = read_stored(FOLDER, file, partial(parse, subset))
    if not rows:
        raise DatasetUnavailable(f"{file} holds no document of the part {subset}.")
    labels = np.array([label for label, _ in rows], dtype=np.str_)
    names = [str(label) for label in np.unique(labels)]
    return Corpus([text for _, text in rows], labels, names, f"{name}, {subset}", source)


def _with_parts(subset: Subset, lines: list[str]) -> _Rows:
    rows: _Rows = []
    for number, (part, label, text) in _cells(lines, 3):
        if part not in ("train", "test"):
            raise DamagedFileError(f"line {number} must begin with train or test, got {part!r:.40}")
        if part == subset:
            rows.append((label, text))
    return rows


def _pages(subset: Subset, lines: list[str]) -> _Rows:
    return [(label, text) for label, text in _with_parts(subset, lines) if label != text[:-1]]


def _after_headers(subset: Subset, lines: list[str]) -> _Rows:
    return [row for _, row in _cells(lines, 2, first=_HEADERS)]


def _every_fifth(subset: Subset, lines: list[str]) -> _Rows:
    rows = [row for _, row in _cells(lines, 2)]
    test = slice(_EVERY_FIFTH - 1, None, _EVERY_FIFTH)
    if subset == "train":
        del rows[test]
        return rows
    return rows[test]


_READERS: dict[str, Callable[[Subset, list[str]], _Rows]] = {
    "reuters-r8": _after_headers,
    "sms-spam": _every_fifth,
    "webkb": _pages,
}


def _cells(lines: list[str], width: int, *, first: int = 0) -> list[tuple[int, Sequence[str]]]:
    """Return number and cells of each line that has any; the last, the text, may hold tabs."""
    rows: list[tuple[int, Sequence[str]]] = []
    for number, line in enumerate(lines[first:], first + 1):
        if not line.strip():
            continue
        cells = line.split("\t", width - 1)
        if len(cells) != width:
            raise DamagedFileError(f"line {number} has {len(cells)} cells, expected {width}")
        if not cells[-2].strip():
            raise DamagedFileError(f"line {number} has no label")
        rows.append((number, cells))
    if not rows:
        raise DamagedFileError("it has no documents")
    return rows

"""Documents of one line each, and fastText's lines with a label in front."""

from __future__ import annotations

import re
from collections.abc import Iterator

from wordodds.corpora.bad_rows import MISSING, BadRows, CorpusError, checked_batch, without
from wordodds.corpora.batch import Batch
from wordodds.corpora.input import Input, text_blocks
from wordodds.corpora.options import ReadOptions

__all__ = ["UNDECODABLE", "read_lines", "split_lines", "undecodable"]

_PREFIX = "__label__"
UNDECODABLE = re.compile("[\udc80-\udcff]")


def read_lines(source: Input, options: ReadOptions, bad_rows: BadRows) -> Iterator[Batch]:
    """Yield the lines of a text; with labels, each must begin with ``__label__NAME``."""
    _check_columns(source.name, options)
    number = 1
    for block in text_blocks(source, options):
        lines = split_lines(block.text)
        batch = Batch(lines, None, {}, range(number, number + len(lines)))
        number += len(lines)
        if block.damaged:
            batch = without(batch, _undecodable_lines(lines, options), source.place, bad_rows)
        if options.labels or options.format == "fasttext":
            batch = _without_prefix(batch, options.labels)
            batch = checked_batch(batch, source.place, bad_rows)
        batch.extra = dict.fromkeys(options.keep, batch.texts)
        yield batch


def split_lines(text: str) -> list[str]:
    r"""Split at line feeds alone, with or without a carriage return before.

    Examples
    --------
    >>> split_lines("one\r\ntwo\x0b\n\nlast")
    ['one', 'two\x0b', '', 'last']
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def undecodable(options: ReadOptions) -> str:
    """Return what is wrong with a row that could not be decoded."""
    return f"not {options.encoding}; see the options encoding and encoding-errors"


def _undecodable_lines(lines: list[str], options: ReadOptions) -> dict[int, str]:
    search, reason = UNDECODABLE.search, undecodable(options)
    return {position: reason for position, line in enumerate(lines) if search(line)}


def _without_prefix(batch: Batch, labels_wanted: bool) -> Batch:
    labels: list[object] = []
    texts: list[str] = []
    for line in batch.texts:
        names = []
        rest = line
        while rest.startswith(_PREFIX):
            name, _, rest = rest.partition(" ")
            names.append(name[len(_PREFIX) :])
        # Several labels: a tuple is no label, and the error shows it.
        labels.append(MISSING if not names else names[0] if len(names) == 1 else tuple(names))
        texts.append(rest)
    return Batch(texts, labels if labels_wanted else None, {}, batch.rows)


def _check_columns(name: str, options: ReadOptions) -> None:
    wanted = {options.text_column, *options.keep} - {None, "text"}
    wanted |= {options.label_column} - {None, "label"}
    if wanted:
        raise CorpusError(
            f"{name}: lines of text have no column {min(filter(None, wanted))!r}; "
            "pass another format if it is not lines"
        )

"""Rows that cannot be used: how they are found, raised or counted."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from wordodds.corpora.batch import Batch

__all__ = [
    "MISSING",
    "BadRowError",
    "BadRows",
    "CorpusError",
    "checked_batch",
    "label_fault",
    "plain_labels",
    "without",
]

_SHOWN = 5


class CorpusError(ValueError):
    """A corpus cannot be read or written; the message names the file."""


class BadRowError(CorpusError):
    """A row cannot be used; the message names the file and the row."""


class _Missing:
    """The value of a field that a row does not have; ``None`` is a value that a row may have."""


MISSING = _Missing()


@dataclass
class BadRows:
    """Raises at the first bad row, or counts them.

    Parameters
    ----------
    skip : bool, default=False
        Whether to leave bad rows out, and count them, instead of raising.

    Attributes
    ----------
    count : int
        Number of rows that were left out.
    first : list of str
        Places of the first few bad rows, with what is wrong with each.
    empty : int
        Number of texts that are empty or white space alone, which are not bad by themselves.
    doubtful : dict of str to int
        Labels of CSV and TSV, such as "NA", that may stand for a missing one, with their counts.

    Examples
    --------
    >>> bad_rows = BadRows(skip=True)
    >>> bad_rows.add("mail.jsonl, line 7", "the text is missing")
    >>> bad_rows.summary()
    'skipped 1 bad row: mail.jsonl, line 7: the text is missing'
    """

    skip: bool = False
    count: int = 0
    first: list[str] = field(default_factory=list)
    empty: int = 0
    doubtful: dict[str, int] = field(default_factory=dict)

    def add(self, where: str, reason: str) -> None:
        """Report a bad row.

        Parameters
        ----------
        where : str
            File and row, such as "mail.jsonl, line 7".
        reason : str
            Description of the fault.

        Raises
        ------
        BadRowError
            If bad rows are not skipped.
        """
        if not self.skip:
            raise BadRowError(f"{where}: {reason}")
        self.count += 1
        if len(self.first) < _SHOWN:
            self.first.append(f"{where}: {reason}")

    def join(self, count: int, first: Sequence[str], empty: int = 0) -> None:
        """Add the counts of another reader.

        Parameters
        ----------
        count : int
            Number of bad rows.
        first : sequence of str
            Places of the first few bad rows, with what is wrong with each.
        empty : int, default=0
            Number of empty texts.
        """
        self.empty += empty
        self.count += count
        self.first += first[: _SHOWN - len(self.first)]

    def summary(self) -> str:
        """Return one line about the rows that were left out."""
        more = self.count - len(self.first)
        rest = f"; and {more:,} more" if more else ""
        rows = "row" if self.count == 1 else "rows"
        return f"skipped {self.count:,} bad {rows}: {'; '.join(self.first)}{rest}"


def checked_batch(
    batch: Batch,
    where: Callable[[int], str],
    bad_rows: BadRows,
    unread: Mapping[int, str] = MappingProxyType({}),
) -> Batch:
    """Return the rows whose text is text and whose label is a label; report the others.

    `where` turns the number of a row into a place, such as "mail.jsonl, line 7". `unread` has the
    numbers of rows that could not be read, which the batch lacks, and what is wrong with them.

    Examples
    --------
    >>> batch = Batch(["free money", None], None, {}, [1, 2])
    >>> checked_batch(batch, "mail.jsonl, line {}".format, BadRows(skip=True)).texts
    ['free money']
    """
    faults: dict[int, str] = {}
    # One look at the kinds of values: rows are looked at one by one only where something is wrong.
    if not set(map(type, batch.texts)) <= {str}:
        faults = _faults(batch.texts, _text_fault)
    labels = batch.labels
    if labels is not None and not plain_labels(labels):
        faults = _faults(labels, label_fault) | faults
        batch.labels = [int(x) if type(x) is float and x.is_integer() else x for x in labels]
    return without(batch, faults, where, bad_rows, unread)


def without(
    batch: Batch,
    faults: dict[int, str],
    where: Callable[[int], str],
    bad_rows: BadRows,
    unread: Mapping[int, str] = MappingProxyType({}),
) -> Batch:
    """Return a batch of lists without the rows at the positions that are `faults`."""
    bad = {batch.rows[position]: reason for position, reason in faults.items()} | dict(unread)
    for row in sorted(bad):
        bad_rows.add(where(row), bad[row])
    if not faults:
        return batch

    def good(column: Sequence[Any]) -> list[Any]:
        return [value for position, value in enumerate(column) if position not in faults]

    return Batch(
        good(batch.texts),
        None if batch.labels is None else good(batch.labels),
        {name: good(column) for name, column in batch.extra.items()},
        good(batch.rows),
        batch.source,
        batch.unit,
    )


def label_fault(label: object) -> str | None:
    """Return what is wrong with a label, None if nothing is.

    Examples
    --------
    >>> label_fault("spam"), label_fault(3), label_fault(1.5)
    (None, None, 'the label must be text or a whole number, got 1.5')
    """
    if label is MISSING:
        return "there is no label"
    if label is None or label == "" or (isinstance(label, float) and math.isnan(label)):
        return "the label is missing"
    if isinstance(label, str | int) or (isinstance(label, float) and label.is_integer()):
        return None
    return f"the label must be text or a whole number, got {_short(label)}"


def plain_labels(labels: list[Any]) -> bool:
    """Return whether all labels can be used as they are, without a loop over them in Python.

    Examples
    --------
    >>> plain_labels(["spam", 3]), plain_labels(["spam", ""]), plain_labels([2.0])
    (True, False, False)
    """
    return set(map(type, labels)) <= {str, int, bool} and "" not in labels


def _text_fault(text: object) -> str | None:
    if isinstance(text, str):
        return None
    if text is MISSING:
        return "there is no text"
    return "the text is missing" if text is None else f"the text must be text, got {_short(text)}"


def _faults(column: Sequence[Any], fault: Callable[[Any], str | None]) -> dict[int, str]:
    reasons = ((position, fault(value)) for position, value in enumerate(column))
    return {position: reason for position, reason in reasons if reason is not None}


def _short(value: object) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."

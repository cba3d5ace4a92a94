"""What a reader gives: batches of checked rows; and what becomes of the rows that are bad."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

__all__ = [
    "FORMATS",
    "MISSING",
    "BadRowError",
    "BadRows",
    "Batch",
    "CorpusError",
    "ReadOptions",
    "checked_batch",
    "label_fault",
    "plain_labels",
    "without",
]

FORMATS = ("jsonl", "csv", "tsv", "parquet", "folder", "lines", "fasttext")

_SHOWN = 5


class CorpusError(ValueError):
    """A corpus cannot be read or written; the message names the file."""


class BadRowError(CorpusError):
    """A row cannot be used; the message names the file and the row."""


class _Missing:
    """The value of a field that a row does not have; ``None`` is a value that a row may have."""


MISSING = _Missing()


@dataclass(frozen=True)
class ReadOptions:
    """How a corpus is to be read.

    Parameters
    ----------
    format : {"jsonl", "csv", "tsv", "parquet", "folder", "lines", "fasttext"}, optional
        By default what the name says.
    labels : bool
        Whether each row must have a label.
    text_column, label_column : str, optional
        Names of columns, by default "text" and "label". Columns without header are named by their
        number from "1"; there the last holds the text and the first the label by default.
    keep : tuple of str
        Columns to hand on as they are.
    header, quotes : bool
        Whether CSV and TSV begin with a row of names and may have fields in double quotes.
    encoding, encoding_errors : str
        Of the text, as for `bytes.decode`.
    batch_bytes : int
        About how much text makes a batch.
    batch_rows : int, optional
        Largest number of rows in a batch.
    keep_somewhere : bool
        Whether a file of JSONL may lack a kept column, as another one has it.
    empty : {"keep", "skip", "error"}
        What to do with texts that are empty or white space alone: hand them on, leave them out, or
        take them for bad rows. `BadRows.empty` counts them in the first two cases.
    missing_labels : tuple of str
        Labels that stand for a missing one, such as "NA": rows with them are bad.

    Examples
    --------
    >>> ReadOptions(format="csv", keep=("id",)).text_column is None
    True
    """

    format: str | None = None
    labels: bool = False
    text_column: str | None = None
    label_column: str | None = None
    keep: tuple[str, ...] = ()
    header: bool = True
    quotes: bool = True
    encoding: str = "utf-8"
    encoding_errors: str = "strict"
    batch_bytes: int = 4 << 20
    batch_rows: int | None = None
    empty: str = "keep"
    missing_labels: tuple[str, ...] = ()
    keep_somewhere: bool = False

    def __post_init__(self) -> None:
        if self.empty not in ("keep", "skip", "error"):
            raise ValueError(f"empty must be keep, skip or error, got {self.empty!r}")
        if self.format is not None and self.format not in FORMATS:
            raise ValueError(f"format must be one of {', '.join(FORMATS)}, got {self.format!r}")
        if self.encoding_errors not in ("strict", "replace", "ignore"):
            raise ValueError(
                f"encoding_errors must be strict, replace or ignore, got {self.encoding_errors!r}"
            )
        for name in ("batch_bytes", "batch_rows"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"{name} must be 1 or more, got {value}")
        if not isinstance(self.encoding, str):
            raise TypeError(f"encoding must be a name such as 'utf-8', got {self.encoding!r}")
        try:
            "\n".encode(self.encoding)
        except LookupError as error:
            raise ValueError(f"encoding must be one that Python knows: {error}") from None


@dataclass
class Batch:
    """Some rows of a corpus, in their order.

    Parameters
    ----------
    texts : list of str or Arrow array
        One document per row.
    labels : list or None
        Their labels, str, int or bool; None if none were asked for.
    extra : dict of str to list or Arrow array
        The columns that were to be kept.
    rows : sequence of int
        The number of each row in its file, from 1: of its line, where there are lines.
    source : str
        The file.
    unit : {"line", "row", "file"}
        What a row is called there.

    Examples
    --------
    >>> batch = Batch(["free money", "lunch?"], ["spam", "ham"], {}, range(1, 3))
    >>> len(batch), batch[1:].texts
    (2, ['lunch?'])
    """

    texts: Any
    labels: list[Any] | None
    extra: dict[str, Any]
    rows: Sequence[int]
    source: str = ""
    unit: str = "line"

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, rows: slice) -> Batch:
        return Batch(
            self.texts[rows],
            None if self.labels is None else self.labels[rows],
            {name: column[rows] for name, column in self.extra.items()},
            self.rows[rows],
            self.source,
            self.unit,
        )

    def take(self, rows: list[int]) -> Batch:
        """Return some of the rows.

        Parameters
        ----------
        rows : list of int
            Their positions in the batch, from 0.

        Examples
        --------
        >>> Batch(["free money", "lunch?"], None, {}, range(1, 3)).take([1]).rows
        [2]
        """

        def taken(column: Any) -> Any:
            if not hasattr(column, "take"):
                return [column[row] for row in rows]
            kind = str(getattr(column, "type", ""))
            if kind in ("string_view", "binary_view"):  # of which Arrow takes no rows
                column = column.cast(f"large_{kind.removesuffix('_view')}")
            return column.take(rows)

        return Batch(
            taken(self.texts),
            None if self.labels is None else taken(self.labels),
            {name: taken(column) for name, column in self.extra.items()},
            taken(self.rows),
            self.source,
            self.unit,
        )

    def place(self, position: int) -> str:
        """Return what errors call a row.

        Parameters
        ----------
        position : int
            Where it is in the batch, from 0.

        Examples
        --------
        >>> Batch(["lunch?"], None, {}, [7], "mail.jsonl").place(0)
        'mail.jsonl, line 7'
        """
        return f"{self.source}, {self.unit} {self.rows[position]}"

    @property
    def text_bytes(self) -> int:
        """About how many bytes the texts have; depends on them alone."""
        # len: characters, but telling their bytes would take as long as scoring them.
        return self.texts.nbytes if hasattr(self.texts, "nbytes") else sum(map(len, self.texts))

    def pieces(self, n_rows: int | None) -> Iterator[Batch]:
        """Yield the same rows in batches of at most ``n_rows``.

        Parameters
        ----------
        n_rows : int or None
            None: as they are.
        """
        if n_rows is None or len(self) <= n_rows:
            yield self
            return
        for start in range(0, len(self), n_rows):
            yield self[start : start + n_rows]


@dataclass
class BadRows:
    """Raises at the first bad row, or counts them.

    Parameters
    ----------
    skip : bool
        Whether to go on without the bad rows.

    Attributes
    ----------
    count : int
        How many were left out.
    first : list of str
        Where the first few are, and what is wrong with them.
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
        """Tell of a bad row.

        Parameters
        ----------
        where : str
            File and row.
        reason : str
            What is wrong.

        Raises
        ------
        BadRowError
            Unless bad rows are skipped.
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
            Where the first few are, and what is wrong with them.
        empty : int
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
    """Return the rows whose text is text and whose label is a label.

    Parameters
    ----------
    batch : Batch
        Its texts a list of anything.
    where : callable
        Makes a place, such as "mail.jsonl, line 7", of the number of a row.
    bad_rows : BadRows
        Hears of the others, in their order.
    unread : mapping of int to str
        Rows that could not even be read, and are not in the batch -> what is wrong with them.

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
    """Return a batch of lists without some of its rows.

    Parameters
    ----------
    batch : Batch
        The rows.
    faults : dict of int to str
        Position in the batch -> what is wrong there.
    where, bad_rows, unread
        As in `checked_batch`.
    """
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


def label_fault(label: Any) -> str | None:
    """Say what is wrong with a label; None if nothing is.

    Parameters
    ----------
    label : object
        What a row has in its place.

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
    """Tell whether every label can be taken as it is, without looking at each in Python.

    Parameters
    ----------
    labels : list
        One per row.

    Examples
    --------
    >>> plain_labels(["spam", 3]), plain_labels(["spam", ""]), plain_labels([2.0])
    (True, False, False)
    """
    return set(map(type, labels)) <= {str, int, bool} and "" not in labels


def _text_fault(text: Any) -> str | None:
    if isinstance(text, str):
        return None
    if text is MISSING:
        return "there is no text"
    return "the text is missing" if text is None else f"the text must be text, got {_short(text)}"


def _faults(column: Sequence[Any], fault: Callable[[Any], str | None]) -> dict[int, str]:
    reasons = ((position, fault(value)) for position, value in enumerate(column))
    return {position: reason for position, reason in reasons if reason is not None}


def _short(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 60 else shown[:57] + "..."

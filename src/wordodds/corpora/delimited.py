"""Comma- and tab-separated values."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from wordodds.corpora.bad_rows import BadRows, CorpusError, checked_batch
from wordodds.corpora.batch import Batch
from wordodds.corpora.input import Input, text_blocks
from wordodds.corpora.lines import UNDECODABLE, undecodable
from wordodds.corpora.options import ReadOptions

__all__ = ["read_delimited"]

# The module's own limit of 128 KB is less than a long document. A quote that never closes would
# take in the rest of the file: this ends it.
_LONGEST_FIELD = 1 << 30
_MANY_UNREAD = 10_000  # bad rows that wait for their batch


def read_delimited(
    source: Input, options: ReadOptions, bad_rows: BadRows, delimiter: str
) -> Iterator[Batch]:
    """Yield the rows of a CSV or TSV file; empty lines are skipped."""
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_FIELD))
    table = _Table(source, options, bad_rows, delimiter)
    rows: list[int] = []
    kept: list[list[str]] = []
    n_characters = 0
    for row, fields in table.rows():
        rows.append(row)
        kept.append(fields)
        n_characters += sum(map(len, fields))
        if n_characters >= options.batch_bytes:
            yield table.batch(rows, kept)
            rows, kept, n_characters = [], [], 0
    yield table.batch(rows, kept)


class _Table:
    """The rows of a file that all have the fields of its first row."""

    text = 0
    label = 0

    def __init__(
        self, source: Input, options: ReadOptions, bad_rows: BadRows, delimiter: str
    ) -> None:
        self._source = source
        self._options = options
        self._bad_rows = bad_rows
        self._damaged = False
        self._names: list[str] = []
        self._keep: dict[str, int] = {}
        self._unread: dict[int, str] = {}  # told with the other bad rows of a batch, in order
        self._reader = csv.reader(
            self._lines(),
            delimiter=delimiter,
            strict=True,
            quoting=csv.QUOTE_MINIMAL if options.quotes else csv.QUOTE_NONE,
        )

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        while True:
            row = self._reader.line_num + 1
            try:
                fields = next(self._reader)
            except StopIteration:
                return
            except csv.Error as error:
                reason = str(error).replace("\t", "\\t")
                last = self._reader.line_num
                if last > row:
                    reason += f", and took the lines up to {last} for one field"
                remedy = "if quotes are mere characters, pass --no-quotes (quotes=False)"
                self._bad(row, f"{reason}; {remedy}")
                continue
            if not fields:
                continue
            if not self._names:
                self._name_columns(fields)
                if self._options.header:
                    continue
            if len(fields) != len(self._names):
                self._bad(row, f"expected {len(self._names)} fields, got {len(fields)}")
            elif self._damaged and any(map(UNDECODABLE.search, fields)):
                self._bad(row, undecodable(self._options))
            else:
                yield row, fields

    def batch(self, rows: list[int], kept: list[list[str]]) -> Batch:
        def column(position: int) -> list[str]:
            return [fields[position] for fields in kept]

        batch = Batch(
            column(self.text),
            column(self.label) if self._options.labels else None,
            {name: column(position) for name, position in self._keep.items()},
            rows,
        )
        unread, self._unread = self._unread, {}
        return checked_batch(batch, self._source.place, self._bad_rows, unread)

    def _lines(self) -> Iterator[str]:
        for block in text_blocks(self._source, self._options):
            self._damaged |= block.damaged
            yield from io.StringIO(block.text, newline="\n")

    def _bad(self, row: int, reason: str) -> None:
        self._unread[row] = reason
        if len(self._unread) >= _MANY_UNREAD:
            for bad_row, its_reason in self._unread.items():
                self._bad_rows.add(self._source.place(bad_row), its_reason)
            self._unread = {}

    def _name_columns(self, first: list[str]) -> None:
        options = self._options
        header = options.header
        self._names = first if header else [str(n) for n in range(1, len(first) + 1)]
        self.text = self._position(options.text_column or ("text" if header else self._names[-1]))
        if options.labels:
            self.label = self._position(options.label_column or ("label" if header else "1"))
        self._keep = {name: self._position(name) for name in options.keep}

    def _position(self, name: str) -> int:
        if self._names.count(name) == 1:
            return self._names.index(name)
        how_many = "several columns" if name in self._names else "no column"
        names = ", ".join(map(repr, self._names[:20]))
        remedy = (
            "; if there is no header, pass --no-header (header=False)"
            if self._options.header
            else ""
        )
        raise CorpusError(f"{self._source.name}: {how_many} {name!r} among {names}{remedy}")

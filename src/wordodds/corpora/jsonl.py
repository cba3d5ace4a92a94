"""One JSON object per line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from wordodds.corpora.bad_rows import MISSING, BadRows, CorpusError, checked_batch
from wordodds.corpora.batch import Batch
from wordodds.corpora.input import Input, text_blocks
from wordodds.corpora.lines import UNDECODABLE, split_lines, undecodable
from wordodds.corpora.options import ReadOptions

__all__ = ["check_jsonl", "read_jsonl"]

# Records may lack a column, but a column that none of these has is misspelt.
_FIRST_RECORDS = 1000
_FIRST_CHARACTERS = 1 << 26  # a bound for records of any size
_SHOWN = 20

# What json.loads calls in the end; the steps between take as long as a short line itself.
_scan = json.JSONDecoder().raw_decode


def read_jsonl(source: Input, options: ReadOptions, bad_rows: BadRows) -> Iterator[Batch]:
    """Yield the rows of a JSONL file; empty lines are skipped.

    Raises CorpusError if a wanted column is in none of the first records.
    """
    number = 1
    columns = _Columns(source.name, options)
    for block in text_blocks(source, options):
        lines = split_lines(block.text)
        rows, records, unread = _records(lines, number, block.damaged, options)
        number += len(lines)
        columns.look(records, len(block.text))
        text, label = options.text_column or "text", options.label_column or "label"
        batch = Batch(
            _column(records, text),
            _column(records, label) if options.labels else None,
            {name: _column(records, name, None) for name in options.keep},
            rows,
        )
        yield checked_batch(batch, source.place, bad_rows, unread)
    columns.end()


def check_jsonl(source: Input, options: ReadOptions) -> set[str]:
    """Return the kept columns that the first records lack, where that is no error."""
    columns = _Columns(source.name, options)
    for block in text_blocks(source, options):
        _, records, _ = _records(split_lines(block.text), 1, block.damaged, options)
        columns.look(records, len(block.text))
        if columns.settled:
            break
    columns.end()
    return columns.unseen_kept


class _Columns:
    """The wanted columns that no record has had so far."""

    def __init__(self, name: str, options: ReadOptions) -> None:
        self._name = name
        wanted = [options.text_column or "text"]
        if options.labels:
            wanted.append(options.label_column or "label")
        self._unseen = dict.fromkeys([*wanted, *options.keep])
        self._optional = set(options.keep) - set(wanted) if options.keep_somewhere else set()
        self._seen: dict[str, None] = {}  # for the message
        self._n_records = self._n_characters = 0
        self.settled = False

    def look(self, records: list[dict[str, Any]], n_characters: int) -> None:
        if self.settled:
            return
        for record in records[: _FIRST_RECORDS - self._n_records]:
            self._n_records += 1
            if len(self._seen) < _SHOWN:
                self._seen |= dict.fromkeys(record)
            for name in self._unseen.keys() & record.keys():
                del self._unseen[name]
            if not self._unseen:
                self.settled = True
                return
        self._n_characters += n_characters
        if self._n_records >= _FIRST_RECORDS or self._n_characters >= _FIRST_CHARACTERS:
            self.end()

    def end(self) -> None:
        self.settled = True
        missing = [name for name in self._unseen if name not in self._optional]
        if not missing or not self._n_records:
            return
        seen = ", ".join(map(repr, list(self._seen)[:_SHOWN])) or "none"
        raise CorpusError(
            f"{self._name}: no column {missing[0]!r} among {seen} "
            f"in the first {self._n_records:,} records"
        )

    @property
    def unseen_kept(self) -> set[str]:
        """Kept columns that no record has had."""
        return self._optional & self._unseen.keys() if self._n_records else set()


def _records(
    lines: list[str],
    number: int,
    damaged: bool,
    options: ReadOptions,
) -> tuple[list[int], list[dict[str, Any]], dict[int, str]]:
    rows: list[int] = []
    records: list[dict[str, Any]] = []
    unread: dict[int, str] = {}
    for row, line in enumerate(lines, number):
        try:
            record, end = _scan(line, 0)
            right = end == len(line) and type(record) is dict
        except (ValueError, RecursionError):
            right = False
        if not right or (damaged and UNDECODABLE.search(line)):
            if not line or line.isspace():
                continue
            try:
                record = _careful(line, options)
            except ValueError as error:
                unread[row] = str(error)
                continue
        rows.append(row)
        records.append(record)
    return rows, records, unread


def _careful(line: str, options: ReadOptions) -> dict[str, Any]:
    """Return the record of a line with spaces around it; ValueError says what is wrong."""
    if UNDECODABLE.search(line):
        raise ValueError(undecodable(options))
    try:
        record = json.loads(line)
    except RecursionError:
        raise ValueError("not JSON: nested too deeply") from None
    except ValueError as error:
        raise ValueError(f"not JSON: {error}") from None
    if type(record) is not dict:
        raise ValueError(f"must be a JSON object, got {line[:60]}")
    return record


def _column(records: list[dict[str, Any]], name: str, missing: object = MISSING) -> list[Any]:
    try:
        return [record[name] for record in records]
    except KeyError:
        return [record.get(name, missing) for record in records]

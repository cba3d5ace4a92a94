"""One JSON object per line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from wordodds.corpora.lines import UNDECODABLE, split_lines, undecodable
from wordodds.corpora.records import MISSING, BadRows, Batch, ReadOptions, checked_batch
from wordodds.corpora.source import Input, text_blocks

__all__ = ["read_jsonl"]

# What json.loads calls in the end; the steps between take as long as a short line itself.
_scan = json.JSONDecoder().raw_decode


def read_jsonl(source: Input, options: ReadOptions, bad_rows: BadRows) -> Iterator[Batch]:
    """Yield the rows of a JSONL file; empty lines are passed over.

    Parameters
    ----------
    source : Input
        The open input.
    options : ReadOptions
        What is wanted.
    bad_rows : BadRows
        Hears of lines that cannot be used.
    """
    number = 1
    for block in text_blocks(source, options):
        lines = split_lines(block.text)
        rows, records, unread = _records(lines, number, block.damaged, options)
        number += len(lines)
        text, label = options.text_column or "text", options.label_column or "label"
        batch = Batch(
            _column(records, text),
            _column(records, label) if options.labels else None,
            {name: _column(records, name, None) for name in options.keep},
            rows,
        )
        yield checked_batch(batch, source.place, bad_rows, unread)


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
    """Read a line that has spaces around it, or say what is wrong with it."""
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


def _column(records: list[dict[str, Any]], name: str, missing: Any = MISSING) -> list[Any]:
    try:
        return [record[name] for record in records]
    except KeyError:
        return [record.get(name, missing) for record in records]

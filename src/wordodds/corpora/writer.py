"""Columns of results, batch by batch, as JSONL, CSV, TSV, Parquet or lines."""

from __future__ import annotations

import io
import json
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from wordodds.corpora.bad_rows import CorpusError
from wordodds.corpora.output import open_output
from wordodds.corpora.readers import as_list, format_of

if TYPE_CHECKING:
    from wordodds.corpora.streams import ByteWriter

__all__ = ["OUTPUT_FORMATS", "OutputFormat", "Writer", "open_writer"]

OutputFormat: TypeAlias = Literal["jsonl", "csv", "tsv", "parquet", "lines"]

OUTPUT_FORMATS = ("jsonl", "csv", "tsv", "parquet", "lines")

_Columns = Mapping[str, Sequence[Any]]


class Writer(Protocol):
    """Takes results batch by batch."""

    def write(self, columns: _Columns) -> None:
        """Write rows: the announced columns, in that order and of equal length."""


@contextmanager
def open_writer(
    target: str | os.PathLike[str],
    kinds: Mapping[str, type | None],
    *,
    format: str | None = None,
) -> Iterator[Writer]:
    """Open a file of results; it appears when it is complete.

    `kinds` maps each column to str, int, float or bool, or to None where the kind is unknown.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "labels.jsonl")
    >>> with open_writer(path, {"label": str, "p": float}) as writer:
    ...     writer.write({"label": ["spam", "ham"], "p": [0.75, 0.5]})
    >>> print(path.read_text().rstrip())
    {"label": "spam", "p": 0.75}
    {"label": "ham", "p": 0.5}
    """
    kind = format or format_of(target)
    if kind not in OUTPUT_FORMATS:
        raise CorpusError(
            f"{os.fspath(target)}: the name must tell the format; it may be "
            f"{', '.join(OUTPUT_FORMATS)}"
        )
    if kind == "parquet" and os.path.splitext(os.fspath(target))[1] in (".gz", ".zst"):
        raise CorpusError(f"{os.fspath(target)}: Parquet packs its own columns; drop the ending")
    with open_output(target) as stream:
        if kind == "parquet":
            from wordodds.corpora.parquet_writer import parquet_writer

            with parquet_writer(stream, kinds) as parquet:
                yield parquet
        else:
            yield _TextWriter(stream, kind, kinds)


class _TextWriter:
    """Joins the rows of a batch into one piece of text, which is written at once."""

    def __init__(self, stream: ByteWriter, kind: str, kinds: Mapping[str, type | None]) -> None:
        self._stream = stream
        self._render = _RENDERERS[kind]
        if kind in ("csv", "tsv"):
            self.write({name: [name] for name in kinds})

    def write(self, columns: _Columns) -> None:
        text = self._render({name: as_list(column) for name, column in columns.items()})
        # Lone surrogates, which JSON can express, have no bytes: they are escaped again.
        self._stream.write(text.encode("utf-8", "backslashreplace"))
        self._stream.flush()


def _as_lines(columns: Mapping[str, list[Any]]) -> str:
    spelt = [_plain(column) for column in columns.values()]
    for name, values in zip(columns, spelt, strict=True):
        whole = "".join(values)
        if "\n" in whole or "\r" in whole or (len(spelt) > 1 and "\t" in whole):
            raise ValueError(
                f"a value of {name!r} has a line break or a tab, which would break the lines: "
                "write jsonl or csv"
            )
    rows = spelt[0] if len(spelt) == 1 else map("\t".join, zip(*spelt, strict=True))
    return "\n".join([*rows, ""])


def _plain(column: list[Any]) -> list[str]:
    kinds = set(map(type, column))
    if kinds <= {str}:
        return column
    if kinds <= {float}:
        return [f"{value:.6g}" for value in column]
    return ["" if value is None else str(value) for value in column]


def _as_jsonl(columns: Mapping[str, list[Any]]) -> str:
    # Column by column: a call for each row would take twice the time.
    heads = [json.dumps(name, ensure_ascii=False) + ": " for name in columns]
    pattern = "{{" + ", ".join(head.replace("{", "{{").replace("}", "}}") + "{}" for head in heads)
    spelt = [_json(column) for column in columns.values()]
    return "".join(map((pattern + "}}\n").format, *spelt))


def _json(column: list[Any]) -> list[str]:
    kinds = set(map(type, column))
    if kinds <= {str}:
        return list(map(json.encoder.encode_basestring, column))
    # A sum is finite only if every number is; NaN and infinity are not JSON.
    if kinds <= {int} or (kinds <= {float} and math.isfinite(sum(column))):
        return list(map(repr, column))
    return [_one_json(value) for value in column]


def _one_json(value: object) -> str:
    if isinstance(value, float) and not math.isfinite(value):
        return "null"
    return json.dumps(value, ensure_ascii=False, default=str)


def _as_delimited(delimiter: str) -> Callable[[Mapping[str, list[Any]]], str]:
    def render(columns: Mapping[str, list[Any]]) -> str:
        import csv

        text = io.StringIO(newline="")
        rows = zip(*columns.values(), strict=True)
        csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
        return text.getvalue()

    return render


_RENDERERS = {
    "lines": _as_lines,
    "jsonl": _as_jsonl,
    "csv": _as_delimited(","),
    "tsv": _as_delimited("\t"),
}

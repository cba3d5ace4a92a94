"""Parquet files, whose text is scored where Arrow put it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from wordodds.corpora.arrow import pyarrow_module
from wordodds.corpora.bad_rows import BadRows, CorpusError, checked_batch, plain_labels
from wordodds.corpora.batch import Batch
from wordodds.corpora.options import ReadOptions

if TYPE_CHECKING:
    import pyarrow
    from pyarrow.parquet import ParquetFile

__all__ = ["read_parquet"]

_MOST_ROWS = 1 << 17
# A batch is collected from pieces: documents of very different lengths overshoot by one piece.
_PIECES = 8
# Sizes in the file say nothing about how long the texts of a dictionary are.
_MOST_ROWS_OF_DICTIONARY = 1 << 10
_COLUMN_BUFFER = 1 << 18
_TEXT_KINDS = ("string", "large_string", "string_view", "null")


def read_parquet(
    path: str, options: ReadOptions, bad_rows: BadRows, advance: Callable[[int], None]
) -> Iterator[Batch]:
    """Yield the rows of a Parquet file."""
    if path == "-":
        raise CorpusError("Parquet cannot be read from standard input; name a file")
    arrow = pyarrow_module("pyarrow", "reading Parquet")
    with open(path, "rb"):
        pass  # Python's errors are clearer than Arrow's
    try:
        # Arrow's own file needs no interpreter lock to read. Small buffers for columns, as a row
        # group may be larger than memory.
        with arrow.OSFile(os.fsencode(path)) as raw:
            file = pyarrow_module("pyarrow.parquet", "reading Parquet").ParquetFile(
                raw, buffer_size=_COLUMN_BUFFER, pre_buffer=False
            )
            yield from _batches(file, path, options, bad_rows, advance)
    except arrow.ArrowException as error:
        raise CorpusError(f"{path}: {error}") from error
    except OSError as error:
        if error.errno is not None:
            raise
        raise CorpusError(f"{path}: {error}") from error  # damaged pages


def _batches(
    file: ParquetFile,
    path: str,
    options: ReadOptions,
    bad_rows: BadRows,
    advance: Callable[[int], None],
) -> Iterator[Batch]:
    text, label = options.text_column or "text", options.label_column or "label"
    names = list(dict.fromkeys([text, *([label] if options.labels else []), *options.keep]))
    _check_columns(file.schema_arrow, names, text, path)
    row = 1
    bytes_per_row = os.path.getsize(path) / max(file.metadata.num_rows, 1)
    for table in _tables(file, text, names, options):
        labels = table.column(label).to_pylist() if options.labels else None
        batch = Batch(
            table.column(text),
            labels,
            {name: table.column(name) for name in options.keep},
            range(row, row + len(table)),
        )
        row += len(table)
        advance(int(bytes_per_row * len(table)))
        yield _checked(batch, path, bad_rows)


def _tables(
    file: ParquetFile, text: str, names: list[str], options: ReadOptions
) -> Iterator[pyarrow.RecordBatch]:
    """Yield record batches of about as much text as a batch may have."""
    most_rows = options.batch_rows or _MOST_ROWS
    pieces: list[pyarrow.RecordBatch] = []
    n_rows = n_bytes = 0
    # One thread: the others score what was read before.
    for piece in file.iter_batches(_piece_rows(file, text, options), None, names, False):
        n_new = piece.column(text).nbytes
        if n_rows and (n_rows + len(piece) > most_rows or n_bytes + n_new > options.batch_bytes):
            yield _joined(pieces)
            pieces, n_rows, n_bytes = [], 0, 0
        pieces.append(piece)
        n_rows += len(piece)
        n_bytes += n_new
    if n_rows:
        yield _joined(pieces)


def _joined(pieces: list[pyarrow.RecordBatch]) -> pyarrow.RecordBatch:
    if len(pieces) == 1:
        return pieces[0]
    arrow = pyarrow_module("pyarrow", "reading Parquet")
    (whole,) = arrow.Table.from_batches(pieces).combine_chunks().to_batches()
    return whole


def _check_columns(schema: pyarrow.Schema, names: list[str], text: str, path: str) -> None:
    for name in names:
        if name not in schema.names:
            raise CorpusError(
                f"{path}: no column {name!r} among {', '.join(map(repr, schema.names[:20]))}"
            )
        if schema.names.count(name) > 1:
            raise CorpusError(f"{path}: several columns are called {name!r}")
    kind = schema.field(text).type
    values = kind.value_type if str(kind).startswith("dictionary<") else kind
    if str(values) not in _TEXT_KINDS:
        raise CorpusError(f"{path}: column {text!r} must hold text, not {kind}")


def _piece_rows(file: ParquetFile, text: str, options: ReadOptions) -> int:
    """Find how many rows have an eighth of the text of a batch."""
    metadata = file.metadata
    n_bytes = 0
    most = min(_MOST_ROWS, options.batch_rows or _MOST_ROWS)
    for group in range(metadata.num_row_groups):
        columns = metadata.row_group(group)
        for position in range(columns.num_columns):
            column = columns.column(position)
            if column.path_in_schema == text:
                n_bytes += column.total_uncompressed_size
                if any("DICTIONARY" in encoding for encoding in column.encodings):
                    most = min(most, _MOST_ROWS_OF_DICTIONARY)
    rows = options.batch_bytes * int(metadata.num_rows) // (_PIECES * max(n_bytes, 1))
    return max(1, min(rows, most))


def _checked(batch: Batch, path: str, bad_rows: BadRows) -> Batch:
    if not batch.texts.null_count and (batch.labels is None or plain_labels(batch.labels)):
        # Good rows stay in Arrow's memory.
        return batch
    batch.texts = batch.texts.to_pylist()
    batch.extra = {name: column.to_pylist() for name, column in batch.extra.items()}
    return checked_batch(batch, f"{path}, row {{}}".format, bad_rows)

"""Parquet files of results, in row groups that depend on the rows alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from wordodds.corpora.arrow import pyarrow_module
from wordodds.corpora.bad_rows import CorpusError
from wordodds.typing import Ints

if TYPE_CHECKING:
    import pyarrow

    from wordodds.corpora.streams import ByteWriter

__all__ = ["ParquetWriter", "parquet_writer"]

# Python's kinds of values and what Parquet calls them, for a file without rows.
_ARROW_KINDS = {str: "string", int: "int64", float: "float64", bool: "bool"}
# A row group per batch would be slow to read; one for everything would not fit into memory.
_GROUP_ROWS = 1 << 17
_GROUP_BYTES = 1 << 26
_WITH_LENGTHS = ("string", "large_string", "binary", "large_binary")


@contextmanager
def parquet_writer(stream: ByteWriter, kinds: Mapping[str, type | None]) -> Iterator[ParquetWriter]:
    """Open a writer; the file is complete when the block ends."""
    writer = ParquetWriter(stream, kinds)
    try:
        yield writer
    except BaseException:
        # PyArrow would write the end later, to a file that is closed by then.
        with suppress(Exception):
            writer.close_file()
        raise
    writer.finish()


class ParquetWriter:
    """Collects rows into row groups; the first batch decides the kinds that were not announced."""

    def __init__(self, stream: ByteWriter, kinds: Mapping[str, type | None]) -> None:
        self._arrow = pyarrow_module("pyarrow", "writing Parquet")
        self._stream = stream
        self._kinds = kinds
        self._file: Any = None
        self._waiting: list[pyarrow.RecordBatch] = []
        self._n_rows = 0
        self._n_bytes = 0

    def write(self, columns: Mapping[str, Sequence[Any]]) -> None:
        """Add rows: lists, NumPy or Arrow arrays of equal length."""
        if self._file is None:
            self._open(columns)
        rest = self._batch(columns)
        while len(rest):
            end = self._room(rest)
            self._waiting.append(rest.slice(0, end))
            if self._n_rows >= _GROUP_ROWS or self._n_bytes >= _GROUP_BYTES:
                self._write_group()
            rest = rest.slice(end)

    def finish(self) -> None:
        """Write what waits, and the end of the file."""
        if self._file is None:
            self.write({name: [] for name in self._kinds})
        self._write_group()
        self.close_file()

    def close_file(self) -> None:
        """Close the file as it is."""
        if self._file is not None:
            self._file.close()

    def _room(self, rows: pyarrow.RecordBatch) -> int:
        """Reserve space for as many rows as the group still takes, at least one."""
        sizes = np.cumsum(_row_bytes(rows, self._arrow))
        fits = int(np.searchsorted(sizes, _GROUP_BYTES - self._n_bytes)) + 1
        end = min(fits, _GROUP_ROWS - self._n_rows, len(rows))
        self._n_rows += end
        self._n_bytes += int(sizes[end - 1])
        return end

    def _write_group(self) -> None:
        if self._waiting:
            # In one piece: where batches began would show in the pages of the file.
            table = self._arrow.Table.from_batches(self._waiting).combine_chunks()
            self._file.write_table(table, row_group_size=_GROUP_ROWS)
        self._waiting, self._n_rows, self._n_bytes = [], 0, 0

    def _batch(self, columns: Mapping[str, Sequence[Any]]) -> pyarrow.RecordBatch:
        schema = self._file.schema
        try:
            arrays = [
                self._array(column, field.type)
                for field, column in zip(schema, columns.values(), strict=True)
            ]
        except self._arrow.ArrowException as error:
            raise CorpusError(
                f"a column for Parquet must hold values of one kind: {error}; write JSONL instead"
            ) from error
        return self._arrow.RecordBatch.from_arrays(arrays, schema=schema)

    def _array(
        self, column: Sequence[Any] | pyarrow.Array, kind: pyarrow.DataType
    ) -> pyarrow.Array:
        if isinstance(column, self._arrow.Array):
            return column if column.type == kind else column.cast(kind)
        return self._arrow.array(column, type=kind)

    def _open(self, columns: Mapping[str, Sequence[Any]]) -> None:
        fields = [(name, self._kind(name, column)) for name, column in columns.items()]
        parquet = pyarrow_module("pyarrow.parquet", "writing Parquet")
        self._file = parquet.ParquetWriter(self._stream, self._arrow.schema(fields))

    def _kind(self, name: str, column: Sequence[Any] | pyarrow.Array) -> pyarrow.DataType:
        known = self._kinds[name]
        if known is not None:
            return self._arrow.type_for_alias(_ARROW_KINDS[known])
        try:
            inferred = getattr(column, "type", None) or self._arrow.array(column).type
        except self._arrow.ArrowException as error:
            raise CorpusError(
                f"column {name!r} for Parquet must hold values of one kind: {error}; "
                "write JSONL instead"
            ) from error
        # Later batches may have values.
        return self._arrow.string() if self._arrow.types.is_null(inferred) else inferred


def _row_bytes(rows: pyarrow.RecordBatch, arrow: ModuleType) -> Ints:
    """Return about how many bytes each row takes, independently of its batch."""
    compute = pyarrow_module("pyarrow.compute", "writing Parquet")
    sizes = np.full(len(rows), 8 * rows.num_columns, dtype=np.int64)
    for column in rows.columns:
        if arrow.types.is_nested(column.type):
            sizes += column.nbytes // max(
                len(column), 1
            )  # their mean: exact sizes would cost a loop
        elif str(column.type) in _WITH_LENGTHS:
            lengths = compute.fill_null(compute.binary_length(column), 0)
            sizes += lengths.to_numpy(zero_copy_only=False)
    return sizes

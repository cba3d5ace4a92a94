"""Rows that do not fit the memory: written once, read back in shuffled blocks."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from wordodds._border.csr import CsrArrays
from wordodds._files.scratch import Scratch
from wordodds.typing import AnyArray, Codes

__all__ = ["Block", "RowStore"]

# A piece is what is read at once, about a megabyte; a block is many of them from all over the
# corpus, so that one which comes sorted by label is learnt from as if it were shuffled.
ENTRIES_PER_PIECE = 1 << 17
# Of a block in memory: a column and a value of an entry, as they lie on disk and as kernels want
# them; the length, the label and the end of a row.
BYTES_PER_ENTRY, BYTES_PER_ROW = 16, 24


class _Piece(NamedTuple):
    """Some rows on disk: lengths, codes, columns and values, one array after the other."""

    begin: int
    first_row: int
    n_rows: int
    n_entries: int


class Block(NamedTuple):
    """Some rows in memory, with the numbers that they have in the store."""

    matrix: CsrArrays
    codes: Codes
    row_ranges: list[range]


class RowStore:
    """Sparse rows with a class each, on disk.

    Values are kept in single precision. Where classes are numbered as they come, set ``ranks`` when
    all are known: code i is read back as ``ranks[i]``. Nothing is left in the folder.
    """

    def __init__(self, folder: str, n_cols: int, seed: int) -> None:
        self.n_cols, self.n_rows, self.largest = n_cols, 0, 0.0
        self._squares = 0.0
        self.ranks: Codes | None = None
        self._scratch = Scratch(folder)
        self._rng = np.random.Generator(np.random.PCG64(seed))
        self._pieces: list[_Piece] = []

    def __enter__(self) -> "RowStore":
        return self

    def __exit__(self, *exception: object) -> None:
        self._scratch.close()

    def add(self, rows: sp.csr_matrix, codes: Codes) -> None:
        """Write down a csr_matrix of values >= 0, without repeated entries, and its classes."""
        if rows.shape[0] == 0:
            return
        order = self._rng.permutation(rows.shape[0])
        rows, codes = rows[order], codes[order]
        if rows.nnz:
            self.largest = max(self.largest, float(rows.data.max()))
            self._squares += float(np.einsum("i,i->", rows.data, rows.data))
        cuts = np.arange(0, rows.nnz, ENTRIES_PER_PIECE)
        borders = np.unique([*np.searchsorted(rows.indptr, cuts), rows.shape[0]])
        for first, last in zip([0, *borders], borders, strict=False):
            if last > first:
                self._write(rows.indptr[first : last + 1], rows, codes[first:last])

    @property
    def mean_square(self) -> float:
        """The mean squared length of a row."""
        return self._squares / max(1, self.n_rows)

    def _write(self, indptr: AnyArray, rows: sp.csr_matrix, codes: Codes) -> None:
        entries = slice(int(indptr[0]), int(indptr[-1]))
        begin = self._scratch.append(np.diff(indptr).astype(np.int32))
        self._scratch.append(codes)
        self._scratch.append(rows.indices[entries].astype(np.int32))
        self._scratch.append(rows.data[entries].astype(np.float32))
        n = len(codes)
        self._pieces.append(_Piece(begin, self.n_rows, n, entries.stop - entries.start))
        self.n_rows += n

    def blocks(self, n_bytes: int) -> Iterator[Block]:
        """Yield all rows once, in blocks of about that size that each call puts together anew."""
        chosen: list[_Piece] = []
        size = 0
        for i in self._rng.permutation(len(self._pieces)).tolist():
            piece = self._pieces[i]
            more = BYTES_PER_ENTRY * piece.n_entries + BYTES_PER_ROW * piece.n_rows
            if chosen and size + more > n_bytes:
                yield self._read(chosen)
                chosen, size = [], 0
            chosen.append(piece)
            size += more
        if chosen:
            yield self._read(chosen)

    def _read(self, pieces: list[_Piece]) -> Block:
        n_rows, n_entries = sum(p.n_rows for p in pieces), sum(p.n_entries for p in pieces)
        lengths, codes = np.empty(n_rows, dtype=np.int32), np.empty(n_rows, dtype=np.int32)
        indices = np.empty(n_entries, dtype=np.int32)
        values = np.empty(n_entries, dtype=np.float32)
        row = entry = 0
        for piece in pieces:
            rows = slice(row, row := row + piece.n_rows)
            entries = slice(entry, entry := entry + piece.n_entries)
            at = piece.begin
            for array in (lengths[rows], codes[rows], indices[entries], values[entries]):
                self._scratch.read_into(at, array)
                at += array.nbytes
        indptr = np.zeros(n_rows + 1, dtype=np.int64)
        np.cumsum(lengths, out=indptr[1:])
        ranges = [range(p.first_row, p.first_row + p.n_rows) for p in pieces]
        matrix = CsrArrays(indptr, indices, values.astype(np.float64), n_rows, self.n_cols)
        return Block(matrix, codes if self.ranks is None else self.ranks[codes], ranges)

"""The weights of a linear model: a row for each feature, and the bias that scores start from."""

from typing import TypeAlias

import numpy as np

from wordodds._border.features import largest
from wordodds._core.base import lane_stride
from wordodds.typing import AnyFloats, Codes, Floats, Ints, Positions

__all__ = ["Weights"]

Rows: TypeAlias = slice | Codes | Ints | Positions


class Weights:
    """Rows of weights. Never changes.

    ``table`` is as the kernel reads it, padded, in float32 or float64.
    Low-rank weights are rows of ``rank`` numbers times ``factor``, (rank, n_columns).
    """

    def __init__(self, table: AnyFloats, bias: Floats, factor: AnyFloats | None) -> None:
        if factor is not None and (factor.ndim != 2 or factor.shape[1] != len(bias)):
            raise ValueError(f"a factor of shape {factor.shape} gives no {len(bias)} columns")
        self.bias = np.ascontiguousarray(bias, dtype=np.float64)
        self.factor = None if factor is None else np.ascontiguousarray(factor, dtype=np.float64)
        self.table = _padded(table, len(bias) if factor is None else len(factor))

    def __len__(self) -> int:
        return len(self.table)

    def rows(self, rows: Rows) -> AnyFloats:
        """Return the weights of some features, (n_rows, n_columns)."""
        if self.factor is not None:
            return np.asarray(self.table[rows, : len(self.factor)] @ self.factor)
        return self.table[rows, : len(self.bias)]

    def along(self, contrast: Floats, rows: Rows = slice(None)) -> Floats:
        """Return what one unit of each of these features adds along a contrast of columns."""
        if self.factor is None:
            return np.asarray(self.table[rows, : len(contrast)] @ contrast)
        return np.asarray(self.table[rows, : len(self.factor)] @ (self.factor @ contrast))

    def top(self, contrast: Floats, n: int) -> list[tuple[int, float]]:
        """Return the n rows that add most along a contrast, with what one unit of each adds."""
        odds = self.along(contrast)
        return [(row, float(odds[row])) for row in largest(odds, n)]


def _padded(weights: AnyFloats, n_columns: int) -> AnyFloats:
    """Return weights with one column or a multiple of four, not copied if they are so already."""
    stride = lane_stride(n_columns)
    if weights.ndim != 2 or weights.shape[1] not in (n_columns, stride):
        raise ValueError(f"weights of shape {weights.shape} do not go with {n_columns} columns")
    fits = weights.shape[1] == stride and weights.flags.c_contiguous
    dtype = np.float32 if weights.dtype in (np.float16, np.float32) else np.float64
    if fits and weights.dtype == dtype:
        return weights
    wide = np.zeros((len(weights), stride), dtype=dtype)
    wide[:, :n_columns] = weights[:, :n_columns]
    return wide

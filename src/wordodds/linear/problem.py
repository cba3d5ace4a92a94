"""From what `fit` was given to what a solver can work on: checked, weighted, and well scaled."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from wordodds._border.csr import (
    CsrArrays,
    as_csr,
    refuse_text,
    require_rows,
    sparse_of_frame,
    without_repeats,
)
from wordodds._border.execution import Execution
from wordodds._border.row_weights import rows_of_fit
from wordodds._estimator.state import checked_data
from wordodds.linear.matrix import DenseMatrix, Matrix, SparseMatrix, matrix_of
from wordodds.typing import AnyArray, Codes, Floats, Labels, MatrixLike, Positions, WeightsLike

__all__ = [
    "LabelledRows",
    "Problem",
    "columns_of_weights",
    "labelled_rows",
    "penalty_of",
    "problem_of_fit",
    "require_two_classes",
    "rows_of_problem",
]

# A column within these is left as it is: gradients are then of a size that tol can be compared to,
# and squares stay far from the ends of double.
LEAST, LARGEST = 1e-10, 1e10
ENTRIES_AT_ONCE = 1 << 20  # small arrays stay in the cache, and Ctrl-C is heard between them
# Of C times the total weight: below it, weights are zero as far as double can tell.
STRENGTH_LEAST = 1e-300


class LabelledRows(NamedTuple):
    """What `fit` was given, checked; rows of weight zero are gone."""

    rows: CsrArrays | AnyArray
    classes: AnyArray
    codes: Codes
    row_weights: Floats
    total_weight: float


class Problem(NamedTuple):
    """Rows, labels and weights of a fit, ready for a solver."""

    matrix: Matrix
    classes: AnyArray
    codes: Codes
    row_weights: Floats  # they sum to 1
    total_weight: float
    scale: Floats | None  # what column j was divided by; None where none was
    dtype: npt.DTypeLike  # of the entries as they came


def penalty_of(C: float, total_weight: float) -> float:
    """Return lambda, the factor of half the squared length of the weights; C may be infinite."""
    return 1.0 / max(C * total_weight, STRENGTH_LEAST)


def columns_of_weights(n_classes: int) -> int:
    """Return the number of columns of weights: of two classes, what stands between them.

    Examples
    --------
    >>> columns_of_weights(2), columns_of_weights(3)
    (1, 3)
    """
    return 1 if n_classes == 2 else n_classes


def require_two_classes(model: BaseEstimator, classes: AnyArray) -> None:
    """Refuse labels of a single class."""
    if len(classes) < 2:
        raise ValueError(
            f"{type(model).__name__} needs samples of at least 2 classes in the data, but the data "
            f"contains only one class: {classes.tolist()[0]!r}"
        )


def labelled_rows(
    model: BaseEstimator,
    X: MatrixLike,
    y: Labels,
    sample_weight: WeightsLike,
    how: Execution,
    *,
    non_negative: bool = False,
) -> LabelledRows:
    """Check what `fit` was given, and drop the rows of weight zero."""
    rows = _checked_rows(model, X, how, non_negative)
    n_rows = rows.n_rows if isinstance(rows, CsrArrays) else len(rows)
    classes, codes, weights = rows_of_fit(model, y, n_rows, sample_weight)
    require_two_classes(model, classes)
    if weights is None:
        weights = np.ones(n_rows)
    elif not weights.all():
        kept = np.flatnonzero(weights)
        rows, codes, weights = _take(rows, kept), codes[kept], weights[kept]
    with np.errstate(over="ignore"):
        total = float(weights.sum())
    if not np.isfinite(total):
        raise ValueError("the weights of the rows add up to more than 1e308: scale them down")
    return LabelledRows(rows, classes, codes, weights, total)


def problem_of_fit(
    model: BaseEstimator,
    X: MatrixLike,
    y: Labels,
    sample_weight: WeightsLike,
    how: Execution,
    C: float = np.inf,
    *,
    rescale: bool = True,
    non_negative: bool = False,
) -> Problem:
    """Check what `fit` was given, and divide columns of extreme sizes by powers of two.

    How large is extreme depends on the penalty, and so on C.
    """
    rows, classes, codes, weights, total = labelled_rows(
        model, X, y, sample_weight, how, non_negative=non_negative
    )
    dtype = getattr(X, "dtype", rows.data.dtype if isinstance(rows, CsrArrays) else rows.dtype)
    rows, scale = _well_scaled(rows, penalty_of(C, total)) if rescale else (rows, None)
    return Problem(matrix_of(rows, how), classes, codes, weights / total, total, scale, dtype)


def rows_of_problem(problem: Problem, kept: Positions, how: Execution) -> Problem:
    """Return the problem of some rows alone."""
    if isinstance(problem.matrix, SparseMatrix):
        matrix: Matrix = SparseMatrix(problem.matrix.rows.take(kept), how)
    else:
        matrix = DenseMatrix(problem.matrix.block(0, problem.matrix.n_rows)[kept], how)
    weights = problem.row_weights[kept]
    share = float(weights.sum())
    return problem._replace(
        matrix=matrix,
        codes=problem.codes[kept],
        row_weights=weights / share,
        total_weight=problem.total_weight * share,
    )


def _checked_rows(
    model: BaseEstimator, X: MatrixLike, how: Execution, non_negative: bool
) -> CsrArrays | AnyArray:
    """Return X as CSR if it is sparse, else as a dense array of float32 or float64."""
    X = sparse_of_frame(X)
    if sp.issparse(X):
        rows = as_csr(X, non_negative=non_negative, execution=how, owner=type(model).__name__)
        require_rows(rows)
        return without_repeats(rows, how)
    if isinstance(X, list | tuple | np.ndarray):
        refuse_text(np.asarray(X), "X")
    if isinstance(X, np.ndarray) and X.dtype.kind not in "biufcO":
        raise TypeError(f"X must hold numbers, got dtype {X.dtype}")
    dense = checked_data(model, X, fitted=False, dtype=[np.float64, np.float32])
    if non_negative and (dense < 0.0).any():
        row, column = np.argwhere(dense < 0.0)[0]
        raise ValueError(
            f"Negative values in data passed to {type(model).__name__} (input X): "
            f"X[{row}, {column}] is {dense[row, column]}"
        )
    return dense


def _take(rows: CsrArrays | AnyArray, kept: Positions) -> CsrArrays | AnyArray:
    """Return some of the rows."""
    return rows.take(kept) if isinstance(rows, CsrArrays) else rows[kept]


def _sizes(entries: AnyArray) -> tuple[float, float]:
    """Return the least and the largest absolute value that is not zero; infinity and 0 for none."""
    least, largest = np.inf, 0.0
    step = max(1, ENTRIES_AT_ONCE // max(1, entries[:1].size))
    for begin in range(0, len(entries), step):
        part = entries[begin : begin + step]
        low, high = float(part.min()), float(part.max())
        if low <= 0.0:
            sizes = np.abs(part)
            low = float(sizes.min())
            if low == 0.0:
                low = float(np.min(sizes[sizes > 0.0].astype(np.float64), initial=np.inf))
            high = float(sizes.max())
        least, largest = min(least, low), max(largest, high)
    return least, largest


def _well_scaled(
    rows: CsrArrays | AnyArray, penalty: float
) -> tuple[CsrArrays | AnyArray, Floats | None]:
    """Divide columns that are far too large or far too small by powers of two.

    Afterwards neither the entries of a column nor its penalty are much larger than 1: a column that
    is small beside its penalty stays small, as its weight is going to be.
    """
    entries = rows.data if isinstance(rows, CsrArrays) else rows
    penalised = np.sqrt(penalty)
    least, largest_of_all = _sizes(entries)
    if least == np.inf or (least >= LEAST and max(largest_of_all, penalised) <= LARGEST):
        return rows, None
    if isinstance(rows, CsrArrays):
        largest = np.zeros(rows.n_cols)
        np.maximum.at(largest, rows.indices, np.abs(entries).astype(np.float64))
    else:
        largest = np.abs(entries).max(axis=0).astype(np.float64)
    sizes = np.maximum(largest, penalised)
    sizes[(largest == 0.0) | ((sizes >= LEAST) & (sizes <= LARGEST))] = 0.5
    scale = np.exp2(np.frexp(sizes)[1].clip(-1021, 1021))
    if isinstance(rows, CsrArrays):
        return rows._replace(data=rows.data / scale[rows.indices]), scale
    return rows / scale, scale

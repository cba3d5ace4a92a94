"""What stochastic gradient descent learns from: rows, labels and weights at the border."""

import numpy as np

from wordodds._border.csr import CsrArrays, as_csr, require_rows, without_repeats, without_zeros
from wordodds._border.execution import Execution
from wordodds._border.labels import encode_known_labels, encode_labels
from wordodds._border.row_weights import class_weights, row_weights
from wordodds._estimator.random_state import random_source
from wordodds.linear.sgd.epochs import Rows
from wordodds.typing import (
    AnyArray,
    ClassWeight,
    Ints,
    Labels,
    MatrixLike,
    RandomState,
    WeightsLike,
)

__all__ = ["checked_rows", "held_out", "labelled_rows", "part_of"]


def checked_rows(X: MatrixLike, how: Execution, owner: str) -> CsrArrays:
    """Return X as the kernel takes it: floating point, no entry twice, none that is zero."""
    matrix = as_csr(X, non_negative=False, execution=how, owner=owner)
    require_rows(matrix)
    matrix = without_zeros(without_repeats(matrix, how))
    if matrix.data.dtype == np.int64:
        matrix = matrix._replace(data=matrix.data.astype(np.float64))
    return matrix


def labelled_rows(
    matrix: CsrArrays,
    y: Labels,
    sample_weight: WeightsLike,
    class_weight: ClassWeight,
    known: AnyArray | None,
    *,
    coupled: bool,
) -> tuple[AnyArray, Rows]:
    """Return the classes, and the rows that weigh something with their labels and weights.

    A row whose ``sample_weight`` is zero is dropped. As in scikit-learn, a class weight
    counts where its class is the positive one; in a one-vs-rest column the rest weighs 1.
    """
    if known is None:
        classes, codes = encode_labels(y, matrix.n_rows)
    else:
        classes, codes = known, encode_known_labels(y, matrix.n_rows, known)
    weights = row_weights(sample_weight, None, classes, codes)
    if weights is not None and not weights.all():
        keep = np.flatnonzero(weights)
        if not len(keep):
            raise ValueError("the weight of every row is zero: there is nothing to learn from")
        matrix, codes, weights = matrix.take(keep), codes[keep], weights[keep]
        if known is None:
            present, inverse = np.unique(codes, return_inverse=True)
            classes, codes = classes[present], np.asarray(inverse, dtype=np.int32)
    positive_weights = None
    if class_weight is not None:
        factors = class_weights(class_weight, classes, codes)
        if coupled or len(classes) == 2:
            weights = factors[codes] if weights is None else weights * factors[codes]
        else:
            positive_weights = factors
    if weights is not None and not weights.any():
        raise ValueError("the weight of every row is zero: there is nothing to learn from")
    with np.errstate(over="ignore"):
        too_much = weights is not None and not np.isfinite(weights.sum())
    if too_much:
        raise ValueError("the weights of the rows add up to more than 1e308: scale them down")
    return classes, Rows(matrix, codes, weights, positive_weights)


def held_out(rows: Rows, fraction: float, random_state: RandomState) -> tuple[Ints, Ints]:
    """Return the rows to learn from and those to judge by, stratified, each in ascending order."""
    from sklearn.model_selection import StratifiedShuffleSplit

    split = StratifiedShuffleSplit(test_size=fraction, random_state=random_source(random_state))
    train, test = next(split.split(np.zeros((len(rows.codes), 1)), rows.codes))
    return np.sort(train).astype(np.int64), np.sort(test).astype(np.int64)


def part_of(rows: Rows, which: Ints) -> Rows:
    """Return some of the rows."""
    weights = None if rows.weights is None else rows.weights[which]
    return rows._replace(matrix=rows.matrix.take(which), codes=rows.codes[which], weights=weights)

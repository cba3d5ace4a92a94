"""Labels at the public border: any one-dimensional column becomes classes and codes."""

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["encode_labels"]


def encode_labels(y: Any, n_rows: int) -> tuple[npt.NDArray[Any], npt.NDArray[np.int32]]:
    """Find the classes of ``y`` and the class of each row.

    Parameters
    ----------
    y : array-like of str, bool, int or whole float, one per row
        Lists, NumPy arrays and columns of pandas, polars or Arrow.
    n_rows : int
        How many labels there must be.

    Returns
    -------
    classes : ndarray
        Sorted, of the kind of ``y``.
    codes : ndarray of int32
        ``classes[codes]`` equals ``y``.

    Raises
    ------
    ValueError
        On a missing label, a fraction, or another number of labels than rows.

    Examples
    --------
    >>> encode_labels(["spam", "ham", "spam"], 3)
    (array(['ham', 'spam'], dtype='<U4'), array([1, 0, 1], dtype=int32))
    """
    if y is None:
        raise ValueError("y is None, but the classifier requires y to be passed: one label per row")
    labels = _as_column(y)
    if len(labels) != n_rows:
        raise ValueError(
            f"X and y have inconsistent numbers of samples: X has {n_rows} rows, y {len(labels)}"
        )
    _check_values(labels)
    if labels.dtype.kind in "biuf":
        classes, codes = np.unique(labels, return_inverse=True)
        return classes, np.asarray(codes, dtype=np.int32)
    # Sorting the few classes is much quicker than sorting every label.
    values = labels.tolist()
    order = _sorted(set(values))
    code_of = {value: code for code, value in enumerate(order)}
    numbers = map(code_of.__getitem__, values)
    return (
        np.array(order, dtype=labels.dtype),
        np.fromiter(numbers, dtype=np.int32, count=len(values)),
    )


def _as_column(y: Any) -> npt.NDArray[Any]:
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels.ravel()
    if labels.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {labels.shape} instead")
    return labels


def _sorted(values: set[Any]) -> list[Any]:
    try:
        return sorted(values)
    except TypeError as error:
        kinds = sorted({type(value).__name__ for value in values})
        raise ValueError(f"labels must be of one kind, got {', '.join(kinds)}") from error


def _check_values(labels: npt.NDArray[Any]) -> None:
    if labels.dtype.kind == "f":
        _check_whole(labels)
    elif labels.dtype.kind == "O":
        for row, label in enumerate(labels.tolist()):
            if label is None or label != label or type(label).__name__ == "NAType":
                raise ValueError(
                    f"label {row} is missing ({label!r}); drop the row or name a class"
                )
        if any(isinstance(label, float) for label in labels.tolist()):
            _check_whole(labels.astype(np.float64))
    elif labels.dtype.kind == "c":
        raise ValueError("labels must not be complex")


def _check_whole(labels: npt.NDArray[np.floating[Any]]) -> None:
    wrong = np.flatnonzero(~np.isfinite(labels) | (labels != np.floor(labels)))
    if len(wrong):
        row = wrong[0]
        raise ValueError(
            f"label {row} is {labels[row]}. Unknown label type: continuous, or a missing value; "
            "a classifier takes classes: pass whole numbers or strings"
        )

"""Labels at the public border: any one-dimensional column becomes classes and codes."""

import math
import warnings
from collections.abc import Iterable
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from wordodds.typing import AnyArray, Codes, Label, Labels

__all__ = ["encode_known_labels", "encode_labels", "with_fasttext_prefix"]


def encode_labels(y: Labels | None, n_rows: int) -> tuple[AnyArray, Codes]:
    """Find the classes of ``y``, sorted, and their codes: ``classes[codes]`` equals ``y``.

    ``y`` is a list, an array or a column of str, bool, int or whole floats. Raises ValueError on a
    missing label, a fraction, labels of several kinds, or another number of labels than rows.

    Examples
    --------
    >>> encode_labels(["spam", "ham", "spam"], 3)
    (array(['ham', 'spam'], dtype='<U4'), array([1, 0, 1], dtype=int32))
    """
    if y is None:
        raise ValueError("the classifier requires y to be passed, but the target y is None")
    labels = _as_column(y)
    if len(labels) != n_rows:
        raise ValueError(
            f"X and y have inconsistent numbers of samples: X has {n_rows} rows, y {len(labels)}"
        )
    if labels.dtype.kind in "biuf":
        _check_whole(labels)
        classes, codes = np.unique(labels, return_inverse=True)
        return classes, np.asarray(codes, dtype=np.int32)
    if labels.dtype.kind in "cmMV":
        raise ValueError(f"labels must be str or whole numbers, got {labels.dtype}")
    values = labels.tolist()
    if labels.dtype.kind in "OT":
        _check_objects(values)
    # Sorting the few classes is much quicker than sorting every label.
    order = _sorted_classes(values)
    code_of = {value: code for code, value in enumerate(order)}
    numbers = map(code_of.__getitem__, values)
    return (
        np.array(order, dtype=labels.dtype),
        np.fromiter(numbers, dtype=np.int32, count=len(values)),
    )


def encode_known_labels(y: Labels | None, n_rows: int, classes: AnyArray) -> Codes:
    """Return the position of each label in ``classes``; raise ValueError where it has none.

    Examples
    --------
    >>> encode_known_labels(["spam", "spam"], 2, np.array(["ham", "spam"]))
    array([1, 1], dtype=int32)
    """
    found, codes = encode_labels(y, n_rows)
    position_of = {label: position for position, label in enumerate(classes.tolist())}
    unknown = [label for label in found.tolist() if label not in position_of]
    if unknown:
        raise ValueError(
            f"The target label(s) {unknown} in y do not exist in the initial classes {classes}"
        )
    positions = np.array([position_of[label] for label in found.tolist()], dtype=np.int32)
    return positions[codes]


def _as_column(y: Labels) -> AnyArray:
    if isinstance(y, np.ma.MaskedArray) and np.ma.is_masked(y):
        raise ValueError("y has masked labels; drop those rows")
    kinds = set(map(type, y)) if isinstance(y, list | tuple) else set()
    if len(kinds) > 1 and kinds & {str, bytes}:
        # NumPy would spell the others out: a missing label would become the class "nan".
        listed: Any = y
        labels = np.fromiter(listed, dtype=object, count=len(listed))
    else:
        labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        from sklearn.exceptions import DataConversionWarning

        message = "A column-vector y was passed when a 1d array was expected; y is taken as 1d"
        warnings.warn(message, DataConversionWarning, stacklevel=4)
        labels = labels.ravel()
    if labels.ndim != 1:
        raise ValueError(f"y should be a 1d array, got an array of shape {labels.shape} instead")
    return labels


def _sorted_classes(values: list[Label]) -> list[Label]:
    try:
        return sorted(set(values))
    except TypeError as error:
        kinds = sorted({type(value).__name__ for value in values})
        raise ValueError(
            f"labels must be of one kind, str or whole numbers, got {', '.join(kinds)}"
        ) from error


def _check_objects(labels: list[Label]) -> None:
    for row, label in enumerate(labels):
        # pandas' NA answers neither whether it equals itself nor whether it is true.
        if label is None or type(label).__name__ == "NAType" or bool(label != label):
            raise ValueError(f"label {row} is missing ({label!r}); drop the row or name a class")
        is_number = isinstance(label, Real | Decimal | np.bool_)
        if not (is_number or isinstance(label, str | bytes)):
            raise ValueError(
                "labels must be of one kind, str or whole numbers; "
                f"label {row} is {label!r}, of type {type(label).__name__}"
            )
        if is_number and not (math.isfinite(label) and label == int(label)):
            raise ValueError(_fraction(row, label))


def _check_whole(labels: AnyArray) -> None:
    if labels.dtype.kind != "f":
        return
    wrong = np.flatnonzero(~np.isfinite(labels) | (labels != np.floor(labels)))
    if len(wrong):
        raise ValueError(_fraction(int(wrong[0]), labels[wrong[0]]))


def _fraction(row: int, label: Label) -> str:
    return (
        f"label {row} is {label}. Unknown label type: continuous, or a missing value; a classifier "
        "takes classes: pass whole numbers or strings"
    )


def with_fasttext_prefix(labels: Iterable[Label], known: Iterable[Label]) -> list[Label]:
    """Return labels with fastText's prefix, where a model has it and they have not.

    Examples
    --------
    >>> with_fasttext_prefix(["spam", "eggs"], ["__label__ham", "__label__spam"])
    ['__label__spam', 'eggs']
    """
    prefix, names = "__label__", set(known)
    return [
        f"{prefix}{label}" if label not in names and f"{prefix}{label}" in names else label
        for label in labels
    ]

"""Classes across batches and machines."""

from typing import Any

import numpy as np
import numpy.typing as npt

from wordodds._labels import encode_known_labels, encode_labels
from wordodds._row_weights import row_weights

__all__ = [
    "batch_of_rows",
    "classes_of_batches",
    "count_classes",
    "union_of_classes",
]


def classes_of_batches(model: Any, classes: Any) -> npt.NDArray[Any]:
    """Return the classes of a model that learns by batches.

    Parameters
    ----------
    model : classifier
        With ``classes_`` if it has learnt before.
    classes : array-like or None
        What `partial_fit` was given.

    Raises
    ------
    ValueError
        If neither knows, or if they disagree.
    """
    known = getattr(model, "classes_", None)
    if classes is None:
        if known is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        return np.asarray(known)
    given, _ = encode_labels(classes, len(classes))
    if known is None:
        return given
    if len(classes) != len(known) or not np.array_equal(given, known):
        raise ValueError(
            f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {known!r}"
        )
    return np.asarray(known)


def batch_of_rows(
    model: Any, y: Any, n_rows: int, classes: npt.NDArray[Any], sample_weight: Any
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64] | None]:
    """Return the class and the weight of each row of a batch.

    Parameters
    ----------
    model : classifier
        Whose ``class_weight`` counts.
    y : array-like of shape (n_rows,)
        Labels, all among ``classes``.
    n_rows : int
        Rows of the batch.
    classes : ndarray
        The labels that may occur.
    sample_weight : array-like of shape (n_rows,) or None
        As in `row_weights`.
    """
    if isinstance(model.class_weight, str):
        raise ValueError(
            f"class_weight={model.class_weight!r} needs all documents at once; to learn or forget "
            "by batches, pass a dict or sample_weight"
        )
    codes = encode_known_labels(y, n_rows, classes)
    return codes, row_weights(sample_weight, model.class_weight, classes, codes)


def count_classes(
    codes: npt.NDArray[np.int32], weights: npt.NDArray[np.float64] | None, n_classes: int
) -> npt.NDArray[np.float64]:
    """Return the number, or the weight, of the rows of each class."""
    return np.bincount(codes, weights, minlength=n_classes).astype(np.float64)


def union_of_classes(
    ours: npt.NDArray[Any], theirs: npt.NDArray[Any]
) -> tuple[npt.NDArray[Any], npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the classes of either, and where those of each are among them."""
    if np.array_equal(ours, theirs):
        positions = np.arange(len(ours))
        return ours, positions, positions
    # As Python's own values: NumPy would turn large whole numbers into equal floats.
    values = set(ours.tolist()) | set(theirs.tolist())
    try:
        classes = np.array(sorted(values), dtype=np.result_type(ours, theirs))
    except TypeError:
        classes = np.empty(0)
    if set(classes.tolist()) != values:
        raise ValueError(
            f"the labels are of different kinds, {ours.dtype} and {theirs.dtype}: merge models of "
            "one set of labels"
        )
    position_of = {label: position for position, label in enumerate(classes.tolist())}
    return (
        classes,
        np.array([position_of[label] for label in ours.tolist()], dtype=np.intp),
        np.array([position_of[label] for label in theirs.tolist()], dtype=np.intp),
    )

"""Classes across batches and machines."""

from typing import Any

import numpy as np

from wordodds._border.labels import encode_labels
from wordodds.typing import AnyArray, Codes, Floats, Label, Labels, Positions

__all__ = ["classes_of_batches", "codes_by_label", "count_classes", "union_of_classes"]


def codes_by_label(classes: AnyArray) -> dict[Label, int]:
    """Return the position of each label, under Python's own values as keys."""
    return {label: code for code, label in enumerate(classes.tolist())}


def classes_of_batches(model: object, classes: Labels | None) -> AnyArray:
    """Return the classes of a model that learns by batches: what it knows, or is given first.

    Raises ValueError if neither says, or if they disagree.
    """
    known = getattr(model, "classes_", None)
    if classes is None:
        if known is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        return np.asarray(known)
    labels: Any = classes
    given, _ = encode_labels(labels, len(labels))
    if known is None:
        return given
    if len(labels) != len(known) or not np.array_equal(given, known):
        raise ValueError(
            f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {known!r}"
        )
    return np.asarray(known)


def count_classes(codes: Codes, weights: Floats | None, n_classes: int) -> Floats:
    """Return the number, or the weight, of the rows of each class."""
    return np.bincount(codes, weights, minlength=n_classes).astype(np.float64)


def union_of_classes(ours: AnyArray, theirs: AnyArray) -> tuple[AnyArray, Positions, Positions]:
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
    position_of = codes_by_label(classes)
    return (
        classes,
        np.array([position_of[label] for label in ours.tolist()], dtype=np.intp),
        np.array([position_of[label] for label in theirs.tolist()], dtype=np.intp),
    )

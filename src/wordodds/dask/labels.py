"""The labels of partitions, put together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wordodds._border.classes import union_of_classes
from wordodds.typing import AnyArray, Codes, Ints

__all__ = ["LabelCounts", "labels_of", "union"]


class LabelCounts(NamedTuple):
    """Classes, sorted, and how many documents each has."""

    classes: AnyArray
    counts: Ints
    name: str  # of a partition that has such labels


def labels_of(classes: AnyArray, codes: Codes, name: str) -> LabelCounts:
    """Return the labels of a partition.

    Examples
    --------
    >>> codes = np.array([1, 1, 0], dtype=np.int32)
    >>> tuple(labels_of(np.array(["ham", "spam"]), codes, "partition 0"))
    (array(['ham', 'spam'], dtype='<U4'), array([1, 2]), 'partition 0')
    """
    return LabelCounts(classes, np.bincount(codes, minlength=len(classes)), name)


def union(labels: list[LabelCounts]) -> LabelCounts:
    """Return the labels of several partitions, as if they had been one.

    Examples
    --------
    >>> one = LabelCounts(np.array(["spam"]), np.array([3]), "partition 0")
    >>> other = LabelCounts(np.array(["ham", "spam"]), np.array([1, 2]), "partition 1")
    >>> tuple(union([one, other]))
    (array(['ham', 'spam'], dtype='<U4'), array([1, 5]), 'partition 0')
    """
    whole = labels[0]
    for other in labels[1:]:
        if not len(other.classes):
            continue
        if not len(whole.classes):  # the kind of no labels says nothing
            whole = other
            continue
        try:
            classes, ours, theirs = union_of_classes(whole.classes, other.classes)
        except ValueError:
            raise ValueError(
                f"labels must be of one kind, str or whole numbers: {whole.name} has "
                f"{whole.classes.dtype}, {other.name} {other.classes.dtype}"
            ) from None
        counts = np.zeros(len(classes), dtype=np.int64)
        counts[ours] += whole.counts
        counts[theirs] += other.counts
        whole = LabelCounts(classes, counts, whole.name)
    return whole

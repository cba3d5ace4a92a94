"""The labels of partitions, put together."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from wordodds._border.classes import union_of_classes
from wordodds.typing import AnyArray, Codes, Ints

__all__ = ["Labels", "labels_of", "union"]


class Labels(NamedTuple):
    """Classes, sorted, and how many documents each has."""

    classes: AnyArray
    counts: Ints
    name: str  # of a partition that has such labels


def labels_of(classes: AnyArray, codes: Codes, name: str) -> Labels:
    """Return the labels of a partition.

    Examples
    --------
    >>> labels_of(np.array(["ham", "spam"]), np.array([1, 1, 0], dtype=np.int32), "partition 0")
    Labels(classes=array(['ham', 'spam'], dtype='<U4'), counts=array([1, 2]), name='partition 0')
    """
    return Labels(classes, np.bincount(codes, minlength=len(classes)), name)


def union(labels: list[Labels]) -> Labels:
    """Return the labels of several partitions, as if they had been one.

    Examples
    --------
    >>> one = Labels(np.array(["spam"]), np.array([3]), "partition 0")
    >>> other = Labels(np.array(["ham", "spam"]), np.array([1, 2]), "partition 1")
    >>> union([one, other])
    Labels(classes=array(['ham', 'spam'], dtype='<U4'), counts=array([1, 5]), name='partition 0')
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
        whole = Labels(classes, counts, whole.name)
    return whole

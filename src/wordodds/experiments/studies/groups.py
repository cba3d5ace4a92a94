"""What the small experiments take from the corpus: two groups, and words that many have."""

from __future__ import annotations

from typing import Any

import numpy as np

from wordodds.datasets import BagOfWords
from wordodds.experiments.data import Bags
from wordodds.typing import Ints

__all__ = ["frequent_words", "two_groups"]


def two_groups(bags: Bags) -> tuple[tuple[Any, Ints], ...]:
    """Return the documents of the first two groups.

    Parameters
    ----------
    bags : Bags
        All groups.

    Returns
    -------
    train, test : (counts, y)
        ``y`` is 1 for the second group.
    """

    def part(bag: BagOfWords) -> tuple[Any, Ints]:
        chosen = np.flatnonzero(np.isin(bag.labels, bag.label_names[:2]))
        return bag.counts[chosen], (bag.labels[chosen] == bag.label_names[1]).astype(np.int64)

    return part(bags.train), part(bags.test)


def frequent_words(counts: Any, n: int) -> Ints:
    """Return the columns of the words that most documents have, in their order.

    Parameters
    ----------
    counts : sparse array
        A row for each document.
    n : int
        How many words.

    Returns
    -------
    columns : ndarray of shape (n,)
    """
    documents = np.bincount(counts.indices, minlength=counts.shape[1])
    return np.sort(np.argsort(-documents, kind="stable")[:n])

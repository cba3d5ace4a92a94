"""The corpora of ``$WORDODDS_DATA``, each with a training part and a test part."""

import os
from functools import cache, partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from wordodds.datasets import load_newsgroups, load_texts
from wordodds.datasets.texts import TEXT_NAMES

Labels: TypeAlias = npt.NDArray[Any]
NEWSGROUPS = "20-newsgroups"
SETS = (NEWSGROUPS, *TEXT_NAMES)
SMALLEST_CLASS = 3  # documents that cross-validation with three folds needs


class Split(NamedTuple):
    """A corpus: documents to learn from, and new ones whose labels only score final models."""

    name: str
    texts: list[str]
    labels: Labels
    new: list[str]
    truth: Labels

    @property
    def classes(self) -> Labels:
        """The labels of the training part, sorted."""
        return np.unique(self.labels)


@cache
def load(name: str, limit: int | None = None) -> Split:
    """Return one of `SETS`, or for trial runs `limit` random documents of each of its parts."""
    split = Split(name, *_read(name))
    return split if limit is None else limited(split, limit)


def limited(split: Split, limit: int) -> Split:
    """Return at most `limit` documents of each part.

    Training classes too small for cross-validation are dropped from both parts.
    """
    rng = np.random.default_rng(0)
    rows = np.sort(rng.permutation(len(split.texts))[:limit])
    classes, sizes = np.unique(split.labels[rows], return_counts=True)
    kept = classes[sizes >= SMALLEST_CLASS]
    rows = rows[np.isin(split.labels[rows], kept)]
    new = np.sort(rng.permutation(len(split.new))[:limit])
    new = new[np.isin(split.truth[new], kept)]
    return Split(
        split.name,
        [split.texts[i] for i in rows],
        split.labels[rows],
        [split.new[i] for i in new],
        split.truth[new],
    )


def _read(name: str) -> tuple[list[str], Labels, list[str], Labels]:
    """Return texts and labels of the training part, then of the test part."""
    if "WORDODDS_DATA" not in os.environ:
        raise SystemExit("set WORDODDS_DATA to the folder of the corpora")
    if name not in SETS:
        raise ValueError(f"name must be one of {', '.join(SETS)}, got {name!r}")
    if name == NEWSGROUPS:
        load = partial(load_newsgroups, "bydate", download=False)
    else:
        load = partial(load_texts, name)
    train, test = load(subset="train"), load(subset="test")
    return train.texts, np.asarray(train.labels), test.texts, np.asarray(test.labels)

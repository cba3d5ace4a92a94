"""Training parts that are noisy, small or imbalanced.

Every function draws from a generator with a fixed seed, so that all methods see the same documents
and the same labels.
"""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from ..setup.corpora import Labels

Rows: TypeAlias = npt.NDArray[np.intp]


def with_noise(labels: Labels, share: float, seed: int = 0) -> Labels:
    """Return a copy in which a share of the labels is replaced by uniformly random ones.

    A random label may be the true one, so that slightly less than `share` of the labels is wrong.
    The documents of a smaller share are among those of a larger one with the same seed.
    """
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(labels))[: round(share * len(labels))]
    noisy = labels.copy()
    noisy[rows] = rng.choice(np.unique(labels), len(rows))
    return noisy


def few_of_each(labels: Labels, n: int, seed: int) -> Rows:
    """Return the rows of `n` random documents of each class, or of all where there are fewer."""
    rng = np.random.default_rng(seed)
    rows = [rng.permutation(np.flatnonzero(labels == label))[:n] for label in np.unique(labels)]
    return np.sort(np.concatenate(rows))


def smaller_class(labels: Labels) -> Any:
    """Return the label of the smaller of two classes; of equal ones, the last in sorted order."""
    classes, sizes = np.unique(labels, return_counts=True)
    if len(classes) != 2:
        raise ValueError(f"labels must be of two classes, got {len(classes)}")
    return classes[0] if sizes[0] < sizes[1] else classes[1]


def thinned(labels: Labels, rare: Any, seed: int, ratio: int = 100, at_least: int = 1) -> Rows:
    """Return the rows of all other documents, and of one of class `rare` for each `ratio` of them.

    At least `at_least` documents of the rare class are kept, even if `ratio` asks for fewer.
    """
    others, of_rare = np.flatnonzero(labels != rare), np.flatnonzero(labels == rare)
    n = max(at_least, round(len(others) / ratio))
    drawn = np.random.default_rng(seed).permutation(of_rare)[:n]
    return np.sort(np.concatenate([others, drawn]))

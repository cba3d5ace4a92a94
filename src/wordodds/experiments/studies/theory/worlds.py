"""Gaussian classes whose best error is known, and what exactly a linear rule gets wrong of them.

Both classes are clouds of variance 1 in every direction around +mean and -mean: features are
independent given the class, as naive Bayes assumes, until some of them are copied.
"""

from dataclasses import dataclass

import numpy as np

from wordodds._border.cached_property import cached_property
from wordodds.typing import Floats, Floats32, Ints

SEPARATION = 2.0  # of the classes' means, in standard deviations: the best error is 0.159
EACH = 0.25  # of the means in one feature, where every feature tells


@dataclass(frozen=True, eq=False)
class World:
    """Two Gaussian classes, equally likely, around ``mean`` and ``-mean`` with variance 1."""

    name: str
    mean: Floats
    copies: Ints

    @cached_property
    def best_error(self) -> float:
        """What the best rule gets wrong: the tail beyond half the distance of the means."""
        from scipy.special import ndtr

        return float(ndtr(-np.linalg.norm(self.mean)))

    @cached_property
    def naive_error(self) -> float:
        """What naive Bayes gets wrong when it knows every mean and variance."""
        return self.error(np.repeat(self.mean, self.copies), 0.0)

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Floats32, Ints]:
        """Draw rows and labels, half of each class."""
        y = np.arange(n) % 2
        X = rng.standard_normal((n, len(self.mean)), dtype=np.float32)
        mean = self.mean.astype(np.float32)
        X[0::2] -= mean
        X[1::2] += mean
        return (np.repeat(X, self.copies, axis=1) if self.copies.max() > 1 else X), y

    def error(self, weights: Floats, bias: float) -> float:
        """Return exactly how often a linear rule is wrong."""
        from scipy.special import ndtr

        starts = np.concatenate([[0], np.cumsum(self.copies)[:-1]])
        # Copies are one feature, whose weight is the sum of theirs.
        summed = np.add.reduceat(np.asarray(weights, dtype=np.float64), starts)
        length = float(np.linalg.norm(summed))
        if length == 0.0:
            return 0.5
        middle = float(summed @ self.mean)
        tails = ndtr(-np.array([middle + bias, middle - bias]) / length)
        return float(tails.mean())


def holds(n_features: int) -> World:
    """Return a world where every feature tells a little, the same in all."""
    mean = np.full(n_features, SEPARATION / 2 / np.sqrt(n_features))
    return World("assumption holds", mean, np.ones(n_features, dtype=np.int64))


def duplicated(n_single: int, n_copied: int, copies: int) -> World:
    """Return a world where some features come many times over."""
    spread = holds(n_single + n_copied)
    numbers = np.repeat([1, copies], [n_single, n_copied])
    return World("features duplicated", spread.mean, numbers)


def one_tells(n_features: int) -> World:
    """Return a world where one feature has all the separation and the others are noise."""
    mean = np.zeros(n_features)
    mean[0] = SEPARATION / 2
    return World("one feature tells", mean, np.ones(n_features, dtype=np.int64))


def every_tells(n_features: int) -> World:
    """Return a world where each further feature adds to the separation."""
    return World(
        "every feature tells",
        np.full(n_features, EACH / 2),
        np.ones(n_features, dtype=np.int64),
    )

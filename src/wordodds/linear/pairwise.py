"""One-vs-one: a model for each pair of classes, and how their verdicts are joined."""

import time
from itertools import combinations
from typing import Any

import numpy as np

from wordodds._core.base import lane_stride
from wordodds.linear.fit import Fitted, fit_columns
from wordodds.linear.losses import link_loss
from wordodds.linear.problem import Problem, rows_of_problem
from wordodds.linear.settings import Settings
from wordodds.typing import Floats

__all__ = ["couple_pairs", "fit_pairs", "vote"]

# A pair that is certain would make the system of its row singular.
CERTAIN = 1e-12
ROWS_PER_BLOCK = 1024


def fit_pairs(problem: Problem, settings: Settings) -> Fitted:
    """Fit a model to the rows of each pair of classes (a, b), a < b; b is the positive one.

    There is a column of weights and a history for each pair; ``max_time`` is for all together.
    Ctrl-C raises, and what is fitted so far is lost.
    """
    began = time.perf_counter()
    parts: dict[tuple[Any, Any], Fitted] = {}
    labels = problem.classes.tolist()
    for a, b in combinations(range(len(labels)), 2):
        rows = np.flatnonzero((problem.codes == a) | (problem.codes == b))
        part = rows_of_problem(problem, rows, settings.how)
        part = part._replace(codes=(part.codes == b).astype(np.int32))
        fitted = fit_columns(part, link_loss("logit"), _what_is_left(settings, began))
        if fitted.interrupted:
            raise KeyboardInterrupt
        parts[labels[a], labels[b]] = fitted
    of_pairs = list(parts.values())
    columns = np.zeros((len(of_pairs[0].columns), lane_stride(len(of_pairs))))
    for k, pair in enumerate(of_pairs):
        columns[:, k] = pair.columns[:, 0]
    return Fitted(
        columns,
        np.concatenate([part.intercept for part in of_pairs]),
        of_pairs[0].solver,
        np.concatenate([part.n_iter for part in of_pairs]),
        {pair: part.history for pair, part in parts.items()},
    )


def _what_is_left(settings: Settings, began: float) -> Settings:
    """Return the settings with what is left of the time."""
    max_time = settings.limits.max_time
    if max_time is None:
        return settings
    left = max(0.0, max_time - (time.perf_counter() - began))
    return settings._replace(limits=settings.limits._replace(max_time=left))


def vote(scores: Floats, n_classes: int) -> Floats:
    """Return for each class the pairs that it wins, and within (-1/2, 1/2) how clearly.

    Scores are the log-odds of the second class of each pair, (n_rows, n_pairs).
    """
    votes = np.zeros((len(scores), n_classes))
    confidence = np.zeros((len(scores), n_classes))
    first, second = np.triu_indices(n_classes, 1)
    for pair, (a, b) in enumerate(zip(first, second, strict=True)):
        won = scores[:, pair] > 0.0
        votes[:, b] += won
        votes[:, a] += ~won
        confidence[:, b] += scores[:, pair]
        confidence[:, a] -= scores[:, pair]
    # Monotone, and less than half a vote: it only decides between equal numbers of votes.
    return votes + confidence / (3.0 * (np.abs(confidence) + 1.0))


def couple_pairs(scores: Floats, n_classes: int) -> Floats:
    r"""Return probabilities of the classes from those of the pairs.

    .. math:: \min_p \sum_a \sum_{b \ne a} (r_{ba} p_a - r_{ab} p_b)^2, \quad \sum_a p_a = 1

    (Wu, Lin and Weng 2004, their second method), r_ab the probability of a against b.
    """
    probabilities = np.empty((len(scores), n_classes))
    for begin in range(0, len(scores), ROWS_PER_BLOCK):
        block = slice(begin, begin + ROWS_PER_BLOCK)
        probabilities[block] = _couple(scores[block], n_classes)
    return probabilities


def _couple(scores: Floats, n_classes: int) -> Floats:
    first, second = np.triu_indices(n_classes, 1)
    of_second = np.exp(-np.logaddexp(0.0, -scores)).clip(CERTAIN, 1.0 - CERTAIN)
    r = np.zeros((len(scores), n_classes, n_classes))
    r[:, second, first] = of_second
    r[:, first, second] = 1.0 - of_second
    system = np.zeros((len(scores), n_classes + 1, n_classes + 1))
    system[:, :n_classes, :n_classes] = -r * r.transpose(0, 2, 1)
    diagonal = np.arange(n_classes)
    system[:, diagonal, diagonal] = np.sum(r**2, axis=1)
    system[:, n_classes, :n_classes] = system[:, :n_classes, n_classes] = 1.0
    right = np.zeros((len(scores), n_classes + 1, 1))
    right[:, n_classes] = 1.0
    probabilities = np.linalg.solve(system, right)[:, :n_classes, 0].clip(0.0)
    return np.asarray(probabilities / probabilities.sum(axis=1, keepdims=True))

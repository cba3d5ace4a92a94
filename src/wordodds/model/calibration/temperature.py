"""Temperature: scores divided by one number, or by one that grows with them.

Plain temperature scaling gives probabilities proportional to ``exp(-d / T)``, where ``d`` is how
far a class is behind the best one. It assumes that every document overstates its evidence by the
same factor. Naive Bayes does not: it counts dependent words as independent, the more of them the
longer the text. If 1 / T itself varies from document to document, by a gamma distribution of mean
1 / T and variance ``r / T**2``, then the mean of ``exp(-d / T)`` is ``(1 + r d / T) ** (-1 / r)``.
We call ``r`` the softness. At ``r = 0`` it is the plain temperature, and that is used unless the
log loss speaks clearly for more (by the Bayesian information criterion). Which class comes first
never changes.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from wordodds.model.links import LARGEST, log_probabilities
from wordodds.typing import Floats, Positions

__all__ = ["PLAIN", "Temperature", "effective_link", "fit_temperature", "tempered"]


# Temperatures are sought within this many doublings of the typical score.
EDGE = 20 * math.log(2.0)
# Rows that are enough to find the neighbourhood of the best temperature.
SAMPLE = 1024
# Of log(T / typical score) and of the logarithm of the softness.
BOUNDS = np.array([[-EDGE, math.log(1e-4)], [EDGE, math.log(10.0)]])


class Temperature(NamedTuple):
    """What scores are divided by, and how much it varies between documents."""

    value: float
    softness: float


PLAIN = Temperature(1.0, 0.0)


def tempered(scores: Floats, temperature: Temperature, link: str) -> Floats:
    """Return scores of the same order, of which softmax or sigmoid are probabilities.

    Examples
    --------
    >>> tempered(np.array([[90.0, 100.0]]), Temperature(5.0, 0.0), "softmax")
    array([[-2.,  0.]])
    >>> tempered(np.array([[90.0, 100.0]]), Temperature(5.0, 1.0), "softmax").round(3)
    array([[-1.099,  0.   ]])
    """
    behind = scores
    if scores.shape[1] > 1 and effective_link(link) == "softmax":
        # Nothing positive is left to overflow. A row of minus infinities stays as it is.
        with np.errstate(over="ignore"):
            behind = scores - np.maximum(scores.max(axis=1, keepdims=True), -LARGEST)
    return _softened(behind, *temperature)


def effective_link(link: str) -> str:
    """Return the link of tempered scores, "softmax" or "one_vs_rest".

    Margins ("none") are taken for softmax scores. Those of "modified_huber" go through a sigmoid:
    the link's own probabilities of exactly zero have no log loss to minimise.
    """
    return {"none": "softmax", "modified_huber": "one_vs_rest"}.get(link, link)


def fit_temperature(scores: Floats, codes: Positions, link: str) -> Temperature:
    """Return the temperature of the least mean log loss.

    If the classes are separated, so that colder is always better, it is the warmest at which the
    mean log loss is within log((n + 2) / (n + 1)) of the least: n documents without an error say no
    more than that the next one is right with probability (n + 1) / (n + 2).

    Examples
    --------
    >>> found = fit_temperature(np.full((4, 1), 10.0), np.array([1, 1, 1, 0]), "softmax")
    >>> round(10.0 / found.value, 4)  # three of four are right: log 3
    1.0986
    """
    if scores.shape[1] == 1:  # a sigmoid is a softmax against zero
        scores, link = np.hstack([np.zeros_like(scores), scores]), "softmax"
    own = scores[np.arange(len(codes)), codes]
    possible = own > -LARGEST  # the others cost the same at any temperature
    problem = _Problem(scores[possible], codes[possible], link)
    if problem.scale == 0.0:
        return PLAIN
    loss = problem.plain_loss(slice(None))
    found = _minimum(problem.plain_loss(slice(None, None, -(-problem.n // SAMPLE))), loss)
    least, best = loss(-EDGE), loss(found)
    if least <= best:
        found = _last_below(loss, least + math.log((problem.n + 2.0) / (problem.n + 1.0)))
        return Temperature(problem.scale * math.exp(found), 0.0)
    soft, soft_loss = problem.softest(found)
    if 2.0 * problem.n * (best - soft_loss) > math.log(problem.n):
        return soft
    return Temperature(problem.scale * math.exp(found), 0.0)


class _Problem:
    """The mean log loss of some rows, as a function of log(T / scale)."""

    def __init__(self, scores: Floats, codes: Positions, link: str) -> None:
        self.scores, self.codes, self.link = scores, codes, link
        self.n = len(codes)
        self.scale = _typical_gap(scores)

    def plain_loss(self, rows: slice) -> Callable[[float], float]:
        scores, codes = self.scores[rows], self.codes[rows]
        at = np.arange(len(codes)), codes

        def loss(log_ratio: float) -> float:
            warm = Temperature(self.scale * math.exp(log_ratio), 0.0)
            found = log_probabilities(tempered(scores, warm, self.link), effective_link(self.link))
            return -float(found[at].mean())

        return loss

    def softest(self, log_ratio: float) -> tuple[Temperature, float]:
        """Return the best temperature with softness, and its loss."""
        from scipy.optimize import minimize

        # Not L-BFGS-B: for two numbers it wakes up all threads of the linear algebra library.
        start = [log_ratio, math.log(0.1)]
        found = minimize(self._soft_loss, start, jac=True, method="BFGS", options={"gtol": 1e-8})
        value, softness = np.exp(np.clip(found.x, *BOUNDS))
        return Temperature(self.scale * float(value), float(softness)), float(found.fun)

    def _soft_loss(self, at: Floats) -> tuple[float, Floats]:
        """Return the mean log loss and its derivatives by log T and log r; level out of bounds."""
        within = np.clip(at, *BOUNDS)
        value, softness = self.scale * math.exp(within[0]), math.exp(within[1])
        x = tempered(self.scores, Temperature(value, softness), self.link)
        one_vs_rest = effective_link(self.link) == "one_vs_rest"
        log_p = log_probabilities(x, effective_link(self.link))
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            # x = sign(m) log(1 + r |m| / T) / r.
            by_value = np.sign(x) * np.expm1(-softness * np.abs(x)) / softness
            by_softness = -x - by_value
            weight = np.exp(log_p)
            weight[np.arange(self.n), self.codes] -= 1.0
            if one_vs_rest:
                weight *= np.exp(-np.logaddexp(0.0, x))  # the derivative of log sigmoid(x)
            weight /= self.n
            # An impossible class has weight zero, and infinite derivatives.
            slopes = np.array([np.nansum(weight * by) for by in (by_value, by_softness)])
        return -float(log_p[np.arange(self.n), self.codes].mean()), slopes * (within == at)


def _softened(m: Floats, value: float, softness: float) -> Floats:
    with np.errstate(over="ignore", under="ignore"):
        if softness == 0.0:
            return np.asarray(m / value)
        return np.asarray(np.sign(m) * np.log1p(np.abs(m) / value * softness) / softness)


def _typical_gap(scores: Floats) -> float:
    """Return the median distance of a row's best score from the next; 0 if there is none."""
    best = np.partition(scores, -2, axis=1)[:, -2:]
    with np.errstate(over="ignore", invalid="ignore"):
        gaps = best[:, 1] - best[:, 0]
    # So that no temperature within the doublings is 0 or infinite.
    gaps = gaps[(gaps > 1e-290) & (gaps < 1e290)]
    return float(np.median(gaps)) if len(gaps) else 0.0


def _minimum(rough: Callable[[float], float], loss: Callable[[float], float]) -> float:
    """Return where the loss is least, starting from where a rough version of it is."""
    from scipy.optimize import minimize_scalar

    step = math.log(4.0)
    found = min((step * k for k in range(round(-EDGE / step), round(EDGE / step) + 1)), key=rough)
    for _ in range(100):
        low, high = max(found - step, -EDGE), min(found + step, EDGE)
        found = float(
            minimize_scalar(loss, bounds=(low, high), method="bounded", options={"xatol": 1e-8}).x
        )
        beyond = (found - low < 1e-6 and low > -EDGE) or (high - found < 1e-6 and high < EDGE)
        if not beyond:
            break
    return found


def _last_below(loss: Callable[[float], float], allowed: float) -> float:
    """Return about the largest argument down from which the loss is as allowed."""
    low, high = -EDGE, EDGE
    for _ in range(40):
        middle = 0.5 * (low + high)
        if loss(middle) <= allowed:
            low = middle
        else:
            high = middle
    return low

"""The exact Bayes error of the synthetic corpora: no sampling, no cancellation."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from wordodds.typing import Floats

__all__ = ["exact_bayes_error", "topic_probabilities"]

# Smaller probabilities cannot change any digit, and subnormal numbers are slow.
_NEGLIGIBLE = 1e-300


def topic_probabilities(
    n_classes: int, separation: float, topic_share: float
) -> tuple[float, float, float]:
    """Return the probability of a class's own topic, of each other topic, of the background."""
    own = topic_share / (1.0 + (n_classes - 1) / separation)
    return own, own / separation, 1.0 - topic_share


def exact_bayes_error(
    class_prior: Sequence[float], separation: float, topic_share: float, document_length: int
) -> float:
    r"""Return the error of the best classifier there can be.

    Given class c, the topic counts of a document are multinomial, and
    P(n | c) = separation^{n_c} g(n) with the same g for all classes, so the best classifier
    decides for argmax_c log prior_c + n_c log separation. Its error is

        sum_d sum_{c != d} prior_c P(class d wins | c)
      = sum_d sum_k sum_{c != d} prior_c P(n_d = k, n_e <= t_de(k) for all e != d | c).

    Multinomial counts are independent Poisson counts given their sum, so each term is a
    convolution of truncated Poisson probabilities, taken at ``document_length`` and divided by
    the Poisson probability of that sum. Every term is positive: the error keeps its relative
    precision even where it is 1e-30. The time grows as the cube of ``document_length``.
    """
    if separation == 1.0:  # the words tell nothing
        best = max(range(len(class_prior)), key=lambda c: class_prior[c])
        return math.fsum(p for c, p in enumerate(class_prior) if c != best)
    own, other, background = topic_probabilities(len(class_prior), separation, topic_share)
    length = document_length
    if_own = _poisson(length * own, length)
    if_other = _poisson(length * other, length)
    rest = _poisson(length * background, length, trim=False)
    margins = _margins(class_prior, separation)

    error = 0.0
    for k, probability in enumerate(if_other):  # k = count of the winner's topic
        tables = _Tables(if_other, if_own, k, length - k)
        for winner, row in enumerate(margins):
            losers = tables.losers(_by_margin(winner, row, class_prior))
            if losers is not None:
                size = len(losers)
                start = length - k - size + 1
                error += float(probability * (losers @ rest[start : start + size][::-1]))
    return error / float(_poisson(float(length), length, trim=False)[-1])


def _margins(class_prior: Sequence[float], separation: float) -> list[list[int]]:
    """Return m with: winner d has the larger posterior than e as long as n_e <= n_d + m[d][e].

    Which of two equal posteriors wins does not matter for the error, but it must be the same
    one in every comparison. So the scores are compared as integers first, and then by a fixed
    order of the classes: that is a total order whatever the rounding.
    """
    # score_c / log(separation) = n_c + head start
    head_starts = [math.log(p) / math.log(separation) for p in class_prior]
    whole = [math.floor(h) for h in head_starts]
    order = sorted(range(len(whole)), key=lambda c: (whole[c] - head_starts[c], c))
    place = {c: position for position, c in enumerate(order)}
    return [
        [whole[d] - whole[e] - (place[d] > place[e]) for e in range(len(whole))]
        for d in range(len(whole))
    ]


def _by_margin(
    winner: int, margins: Sequence[int], class_prior: Sequence[float]
) -> dict[int, list[float]]:
    """Return the priors of all classes but the winner, grouped by their margin."""
    grouped: dict[int, list[float]] = {}
    for e, margin in enumerate(margins):
        if e != winner:
            grouped.setdefault(margin, []).append(class_prior[e])
    return grouped


class _Tables:
    """The convolutions for one count of the winner's topic, shared by all winners."""

    def __init__(self, if_other: Floats, if_own: Floats, count: int, budget: int) -> None:
        self._if_other = if_other
        self._if_own = if_own
        self._count = count
        self._size = budget + 1  # the words left for the other topics, and none
        self._powers: dict[int, list[Floats]] = {}

    def losers(self, grouped: dict[int, list[float]]) -> Floats | None:
        """Return, for each total of the losers' counts, sum_c prior_c P(losers | c).

        Carried along is a pair: the probability if no loser is the true class, and the sum
        over the losers with one of them being it. Pairs combine as values and derivatives do.
        """
        neither: Floats = np.ones(1)
        one: Floats = np.zeros(1)
        for margin, priors in grouped.items():
            limit = self._count + margin
            if limit < 0:
                return None  # such a winner is beaten before the first word
            powers = self._powers_up_to(limit, len(priors))
            own = self._if_own[: limit + 1]
            group_one = math.fsum(priors) * self._convolve(own, powers[len(priors) - 1])
            group_neither = powers[len(priors)]
            one = _add(self._convolve(one, group_neither), self._convolve(neither, group_one))
            neither = self._convolve(neither, group_neither)
        return one

    def _powers_up_to(self, limit: int, n: int) -> list[Floats]:
        powers = self._powers.setdefault(limit, [np.ones(1)])
        while len(powers) <= n:
            powers.append(self._convolve(powers[-1], self._if_other[: limit + 1]))
        return powers

    def _convolve(self, a: Floats, b: Floats) -> Floats:
        return np.convolve(a[: self._size], b[: self._size])[: self._size]


def _add(a: Floats, b: Floats) -> Floats:
    total = np.zeros(max(len(a), len(b)))
    total[: len(a)] += a
    total[: len(b)] += b
    return total


def _poisson(mean: float, largest: int, *, trim: bool = True) -> Floats:
    """Return the Poisson probabilities of 0 .. largest, without negligible ones at the end."""
    log_mean = math.log(mean)
    pmf = np.array(
        [math.exp(k * log_mean - mean - math.lgamma(k + 1.0)) for k in range(largest + 1)]
    )
    pmf[pmf < _NEGLIGIBLE] = 0.0
    return pmf[: np.flatnonzero(pmf)[-1] + 1] if trim else pmf

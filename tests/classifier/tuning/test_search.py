"""The order in which a search tries candidates, on made-up scores."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pytest

from wordodds.classifier.reading import Reading
from wordodds.classifier.tuning import budget
from wordodds.classifier.tuning.budget import Budget
from wordodds.classifier.tuning.search import REDUCTION, ROUND, search
from wordodds.classifier.tuning.space import Space

BASE = Reading("word", r"\w+", (1, 1), 1)
VALUES = {
    "model": ("nb_logistic", "complement"),
    "min_df": (1, 2, 3),
    "weighting": ("tfidf", "counts"),
    "alpha": (1.0, 2.0, 4.0),
    "floor": (1.0, 3.0),
    "share": (0.0, 0.5),
}


class Value(NamedTuple):
    value: float

    @property
    def rank(self):
        return self.value, 0.0


class MadeUpRungs:
    """A value for each candidate that depends on it alone; noisier on the first rungs."""

    def __init__(self, n=4, noise=0.0, refused=()):
        self.n, self.noise, self.refused = n, noise, refused

    def __len__(self):
        return self.n

    def n_documents(self, rung):
        return 100 * (rung + 1)

    def judge(self, candidate, rung):
        if candidate.model in self.refused:
            return None
        value = -abs(candidate.reading.min_df - 2) + (candidate.weighting == "counts")
        if candidate.prior is not None:
            prior = candidate.prior
            value += 3 - abs(prior.alpha - 2) - abs(prior.floor - 3) + prior.share
        noise = np.random.default_rng([len(repr(candidate)), rung]).normal() * (self.n - 1 - rung)
        return Value(value + self.noise * noise)


def run(rungs=None, seed=0, n_most=10_000, values=VALUES):
    return list(search(Space(BASE, values), rungs or MadeUpRungs(), seed, Budget(None, n_most)))


def best(attempts):
    last = max(attempt.rung for attempt in attempts)
    found = [attempt for attempt in attempts if attempt.rung == last and attempt.judged]
    return max(found, key=lambda attempt: attempt.judged.rank)


def test_it_begins_with_the_first_of_each_on_all_documents():
    first = run(n_most=1)
    assert [attempt.rung for attempt in first] == [3]
    assert first[0].candidate.prior == (1.0, 1.0, 0.0)


@pytest.mark.parametrize("seed", range(5))
def test_it_climbs_to_the_best_settings(seed):
    found = best(run(MadeUpRungs(noise=0.1), seed)).candidate
    assert (found.model, found.reading.min_df, found.weighting) == ("nb_logistic", 2, "counts")
    assert found.prior == (2.0, 3.0, 0.5)


def test_of_each_rung_the_better_third_goes_on():
    attempts = run()[1:]
    rounds, last = [], -1
    for attempt in attempts:
        if attempt.rung == 0 and last != 0:
            rounds.append([[] for _ in range(4)])
        rounds[-1][attempt.rung].append(attempt)
        last = attempt.rung
    assert len(rounds) > 3
    for rungs in rounds:
        for lower, higher in pairwise(rungs):
            assert len(higher) == -(-len(lower) // REDUCTION)
            values = sorted((attempt.judged.rank for attempt in lower), reverse=True)
            assert sorted((a.judged.rank for a in higher), reverse=True) == values[: len(higher)]
    # One change at a time at first: all of them.
    assert len(rounds[0][0]) == sum(len(values) - 1 for values in VALUES.values())
    assert all(len(rungs[0]) <= ROUND for rungs in rounds[1:])


def test_nothing_is_tried_twice_and_it_ends_when_all_is_tried():
    attempts = run()
    keys = [attempt.candidate.key for attempt in attempts[1:] if attempt.rung == 0]
    assert len(set(keys)) == len(keys)
    # Naive Bayes has no prior, so points that differ in it alone are one candidate.
    most = 3 * 2 * (3 * 2 * 2) + 3 * 2
    assert 0.9 * most < len(keys) + 1 <= most


def test_the_seed_and_the_number_of_trials_decide():
    whole = run(seed=1)
    assert run(seed=1, n_most=40) == run(seed=1, n_most=40)
    assert run(seed=1, n_most=40)[:39] == whole[:39]  # the last may be another
    assert run(seed=2, n_most=60)[:59] != whole[:59]


@pytest.mark.parametrize("n", range(2, 45))
def test_the_best_of_a_round_that_ends_early_goes_to_the_last_rung(n):
    attempts = run(n_most=n)
    assert len(attempts) == n
    assert attempts[-1].rung == 3
    # It was the best of the highest rung of its round, unless that was only begun.
    begun = [attempt for attempt in attempts[1:-1] if attempt.rung < 3]
    if begun and attempts[-2].rung < 3:
        latest = [a for a in begun if a.rung == begun[-1].rung]
        assert attempts[-1].candidate in [attempt.candidate for attempt in latest]
    if 2 < n <= 11:
        chosen = max(attempts[1:-1], key=lambda attempt: attempt.judged.rank)
        assert attempts[-1].candidate == chosen.candidate


def test_what_finds_no_term_is_passed_over():
    attempts = run(MadeUpRungs(refused=("nb_logistic",)))
    assert attempts[0].judged is None
    assert best(attempts).candidate.model == "complement"


def test_a_search_that_ended_by_time_is_repeated_by_its_number_of_trials(monkeypatch):
    class Clock:
        now = 0.0

        def monotonic(self):
            self.now += 0.25  # each look at the clock is time that passes
            return self.now

    for limit in (1, 5, 7, 15, 20, 31, 40):
        monkeypatch.setattr(budget, "time", Clock())
        timed = list(search(Space(BASE, VALUES), MadeUpRungs(), 0, Budget(limit / 60, None)))
        assert timed == run(n_most=len(timed))
        assert timed[-1].rung == 3

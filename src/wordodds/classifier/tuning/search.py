"""Which candidates are tried, in which order, and which of them on more documents.

The first settings go to the last rung at once, so that there is always something to return. Then
come rounds: the neighbours of the best settings so far (at first all of them, one change each)
begin on the first rung, and of each rung the better third goes on to the next one. When the budget
ends, the best of the round that is under way goes to the last rung. What is tried depends on the
documents, the seed and the number of trials, and on time only in that it ends the search.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from wordodds.classifier.tuning.budget import Budget
from wordodds.classifier.tuning.rungs import Judged, Rungs
from wordodds.classifier.tuning.space import Candidate, Point, Space

__all__ = ["Attempt", "search"]

ROUND = 9  # candidates of each round but the first two
REDUCTION = 3  # one of this many goes on
TRIES_ANYWHERE = 200  # random points to draw in search of new ones


class Attempt(NamedTuple):
    """A candidate on a rung, and what came of it; None if its reading finds no term."""

    candidate: Candidate
    rung: int
    n_documents: int
    judged: Judged | None


def search(space: Space, rungs: Rungs, seed: int, budget: Budget) -> Iterator[Attempt]:
    """Yield one trial after the other until all is tried, or until the budget ends."""
    search = _Search(space, rungs, seed, budget)
    points = search.new([search.best_point])
    last = len(rungs) - 1
    first, n_most = last, None
    while points:
        for rung in range(first, last + 1):
            ranked: list[tuple[tuple[float, float], Point]] = []
            for point in points:
                if not budget.allows((rung,) if rung == last else (rung, last)):
                    best = _best_first(ranked) or points
                    if rung < last and (ranked or rung > 0 or budget.allows((last,))):
                        yield search.attempt(best[0], last)
                    return
                attempt = search.attempt(point, rung)
                yield attempt
                if attempt.judged is not None:
                    ranked.append((attempt.judged.rank, point))
            points = _best_first(ranked)[: -(-len(points) // REDUCTION)]
        points = search.next_round(n_most)
        first, n_most = 0, ROUND


def _best_first(ranked: list[tuple[tuple[float, float], Point]]) -> list[Point]:
    """Return points by descending rank, equal ones in the order in which they were tried."""
    return [point for _, point in sorted(ranked, key=lambda at: at[0], reverse=True)]


class _Search:
    """What was tried, and the best so far."""

    def __init__(self, space: Space, rungs: Rungs, seed: int, budget: Budget) -> None:
        self._space, self._rungs, self._budget = space, rungs, budget
        self._rng = np.random.default_rng(seed)
        self._tried: set[Any] = set()
        self._best: Judged | None = None
        self.best_point = space.first()

    def attempt(self, point: Point, rung: int) -> Attempt:
        """Judge a point; the best of the last rung is remembered."""
        candidate = self._space.at(point)
        self._budget.start()
        judged = self._rungs.judge(candidate, rung)
        self._budget.finish(rung)
        is_last = rung == len(self._rungs) - 1
        if is_last and judged and (self._best is None or judged.rank > self._best.rank):
            self._best, self.best_point = judged, point
        return Attempt(candidate, rung, self._rungs.n_documents(rung), judged)

    def next_round(self, n_most: int | None) -> list[Point]:
        """Return new points near the best one, or else anywhere."""
        for n_changes in (1, 2):
            near = list(self._space.neighbours(self.best_point, n_changes))
            order = self._rng.permutation(len(near)).tolist()
            points = self.new((near[i] for i in order), n_most)
            if points:
                return points
        anywhere = (self._space.anywhere(self._rng) for _ in range(TRIES_ANYWHERE))
        return self.new(anywhere, ROUND)

    def new(self, points: Iterable[Point], n_most: int | None = None) -> list[Point]:
        """Return points that were not tried, those of equal readings together."""
        found: list[Point] = []
        for point in points:
            if len(found) == n_most:
                break
            key = self._space.at(point).key
            if key not in self._tried:
                self._tried.add(key)
                found.append(point)
        # So that counts of a reading are there for all of them.
        return sorted(found, key=lambda point: str(self._space.at(point).reading.key))

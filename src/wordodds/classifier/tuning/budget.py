"""Time and trial limits of a search."""

import math
import time

from wordodds._border.checks import real_number, whole_number

__all__ = ["Budget"]

MINUTES = 5.0  # where neither a time nor a number of trials is given


class Budget:
    """A number of trials, a time, or both; the clock runs from the start."""

    def __init__(self, minutes: float | None, trials: int | None) -> None:
        if minutes is None and trials is None:
            minutes = MINUTES
        if minutes is not None:
            minutes = real_number(minutes, "minutes", 0, above=True)
        if trials is not None:
            trials = whole_number(trials, "trials", 1)
        self.trials = trials
        self.seconds: list[float] = []  # of each trial
        self._limit = math.inf if minutes is None else 60.0 * minutes
        self._began = self._last = time.monotonic()
        self._longest: dict[int, float] = {}  # trial of each rung

    @property
    def spent(self) -> float:
        """The seconds up to the start or the end of the last trial."""
        return self._last - self._began

    def allows(self, rungs: tuple[int, ...]) -> bool:
        """Return whether trials of these rungs fit, each as long as its longest so far.

        The first trial always does.
        """
        if not self.seconds:
            return True
        if self.trials is not None and len(self.seconds) + len(rungs) > self.trials:
            return False
        longest = max(self._longest.values())
        needed = sum(self._longest.get(rung, longest) for rung in rungs)
        return time.monotonic() - self._began + needed <= self._limit

    def start(self) -> None:
        """Record the start of a trial."""
        self._last = time.monotonic()

    def finish(self, rung: int) -> None:
        """Record the end of a trial."""
        now = time.monotonic()
        took, self._last = now - self._last, now
        self.seconds.append(took)
        self._longest[rung] = max(took, self._longest.get(rung, 0.0))

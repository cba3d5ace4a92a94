"""How long a search goes on."""

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
        self._rung = 0

    @property
    def spent(self) -> float:
        """The seconds up to the end of the last trial."""
        return self._last - self._began

    def note(self) -> None:
        """Note that the trial is over that `may_try` was asked about last."""
        now = time.monotonic()
        took, self._last = now - self._last, now
        self.seconds.append(took)
        self._longest[self._rung] = max(took, self._longest.get(self._rung, 0.0))

    def may_try(self, rung: int) -> bool:
        """Return whether there is time for a trial of a rung as long as its longest so far.

        The first trial is always allowed.
        """
        self._rung, self._last = rung, time.monotonic()
        if not self.seconds:
            return True
        if len(self.seconds) == self.trials:
            return False
        return self.spent + self._longest.get(rung, 0.0) <= self._limit

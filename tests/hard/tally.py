"""Outcomes, counted over all worker processes."""

import multiprocessing

__all__ = ["Tally"]


class Tally:
    """How often each outcome was seen.

    Parameters
    ----------
    *kinds : str
        The outcomes that there are.
    """

    def __init__(self, *kinds: str) -> None:
        fork = multiprocessing.get_context("fork")
        self._counts = {kind: fork.Value("q", 0) for kind in kinds}

    def add(self, kind: str) -> None:
        """Count one outcome."""
        with self._counts[kind].get_lock():
            self._counts[kind].value += 1

    def __str__(self) -> str:
        return ", ".join(f"{count.value:,} {kind}" for kind, count in self._counts.items())

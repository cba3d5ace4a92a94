"""What an experiment is: numbers from data, figures from numbers, findings from numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeVar

from wordodds._files.progress import progress
from wordodds.experiments.table import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from wordodds.experiments.newsgroups import Data

__all__ = ["About", "Experiment", "Finding", "Plot", "Run", "Summary", "Verdict", "sized"]

Verdict = Literal["borne out", "not borne out", "not tested"]
_Item = TypeVar("_Item")
_Settings = TypeVar("_Settings")


@dataclass(frozen=True)
class Finding:
    """What a run says about a claim."""

    claim: str  # its id, such as "C4"
    says: str  # the part of the claim that this is about, in a few words
    number: str  # what was measured, with its interval
    verdict: Verdict
    figure: str  # the stem of the figure that shows it


@dataclass(frozen=True)
class About:
    """Makes the findings about one claim that one figure shows."""

    claim: str
    figure: str

    def __call__(self, says: str, number: str, holds: bool) -> Finding:
        """Return a finding whose verdict follows from whether the number bears it out."""
        return Finding(self.claim, says, number, verdict_of(holds), self.figure)


@dataclass(frozen=True)
class Plot:
    """A figure of the report."""

    stem: str  # the name of its files, without suffix
    title: str
    caption: str  # what is to be seen, and what the lecture claims about it
    figure: Figure


@dataclass(frozen=True)
class Run:
    """How much an experiment has to do, and with what."""

    data: Data
    full: bool = False  # whether to use all seeds and sizes
    seed: int = 0  # the first seed
    n_jobs: int | None = None
    label: str = field(default="", compare=False)  # in front of a progress bar

    def seeds(self, n: int) -> range:
        """Return the seeds of this run: n from its first one on."""
        return range(self.seed, self.seed + n)

    def each(self, items: Iterable[_Item], unit: str = "fits") -> Iterator[_Item]:
        """Go through the items, and show how far the experiment has come."""
        known = list(items)
        with self.progress(len(known), unit) as advance:
            for item in known:
                yield item
                advance(1)

    @contextmanager
    def progress(self, total: int, unit: str = "fits") -> Iterator[Callable[[int], None]]:
        """Show how far the experiment has come: ``advance(n)`` reports n more units as done."""
        with progress(self.label, total, unit=unit) as advance:
            yield advance


@dataclass(frozen=True)
class Experiment:
    """One experiment of ``wordodds reproduce``."""

    name: str  # as in --only NAME and results/NAME.csv
    title: str
    protocol: str  # what is done, in a few sentences: data, split, sizes, seeds
    run: Callable[[Run], Results]  # raises DatasetUnavailable where the data is not there
    draw: Callable[[Results], list[Plot]]  # from the table alone
    judge: Callable[[Results], list[Finding]]  # from the table alone
    claims: tuple[str, ...]  # that it is about, also when it is skipped
    # What its quick and its full form take on two cores, to tell the time left. The first was
    # measured, the second follows from it and from how much more is done.
    seconds: tuple[float, float] = (1.0, 1.0)


@dataclass(frozen=True)
class Summary:
    """A figure of several experiments, at the head of the report."""

    needs: tuple[str, ...]  # the experiments whose tables it shows; without one it is left out
    draw: Callable[[Mapping[str, Results]], Plot]


def sized(
    measure: Callable[[_Settings, Run], Results], quick: _Settings, full: _Settings
) -> Callable[[Run], Results]:
    """Return the ``run`` of an experiment that measures with one of two settings."""
    return lambda run: measure(full if run.full else quick, run)


def verdict_of(holds: bool) -> Verdict:
    """Return the verdict for a claim that holds or does not."""
    return "borne out" if holds else "not borne out"

"""What an experiment is: numbers from data, figures from numbers, findings from numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from wordodds._files.progress import progress
from wordodds.experiments.results import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from wordodds.experiments.data import Data

__all__ = ["Experiment", "Finding", "Plot", "Run", "Summary", "Verdict"]

Verdict = Literal["borne out", "not borne out", "not tested"]


@dataclass(frozen=True)
class Finding:
    """What a run says about a claim.

    Parameters
    ----------
    claim : str
        Its id, such as ``"C4"``.
    says : str
        The part of the claim that this is about, in a few words.
    number : str
        What was measured, with its interval.
    verdict : {"borne out", "not borne out", "not tested"}
        Whether the number bears it out.
    figure : str
        The stem of the figure that shows it.
    """

    claim: str
    says: str
    number: str
    verdict: Verdict
    figure: str


@dataclass(frozen=True)
class Plot:
    """A figure of the report.

    Parameters
    ----------
    stem : str
        The name of its files, without suffix.
    title : str
        A heading.
    caption : str
        What is to be seen, and what the lecture claims about it.
    figure : matplotlib.figure.Figure
        The drawing.
    """

    stem: str
    title: str
    caption: str
    figure: Figure


@dataclass(frozen=True)
class Run:
    """What an experiment is told: how much to do, and with what.

    Parameters
    ----------
    data : Data
        The corpora.
    full : bool, default=False
        Whether to use all seeds and sizes.
    seed : int, default=0
        The first seed.
    n_jobs : int or None, default=None
        Threads, as for the estimators.
    label : str, default=""
        What is written in front of a progress bar.
    """

    data: Data
    full: bool = False
    seed: int = 0
    n_jobs: int | None = None
    label: str = field(default="", compare=False)

    def seeds(self, quick: int, full: int) -> range:
        """Return the seeds of this run.

        Parameters
        ----------
        quick, full : int
            How many there are in either form.

        Returns
        -------
        seeds : range
        """
        return range(self.seed, self.seed + (full if self.full else quick))

    @contextmanager
    def progress(self, total: int, unit: str = "fits") -> Iterator[Callable[[int], None]]:
        """Show how far the experiment has come.

        Parameters
        ----------
        total : int
            The amount of work.
        unit : str, default="fits"
            What is counted.

        Yields
        ------
        advance : callable
            ``advance(n)`` reports that ``n`` more units are done.
        """
        with progress(self.label, total, unit=unit) as advance:
            yield advance


@dataclass(frozen=True)
class Experiment:
    """One experiment of ``wordodds reproduce``.

    Parameters
    ----------
    name : str
        As in ``--only NAME`` and ``results/NAME.csv``.
    title : str
        A heading.
    protocol : str
        What is done, in a few sentences: data, split, sizes, seeds.
    run : callable
        ``run(Run) -> Results``. Raises `DatasetUnavailable` where the data is not there.
    draw : callable
        ``draw(Results) -> list of Plot``, from the table alone.
    judge : callable
        ``judge(Results) -> list of Finding``, from the table alone.
    claims : tuple of str
        The claims it speaks to, also when it is skipped.
    """

    name: str
    title: str
    protocol: str
    run: Callable[[Run], Results]
    draw: Callable[[Results], list[Plot]]
    judge: Callable[[Results], list[Finding]]
    claims: tuple[str, ...]


@dataclass(frozen=True)
class Summary:
    """A figure of several experiments, at the head of the report.

    Parameters
    ----------
    needs : tuple of str
        The experiments whose tables it shows; without one of them it is left out.
    draw : callable
        ``draw(tables by name) -> Plot``.
    """

    needs: tuple[str, ...]
    draw: Callable[[Mapping[str, Results]], Plot]


def verdict_of(holds: bool) -> Verdict:
    """Return the verdict for a claim that holds or does not.

    Parameters
    ----------
    holds : bool
        Whether the number bears it out.

    Returns
    -------
    verdict : {"borne out", "not borne out"}
    """
    return "borne out" if holds else "not borne out"

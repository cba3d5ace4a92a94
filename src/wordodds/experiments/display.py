"""Figures of learning curves, convergence and reliability, for your own results too."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from wordodds.experiments import style
from wordodds.experiments.intervals import Interval, mean_interval
from wordodds.experiments.leads import Lead, NoScoresError, lead
from wordodds.experiments.names import TUNED
from wordodds.experiments.table import Results
from wordodds.typing import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

__all__ = ["ConvergenceDisplay", "LearningCurveDisplay", "ReliabilityDisplay"]

_LABELS = {
    "accuracy": "test accuracy",
    "error": "test error",
    "log_loss": "log loss (nats)",
    "size": "training documents",
    "dims": "dimensions",
    "seconds": "seconds",
    "iteration": "iteration",
    "passes": "passes over the rows",
    "alpha": "pseudo-count alpha",
    "gap": "objective above the optimum (relative)",
}


@dataclass(frozen=True)
class Curve:
    """One line of a figure with its band."""

    x: Floats
    mean: Floats
    low: Floats
    high: Floats

    @classmethod
    def of(cls, results: Results, x: str, y: str, *, logarithmic: bool = False) -> Self:
        """Return the means of a column, or of its logarithms, over the seeds."""
        places = sorted(results.unique(x))
        intervals = []
        for place in places:
            part = results.where(**{x: place})
            values = 1.0 - part.column("accuracy") if y == "error" else part.column(y)
            interval = mean_interval(np.log(values) if logarithmic else values)
            # One seed says nothing about the spread: a line without a band.
            alone = len(values) == 1
            intervals.append((interval.value,) * 3 if alone else tuple(interval))
        mean, low, high = (np.exp(intervals) if logarithmic else np.array(intervals)).T
        return cls(np.array(places, dtype=np.float64), mean, low, high)

    def draw(self, ax: Axes, look: dict[str, Any], name: str) -> None:
        """Draw the line over its band."""
        band = {"color": look["color"], "alpha": 0.2, "linewidth": 0}
        ax.fill_between(self.x, self.low, self.high, **band)
        ax.plot(self.x, self.mean, **look, linewidth=1.4, label=name)


class _Display(ABC):
    """What the displays share: axes of their own or the caller's, their names and a legend."""

    figure_: Figure | SubFigure  # the part of a figure that holds the axes
    ax_: Axes
    x: str  # a column of the results, or the words beside the axis
    y: str

    def plot(self, *, ax: Axes | None = None, legend: bool = True) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to; by default on a new figure.
        legend : bool, default=True
            Whether to name the lines.

        Returns
        -------
        self : object
        """
        if ax is None:
            style.require_matplotlib()
            from matplotlib import pyplot

            with style.style():
                _, ax = pyplot.subplots(layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        self._draw(ax)
        style.label_axes(ax, _LABELS.get(self.x, self.x), _LABELS.get(self.y, self.y))
        if legend:
            ax.legend()
        return self

    @abstractmethod
    def _draw(self, ax: Axes) -> None:
        """Draw the curves on axes that have no names yet."""


class LearningCurveDisplay(_Display):
    """Curves of several models with 95 % intervals over the seeds.

    Parameters
    ----------
    curves : dict of str to Curve
        By model.
    x, y : str
        The columns shown.

    Attributes
    ----------
    figure_, ax_
        Where `plot` has drawn.

    Examples
    --------
    >>> from wordodds.experiments import LearningCurveDisplay, Results
    >>> results = Results("demo")
    >>> for seed in range(3):
    ...     results.add(model="Gaussian NB", size=10, seed=seed, accuracy=0.7 + 0.01 * seed)
    ...     results.add(model="Gaussian NB", size=100, seed=seed, accuracy=0.8 + 0.01 * seed)
    >>> display = LearningCurveDisplay.from_results(results)
    >>> display.ax_.get_xlabel()
    'training documents'
    """

    def __init__(self, curves: dict[str, Curve], *, x: str = "size", y: str = "accuracy") -> None:
        self.curves = curves
        self.x = x
        self.y = y

    @classmethod
    def from_results(
        cls,
        results: Results,
        *,
        x: str = "size",
        y: str = "accuracy",
        group: str = "model",
        log_x: bool = False,
        log_y: bool = False,
        crossings: bool | Sequence[tuple[str, str]] = False,
        legend: bool = True,
        ax: Axes | None = None,
    ) -> LearningCurveDisplay:
        """Draw the mean of a column over the seeds, a line for each model, in a band.

        Parameters
        ----------
        results : Results
            As `learning_curve` returns them.
        x, y : str
            The columns of the axes; ``"error"`` is 1 - accuracy.
        group : str, default="model"
            The column that names the lines.
        log_x : bool, default=False
            Whether the horizontal axis is logarithmic.
        log_y : bool, default=False
            Whether the vertical axis is, for positive numbers. Mean and interval are then those of
            the logarithms: the line is the geometric mean, and no band reaches zero.
        crossings : bool or sequence of (name, name), default=False
            Whether to mark where two models change the lead for the last time, each pair of models
            or those named: a dotted line, shaded with its 95 % interval (see `lead`).
        legend : bool, default=True
            Whether to name the lines.
        ax : matplotlib axes, optional
            Where to draw; by default on a new figure.

        Returns
        -------
        display : LearningCurveDisplay
        """
        _require(results, x, "accuracy" if y == "error" else y, group)
        leads = _leads(results, crossings, x, y, group)
        curves = {
            str(name): Curve.of(part, x, y, logarithmic=log_y)
            for name, part in results.groups(group)
        }
        display = cls(curves, x=x, y=y).plot(ax=ax, log_x=log_x, legend=legend)
        if log_y:
            display.ax_.set_yscale("log")
        _mark_crossings(display.ax_, results, leads)
        return display

    def plot(
        self, *, ax: Axes | None = None, log_x: bool = False, legend: bool = True
    ) -> LearningCurveDisplay:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to; by default on a new figure.
        log_x : bool, default=False
            Whether the horizontal axis is logarithmic.
        legend : bool, default=True
            Whether to name the lines.

        Returns
        -------
        self : LearningCurveDisplay
        """
        super().plot(ax=ax, legend=legend)
        if log_x:
            self.ax_.set_xscale("log")
        return self

    def _draw(self, ax: Axes) -> None:
        for position, (name, curve) in enumerate(self.curves.items()):
            colour = style.colour_of(name, position)
            look = style.points_of(colour, position, size=3.5)
            if name + TUNED in self.curves:
                look["linestyle"] = "--"
            curve.draw(ax, look, name)


def _leads(
    results: Results, crossings: bool | Sequence[tuple[str, str]], x: str, y: str, group: str
) -> list[Lead]:
    """Return who leads in each pair of models; of all pairs, those that can be compared."""
    if isinstance(crossings, (bool, np.bool_)):
        if not crossings:
            return []
        pairs = list(combinations(results.unique("model"), 2))
    else:
        is_list = isinstance(crossings, Sequence) and not isinstance(crossings, str)
        if not is_list or any(isinstance(p, str) or len(p) != 2 for p in crossings):
            raise ValueError(
                f"crossings must be True, False or a list of pairs of names, got {crossings!r}"
            )
        pairs = list(crossings)
    if group != "model":
        raise ValueError(f'crossings are of models: pass group="model", got {group!r}')
    found = []
    for first, second in pairs:
        try:
            found.append(lead(results, first, second, y=y, x=x))
        except NoScoresError:
            if not isinstance(crossings, (bool, np.bool_)):
                raise
    return found


def _mark_crossings(ax: Axes, results: Results, leads: Sequence[Lead]) -> None:
    """Mark where models change the lead, in the colour of who leads after it."""
    names = [str(name) for name in results.unique("model")]
    colours = {name: style.colour_of(name, place) for place, name in enumerate(names)}
    height = 0.95  # of the number, which must not cover the one before
    for found in leads:
        if found.crossing is not None:
            mark_place(ax, found.crossing.interval, colours[str(found.leader)], height)
            height -= 0.08


def mark_place(ax: Axes, place: Interval, colour: str, height: float) -> None:
    """Mark a place of the horizontal axis and its interval; the number stands at a height."""
    if np.isfinite(place.high):
        ax.axvspan(place.low, place.high, color=colour, alpha=0.12, linewidth=0)
    ax.axvline(place.value, color=colour, linewidth=1.0, linestyle=":")
    ax.annotate(
        f"{place.value:,.0f}",
        (place.value, height),
        xycoords=("data", "axes fraction"),
        xytext=(3, 0),
        textcoords="offset points",
        color=colour,
        va="center",
        fontsize=8,
    )


def _require(results: Results, *names: str) -> None:
    """Refuse a table without rows, or without a column that is to be shown."""
    if not isinstance(results, Results):
        raise TypeError(
            f"results must be a Results, got {type(results).__name__}: of a frame make one by "
            'Results("name", frame.to_dict("records"))'
        )
    if len(results) == 0:
        raise ValueError(f"the results of {results.experiment!r} have no rows to draw")
    for name in names:
        if all(row.get(name) is None for row in results.rows):
            raise ValueError(
                f"the results have nothing in a column {name!r}; "
                f"their columns are {', '.join(results.columns)}"
            )


def _columns(results: Results, *names: str, group: str) -> dict[str, Any]:
    """Return columns of numbers, for each value of the column that names the lines."""
    _require(results, *names, group)
    return {str(name): tuple(part.numbers(*names).T) for name, part in results.groups(group)}


class ConvergenceDisplay(_Display):
    """How fast solvers come down to the optimum, on logarithmic axes.

    Parameters
    ----------
    curves : dict of str to (x, gap)
        By solver.
    x : {"iteration", "passes", "seconds"}
        The horizontal axis.

    Attributes
    ----------
    figure_, ax_
        Where `plot` has drawn.
    """

    y = "gap"

    def __init__(self, curves: dict[str, tuple[Floats, Floats]], *, x: str = "iteration") -> None:
        self.curves = curves
        self.x = x

    @classmethod
    def from_results(
        cls,
        results: Results,
        *,
        x: str = "iteration",
        legend: bool = True,
        ax: Axes | None = None,
    ) -> ConvergenceDisplay:
        """Draw the column ``gap`` of each solver.

        Parameters
        ----------
        results : Results
            With the columns solver, gap and that of the axis, in the order of the iterations.
        x : {"iteration", "passes", "seconds"}, default="iteration"
            The horizontal axis.
        legend : bool, default=True
            Whether to name the lines.
        ax : matplotlib axes, optional
            Where to draw; by default on a new figure.

        Returns
        -------
        display : ConvergenceDisplay
        """
        curves = _columns(results, x, "gap", group="solver")
        return cls(curves, x=x).plot(ax=ax, legend=legend)

    def _draw(self, ax: Axes) -> None:
        for position, (name, (x, gap)) in enumerate(self.curves.items()):
            shown = gap > 0.0
            look = style.points_of(style.colour_of(name, position), position, size=3)
            look["markevery"] = max(1, -(-int(shown.sum()) // 10))
            ax.plot(x[shown], gap[shown], **look, linewidth=1.3, label=name)
        ax.set_yscale("log")
        if self.x == "iteration":  # they begin at 0
            ax.set_xscale("symlog", linthresh=1.0)
        else:
            ax.set_xscale("log")


class ReliabilityDisplay(_Display):
    """How often the most probable label is right, against how probable it is said to be.

    The area of a marker is the share of the documents in its bin.

    Parameters
    ----------
    curves : dict of str to (confidence, accuracy, share)
        By model; the mean confidence of a bin, how many are right in it, and its share of all.

    Attributes
    ----------
    figure_, ax_
        Where `plot` has drawn.
    """

    x, y = "probability of the most probable label", "share that is right"

    def __init__(self, curves: dict[str, tuple[Floats, Floats, Floats]]) -> None:
        self.curves = curves

    @classmethod
    def from_results(cls, results: Results, *, ax: Axes | None = None) -> ReliabilityDisplay:
        """Draw the columns confidence, accuracy and share of each model.

        Parameters
        ----------
        results : Results
            A row for each model and bin.
        ax : matplotlib axes, optional
            Where to draw; by default on a new figure.

        Returns
        -------
        display : ReliabilityDisplay
        """
        return cls(_columns(results, "confidence", "accuracy", "share", group="model")).plot(ax=ax)

    def _draw(self, ax: Axes) -> None:
        ax.plot([0, 1], [0, 1], color=style.GREY, linewidth=0.9, linestyle="--")
        for position, (name, (confidence, accuracy, share)) in enumerate(self.curves.items()):
            colour = style.colour_of(name, position)
            ax.plot(confidence, accuracy, color=colour, linewidth=1.3, label=name)
            ax.scatter(confidence, accuracy, s=6 + 120 * share, color=colour, zorder=3)
        ax.set_aspect("equal")

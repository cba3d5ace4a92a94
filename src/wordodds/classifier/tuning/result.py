"""What a search has found: the settings, the call that repeats them, and every trial."""

import html
import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from wordodds.classifier.reading import Reading
from wordodds.classifier.tuning.metrics import metric_title
from wordodds.model.rendering import aligned, html_table

__all__ = ["TunedTrial", "Tuning"]

SHOWN = 10  # trials of the printed table


class TunedTrial(NamedTuple):
    """One trial: its settings and its scores on held-out documents.

    Attributes
    ----------
    model : str
        Name of the model, as in `TextClassifier`.
    reading : Reading
        Analyzer, token pattern, lengths of sequences, min_df, and whether text is lower-cased.
    weighting : str
        As in `TextClassifier`.
    parameters : dict
        Parameters of the model; of those on a path, such as C, the best.
    rung : int
        Stage of the search, from 0: samples of growing size, then all documents, then all
        documents divided anew.
    n_documents : int
        Documents that it was learnt from and judged on.
    value : float or None
        Metric on held-out documents; None if there was no term.
    log_loss : float or None
        Mean of -log p(label) over held-out documents, in nats; for "nb_logistic" at the best
        temperature.
    seconds : float
        Time of the trial.
    """

    model: str
    reading: Reading
    weighting: str
    parameters: dict[str, float]
    rung: int
    n_documents: int
    value: float | None
    log_loss: float | None
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for programs."""
        return {**self._asdict(), "reading": self.reading.to_dict()}

    @property
    def rank(self) -> tuple[float, float]:
        """What the better of two trials of a rung has more of: the metric, then the likelihood."""
        if self.value is None or self.log_loss is None:
            return -math.inf, -math.inf
        return self.value, -self.log_loss

    @property
    def settings(self) -> str:
        """The settings in a line."""
        numbers = [f"{name}={value:.4g}" for name, value in self.parameters.items()]
        return ", ".join([f"{self.model}: {self.reading}", self.weighting, *numbers])


@dataclass(frozen=True, eq=False)
class Tuning:
    """What `TextClassifier.tune` has tried and found; printed, a table and the call to copy.

    Attributes
    ----------
    metric : str
        Metric that was maximised; "log_loss" is negated.
    value, log_loss : float
        Metric and log loss of the best settings, on held-out documents.
    n_documents : int
        Documents that the best settings were learnt from and judged on.
    call : str
        Python that makes a TextClassifier with the best settings.
    trials : tuple of TunedTrial
        All trials, in the order in which they were tried.
    seconds : float
        Time of the search.
    """

    metric: str
    value: float
    log_loss: float
    n_documents: int
    call: str
    trials: tuple[TunedTrial, ...]
    seconds: float

    def __str__(self) -> str:
        header, rows = self.table()
        lines = aligned([header, *rows], left=len(header))
        return "\n".join([self.headline, "", *lines, "", self.call])

    @property
    def headline(self) -> str:
        """The result in a line."""
        n = len(self.trials)
        return (
            f"{self._numbers[0]} {abs(self.value):.4f} on held-out documents, best of {n} trials "
            f"in {self.seconds:.0f} s (trials={n} repeats them)"
        )

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Return the best trials of the last rung: names of columns, and cells of rows."""
        last = max(trial.rung for trial in self.trials)
        found = [trial for trial in self.trials if trial.rung == last and trial.value is not None]
        found.sort(key=lambda trial: trial.rank, reverse=True)
        rows = [[*self._cells(trial), trial.settings] for trial in found[:SHOWN]]
        return [*self._numbers, "settings"], rows

    def table_of_all(self) -> tuple[list[str], list[list[str]]]:
        """Return all trials, in the order in which they were tried, as `table` returns the best."""
        rows = [
            [f"{t.n_documents:,}", *self._cells(t), f"{t.seconds:.2f}", t.settings]
            for t in self.trials
        ]
        return ["documents", *self._numbers, "seconds", "settings"], rows

    @property
    def _numbers(self) -> list[str]:
        """The names of the columns of the metric and the log loss."""
        return list(dict.fromkeys([metric_title(self.metric), "log loss"]))

    def _cells(self, trial: TunedTrial) -> list[str]:
        """Return the metric and the log loss of a trial."""
        numbers = [trial.value, trial.log_loss][-len(self._numbers) :]
        return ["-" if number is None else f"{number:.4f}" for number in numbers]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, for programs."""
        trials = [trial.to_dict() for trial in self.trials]
        return {**self.summary(), "seconds": self.seconds, "trials": trials}

    def summary(self) -> dict[str, Any]:
        """Return what a model file stores: the result without times and single trials."""
        return {
            "metric": self.metric,
            "value": self.value,
            "log_loss": self.log_loss,
            "n_documents": self.n_documents,
            "n_trials": len(self.trials),
            "call": self.call,
        }

    def _repr_html_(self) -> str:
        header, *rows = ([cells[-1], *cells[:-1]] for cells in (self.table()[0], *self.table()[1]))
        table = html_table(header, rows)
        call = html.escape(self.call)
        head = html.escape(self.headline)
        wrapped = f'<pre style="white-space:pre-wrap">{call}</pre>'
        return f"<div><div>{head}</div>{table}{wrapped}</div>"

"""Ng and Jordan's comparison: error against training size on small tables of the UCI repository."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from wordodds.datasets import DatasetUnavailable, UciTable, load_uci
from wordodds.experiments.curves import nested_order, timed_fit
from wordodds.experiments.experiment import Run
from wordodds.experiments.studies.uci.report import (
    CATEGORICAL,
    LR,
    OWN,
    SHARED,
    add_winners,
)
from wordodds.experiments.table import Results
from wordodds.typing import AnyArray, Floats, Ints

LEAST_ROWS = 2  # of a class: one to train on and one to test with

# Inverse strength of logistic regression's penalty: all but maximum likelihood, as theirs.
C = 1000.0


class Panel(NamedTuple):
    """One of their data sets: which table, which columns, which two classes."""

    title: str
    table: str
    kind: str  # of the columns that are used
    classes: tuple[str, str] | None = None  # None: the two that there are


PANELS = (
    Panel("pima", "pima", "continuous"),
    Panel("adult (continuous)", "adult", "continuous"),
    Panel("boston housing", "housing", "continuous"),
    Panel("optdigits (0 or 1)", "optdigits", "continuous", ("0", "1")),
    Panel("optdigits (2 or 3)", "optdigits", "continuous", ("2", "3")),
    Panel("ionosphere", "ionosphere", "continuous"),
    Panel("liver disorders", "bupa", "continuous"),
    Panel("sonar", "sonar", "continuous"),
    Panel("adult (discrete)", "adult", "discrete"),
    Panel("promoters", "promoters", "discrete"),
    Panel("lymphography", "lymphography", "discrete", ("malign lymph", "metastases")),
    Panel("breast cancer", "breast-cancer", "discrete"),
    Panel("lenses (hard or soft)", "lenses", "discrete", ("hard", "soft")),
    Panel("voting records", "voting", "discrete"),
)


@dataclass(frozen=True)
class Settings:
    """How much is computed."""

    splits: int  # random ones of each set
    n_sizes: int  # training sizes of each set, at most
    panels: tuple[Panel, ...] = PANELS
    largest: int = 400  # rows to train on
    test_rows: int = 500


QUICK = Settings(splits=50, n_sizes=5)
FULL = Settings(splits=1000, n_sizes=8)


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows of two classes, as numbers."""

    rows: AnyArray  # measurements, or numbers of categories
    labels: Ints  # 0 or 1
    n_categories: Ints | None  # of each column; None where they are measurements

    @classmethod
    def of(cls, panel: Panel, table: UciTable) -> Problem:
        """Take what a panel asks for out of its table; a missing category is one of its own."""
        if table.labels.dtype.kind == "f":  # prices: above the median or not
            chosen = np.ones(len(table), dtype=bool)
            labels = table.labels > np.median(table.labels)
        else:
            classes = panel.classes or tuple(np.unique(table.labels))
            if len(classes) != 2 or not np.isin(classes, table.labels).all():
                raise DatasetUnavailable(
                    f"the set {panel.table} must have the two classes of the experiment, got "
                    f"{', '.join(map(str, np.unique(table.labels)[:10]))}. Replace the file"
                )
            first, second = classes
            chosen = np.isin(table.labels, [first, second])
            labels = table.labels[chosen] == second
        # Adult is two of their sets. All of lymphography was discrete to them, its counts too.
        mixed = panel.table == "adult"
        columns = [
            column[chosen]
            for column, kind in zip(table.columns, table.kinds, strict=True)
            if kind == panel.kind or not mixed
        ]
        labels = labels.astype(np.int64)
        if min(np.bincount(labels, minlength=2)) < LEAST_ROWS:
            raise DatasetUnavailable(
                f"the set {panel.table} must have {LEAST_ROWS} rows of each class or more, got "
                f"{min(np.bincount(labels, minlength=2))}. Replace the file by a whole one"
            )
        if panel.kind == "continuous":
            return cls(np.column_stack(columns), labels, None)
        codes = [np.unique(column.astype(str), return_inverse=True) for column in columns]
        numbers = np.array([len(values) for values, _ in codes])
        return cls(np.column_stack([code for _, code in codes]), labels, numbers)

    def sizes(self, settings: Settings) -> list[int]:
        """Return the training sizes: evenly spaced ratios up to two thirds of the rows."""
        # Two rows of each class for measurements, whose variances take two; one for categories.
        rarer = np.bincount(self.labels).min() / len(self.labels)
        smallest = int(np.ceil((2 if self.n_categories is None else 1) / rarer))
        largest = min(settings.largest, 2 * len(self.labels) // 3)
        spaced = np.geomspace(smallest, largest, settings.n_sizes)
        return sorted({round(size) for size in spaced})


def standardised(train: Floats, test: Floats) -> tuple[Floats, Floats]:
    """Return both with mean 0 and variance 1 by the training rows; NaN becomes their mean."""
    mean = np.nanmean(train, axis=0)
    deviation = np.nanstd(train, axis=0)
    # Rounding leaves constant columns a deviation of some 1e-16 of their size.
    varies = deviation > 1e-9 * np.maximum(np.abs(mean), 1e-300)
    scale = np.divide(1.0, deviation, out=np.zeros_like(deviation), where=varies)
    return np.nan_to_num((train - mean) * scale), np.nan_to_num((test - mean) * scale)


def one_hot(codes: Ints, n_categories: Ints) -> Floats:
    """Return a column of 0 and 1 for each category of each column."""
    starts = np.concatenate([[0], np.cumsum(n_categories)[:-1]])
    columns = np.zeros((len(codes), int(n_categories.sum())))
    np.put_along_axis(columns, codes + starts, 1.0, axis=1)
    return columns


def contenders(problem: Problem, train: Ints, test: Ints) -> dict[str, tuple[Any, Any, Any]]:
    """Return each model with its rows to train and to test: the two compared, and one beside."""
    from wordodds import CategoricalNB, GaussianDiscriminant, GaussianNB, LogisticRegression

    # n_jobs=1: some hundred rows are not worth a thread. newton-cg: no linear algebra that might
    # start threads of its own. tol: where a line parts the classes the way to the optimum is long.
    line = LogisticRegression(C=C, solver="newton-cg", tol=1e-6, max_iter=1000, n_jobs=1)
    if problem.n_categories is None:
        seen, new = standardised(problem.rows[train], problem.rows[test])
        # A prior that weighs as much as one row keeps variances above zero, like Laplace's rule.
        shared = GaussianDiscriminant(
            covariance="shared_diagonal", shrinkage=1.0 / (len(train) + 1), n_jobs=1
        )
        return {
            SHARED: (shared, seen, new),
            LR: (line, seen, new),
            OWN: (GaussianNB(n_jobs=1), seen, new),
        }
    counts = CategoricalNB(min_categories=problem.n_categories, n_jobs=1)
    codes, new_codes = problem.rows[train], problem.rows[test]
    hot, new_hot = (one_hot(part, problem.n_categories) for part in (codes, new_codes))
    return {CATEGORICAL: (counts, codes, new_codes), LR: (line, hot, new_hot)}


def measure(settings: Settings, run: Run) -> Results:
    """Score both models for each set, split and size; at the end, who is ahead."""
    results = Results("uci")
    tables = {panel.table: load_uci(panel.table) for panel in settings.panels}
    problems = [(panel, Problem.of(panel, tables[panel.table])) for panel in settings.panels]
    seeds = run.seeds(settings.splits)
    for (panel, problem), seed in run.each(product(problems, seeds), "splits"):
        _measure_split(results, panel, problem, seed, settings)
    add_winners(results)
    return results


def _measure_split(
    results: Results, panel: Panel, problem: Problem, seed: int, settings: Settings
) -> None:
    sizes = problem.sizes(settings)
    order = nested_order(problem.labels, np.random.default_rng([seed, *panel.title.encode()]))
    test = order[sizes[-1] :][: settings.test_rows]
    truth = problem.labels[test]
    for size in sizes:
        train = order[:size]
        for name, (model, X_train, X_test) in contenders(problem, train, test).items():
            seconds = timed_fit(model, X_train, problem.labels[train])
            log_proba = model.predict_log_proba(X_test)
            results.add(
                model=name,
                solver=getattr(model, "solver", None),
                size=size,
                dims=problem.rows.shape[1],
                seed=seed,
                dataset=panel.title,
                accuracy=np.mean(log_proba.argmax(axis=1) == truth),
                log_loss=-log_proba[np.arange(len(truth)), truth].mean(),
                seconds=seconds,
            )

"""C9: naive Bayes is logistic regression's form, with weights that a formula gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from wordodds.experiments import style
from wordodds.experiments.experiment import Experiment, Finding, Plot, Run, verdict_of
from wordodds.experiments.results import Results
from wordodds.experiments.studies.groups import frequent_words, two_groups
from wordodds.typing import Floats, Ints

__all__ = ["EXPERIMENTS"]

NAME = "closed-form"
SHARED, OWN = "Gaussian NB, shared variances", "Gaussian NB, own variances"
MODELS = ("multinomial NB", "Bernoulli NB", SHARED, OWN)
# Rounding of a sum, as a share of its terms' absolute values; a document has some hundred terms.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Settings:
    """How much is done."""

    n_columns: int = 30  # for the Gaussian models
    n_shown: int = 120  # documents in the figure


QUICK = FULL = Settings()


class Linear(NamedTuple):
    """Log-odds of a formula, and the sum of the absolute values of its terms."""

    log_odds: Floats
    size: Floats


def run(run: Run) -> Results:
    """Compare the models' log-odds with those of the formulas.

    Parameters
    ----------
    run : Run
        Where the data is.

    Returns
    -------
    results : Results
        For each model a row of what was measured, and rows for the documents shown.
    """
    return measure(FULL if run.full else QUICK, run)


def measure(settings: Settings, run: Run) -> Results:
    """Do the work of `run` at any size.

    Parameters
    ----------
    settings : Settings
        The sizes.
    run : Run
        Data and threads.

    Returns
    -------
    results : Results
    """
    from wordodds import BernoulliNB, GaussianDiscriminant, GaussianNB, MultinomialNB

    (counts, y), (counts_test, y_test) = two_groups(run.data.bags)
    words = frequent_words(counts, settings.n_columns)
    dense, dense_test = (np.log1p(part[:, words].toarray()) for part in (counts, counts_test))
    n_jobs = run.n_jobs
    cases: dict[str, tuple[Any, ...]] = {
        "multinomial NB": (MultinomialNB(n_jobs=n_jobs), counts, counts_test, multinomial),
        "Bernoulli NB": (BernoulliNB(n_jobs=n_jobs), counts, counts_test, bernoulli),
        SHARED: (
            GaussianDiscriminant(covariance="shared_diagonal", n_jobs=n_jobs),
            dense,
            dense_test,
            gaussian,
        ),
        OWN: (GaussianNB(n_jobs=n_jobs), dense, dense_test, None),
    }
    shown = np.random.default_rng(run.seed).permutation(len(y_test))[: settings.n_shown]
    results = Results(NAME)
    with run.progress(len(cases)) as advance:
        for name, (model, X, X_test, formula) in cases.items():
            log_proba = model.fit(X, y).predict_log_proba(X_test)
            log_odds = log_proba[:, 1] - log_proba[:, 0]
            closed = formula(X, y, X_test) if formula else nearest_linear(X_test, log_odds)
            difference = np.abs(log_odds - closed.log_odds)
            results.add(
                part="measure",
                model=name,
                size=X.shape[0],
                dims=X.shape[1],
                seed=run.seed,
                accuracy=float(np.mean((log_odds > 0) == y_test)),
                difference=float(difference.max()),
                relative=float((difference / closed.size).max()),
                spread=float(np.abs(log_odds).max()),
            )
            for i in np.sort(shown):
                results.add(
                    part="document",
                    model=name,
                    seed=run.seed,
                    document=i,
                    closed_form=closed.log_odds[i],
                    log_odds=log_odds[i],
                )
            advance(1)
    return results


def multinomial(counts: Any, y: Ints, X: Any) -> Linear:
    """Return log-odds with weights log p(word | 1) - log p(word | 0), by Laplace's rule.

    Parameters
    ----------
    counts, y
        Training documents.
    X
        Documents.

    Returns
    -------
    linear : Linear
    """
    per_class = np.stack([counts[y == c].sum(axis=0) for c in (0, 1)]) + 1.0
    theta = per_class / per_class.sum(axis=1, keepdims=True)
    return _linear(X, np.log(theta[1] / theta[0]), _prior_odds(y))


def bernoulli(counts: Any, y: Ints, X: Any) -> Linear:
    """Return log-odds with the difference of logits as weights; absent words go to the bias.

    Parameters
    ----------
    counts, y
        Training documents.
    X
        Documents.

    Returns
    -------
    linear : Linear
    """
    present = np.stack([(counts[y == c] > 0).sum(axis=0) for c in (0, 1)]) + 1.0
    p = present / (np.bincount(y)[:, None] + 2.0)
    logit = np.log(p / (1 - p))
    absent = np.log1p(-p).sum(axis=1)
    return _linear(X > 0, logit[1] - logit[0], _prior_odds(y) + absent[1] - absent[0])


def gaussian(rows: Floats, y: Ints, X: Floats) -> Linear:
    """Return log-odds with weights (m1 - m0) / variance; the squares of x cancel.

    Parameters
    ----------
    rows, y
        Training rows.
    X
        Rows.

    Returns
    -------
    linear : Linear
    """
    means = np.stack([rows[y == c].mean(axis=0) for c in (0, 1)])
    variance = ((rows - means[y]) ** 2).mean(axis=0)
    bias = _prior_odds(y) - (((means[1] ** 2 - means[0] ** 2) / variance) / 2).sum()
    return _linear(X, (means[1] - means[0]) / variance, bias)


def nearest_linear(X: Floats, log_odds: Floats) -> Linear:
    """Return the linear function that comes nearest to the log-odds, in least squares.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
        Rows.
    log_odds : ndarray of shape (n_rows,)
        What is to be reached.

    Returns
    -------
    linear : Linear
    """
    with_one = np.column_stack([X, np.ones(len(X))])
    solution = np.asarray(np.linalg.lstsq(with_one, log_odds, rcond=None)[0], dtype=np.float64)
    return _linear(X, solution[:-1], solution[-1])


def _prior_odds(y: Ints) -> float:
    n_0, n_1 = np.bincount(y)
    return float(np.log(n_1 / n_0))


def _linear(X: Any, weights: Floats, bias: float) -> Linear:
    return Linear(X @ weights + bias, abs(X) @ np.abs(weights) + abs(bias))


def draw(results: Results) -> list[Plot]:
    """Draw the models' log-odds over those of the formulas.

    Parameters
    ----------
    results : Results
        The table.

    Returns
    -------
    plots : list of Plot
    """
    with style.style():
        figure = style.new_figure(8.0, 2.7)
        axes = figure.subplots(1, len(MODELS))
        for ax, name in zip(axes, MODELS, strict=True):
            part = results.where(part="document", model=name)
            x, y = part.column("closed_form"), part.column("log_odds")
            # A few very long documents would leave the others a dot.
            ends = np.quantile(np.concatenate([x, y]), [0.05, 0.95])
            kept = (np.minimum(x, y) >= ends[0]) & (np.maximum(x, y) <= ends[1])
            x, y = x[kept], y[kept]
            ax.plot(ends, ends, color=style.GREY, linewidth=0.9)
            ax.scatter(x, y, s=9, color=style.colour_of(name.split(",")[0]), linewidths=0, zorder=3)
            own = name == OWN
            style.label_axes(ax, "nearest linear function" if own else "closed form", "")
            ax.set_title(name.replace(", ", ",\n"))
            ax.locator_params(nbins=4)
        axes[0].set_ylabel("log-odds of the model (nats)")
    caption = (
        "Log-odds of test documents of the first two groups, the middle 90 %: of the model, over "
        "those of a linear function whose weights follow from counts, means and variances. The "
        "lecture: these models have the form of logistic regression. On the right, for contrast, "
        "Gaussian naive Bayes with its own variances, over the linear function nearest to it."
    )
    return [Plot("closed-form", "Closed-form weights of naive Bayes", caption, figure)]


def judge(results: Results) -> list[Finding]:
    """Ask whether formula and model agree to rounding.

    Parameters
    ----------
    results : Results
        The table.

    Returns
    -------
    findings : list of Finding
    """
    findings = []
    for name in MODELS:
        (row,) = results.where(part="measure", model=name).rows
        # Exact statements: below or above what rounding can do, whatever documents were drawn.
        by_rounding = float(str(row["relative"])) < ROUNDING
        linear = name != OWN
        what = "closed form" if linear else "nearest linear function"
        digits = f"{row['difference']:{'.1e' if linear else '.0f'}}"
        findings.append(
            Finding(
                "C9",
                f"{name}: {'linear log-odds' if linear else 'not linear, so shared is needed'}",
                f"log-odds up to {digits} off the {what} on test documents, where they reach "
                f"{row['spread']:,.0f}",
                verdict_of(by_rounding == linear),
                "closed-form",
            )
        )
    return findings


EXPERIMENTS = (
    Experiment(
        NAME,
        "Closed-form weights of naive Bayes",
        "The first two groups, trained on the train part. Weights and bias follow by hand from "
        "counts (multinomial and Bernoulli, Laplace's rule) or from means and one variance for "
        "each column (Gaussian, on log(1 + count) of the 30 words that most documents have), and "
        "give the log-odds of each test document; the model gives its own.",
        run,
        draw,
        judge,
        ("C9",),
    ),
)

"""C9: naive Bayes is logistic regression's form, with weights that a formula gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array

from wordodds.experiments import style
from wordodds.experiments.experiment import About, Experiment, Finding, Plot, Run, sized
from wordodds.experiments.newsgroups import frequent_words, two_groups
from wordodds.experiments.table import Results
from wordodds.typing import Floats, Ints

NAME, TITLE = "closed-form", "Closed-form weights of naive Bayes"
PROTOCOL = (
    "The first two groups, trained on the train part. Weights and bias follow by hand from counts "
    "(multinomial and Bernoulli, Laplace's rule) or from means and one variance for each column "
    "(Gaussian, on log(1 + count) of the 30 words that most documents have), and give the log-odds "
    "of each test document; the model gives its own."
)
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
finding = About("C9", figure=NAME)


class Linear(NamedTuple):
    """Log-odds of a formula, and the sum of the absolute values of its terms."""

    log_odds: Floats
    size: Floats


def measure(settings: Settings, run: Run) -> Results:
    """Compare the models' log-odds with those of the formulas.

    For each model one row of the ``part`` "measure", and "document" for those shown.
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
    for name, (model, X, X_test, formula) in run.each(cases.items()):
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
    return results


def multinomial(counts: csr_array, y: Ints, X: csr_array) -> Linear:
    """Return log-odds with weights log p(word | 1) - log p(word | 0), by Laplace's rule."""
    per_class = np.stack([counts[y == c].sum(axis=0) for c in (0, 1)]) + 1.0
    theta = per_class / per_class.sum(axis=1, keepdims=True)
    return _linear(X, np.log(theta[1] / theta[0]), _prior_odds(y))


def bernoulli(counts: csr_array, y: Ints, X: csr_array) -> Linear:
    """Return log-odds with the difference of logits as weights; absent words go to the bias."""
    present = np.stack([(counts[y == c] > 0).sum(axis=0) for c in (0, 1)]) + 1.0
    p = present / (np.bincount(y)[:, None] + 2.0)
    logit = np.log(p / (1 - p))
    absent = np.log1p(-p).sum(axis=1)
    return _linear(X > 0, logit[1] - logit[0], _prior_odds(y) + absent[1] - absent[0])


def gaussian(rows: Floats, y: Ints, X: Floats) -> Linear:
    """Return log-odds with weights (m1 - m0) / variance; the squares of x cancel."""
    means = np.stack([rows[y == c].mean(axis=0) for c in (0, 1)])
    variance = ((rows - means[y]) ** 2).mean(axis=0)
    bias = _prior_odds(y) - (((means[1] ** 2 - means[0] ** 2) / variance) / 2).sum()
    return _linear(X, (means[1] - means[0]) / variance, bias)


def nearest_linear(X: Floats, log_odds: Floats) -> Linear:
    """Return the linear function that comes nearest to the log-odds, in least squares."""
    with_one = np.column_stack([X, np.ones(len(X))])
    solution = np.asarray(np.linalg.lstsq(with_one, log_odds, rcond=None)[0], dtype=np.float64)
    return _linear(X, solution[:-1], solution[-1])


def _prior_odds(y: Ints) -> float:
    n_0, n_1 = np.bincount(y)
    return float(np.log(n_1 / n_0))


def _linear(X: Floats | csr_array, weights: Floats, bias: float) -> Linear:
    return Linear(X @ weights + bias, abs(X) @ np.abs(weights) + abs(bias))


def draw(results: Results) -> list[Plot]:
    """Draw the models' log-odds over those of the formulas."""
    with style.panels(1, len(MODELS), height=2.7) as (figure, axes):
        for ax, name in zip(axes, MODELS, strict=True):
            part = results.where(part="document", model=name)
            x, y = part.numbers("closed_form", "log_odds").T
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
    return [Plot(NAME, TITLE, caption, figure)]


def judge(results: Results) -> list[Finding]:
    """Ask whether formula and model agree to rounding."""
    findings = []
    for name in MODELS:
        measured = results.where(part="measure", model=name)
        # Exact statements: below or above what rounding can do, whatever documents were drawn.
        by_rounding = measured.value("relative") < ROUNDING
        linear = name != OWN
        what = "closed form" if linear else "nearest linear function"
        digits = f"{measured.value('difference'):{'.1e' if linear else '.0f'}}"
        findings.append(
            finding(
                f"{name}: {'linear log-odds' if linear else 'not linear, so shared is needed'}",
                f"log-odds up to {digits} off the {what} on test documents, where they reach "
                f"{measured.value('spread'):,.0f}",
                by_rounding == linear,
            )
        )
    return findings


EXPERIMENT = Experiment(
    NAME,
    TITLE,
    PROTOCOL,
    sized(measure, QUICK, FULL),
    draw,
    judge,
    ("C9",),
    seconds=(0.3, 1),
)

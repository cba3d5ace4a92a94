"""Time to a stated gap: what the benchmarks of the linear models share.

The optimum is computed once, by ours, to the end of double precision. Ours then runs until its
history shows an objective within the gap. A peer runs with the loosest tolerance, by
factors of about three, that comes within it. The objective of every answer is computed here, from
its definition.
"""

import warnings
from typing import NamedTuple

import numpy as np
from scipy.special import log_softmax
from sklearn.linear_model import LogisticRegression as PeerRegression

from wordodds import LogisticRegression

from .contenders import is_ours, threads_of

C = 10.0


class Weights(NamedTuple):
    """The fitted weights of a contender: (n_columns, n_features) and (n_columns,)."""

    coef: np.ndarray
    intercept: np.ndarray


class Job(NamedTuple):
    """A problem, and the relative gap to its optimum that every contender must reach."""

    X: object
    codes: np.ndarray
    gap: float
    fit_intercept: bool = True
    one_vs_rest: bool = False
    l1: bool = False
    solver: str = "auto"  # ours


def objective(job, weights):
    """Return the objective of wordodds.LogisticRegression, written out."""
    scores = np.asarray(job.X @ weights.coef.T + weights.intercept)
    own = job.codes[:, np.newaxis] == (1 if scores.shape[1] == 1 else np.arange(scores.shape[1]))
    if scores.shape[1] == 1 or job.one_vs_rest:
        losses = np.logaddexp(0.0, np.where(own, -scores, scores)).sum(axis=1)
    else:
        losses = -log_softmax(scores, axis=1)[own]
    penalty = np.abs(weights.coef).sum() if job.l1 else 0.5 * np.sum(weights.coef**2)
    return losses.mean() + penalty / (C * len(job.codes))


def _model(job, **options):
    return LogisticRegression(
        C=C,
        l1_ratio=float(job.l1),
        solver=job.solver,
        multi_class="ovr" if job.one_vs_rest else "multinomial",
        fit_intercept=job.fit_intercept,
        random_state=0,
        **options,
    )


def optimum(job, tol=1e-10):
    """Return the least objective; what is left of the gradient is rounding."""
    model = _model(job, tol=tol, max_iter=1000).fit(job.X, job.codes)
    assert model.history_["gradient_norm"][-1] <= tol
    return float(model.history_["objective"].min())


def run(job, least, contender, tol, *, measure, rounds):
    """Time a contender, and check that it came near enough; tol is a peer's."""
    goal = least * (1.0 + job.gap)
    if is_ours(contender):
        weights = measure(lambda: _ours(job, goal, contender), rounds=rounds)
    elif contender.startswith("LIBLINEAR"):
        weights = measure(lambda: _liblinear(job, contender, tol), rounds=rounds)
    else:
        weights = measure(lambda: _scikit_learn(job, contender, tol), rounds=rounds)
    value = objective(job, weights)
    assert value <= goal * (1.0 + 1e-12), f"the gap is {value / least - 1.0:.2e}, not {job.gap:g}"


def _ours(job, goal, contender):
    model = _model(
        job,
        tol=0.0,
        max_iter=100_000,
        max_time=60.0,
        n_jobs=threads_of(contender),
        callback=lambda entry: entry["objective"] <= goal,
    ).fit(job.X, job.codes)
    return Weights(model.coef_, model.intercept_)


def _scikit_learn(job, contender, tol):
    """Run the solver that is in the name, as in "scikit-learn newton-cholesky, 2 threads"."""
    solver = contender.removeprefix("scikit-learn ").split(",")[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what it thinks of its tolerance: the gap decides
        model = PeerRegression(
            C=C,
            l1_ratio=float(job.l1),
            solver=solver,
            tol=tol,
            max_iter=1000,
            fit_intercept=job.fit_intercept,
            random_state=0,
        ).fit(job.X, job.codes)
    return Weights(model.coef_, model.intercept_)


def _liblinear(job, contender, tol):
    """Run LIBLINEAR from the CSR matrix on, as "LIBLINEAR -s 7" says; it has one-vs-rest alone."""
    from liblinear import liblinearutil

    assert not job.fit_intercept, "LIBLINEAR would penalise the intercept"
    options = contender.removeprefix("LIBLINEAR ")
    model = liblinearutil.train(
        job.codes.astype(np.float64), job.X, f"{options} -c {C} -e {tol} -q"
    )
    labels, n_features = np.asarray(model.get_labels()), job.X.shape[1]
    n_columns = 1 if len(labels) == 2 else len(labels)
    by_feature = np.ctypeslib.as_array(model.w, shape=(n_features, n_columns)).copy()
    if n_columns == 1:
        by_feature *= 1.0 if labels[0] == 1 else -1.0  # its weights speak for the first label
    else:
        by_feature = by_feature[:, np.argsort(labels)]
    return Weights(by_feature.T, np.zeros(n_columns))

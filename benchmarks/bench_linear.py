"""Logistic regression beside its peers: python -m pytest benchmarks/bench_linear.py.

Time to a stated gap (see gaps.py) on the sublinear tf-idf of 20 Newsgroups, C = 10. A job has
several peers; the ratio is to the fastest of them.
"""

import numpy as np
import pytest
from scipy.sparse.linalg import svds

from .conftest import OURS
from .gaps import Job, optimum, run

# The tolerance of each peer; looser ones end before the gap is reached.
SOFTMAX = {
    1e-4: {
        "scikit-learn saga": 1e-4,
        "scikit-learn newton-cg": 3e-4,  # lbfgs (1e-5) takes several times as long
    },
    1e-7: {"scikit-learn newton-cg": 3e-6},
}
ONE_VS_REST = {"LIBLINEAR -s 7": 1.0, "LIBLINEAR -s 0": 0.01}
TWO_GROUPS = {
    True: {"scikit-learn newton-cg": 3e-5, "scikit-learn lbfgs": 1e-6},  # with an intercept
    False: {
        "scikit-learn newton-cg": 3e-6,
        "LIBLINEAR -s 7": 0.01,
        "LIBLINEAR -s 0": 0.003,
    },
}
IRLS = ["scikit-learn newton-cholesky", "scikit-learn newton-cholesky, 2 threads"]  # of BLAS
IRLS_TOL = {2: 1e-4, 20: 1e-5}  # by classes


def pairs(tolerances):
    """Return (key, contender) for every peer of each key, and for ours."""
    return [(key, name) for key, peers in tolerances.items() for name in [*peers, *OURS]]


def rounds_of(contender):
    return 3 if contender in OURS else 1


@pytest.fixture(scope="module")
def optima():
    """Remember the optimum of each job: several gaps may share it."""
    return {}


@pytest.fixture(scope="module")
def svd(tfidf):
    """Return the 50 first columns of the SVD, best ones first."""
    left, singular, _ = svds(tfidf[0], k=50, v0=np.ones(min(tfidf[0].shape)))
    return np.ascontiguousarray((left * singular)[:, ::-1])


def least(optima, name, job):
    if name not in optima:
        optima[name] = optimum(job)
    return optima[name]


@pytest.mark.parametrize(("gap", "contender"), pairs(SOFTMAX), indirect=["contender"])
def test_softmax(gap, contender, tfidf, codes, optima, benchmark, measure):
    benchmark.group += f" to {gap:g}"
    job = Job(tfidf[0], codes, gap)
    run(
        job,
        least(optima, "softmax", job),
        contender,
        SOFTMAX[gap].get(contender),
        measure=measure,
        rounds=rounds_of(contender),
    )


@pytest.mark.parametrize("contender", [*ONE_VS_REST, *OURS], indirect=True)
def test_one_vs_rest(contender, tfidf, codes, optima, measure):
    """To 1e-4, without an intercept, as LIBLINEAR would penalise it."""
    job = Job(tfidf[0], codes, 1e-4, fit_intercept=False, one_vs_rest=True)
    run(
        job,
        least(optima, "one-vs-rest", job),
        contender,
        ONE_VS_REST.get(contender),
        measure=measure,
        rounds=3,
    )


@pytest.mark.parametrize(("intercept", "contender"), pairs(TWO_GROUPS), indirect=["contender"])
def test_two_groups(intercept, contender, tfidf, codes, optima, benchmark, measure):
    """To 1e-6, the first two groups."""
    benchmark.group += " with intercept" if intercept else " without intercept"
    chosen = codes < 2
    job = Job(tfidf[0][chosen], codes[chosen], 1e-6, fit_intercept=intercept)
    run(
        job,
        least(optima, benchmark.group, job),
        contender,
        TWO_GROUPS[intercept].get(contender),
        measure=measure,
        rounds=9,
    )


@pytest.mark.parametrize("contender", [*IRLS, *OURS], indirect=True)
@pytest.mark.parametrize("n_columns", [30, 50])
@pytest.mark.parametrize("n_classes", [2, 20])
def test_irls(n_columns, n_classes, contender, svd, codes, optima, benchmark, measure):
    """To 1e-7, on dense columns."""
    benchmark.group += f", {n_columns} columns, {n_classes} classes"
    chosen = codes < n_classes
    X = np.ascontiguousarray(svd[chosen, :n_columns])
    job = Job(X, codes[chosen], 1e-7, solver="irls")
    run(
        job,
        least(optima, benchmark.group, job),
        contender,
        IRLS_TOL[n_classes],
        measure=measure,
        rounds=9 if n_classes == 2 else rounds_of(contender),
    )

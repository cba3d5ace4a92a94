"""Truncated SVD and a learning curve beside scikit-learn's.

Run ``python -m pytest benchmarks/suites/bench_experiments.py``. SVD: time to singular values that
are all right to 1e-6, on 20 Newsgroups. Each contender has the loosest tolerance that reaches them;
ours is the same for all jobs.
"""

import numpy as np
import pytest
from scipy.sparse.linalg import svds
from sklearn import decomposition as peer
from sklearn import linear_model, naive_bayes

from wordodds import GaussianNB, LogisticRegression, TruncatedSVD
from wordodds.datasets import load_newsgroups
from wordodds.experiments import learning_curve

from ..setup.contenders import OURS, PEER, is_ours, threads_of

ERROR = 1e-6
TOL = 1e-4
ARPACK = f"{PEER} arpack"
# (matrix, components): ARPACK's tolerance. The randomized solver is left out: with 100 vectors more
# than components it needs more than 12 iterations, and several times ARPACK's time.
JOBS = {("counts", 50): 0.03, ("tf-idf", 50): 0.1, ("tf-idf", 100): 0.03}
CONTENDERS = [ARPACK, f"{ARPACK}, 2 threads", *OURS]  # of BLAS


@pytest.fixture(scope="module")
def matrices(tfidf):
    """Return word counts of all messages, 18,774 x 61,188, and tf-idf, 11,314 x 130,107."""
    counts = load_newsgroups("bydate-matlab", "all").counts.astype(np.float64)
    return {"counts": counts, "tf-idf": tfidf[0]}


@pytest.fixture(scope="module")
def singular_values(matrices):
    """Return the largest ones of each matrix, to all digits."""
    most = {}
    for name, k in JOBS:
        most[name] = max(k, most.get(name, 0))
    return {
        name: svds(
            matrices[name],
            k=k,
            return_singular_vectors=False,
            v0=np.ones(min(matrices[name].shape)),
        )[::-1]
        for name, k in most.items()
    }


def make_model(contender, k, tol):
    if is_ours(contender):
        return TruncatedSVD(k, tol=TOL, random_state=0, n_jobs=threads_of(contender))
    return peer.TruncatedSVD(k, algorithm="arpack", tol=tol, random_state=0)


@pytest.mark.parametrize("contender", CONTENDERS, indirect=True)
@pytest.mark.parametrize(("matrix", "k"), JOBS)
def test_truncated_svd(matrix, k, contender, matrices, singular_values, benchmark, measure):
    benchmark.group += f", {matrix}, {k} components"
    X = matrices[matrix]
    model = measure(
        lambda: make_model(contender, k, JOBS[matrix, k]).fit(X),
        rounds=5 if is_ours(contender) else 3,
    )
    error = np.abs(model.singular_values_ / singular_values[matrix][:k] - 1.0).max()
    assert error <= ERROR


SIZES, SEEDS, N_COLUMNS = (0.1, 0.4, 1.0), 2, 30


def models_of(contender):
    if is_ours(contender):
        n_jobs = threads_of(contender)
        return {"NB": GaussianNB(n_jobs=n_jobs), "LR": LogisticRegression(n_jobs=n_jobs)}
    regression = linear_model.LogisticRegression(max_iter=1000)
    return {"NB": naive_bayes.GaussianNB(), "LR": regression}


@pytest.fixture(scope="module")
def accuracies(svd, codes):
    """Return the accuracy of scikit-learn's models for each seed, size and model."""
    curve = learning_curve(models_of(PEER), svd[:, :N_COLUMNS], codes, SIZES, SEEDS)
    return curve.column("accuracy")


@pytest.mark.quick
def test_learning_curve(contender, svd, codes, accuracies, measure):
    """Gaussian naive Bayes and logistic regression on 30 columns of an SVD, 20 classes."""
    models, X = models_of(contender), svd[:, :N_COLUMNS]
    curve = measure(lambda: learning_curve(models, X, codes, SIZES, SEEDS), rounds=3)
    np.testing.assert_allclose(curve.column("accuracy"), accuracies, atol=0.005)

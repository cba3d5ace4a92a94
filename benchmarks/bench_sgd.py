"""SGD beside scikit-learn: python -m pytest benchmarks/bench_sgd.py.

Both learn from the sublinear tf-idf of 20 Newsgroups with the same loss, penalty and stopping rule.
"""

import numpy as np
import pytest
from sklearn import linear_model as peers

from wordodds import SGDClassifier

from .conftest import PEER, threads_of

ROUNDS = 3
ALPHA = 1e-5
# Of one seed against another; the mean over the rounds' seeds is compared.
SEED_NOISE = 0.001


@pytest.fixture(scope="module")
def labels(newsgroups):
    return [part.labels for part in newsgroups]


@pytest.fixture(scope="module")
def expected(tfidf, labels):
    """Return their test accuracy, the mean over the seeds of the rounds."""
    models = [
        peers.SGDClassifier("log_loss", alpha=ALPHA, random_state=seed, n_jobs=2)
        for seed in range(ROUNDS)
    ]
    return np.mean([model.fit(tfidf[0], labels[0]).score(tfidf[1], labels[1]) for model in models])


def make_model(contender, loss, seed, **options):
    if contender == PEER:
        return peers.SGDClassifier(loss, alpha=ALPHA, random_state=seed)
    n_jobs = threads_of(contender)
    return SGDClassifier(loss, alpha=ALPHA, random_state=seed, n_jobs=n_jobs, **options)


@pytest.mark.parametrize("dtype", [np.float64, np.float32], ids=["float64", "float32"])
def test_log_loss(contender, dtype, benchmark, tfidf, labels, expected, measure):
    benchmark.group += f", {dtype.__name__}"
    models = []

    def fit():
        options = {} if contender == PEER else {"dtype": dtype}
        model = make_model(contender, "log_loss", len(models), **options)
        models.append(model.fit(tfidf[0], labels[0]))

    measure(fit, rounds=ROUNDS)
    accuracy = np.mean([model.score(tfidf[1], labels[1]) for model in models])
    assert accuracy >= expected - SEED_NOISE


@pytest.mark.parametrize("contender", ["wordodds, 1 thread"], indirect=True)
def test_softmax(contender, tfidf, labels, measure):
    model = measure(
        lambda: make_model(contender, "softmax", 0).fit(tfidf[0], labels[0]), rounds=ROUNDS
    )
    assert model.score(tfidf[1], labels[1]) > 0.85

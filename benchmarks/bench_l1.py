"""L1 logistic regression beside its peers: python -m pytest benchmarks/bench_l1.py.

Time to 1e-4 (see gaps.py) on the sublinear tf-idf of 20 Newsgroups, C = 10, no intercept (LIBLINEAR
penalises it). Of the peers LIBLINEAR is the fastest, by itself and as scikit-learn runs it; saga
takes many times as long. Softmax only saga has.
"""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from .conftest import OURS, PEER
from .gaps import C, Job, Weights, objective, optimum, run

BINARY = {"scikit-learn liblinear": 3e-5, "LIBLINEAR -s 6": 1e-5}
ROUNDS = {"two groups": 5, "one against all": 3}


@pytest.fixture(scope="module")
def jobs(tfidf, codes):
    """Return each job and its optimum."""
    X, chosen = tfidf[0], codes < 2
    settings = {"gap": 1e-4, "fit_intercept": False, "l1": True}
    binary = {
        "two groups": Job(X[chosen], codes[chosen], **settings),
        "one against all": Job(X, (codes == 0).astype(np.int32), **settings),
    }
    found = {name: (job, optimum(job)) for name, job in binary.items()}
    softmax = Job(X, codes, **settings)
    return found | {"softmax": (softmax, optimum(softmax, tol=1e-7))}


@pytest.mark.parametrize("contender", [*BINARY, *OURS], indirect=True)
@pytest.mark.parametrize("name", ROUNDS)
def test_l1(name, contender, jobs, benchmark, measure):
    benchmark.group += f", {name}"
    tol = BINARY.get(contender)
    run(*jobs[name], contender, tol, measure=measure, rounds=ROUNDS[name])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_l1_softmax(contender, jobs, measure):
    """25 epochs of saga, which are 9 % above the optimum as yet, against all of the way."""
    job, least = jobs["softmax"]
    if contender != PEER:
        run(job, least, contender, None, measure=measure, rounds=2)
        return
    model = LogisticRegression(
        solver="saga", l1_ratio=1.0, C=C, fit_intercept=False, tol=1e-9, max_iter=25
    )
    measure(lambda: model.fit(job.X, job.codes), rounds=1)
    assert objective(job, Weights(model.coef_, model.intercept_)) > least * (1.0 + job.gap)

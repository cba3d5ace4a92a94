"""Generative classifiers beside scikit-learn: python -m pytest benchmarks/suites/bench_bayes.py."""

import numpy as np
import pytest
from sklearn import naive_bayes as peers

from wordodds import (
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    CountVectorizer,
    GaussianNB,
    MultinomialNB,
)

from ..setup import numba_twins as twins
from ..setup.contenders import OURS, PEER, TWINS, is_twin, threads_of

ROUNDS = 15


def make_model(Model, contender):
    if contender == PEER:
        return getattr(peers, Model.__name__)()
    return Model(n_jobs=threads_of(contender))


@pytest.fixture(scope="session")
def counts(newsgroups):
    train, test = newsgroups
    vectorizer = CountVectorizer()
    return vectorizer.fit_transform(train.texts), vectorizer.transform(test.texts)


@pytest.fixture(scope="session")
def frequent(counts):
    """Return the 300 most frequent words as dense counts, for the models of dense columns."""
    frequency = np.asarray(counts[0].sum(axis=0)).ravel()
    best = np.argsort(-frequency, kind="stable")[:300]
    return [part[:, best].toarray() for part in counts]


@pytest.fixture(params=[MultinomialNB, ComplementNB, BernoulliNB], ids=lambda Model: Model.__name__)
def on_counts(request, benchmark, contender):
    benchmark.group += f", {request.param.__name__}"
    return request.param


@pytest.fixture(params=[CategoricalNB, GaussianNB], ids=lambda Model: Model.__name__)
def on_columns(request, benchmark, contender):
    benchmark.group += f", {request.param.__name__}"
    return request.param


def assert_same_labels(Model, predicted, train, labels, rows):
    expected = make_model(Model, PEER).fit(train, labels).predict(rows)
    np.testing.assert_array_equal(predicted, expected)


@pytest.mark.quick
def test_fit(on_counts, contender, counts, labels, measure):
    model = measure(
        lambda: make_model(on_counts, contender).fit(counts[0], labels[0]), rounds=ROUNDS
    )
    expected = make_model(on_counts, PEER).fit(counts[0], labels[0])
    np.testing.assert_allclose(model.feature_log_prob_, expected.feature_log_prob_, rtol=1e-12)


@pytest.mark.quick
def test_predict(on_counts, contender, counts, labels, measure):
    model = make_model(on_counts, contender).fit(counts[0], labels[0])
    predicted = measure(lambda: model.predict(counts[1]), rounds=ROUNDS)
    assert_same_labels(on_counts, predicted, counts[0], labels[0], counts[1])


@pytest.mark.quick
def test_columns_fit(on_columns, contender, frequent, labels, measure):
    train = np.minimum(frequent[0], 5)
    model = measure(lambda: make_model(on_columns, contender).fit(train, labels[0]), rounds=ROUNDS)
    expected = make_model(on_columns, PEER).fit(train, labels[0])
    np.testing.assert_allclose(
        model.predict_joint_log_proba(train[:50]),
        expected.predict_joint_log_proba(train[:50]),
        rtol=1e-9,
    )


@pytest.mark.quick
def test_columns_predict(on_columns, contender, frequent, labels, measure):
    train, test = (np.minimum(part, 5) for part in frequent)
    model = make_model(on_columns, contender).fit(train, labels[0])
    predicted = measure(lambda: model.predict(test), rounds=ROUNDS)
    assert_same_labels(on_columns, predicted, train, labels[0], test)


@pytest.mark.quick
@pytest.mark.parametrize("contender", [PEER, *TWINS, *OURS], indirect=True)
def test_scores(contender, counts, labels, benchmark, measure):
    """log p(x, c) of the test part; Numba works on the arrays, the others check what they get."""
    benchmark.group += ", MultinomialNB"
    X, model = counts[1], peers.MultinomialNB().fit(counts[0], labels[0])
    if is_twin(contender):
        weights = np.ascontiguousarray(model.feature_log_prob_.T)
        arguments = X.indptr, X.indices, X.data, weights, model.class_log_prior_
        n_threads = threads_of(contender)
        kernel, seconds = twins.compiled(twins.csr_scores, (*arguments, n_threads), n_threads)
        benchmark.extra_info["compile_seconds"] = seconds
        scores = measure(lambda: kernel(*arguments, n_threads), rounds=ROUNDS)
    else:
        contestant = make_model(MultinomialNB, contender).fit(counts[0], labels[0])
        scores = measure(lambda: contestant.predict_joint_log_proba(X), rounds=ROUNDS)
    expected = X @ model.feature_log_prob_.T + model.class_log_prior_
    np.testing.assert_allclose(scores, expected, rtol=1e-10)

"""Naive Bayes on counts, beside scikit-learn: python -m pytest benchmarks/bench_bayes.py."""

import numpy as np
import pytest
from sklearn.naive_bayes import MultinomialNB as Peer

from wordodds import CountVectorizer, MultinomialNB

from .conftest import PEER, threads_of


def make_model(contender):
    return Peer() if contender == PEER else MultinomialNB(n_jobs=threads_of(contender))


@pytest.fixture(scope="module")
def counts(newsgroups):
    train, test = newsgroups
    vectorizer = CountVectorizer()
    return vectorizer.fit_transform(train.texts), vectorizer.transform(test.texts)


@pytest.fixture(scope="module")
def expected(newsgroups, counts):
    return Peer().fit(counts[0], newsgroups[0].labels)


def test_multinomial_fit(newsgroups, counts, expected, contender, measure):
    labels = newsgroups[0].labels
    model = measure(lambda: make_model(contender).fit(counts[0], labels), rounds=15)
    np.testing.assert_allclose(model.feature_log_prob_, expected.feature_log_prob_, rtol=1e-12)


def test_multinomial_predict(newsgroups, counts, expected, contender, measure):
    model = make_model(contender).fit(counts[0], newsgroups[0].labels)
    predicted = measure(lambda: model.predict(counts[1]), rounds=15)
    np.testing.assert_array_equal(predicted, expected.predict(counts[1]))

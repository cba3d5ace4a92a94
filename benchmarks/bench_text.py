"""Counting words, beside scikit-learn: python -m pytest benchmarks/bench_text.py."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer as Peer

from wordodds import CountVectorizer

from .conftest import PEER, threads_of


def make_vectorizer(contender):
    return Peer() if contender == PEER else CountVectorizer(n_jobs=threads_of(contender))


def assert_same(matrix, expected):
    for field in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(matrix, field), getattr(expected, field))


@pytest.fixture(scope="module")
def expected(newsgroups):
    train, test = newsgroups
    peer = Peer()
    return peer.fit_transform(train.texts), peer.transform(test.texts)


def test_count_fit_transform(newsgroups, expected, contender, measure):
    train, _ = newsgroups
    vectorizer = make_vectorizer(contender)
    rounds = 3 if contender == PEER else 15
    assert_same(measure(lambda: vectorizer.fit_transform(train.texts), rounds=rounds), expected[0])


def test_count_transform(newsgroups, expected, contender, measure):
    train, test = newsgroups
    vectorizer = make_vectorizer(contender).fit(train.texts)
    rounds = 3 if contender == PEER else 15
    assert_same(measure(lambda: vectorizer.transform(test.texts), rounds=rounds), expected[1])

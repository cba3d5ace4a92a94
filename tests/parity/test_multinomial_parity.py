"""MultinomialNB gives what scikit-learn's gives, to rounding."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer as PeerVectorizer
from sklearn.naive_bayes import MultinomialNB as Peer

from wordodds import MultinomialNB


def assert_same_model(ours, peer, X):
    np.testing.assert_array_equal(ours.classes_, peer.classes_)
    assert ours.classes_.dtype == peer.classes_.dtype
    for name in ("class_count_", "class_log_prior_", "feature_count_", "feature_log_prob_"):
        np.testing.assert_allclose(
            getattr(ours, name), getattr(peer, name), rtol=1e-12, err_msg=name
        )
    # A log-probability is a difference of joint ones, which bound how exact it can be.
    joint = peer.predict_joint_log_proba(X)
    scale = np.abs(joint).max(axis=1, keepdims=True)
    log_proba = ours.predict_log_proba(X)
    assert (np.abs(log_proba - peer.predict_log_proba(X)) <= 1e-12 * scale).all()
    proba = ours.predict_proba(X)
    assert (np.abs(proba - peer.predict_proba(X)) <= 1e-12 * scale).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-12)
    # Labels may differ only where two classes tie to rounding.
    best = np.sort(joint, axis=1)
    clear = best[:, -1] - best[:, -2] > 1e-9 * scale.ravel() if joint.shape[1] > 1 else slice(None)
    np.testing.assert_array_equal(ours.predict(X)[clear], peer.predict(X)[clear])


@pytest.fixture(scope="module")
def counts(newsgroups):
    train, test = newsgroups
    vectorizer = PeerVectorizer()
    return vectorizer.fit_transform(train.texts), vectorizer.transform(test.texts)


@pytest.mark.parametrize("alpha", [1.0, 0.01, 1e-9])
def test_newsgroups(newsgroups, counts, alpha):
    train, test = newsgroups
    counts, test_counts = counts
    ours = MultinomialNB(alpha=alpha).fit(counts, train.labels)
    peer = Peer(alpha=alpha).fit(counts, train.labels)
    assert_same_model(ours, peer, test_counts)
    assert ours.score(test_counts, test.labels) == peer.score(test_counts, test.labels)


@st.composite
def problems(draw):
    n_rows, n_cols = draw(st.integers(1, 12)), draw(st.integers(1, 9))
    counts = draw(
        st.lists(
            st.lists(st.integers(0, 6), min_size=n_cols, max_size=n_cols),
            min_size=n_rows,
            max_size=n_rows,
        )
    )
    labels = draw(st.lists(st.sampled_from("abcdefghijk"), min_size=n_rows, max_size=n_rows))
    return np.array(counts), np.array(labels), draw(st.sampled_from([0.1, 1.0, 3.5]))


@given(problems())
def test_small_problems(problem):
    counts, labels, alpha = problem
    ours = MultinomialNB(alpha=alpha).fit(sp.csr_array(counts), labels)
    assert_same_model(ours, Peer(alpha=alpha).fit(counts, labels), counts)


@pytest.mark.parametrize("n_classes", [1, 2, 8, 9, 33, 70])
def test_any_number_of_classes(n_classes):
    rng = np.random.default_rng(n_classes)
    counts = sp.random_array(
        (300, 50), density=0.2, rng=rng, data_sampler=lambda size: rng.integers(1, 9, size)
    ).tocsr()
    labels = np.arange(300) % n_classes
    assert_same_model(MultinomialNB().fit(counts, labels), Peer().fit(counts, labels), counts)

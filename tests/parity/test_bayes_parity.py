"""The naive Bayes models on counts give what scikit-learn's give, to rounding."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn import naive_bayes as peers
from sklearn.feature_extraction.text import CountVectorizer as PeerVectorizer

from wordodds import BernoulliNB, CategoricalNB, ComplementNB, MultinomialNB

from ..bayes.problems import DISCRETE, as_input, problems, random_counts

models = pytest.mark.parametrize("Model", DISCRETE)


def peer_of(Model):
    return getattr(peers, Model.__name__)


def assert_same_model(ours, peer, X):
    np.testing.assert_array_equal(ours.classes_, peer.classes_)
    assert ours.classes_.dtype == peer.classes_.dtype
    for name in ("class_count_", "class_log_prior_", "feature_count_", "feature_all_"):
        if hasattr(peer, name):
            np.testing.assert_allclose(
                getattr(ours, name), getattr(peer, name), rtol=1e-12, err_msg=name
            )
    if isinstance(ours, CategoricalNB):
        np.testing.assert_array_equal(ours.n_categories_, peer.n_categories_)
        for name in ("category_count_", "feature_log_prob_"):
            for one, other in zip(getattr(ours, name), getattr(peer, name), strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-12, err_msg=name)
    else:
        np.testing.assert_allclose(
            ours.feature_log_prob_, peer.feature_log_prob_, rtol=1e-12, atol=1e-15
        )
    assert_same_answers(ours, peer, X)


def assert_same_answers(ours, peer, X):
    # A log-probability is a difference of joint ones, which bound how exact it can be.
    joint = peer.predict_joint_log_proba(X)
    scale = np.maximum(np.abs(joint).max(axis=1, keepdims=True), 1.0)
    assert (np.abs(ours.predict_joint_log_proba(X) - joint) <= 1e-12 * scale).all()
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


@pytest.mark.parametrize(
    ("Model", "parameters"),
    [
        (MultinomialNB, {}),
        (MultinomialNB, {"alpha": 0.01, "fit_prior": False}),
        (MultinomialNB, {"alpha": 1e-9}),
        (BernoulliNB, {}),
        (BernoulliNB, {"alpha": 0.01, "binarize": 1.0}),
        (ComplementNB, {}),
        (ComplementNB, {"alpha": 0.01, "norm": True}),
    ],
)
def test_newsgroups(newsgroups, counts, Model, parameters):
    train, test = newsgroups
    counts, test_counts = counts
    ours = Model(**parameters).fit(counts, train.labels)
    peer = peer_of(Model)(**parameters).fit(counts, train.labels)
    assert_same_model(ours, peer, test_counts)
    assert ours.score(test_counts, test.labels) == peer.score(test_counts, test.labels)


PARAMETERS = {
    "alpha": st.sampled_from([0.1, 1.0, 3.5]),
    "fit_prior": st.booleans(),
}
OWN = {
    BernoulliNB: {"binarize": st.sampled_from([0.0, 1.0, 2.5])},
    ComplementNB: {"norm": st.booleans()},
    CategoricalNB: {"min_categories": st.sampled_from([None, 2, 7])},
}


@models
@given(data=st.data(), problem=problems())
def test_small_problems(Model, data, problem):
    counts, labels = problem
    drawn = {name: data.draw(values) for name, values in (PARAMETERS | OWN.get(Model, {})).items()}
    weights = data.draw(
        st.none() | st.lists(st.floats(0.1, 9), min_size=len(labels), max_size=len(labels))
    )
    ours = Model(**drawn).fit(as_input(Model, sp.csr_array(counts)), labels, weights)
    with np.errstate(invalid="ignore"):
        peer = peer_of(Model)(**drawn).fit(counts, labels, weights)
    if np.isnan(np.sum(peer.feature_log_prob_[0])):  # their norm of weights that are all zero
        assert not np.isnan(ours.feature_log_prob_).any()
        return
    assert_same_model(ours, peer, counts)


@models
@pytest.mark.parametrize("n_classes", [1, 2, 8, 9, 33, 70])
def test_any_number_of_classes(Model, n_classes):
    counts, labels = random_counts(n_classes=n_classes)
    counts = as_input(Model, counts)
    assert_same_model(Model().fit(counts, labels), peer_of(Model)().fit(counts, labels), counts)


@models
def test_class_priors_and_batches(Model):
    counts, labels = random_counts(n_classes=3)
    counts = as_input(Model, counts)
    least = {"min_categories": 6} if Model is CategoricalNB else {}
    ours, peer = (each(class_prior=[0.2, 0.5, 0.3], **least) for each in (Model, peer_of(Model)))
    weights = np.random.default_rng(0).random(300)
    for part in (slice(0, 10), slice(10, 200), slice(200, 300)):
        for each in (ours, peer):
            each.partial_fit(counts[part], labels[part], [0, 1, 2], weights[part])
        assert_same_model(ours, peer, counts)


@models
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.int32, np.uint8, bool])
def test_dtypes(Model, dtype):
    counts, labels = random_counts()
    counts = as_input(Model, counts).astype(dtype)
    if Model is CategoricalNB:
        counts = counts.astype(int)
    ours, peer = Model().fit(counts, labels), peer_of(Model)().fit(counts, labels)
    assert_same_model(ours, peer, counts)


@pytest.mark.parametrize("Model", [MultinomialNB, ComplementNB])
def test_fractions(Model):
    rng = np.random.default_rng(0)
    counts = sp.random_array((300, 50), density=0.2, rng=rng).tocsr()
    labels = np.arange(300) % 4
    assert_same_model(Model().fit(counts, labels), peer_of(Model)().fit(counts, labels), counts)


def test_probabilities_of_presence():
    rng = np.random.default_rng(0)
    rows, labels = rng.random((40, 6)), np.arange(40) % 3
    ours = BernoulliNB(binarize=None).fit(rows, labels)
    assert_same_model(ours, peers.BernoulliNB(binarize=None).fit(rows, labels), rows)
    with pytest.raises(ValueError, match=r"between 0 and 1; pass binarize=0\.0"):
        BernoulliNB(binarize=None).fit(rows * 2, labels)


def test_repeated_entries_of_presence_add_up():
    repeated = sp.csr_array(([0.5, 0.5, 1.0], [0, 0, 1], [0, 2, 3]), shape=(2, 2))
    whole = sp.csr_array(repeated.toarray())
    for parameters in ({"binarize": None, "alpha": 0.0}, {"binarize": 0.7}, {}):
        one = BernoulliNB(**parameters).fit(repeated, [0, 1])
        other = BernoulliNB(**parameters).fit(whole, [0, 1])
        np.testing.assert_array_equal(
            one.predict_joint_log_proba(repeated), other.predict_joint_log_proba(whole)
        )
    with pytest.raises(ValueError, match="between 0 and 1"):
        BernoulliNB(binarize=None).fit(repeated * 2, [0, 1])

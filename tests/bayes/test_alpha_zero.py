"""A pseudo-count of zero: what cannot be is impossible, and nothing is NaN."""

import numpy as np
import pytest
import scipy.sparse as sp

from wordodds import BernoulliNB, CategoricalNB, ComplementNB, MultinomialNB

from .problems import COUNTED, random_counts

# Word 0 is only in class 0, word 1 in both, word 2 only in class 1, word 3 nowhere.
COUNTS = np.array([[2, 1, 0, 0], [1, 0, 0, 0], [0, 1, 3, 0], [0, 2, 0, 0]])
LABELS = np.array([0, 0, 1, 1])


def test_multinomial():
    model = MultinomialNB(alpha=0).fit(COUNTS, LABELS)
    proba = model.predict_proba(np.eye(4, dtype=int))
    np.testing.assert_array_equal(proba[[0, 2]], [[1, 0], [0, 1]])
    np.testing.assert_allclose(proba[1], np.array([1 / 4, 1 / 2]) / (3 / 4))
    np.testing.assert_allclose(proba[3], [0.5, 0.5])  # impossible: the prior decides
    assert np.isneginf(model.joint_log_proba([[0, 0, 0, 1]])).all()
    assert np.isneginf(model.log_marginal([[0, 0, 0, 1]])).all()


def test_bernoulli():
    model = BernoulliNB(alpha=0).fit(COUNTS, LABELS)
    # Class 0 always has word 0, class 1 always word 1.
    proba = model.predict_proba([[1, 0, 0, 0], [0, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 0]])
    np.testing.assert_allclose(proba, [[1, 0], [0, 1], [1, 0], [0.5, 0.5]])
    joint = model.joint_log_proba([[1, 0, 0, 0], [0, 0, 0, 0]])
    np.testing.assert_allclose(joint, [[np.log(0.5 * 0.5), -np.inf], [-np.inf, -np.inf]])


def test_complement_is_the_limit_of_small_alpha():
    model = ComplementNB(alpha=0).fit(COUNTS, LABELS)
    rows = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [1, 0, 1, 0], [2, 0, 1, 0], [0, 1, 0, 5]])
    limit = ComplementNB(alpha=1e-300).fit(COUNTS, LABELS)
    np.testing.assert_allclose(
        model.predict_proba(rows), limit.predict_proba(rows), rtol=1e-9, atol=1e-12
    )
    assert model.predict(rows).tolist()[0] == 0
    assert np.isposinf(model.feature_log_prob_[0, 0])
    with pytest.raises(ValueError, match="norm=True needs alpha > 0"):
        ComplementNB(alpha=0, norm=True).fit(COUNTS, LABELS)
    with pytest.raises(ValueError, match="norm=True needs alpha > 0"):
        ComplementNB(alpha=0, norm=True).partial_fit(COUNTS, LABELS, classes=[0, 1])


def test_categorical():
    model = CategoricalNB(alpha=0).fit([[0, 0], [1, 0], [1, 1]], [0, 0, 1])
    proba = model.predict_proba([[0, 0], [1, 0], [1, 1], [0, 1]])
    np.testing.assert_allclose(proba, [[1, 0], [1, 0], [0, 1], [2 / 3, 1 / 3]])


@pytest.mark.parametrize("Model", [*COUNTED, CategoricalNB])
def test_a_class_without_documents(Model):
    model = Model(alpha=0, fit_prior=False)
    model.partial_fit(COUNTS, LABELS, classes=[0, 1, 2])
    proba = model.predict_proba(COUNTS)
    assert not np.isnan(proba).any()
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-12)
    if Model is not ComplementNB:
        np.testing.assert_array_equal(proba[:, 2], 0.0)


@pytest.mark.parametrize("Model", COUNTED)
def test_some_features_without_pseudo_count(Model):
    alpha = np.array([0.0, 1.0, 0.5, 0.0])
    model = Model(alpha=alpha).fit(COUNTS, LABELS)
    tiny = Model(alpha=np.maximum(alpha, 1e-300)).fit(COUNTS, LABELS)
    rows = COUNTS[:, :3] @ np.eye(3, 4, dtype=int)
    np.testing.assert_allclose(
        model.predict_proba(rows), tiny.predict_proba(rows), rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize("Model", COUNTED)
@pytest.mark.parametrize("sparse", [True, False])
def test_many_classes(Model, sparse):
    counts, labels = random_counts(n_classes=12)
    counts = counts if sparse else counts.toarray()
    model = Model(alpha=0).fit(counts, labels)
    proba = model.predict_proba(counts)
    assert not np.isnan(proba).any()
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=1e-12)


def test_an_explicit_zero_is_no_word():
    X = sp.csr_array(COUNTS).tolil()
    X[0, 3] = 1
    X = X.tocsr()
    X.data[X.indices == 3] = 0
    model = MultinomialNB(alpha=0).fit(COUNTS, LABELS)
    np.testing.assert_array_equal(model.joint_log_proba(X), model.joint_log_proba(COUNTS))

"""sample, joint_log_proba and log_marginal: what only a generative model offers."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import logsumexp
from scipy.stats import chisquare
from sklearn.exceptions import NotFittedError

from wordodds import BernoulliNB, CategoricalNB, ComplementNB, MultinomialNB

from .problems import COUNTS, GENERATIVE, LABELS

generative = pytest.mark.parametrize("Model", GENERATIVE)


@generative
def test_samples_have_the_models_probabilities(Model):
    model = Model(alpha=0.5, class_prior=[0.3, 0.7]).fit(COUNTS, LABELS)
    X, y = model.sample(20_000, random_state=0)
    assert X.shape == (20_000, 3)
    assert chisquare([np.sum(y == "a"), np.sum(y == "b")], [6000, 14000]).pvalue > 1e-3
    X = X.toarray() if sp.issparse(X) else X
    for c, label in enumerate("ab"):
        rows = X[y == label]
        if Model is MultinomialNB:
            expected = np.exp(model.feature_log_prob_[c])
            assert chisquare(rows.sum(axis=0), expected * rows.sum()).pvalue > 1e-3
            assert set(rows.sum(axis=1)) == {[4, 2][c]}  # the average length of the class
        elif Model is BernoulliNB:
            for j, p in enumerate(np.exp(model.feature_log_prob_[c])):
                seen = [rows[:, j].sum(), (1 - rows[:, j]).sum()]
                assert chisquare(seen, np.array([p, 1 - p]) * len(rows)).pvalue > 1e-3
        else:
            for j, table in enumerate(model.feature_log_prob_):
                seen = np.bincount(rows[:, j], minlength=table.shape[1])
                assert chisquare(seen, np.exp(table[c]) * len(rows)).pvalue > 1e-3


@generative
def test_the_seed_decides(Model):
    model = Model().fit(COUNTS, LABELS)

    def drawn(random_state):
        X, y = model.sample(50, random_state=random_state)
        return (X.toarray() if sp.issparse(X) else X).tolist(), y.tolist()

    assert drawn(1) == drawn(1) == drawn(np.random.default_rng(1))
    assert drawn(1) != drawn(2)
    assert drawn(np.random.RandomState(1)) == drawn(np.random.RandomState(1))
    assert drawn(None) is not None


@generative
def test_a_model_of_its_own_samples_is_the_model(Model):
    model = Model().fit(COUNTS, LABELS)
    X, y = model.sample(50_000, random_state=1)
    again = Model(**({"min_categories": 5} if Model is CategoricalNB else {})).fit(X, y)
    np.testing.assert_allclose(again.predict_proba(COUNTS), model.predict_proba(COUNTS), atol=0.03)


def test_lengths():
    model = MultinomialNB().fit(COUNTS, LABELS)
    X, _ = model.sample(5, length=7, random_state=0)
    assert X.sum(axis=1).tolist() == [7] * 5
    X, _ = model.sample(3, length=[0, 1, 2], random_state=0)
    assert X.sum(axis=1).tolist() == [0, 1, 2]
    assert X.dtype == np.int64
    for length in (-1, 2.5, [1, 2], "a", [1, -1, 2]):
        with pytest.raises(ValueError, match="length must be a whole number >= 0"):
            model.sample(3, length=length)


@generative
def test_nothing_impossible_is_drawn(Model):
    model = Model(alpha=0).fit(COUNTS, LABELS)
    X, _ = model.sample(500, random_state=2)
    assert np.isfinite(model.log_marginal(X)).all()


@generative
def test_bad_samples(Model):
    with pytest.raises(NotFittedError):
        Model().sample(3)
    model = Model().fit(COUNTS, LABELS)
    for n in (-1, 1.5, True, "3"):
        with pytest.raises(ValueError, match="n must be a whole number >= 0"):
            model.sample(n)
    assert model.sample(0)[0].shape == (0, 3)


@generative
def test_joint_marginal_and_posterior_agree(Model):
    model = Model().fit(COUNTS, LABELS)
    joint = model.joint_log_proba(COUNTS)
    np.testing.assert_array_equal(joint, model.predict_joint_log_proba(COUNTS))
    np.testing.assert_allclose(model.log_marginal(COUNTS), logsumexp(joint, axis=1), rtol=1e-13)
    np.testing.assert_allclose(
        model.predict_log_proba(COUNTS), joint - model.log_marginal(COUNTS)[:, None], atol=1e-13
    )


def test_all_probabilities_sum_to_one():
    """Over every row that there can be, the joint probabilities are a distribution."""
    rows = np.array(np.meshgrid([0, 1], [0, 1], [0, 1])).reshape(3, -1).T
    bernoulli = BernoulliNB(alpha=0.7).fit(COUNTS, LABELS)
    assert np.exp(bernoulli.log_marginal(rows)).sum() == pytest.approx(1.0, rel=1e-14)
    rows = np.array(np.meshgrid(range(4), range(3), range(5))).reshape(3, -1).T
    categorical = CategoricalNB(alpha=0.7).fit(COUNTS, LABELS)
    assert np.exp(categorical.log_marginal(rows)).sum() == pytest.approx(1.0, rel=1e-14)
    # A document is a sequence: those of two words, in either order.
    words = np.eye(3, dtype=int)
    pairs = np.array([words[i] + words[j] for i in range(3) for j in range(3)])
    multinomial = MultinomialNB(alpha=0.7).fit(COUNTS, LABELS)
    assert np.exp(multinomial.log_marginal(pairs)).sum() == pytest.approx(1.0, rel=1e-14)


def test_outliers_are_the_least_likely_rows():
    rng = np.random.default_rng(0)
    usual = rng.multinomial(50, [0.45, 0.45, 0.05, 0.05], size=200)
    odd = rng.multinomial(50, [0.05, 0.05, 0.45, 0.45], size=5)
    model = MultinomialNB().fit(usual, rng.integers(0, 2, 200))
    likely = model.log_marginal(np.vstack([usual, odd]))
    assert likely[:200].min() > likely[200:].max()


def test_complement_is_no_model_of_the_rows():
    model = ComplementNB().fit(COUNTS, LABELS)
    for name in ("sample", "log_marginal", "joint_log_proba"):
        assert not hasattr(model, name)

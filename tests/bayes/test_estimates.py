"""The three estimates of the lectures, written out with exact arithmetic."""

from collections import Counter
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from sklearn import naive_bayes as peers

from wordodds import BernoulliNB, CategoricalNB, ComplementNB, MultinomialNB

from .problems import COUNTS, DISCRETE, LABELS

# estimate -> what it adds to a count under a prior with this alpha.
ADDED = {
    "ml": lambda alpha: Fraction(0),
    "map": lambda alpha: Fraction(alpha) - 1,
    "bayes": lambda alpha: Fraction(alpha),
}
ESTIMATES = [("ml", 1.0), ("map", 1.0), ("map", 3.5), ("bayes", 0.5), ("bayes", 1.0)]
estimates = pytest.mark.parametrize(("estimate", "alpha"), ESTIMATES)


def log(fraction):
    """Return the logarithm to 50 digits, rounded once."""
    if fraction == 0:
        return -np.inf
    with mpmath.workdps(50):
        return float(mpmath.log(mpmath.mpf(fraction.numerator) / fraction.denominator))


def word_counts(label):
    tally = Counter()
    for row, row_label in zip(COUNTS.tolist(), LABELS, strict=True):
        if row_label == label:
            tally.update(dict(enumerate(row)))
    return tally


def document_counts(label):
    tally = Counter()
    for row, row_label in zip(COUNTS.tolist(), LABELS, strict=True):
        if row_label == label:
            tally.update(j for j, count in enumerate(row) if count)
    return tally


@estimates
def test_multinomial(estimate, alpha):
    model = MultinomialNB(alpha=alpha, estimate=estimate).fit(COUNTS, LABELS)
    a = ADDED[estimate](alpha)
    for c, label in enumerate("ab"):
        tally = word_counts(label)
        total = sum(tally.values()) + 3 * a
        for j in range(3):
            expected = log((tally[j] + a) / total)
            assert model.feature_log_prob_[c, j] == pytest.approx(expected, rel=1e-14)


@estimates
def test_bernoulli(estimate, alpha):
    model = BernoulliNB(alpha=alpha, estimate=estimate).fit(COUNTS, LABELS)
    a = ADDED[estimate](alpha)
    for c, label in enumerate("ab"):
        tally = document_counts(label)
        for j in range(3):
            expected = log((tally[j] + a) / (2 + 2 * a))
            assert model.feature_log_prob_[c, j] == pytest.approx(expected, rel=1e-14)


@estimates
def test_complement(estimate, alpha):
    model = ComplementNB(alpha=alpha, estimate=estimate).fit(COUNTS, LABELS)
    a = ADDED[estimate](alpha)
    for c, other in enumerate("ba"):
        tally = word_counts(other)
        total = sum(tally.values()) + 3 * a
        for j in range(3):
            expected = -log((tally[j] + a) / total)
            assert model.feature_log_prob_[c, j] == pytest.approx(expected, rel=1e-14)


@estimates
def test_categorical(estimate, alpha):
    model = CategoricalNB(alpha=alpha, estimate=estimate).fit(COUNTS, LABELS)
    a = ADDED[estimate](alpha)
    for j, table in enumerate(model.feature_log_prob_):
        for c, label in enumerate("ab"):
            tally = Counter(COUNTS[label == LABELS, j].tolist())
            for category in range(COUNTS[:, j].max() + 1):
                expected = log((tally[category] + a) / (2 + a * (COUNTS[:, j].max() + 1)))
                assert table[c, category] == pytest.approx(expected, rel=1e-14)


def test_bernoulli_joint_probability_counts_the_words_that_are_missing():
    model = BernoulliNB(alpha=0.5).fit(COUNTS, LABELS)
    expected = []
    for label in "ab":
        tally = document_counts(label)
        p = [(tally[j] + Fraction(1, 2)) / 3 for j in range(3)]
        expected.append(log(Fraction(1, 2) * p[0] * (1 - p[1]) * p[2]))
    np.testing.assert_allclose(model.joint_log_proba([[7, 0, 1]])[0], expected, rtol=1e-14)


@pytest.mark.parametrize("Model", DISCRETE)
def test_the_default_is_scikit_learns_smoothing(Model):
    peer = getattr(peers, Model.__name__)
    ours = Model().fit(COUNTS, LABELS).predict_joint_log_proba(COUNTS)
    named = Model(estimate="bayes", alpha=1.0).fit(COUNTS, LABELS).predict_joint_log_proba(COUNTS)
    theirs = peer().fit(COUNTS, LABELS).predict_joint_log_proba(COUNTS)
    np.testing.assert_array_equal(ours, named)
    np.testing.assert_allclose(ours, theirs, rtol=1e-13)


@pytest.mark.parametrize("Model", DISCRETE)
def test_a_flat_prior_has_its_mode_where_the_likelihood_has(Model):
    most_likely = Model(estimate="ml").fit(COUNTS, LABELS).predict_joint_log_proba(COUNTS)
    mode = Model(estimate="map", alpha=1.0).fit(COUNTS, LABELS).predict_joint_log_proba(COUNTS)
    np.testing.assert_array_equal(most_likely, mode)


@pytest.mark.parametrize("prior_alpha", [0.5, 2, [1.0, 3.0]])
@pytest.mark.parametrize("Model", DISCRETE)
def test_class_priors(Model, prior_alpha):
    labels = ["a", "b", "b", "b"]
    alpha = np.broadcast_to(np.asarray(prior_alpha, dtype=float), (2,))
    model = Model(prior_alpha=prior_alpha).fit(COUNTS, labels)
    n = np.array([1, 3])
    expected = np.log((n + alpha) / (4 + alpha.sum()))
    np.testing.assert_allclose(model.class_log_prior_, expected, rtol=1e-14)
    most_likely = Model(prior_alpha=prior_alpha, estimate="ml").fit(COUNTS, labels)
    np.testing.assert_allclose(most_likely.class_log_prior_, np.log(n / 4), rtol=1e-14)


def test_a_class_prior_of_map_is_the_mode():
    model = MultinomialNB(prior_alpha=3, alpha=2, estimate="map").fit(COUNTS, LABELS[[0, 1, 1, 1]])
    np.testing.assert_allclose(np.exp(model.class_log_prior_), [3 / 8, 5 / 8], rtol=1e-14)


@pytest.mark.parametrize("Model", [MultinomialNB, BernoulliNB, ComplementNB])
def test_alpha_of_each_feature_and_of_each_cell(Model):
    rng = np.random.default_rng(0)
    by_feature = rng.random(3) + 0.1
    one = Model(alpha=by_feature).fit(COUNTS, LABELS)
    if Model is BernoulliNB:  # where scikit-learn's fails on an array
        documents = np.array([[document_counts(label)[j] for j in range(3)] for label in "ab"])
        expected = np.log((documents + by_feature) / (2 + 2 * by_feature))
    else:
        peer = getattr(peers, Model.__name__)
        expected = peer(alpha=by_feature).fit(COUNTS, LABELS).feature_log_prob_
    np.testing.assert_allclose(one.feature_log_prob_, expected, rtol=1e-13)
    by_cell = np.vstack([by_feature, by_feature])
    same = Model(alpha=by_cell).fit(COUNTS, LABELS)
    np.testing.assert_array_equal(same.feature_log_prob_, one.feature_log_prob_)
    by_cell[1] *= 3
    other = Model(alpha=by_cell).fit(COUNTS, LABELS)
    np.testing.assert_array_equal(other.feature_log_prob_[0], one.feature_log_prob_[0])
    tripled = Model(alpha=3 * by_feature).fit(COUNTS, LABELS)
    np.testing.assert_array_equal(other.feature_log_prob_[1], tripled.feature_log_prob_[1])


def test_alpha_of_each_column_of_categories():
    alpha = np.array([0.5, 1.0, 2.0])
    tables = CategoricalNB(alpha=alpha).fit(COUNTS, LABELS).feature_log_prob_
    for j in range(3):
        one = CategoricalNB(alpha=alpha[j]).fit(COUNTS, LABELS).feature_log_prob_
        np.testing.assert_array_equal(tables[j], one[j])


@pytest.mark.parametrize("Model", DISCRETE)
@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"alpha": -1.0}, ValueError, r"alpha must be finite and >= 0, got -1.0"),
        ({"alpha": np.inf}, ValueError, "alpha must be finite"),
        ({"alpha": float("nan")}, ValueError, "alpha must be finite"),
        ({"alpha": "one"}, TypeError, "alpha must be a number"),
        ({"alpha": None}, TypeError, "alpha must be a number"),
        ({"alpha": True}, TypeError, "alpha must be a number"),
        ({"alpha": ["x", "y", "z"]}, TypeError, "alpha must hold numbers"),
        ({"alpha": [1.0, 2.0]}, ValueError, "it should contains `n_features`"),
        ({"alpha": [[1.0, 2.0, 3.0]]}, ValueError, "it should contains `n_features`"),
        ({"alpha": [1.0, 2.0, -3.0]}, ValueError, "greater than 0 or equal to it, got -3"),
        ({"alpha": [1.0, 2.0, np.nan]}, ValueError, "All values in alpha"),
        ({"alpha": 1e308}, ValueError, "scale X or alpha down"),
        ({"estimate": "mle"}, ValueError, 'estimate must be "bayes", "map" or "ml"'),
        ({"estimate": None}, ValueError, "estimate must be"),
        ({"estimate": "map", "alpha": 0.5}, ValueError, 'estimate="map" needs alpha >= 1'),
        ({"prior_alpha": -1}, ValueError, "prior_alpha must be finite and >= 0"),
        ({"prior_alpha": [1, 2, 3]}, ValueError, "one for each of the 2 classes"),
        ({"prior_alpha": "x"}, TypeError, "prior_alpha must be a number"),
        ({"prior_alpha": 0.5, "estimate": "map"}, ValueError, "needs prior_alpha >= 1"),
        ({"class_prior": [1.0]}, ValueError, "Number of priors must match number of classes"),
        ({"class_prior": [-1.0, 2.0]}, ValueError, "Priors must be non-negative"),
        ({"class_prior": [0.0, 0.0]}, ValueError, "not all zero"),
        ({"class_prior": {"a": 1}}, TypeError, "class_prior must be a list of numbers"),
        ({"class_prior": [0.5, 0.5], "prior_alpha": 1}, ValueError, "class_prior or prior_alpha"),
        ({"fit_prior": False, "prior_alpha": 1}, ValueError, "prior_alpha needs fit_prior=True"),
        ({"fit_prior": "no"}, TypeError, "fit_prior must be a bool"),
        ({"force_alpha": "no"}, TypeError, "force_alpha must be a bool"),
        ({"class_weight": {"spamm": 5}}, ValueError, "are not in class_weight"),
        ({"class_weight": {"a": "x", "b": 1}}, TypeError, r"class_weight\['a'\] must be a number"),
        ({"class_weight": "even"}, ValueError, "class_weight must be a dict"),
        ({"class_weight": {"a": -1}}, ValueError, r"class_weight\['a'\] must be finite"),
    ],
)
def test_bad_parameters(Model, parameters, error, message):
    if Model is CategoricalNB and parameters.get("alpha") == 1e308:
        parameters = {"alpha": 1e308 * 1.7}
    with pytest.raises(error, match=message):
        Model(**parameters).fit(COUNTS, LABELS)


@pytest.mark.parametrize("Model", DISCRETE)
def test_class_weight(Model):
    labels = np.array(["a", "b", "b", "b"])
    by_label = {"a": 3, "b": 1, "not there": 7}
    expected = Model().fit(COUNTS, labels, sample_weight=[3, 1, 1, 1])
    model = Model(class_weight=by_label).fit(COUNTS, labels)
    np.testing.assert_array_equal(model.class_count_, expected.class_count_)
    np.testing.assert_array_equal(model.predict_proba(COUNTS), expected.predict_proba(COUNTS))
    balanced = Model(class_weight="balanced").fit(COUNTS, labels)
    np.testing.assert_allclose(balanced.class_count_, [2, 2])
    both = Model(class_weight=by_label).fit(COUNTS, labels, sample_weight=[2, 1, 1, 1])
    assert both.class_count_.tolist() == [6, 3]


@pytest.mark.parametrize("Model", DISCRETE)
@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        ([1, 1, -1, 1], ValueError, r"sample_weight\[2\] must be finite and >= 0, got -1.0"),
        ([1, np.nan, 1, 1], ValueError, r"sample_weight\[1\] must be finite"),
        ([1, 1], ValueError, r"expected \(4,\)"),
        ([[1], [1], [1], [1]], ValueError, "1D array"),
        ([0, 0, 0, 0], ValueError, "nothing to learn from"),
        ([1e308, 1e308, 1e308, 1], ValueError, "1e308: scale"),
        (np.ma.array([1.0, 1, 1, 1], mask=[1, 0, 0, 0]), ValueError, "masked"),
        (np.array([1j, 1, 1, 1]), TypeError, "sample_weight must hold numbers"),
        (["x", "y", "z", "w"], TypeError, "sample_weight must hold numbers"),
    ],
)
def test_bad_weights(Model, weights, error, message):
    with pytest.raises(error, match=message):
        Model().fit(COUNTS, LABELS, sample_weight=weights)

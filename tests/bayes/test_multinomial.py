"""MultinomialNB: formulas, thread counts, odd input."""

import pickle
from collections import Counter

import mpmath
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

from wordodds import MultinomialNB

COUNTS = np.array([[3, 0, 1], [0, 2, 0], [1, 1, 0], [0, 0, 4]])
LABELS = np.array(["a", "b", "b", "a"])


def test_formula_by_hand():
    model = MultinomialNB(alpha=0.5).fit(COUNTS, LABELS)
    with mpmath.workdps(50):
        for c, label in enumerate("ab"):
            tally = Counter()
            for row, row_label in zip(COUNTS, LABELS, strict=True):
                if row_label == label:
                    tally.update(dict(enumerate(row.tolist())))
            total = sum(tally.values()) + 3 * mpmath.mpf("0.5")
            for j in range(3):
                expected = mpmath.log((tally[j] + mpmath.mpf("0.5")) / total)
                assert abs(model.feature_log_prob_[c, j] - expected) < 1e-14


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("value", [np.float32, np.float64, np.int64, np.int8, np.uint16, bool])
def test_every_dtype(index, value):
    X = sp.csr_array(COUNTS.astype(value))
    X.indices, X.indptr = X.indices.astype(index), X.indptr.astype(index)
    expected = MultinomialNB().fit(COUNTS.astype(value).astype(float), LABELS)
    model = MultinomialNB().fit(X, LABELS)
    np.testing.assert_array_equal(model.feature_log_prob_, expected.feature_log_prob_)
    np.testing.assert_array_equal(model.predict_proba(X), expected.predict_proba(X))


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
@pytest.mark.parametrize("kind", ["array", "matrix"])
def test_every_sparse_format(form, kind):
    X = getattr(sp, f"{form}_{kind}")(COUNTS)
    expected = MultinomialNB().fit(COUNTS, LABELS).predict_log_proba(COUNTS)
    np.testing.assert_array_equal(MultinomialNB().fit(X, LABELS).predict_log_proba(X), expected)


def test_unsorted_repeated_zero_and_read_only_entries():
    indptr, indices = np.array([0, 3, 4, 6, 8]), np.array([2, 0, 0, 1, 1, 0, 2, 1])
    data = np.array([1.0, 1.0, 2.0, 2.0, 1.0, 1.0, 4.0, 0.0])
    for array in (indptr, indices, data):
        array.flags.writeable = False
    X = sp.csr_array((data, indices, indptr), shape=(4, 3))
    expected = MultinomialNB().fit(COUNTS, LABELS)
    model = MultinomialNB().fit(X, LABELS)
    np.testing.assert_array_equal(model.feature_count_, expected.feature_count_)
    np.testing.assert_allclose(
        model.predict_log_proba(X), expected.predict_log_proba(COUNTS), rtol=1e-14
    )


def test_same_bits_for_any_thread_count_and_instruction_set(instruction_set, monkeypatch):
    rng = np.random.default_rng(3)
    X = sp.random_array((3000, 400), density=0.05, rng=rng).tocsr()
    labels = rng.integers(0, 21, 3000)
    one = MultinomialNB(n_jobs=1).fit(X, labels)
    expected = one.predict_log_proba(X)
    for n_jobs in (2, 5):
        model = MultinomialNB(n_jobs=n_jobs).fit(X, labels)
        np.testing.assert_array_equal(model.feature_log_prob_, one.feature_log_prob_)
        np.testing.assert_array_equal(model.predict_log_proba(X), expected)
    monkeypatch.setenv("WORDODDS_INSTRUCTION_SET", "baseline")
    np.testing.assert_array_equal(one.predict_log_proba(X), expected)


def test_alpha_zero_never_gives_nan():
    X = sp.csr_array(np.array([[2.0, 0, 1], [0, 1, 1]]))
    X.data[1] = 0.0  # an explicit zero of a word that class "b" lacks stays neutral
    model = MultinomialNB(alpha=0).fit(np.array([[2, 0, 1], [0, 1, 1], [0, 2, 1]]), list("abb"))
    unseen_in_b, unseen_in_both = [[1, 0, 0]], [[1, 1, 0]]
    np.testing.assert_array_equal(model.predict_proba(unseen_in_b), [[1.0, 0.0]])
    np.testing.assert_allclose(model.predict_proba(unseen_in_both), [[1 / 3, 2 / 3]])
    zero = sp.csr_array(([0.0, 1.0], ([0, 0], [0, 1])), shape=(1, 3))
    np.testing.assert_array_equal(model.predict_proba(zero), [[0.0, 1.0]])


def test_alpha_zero_and_a_class_without_words():
    model = MultinomialNB(alpha=0).fit([[0, 0], [1, 2]], ["empty", "full"])
    assert not np.isnan(model.feature_log_prob_).any()
    np.testing.assert_array_equal(model.predict([[1, 0], [0, 0]]), ["full", "empty"])


def test_extreme_counts_stay_finite():
    model = MultinomialNB().fit([[1e300, 1.0], [1.0, 1e300]], [0, 1])
    proba = model.predict_proba([[1e300, 1.0], [1.0, 1e300], [0.0, 0.0]])
    np.testing.assert_array_equal(proba, [[1, 0], [0, 1], [0.5, 0.5]])


def test_a_million_words_and_many_classes():
    rng = np.random.default_rng(0)
    X = sp.csr_array(rng.integers(0, 2000, (1000, 30)))
    model = MultinomialNB().fit(X, np.arange(1000))
    log_proba = model.predict_log_proba(X[:5] * 50)
    assert np.isfinite(log_proba).all()
    np.testing.assert_allclose(np.exp(log_proba).sum(axis=1), 1.0, rtol=1e-12)


def test_one_class():
    model = MultinomialNB().fit(COUNTS, ["only"] * 4)
    np.testing.assert_array_equal(model.predict(COUNTS), ["only"] * 4)
    np.testing.assert_array_equal(model.predict_proba(COUNTS), np.ones((4, 1)))


@pytest.mark.parametrize(
    ("alpha", "error"),
    [
        (-1.0, ValueError),
        (np.nan, ValueError),
        (np.inf, ValueError),
        (10**400, ValueError),
        (np.longdouble("1e4000"), ValueError),
        ("1", TypeError),
    ],
)
def test_bad_alpha(alpha, error):
    with pytest.raises(error, match="alpha must be"):
        MultinomialNB(alpha=alpha).fit(COUNTS, LABELS)


def test_unfitted_and_wrong_width():
    model = MultinomialNB()
    with pytest.raises(NotFittedError):
        model.predict(COUNTS)
    model.fit(COUNTS, LABELS)
    with pytest.raises(ValueError, match="4 features, but MultinomialNB is expecting 3"):
        model.predict(np.ones((2, 4)))


def test_failed_fit_leaves_the_model_as_it_was():
    model = MultinomialNB().fit(COUNTS, LABELS)
    before = model.predict_proba(COUNTS)
    with pytest.raises(ValueError, match="Negative"):
        model.fit(-np.ones((2, 5)), ["x", "y"])
    np.testing.assert_array_equal(model.predict_proba(COUNTS), before)


@pytest.mark.parametrize("alpha", [1.0, 1e308])
def test_sums_beyond_all_numbers_are_refused(alpha):
    with pytest.raises(ValueError, match="scale X or alpha down"):
        MultinomialNB(alpha=alpha).fit([[1e308, 0, 1], [1e308, 1, 1], [0, 3, 1]], [0, 0, 1])


def test_a_damaged_state_is_refused():
    model = MultinomialNB().fit(COUNTS, LABELS)
    model._learnt.weights.by_feature = model._learnt.weights.by_feature[:1]
    with pytest.raises(ValueError, match="expecting 1 features"):
        model.predict(COUNTS)


def test_pickle():
    model = MultinomialNB().fit(COUNTS, LABELS)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict_proba(COUNTS), model.predict_proba(COUNTS))

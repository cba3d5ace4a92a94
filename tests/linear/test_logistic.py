"""LogisticRegression as an estimator: rows, weights, labels, classes, bits."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.special import expit, log_softmax, softmax
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression as PeerLogisticRegression
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier

from wordodds import CountVectorizer, LogisticRegression
from wordodds.linear.pairwise import couple_pairs

from .problems import FOUR, SOLVERS, THREE, TWO, X, assert_same_model, random_labels, random_rows

SPARSE = sp.csr_array(X)
TIGHT = {"tol": 1e-9, "max_iter": 1000}

storages = pytest.mark.parametrize("rows", [X, SPARSE], ids=["dense", "sparse"])
solvers = pytest.mark.parametrize("solver", SOLVERS)
strategies = pytest.mark.parametrize("multi_class", ["multinomial", "ovr", "ovo"])


# Weights


@storages
@strategies
@solvers
def test_weight_0_is_no_row_bit_for_bit(solver, multi_class, rows):
    weights = np.where(np.arange(60) % 3 == 0, 0.0, np.linspace(0.5, 2.0, 60))
    kept = weights > 0.0
    model = LogisticRegression(solver=solver, multi_class=multi_class, max_iter=500)
    assert_same_model(
        clone(model).fit(rows, THREE, sample_weight=weights),
        clone(model).fit(rows[kept], THREE[kept], sample_weight=weights[kept]),
    )


def test_the_order_in_memory_does_not_matter():
    rows = random_rows(301, 37)
    labels = random_labels(301, 2)
    expected = LogisticRegression(solver="newton-cg").fit(rows, labels)
    for other in (np.asfortranarray(rows), pd.DataFrame(rows), np.repeat(rows, 2, axis=0)[::2]):
        model = LogisticRegression(solver="newton-cg").fit(other, labels)
        np.testing.assert_array_equal(model.coef_, expected.coef_)


@storages
@strategies
def test_weight_2_is_the_row_twice(multi_class, rows):
    weights = 1 + np.arange(60) % 2
    model = LogisticRegression(multi_class=multi_class, **TIGHT)
    twice = clone(model).fit(rows[np.repeat(np.arange(60), weights)], np.repeat(THREE, weights))
    once = model.fit(rows, THREE, sample_weight=weights)
    np.testing.assert_allclose(once.coef_, twice.coef_, rtol=1e-6, atol=1e-8)


def test_a_class_of_weight_0_is_absent():
    model = LogisticRegression().fit(X, THREE, sample_weight=THREE != 1)
    assert model.classes_.tolist() == [0, 2]
    assert model.coef_.shape == (1, 7)


def test_class_weight_is_a_factor_of_the_rows():
    factors = np.array([0.5, 2.0, 3.0])
    by_class = LogisticRegression(class_weight=dict(enumerate(factors))).fit(X, THREE)
    assert_same_model(by_class, LogisticRegression().fit(X, THREE, sample_weight=factors[THREE]))
    balanced = LogisticRegression(class_weight="balanced", **TIGHT).fit(X, THREE)
    shares = len(THREE) / (3 * np.bincount(THREE))
    expected = LogisticRegression(**TIGHT).fit(X, THREE, sample_weight=shares[THREE])
    np.testing.assert_allclose(balanced.coef_, expected.coef_, rtol=1e-6)


# Bits


@storages
@strategies
@solvers
def test_the_same_bits_for_any_n_jobs(solver, multi_class, rows):
    fitted = [
        LogisticRegression(solver=solver, multi_class=multi_class, n_jobs=n_jobs, max_iter=500).fit(
            rows, THREE
        )
        for n_jobs in (1, 2, 5)
    ]
    for model in fitted[1:]:
        assert_same_model(model, fitted[0])
        np.testing.assert_array_equal(
            model.predict_log_proba(rows), fitted[0].predict_log_proba(rows)
        )


def test_the_same_bits_where_there_are_many_chunks():
    rows = sp.random_array((6000, 3000), density=0.002, rng=np.random.default_rng(0)).tocsr()
    labels = random_labels(6000, 5)
    fitted = [
        LogisticRegression(solver="newton-cg", C=10.0, n_jobs=n_jobs).fit(rows, labels)
        for n_jobs in (1, 2, 5)
    ]
    for model in fitted[1:]:
        assert_same_model(model, fitted[0])


def test_the_same_weights_on_every_instruction_set(instruction_set):
    rows = SPARSE.astype(np.float32)
    model = LogisticRegression(solver="newton-cg").fit(rows, FOUR)
    baseline = LogisticRegression(solver="newton-cg", n_jobs=3).fit(rows, FOUR)
    assert_same_model(model, baseline)


# Rows


def test_all_kinds_of_matrix_give_the_same():
    repeated = SPARSE.tocoo()
    repeated = sp.csr_array(
        (
            np.r_[repeated.data / 2, repeated.data / 2],
            (np.tile(repeated.row, 2), np.tile(repeated.col, 2)),
        ),
        shape=X.shape,
    )
    unsorted = SPARSE.copy()
    for begin, end in zip(SPARSE.indptr[:-1], SPARSE.indptr[1:], strict=True):
        unsorted.indices[begin:end] = SPARSE.indices[begin:end][::-1]
        unsorted.data[begin:end] = SPARSE.data[begin:end][::-1]
    unsorted.has_sorted_indices = False
    wide = sp.csr_array(
        (SPARSE.data, SPARSE.indices.astype(np.int64), SPARSE.indptr.astype(np.int64))
    )
    zeros = SPARSE.copy()
    zeros.data[:3] = 0.0
    filled = zeros.toarray()
    expected = LogisticRegression(**TIGHT).fit(X, THREE)
    for rows in (SPARSE, repeated, unsorted, wide, SPARSE.tocsc(), SPARSE.tocoo(), X.tolist()):
        model = LogisticRegression(**TIGHT).fit(rows, THREE)
        np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-6, atol=1e-9)
        np.testing.assert_allclose(
            model.predict_proba(rows), expected.predict_proba(X), rtol=1e-6, atol=1e-9
        )
    np.testing.assert_allclose(
        LogisticRegression(**TIGHT).fit(zeros, THREE).coef_,
        LogisticRegression(**TIGHT).fit(filled, THREE).coef_,
        rtol=1e-6,
        atol=1e-9,
    )


def test_whole_numbers_and_texts():
    texts = ["free money now", "lunch at noon", "free lunch", "money money"]
    labels = ["spam", "ham", "ham", "spam"]
    counts = CountVectorizer().fit_transform(texts)
    model = LogisticRegression(C=100.0).fit(counts, labels)
    assert model.predict(counts).tolist() == labels
    dense = LogisticRegression(C=100.0).fit(counts.toarray(), labels)
    np.testing.assert_allclose(model.coef_, dense.coef_, rtol=1e-4, atol=1e-9)


def test_an_input_is_not_changed_and_may_be_read_only():
    for rows in (X.copy(), SPARSE.copy()):
        entries = rows if isinstance(rows, np.ndarray) else rows.data
        before = entries.copy()
        entries.flags.writeable = False
        weights = np.ones(60)
        weights.flags.writeable = False
        LogisticRegression().fit(rows, THREE, sample_weight=weights)
        np.testing.assert_array_equal(entries, before)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@storages
def test_what_is_not_finite_raises(rows, value):
    rows = rows.copy()
    (rows if isinstance(rows, np.ndarray) else rows.data).flat[5] = value
    with pytest.raises(ValueError, match=r"NaN|infinity|inf|finite"):
        LogisticRegression().fit(rows, THREE)


# Labels


@pytest.mark.parametrize(
    "names",
    [
        np.array(["x", "yy", "z"]),
        np.array(["x", "yy", "z"], dtype=object),
        np.array([-5, 3, 2**40]),
        np.array([1.0, 2.0, 7.0]),
        np.array(["x", "yy", "z"], dtype=np.dtypes.StringDType()),
    ],
    ids=["str", "object", "int", "float", "StringDType"],
)
def test_labels_keep_their_kind(names):
    model = LogisticRegression().fit(X, names[THREE])
    assert model.classes_.tolist() == names.tolist()
    predicted = model.predict(X)
    assert predicted.dtype.kind == model.classes_.dtype.kind
    expected = LogisticRegression().fit(X, THREE)
    np.testing.assert_array_equal(predicted == names[THREE], expected.predict(X) == THREE)
    np.testing.assert_array_equal(model.coef_, expected.coef_)


def test_labels_that_are_true_or_false_and_series():
    model = LogisticRegression().fit(X, TWO.astype(bool))
    assert model.classes_.tolist() == [False, True]
    assert model.predict(X).dtype == bool
    series = LogisticRegression().fit(pd.DataFrame(X), pd.Series(TWO, index=range(60, 0, -1)))
    np.testing.assert_array_equal(series.coef_, model.coef_)


@pytest.mark.parametrize(
    "labels",
    [[None, *TWO[1:]], [np.nan, *TWO[1:]], TWO + 0.5, TWO[:-1]],
    ids=["None", "NaN", "fractions", "too few"],
)
def test_labels_that_are_none_raise(labels):
    with pytest.raises(ValueError, match=r"y|label"):
        LogisticRegression().fit(X, labels)


@strategies
def test_one_class_raises(multi_class):
    with pytest.raises(ValueError, match=r"at least 2 classes.*only one class: 'spam'"):
        LogisticRegression(multi_class=multi_class).fit(X, ["spam"] * 60)


# Classes


@storages
def test_one_vs_rest_is_that_of_the_peer(rows):
    peer = OneVsRestClassifier(PeerLogisticRegression(C=0.7, tol=1e-9)).fit(rows, FOUR)
    model = LogisticRegression(C=0.7, multi_class="ovr", **TIGHT).fit(rows, FOUR)
    expected = np.vstack([each.coef_ for each in peer.estimators_])
    np.testing.assert_allclose(model.coef_, expected, atol=1e-5)
    np.testing.assert_allclose(model.predict_proba(rows), peer.predict_proba(rows), atol=1e-5)
    np.testing.assert_array_equal(model.predict(rows), peer.predict(rows))


@storages
def test_one_vs_one_is_that_of_the_peer(rows):
    peer = OneVsOneClassifier(PeerLogisticRegression(C=0.7, tol=1e-9)).fit(rows, FOUR)
    model = LogisticRegression(C=0.7, multi_class="ovo", **TIGHT).fit(rows, FOUR)
    expected = np.vstack([each.coef_ for each in peer.estimators_])
    np.testing.assert_allclose(model.coef_, expected, atol=1e-5)
    np.testing.assert_allclose(
        model.decision_function(rows), peer.decision_function(rows), atol=1e-5
    )
    np.testing.assert_array_equal(model.predict(rows), peer.predict(rows))
    assert model.coef_.shape == (6, 7)
    assert list(model.history_) == [(a, b) for a in range(4) for b in range(a + 1, 4)]
    assert len(model.n_iter_) == 6


def test_softmax_is_that_of_the_peer():
    peer = PeerLogisticRegression(C=0.7, tol=1e-9).fit(X, FOUR)
    model = LogisticRegression(C=0.7, **TIGHT).fit(X, FOUR)
    np.testing.assert_allclose(model.coef_, peer.coef_, atol=1e-5)
    np.testing.assert_allclose(model.intercept_, peer.intercept_, atol=1e-5)
    np.testing.assert_allclose(model.predict_proba(X), softmax(model.decision_function(X), axis=1))


@strategies
def test_two_classes_are_one_problem(multi_class):
    model = LogisticRegression(multi_class=multi_class).fit(X, TWO)
    assert_same_model(model, LogisticRegression().fit(X, TWO))
    assert model.decision_function(X).shape == (60,)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], expit(model.decision_function(X)))
    np.testing.assert_array_equal(model.predict(X), (model.decision_function(X) > 0).astype(int))


def test_pairs_that_agree_give_back_the_probabilities():
    probabilities = np.random.default_rng(0).dirichlet(np.ones(5), size=1500)
    first, second = np.triu_indices(5, 1)
    log = np.log(probabilities)
    np.testing.assert_allclose(
        couple_pairs(log[:, second] - log[:, first], 5), probabilities, atol=1e-9
    )


@strategies
@pytest.mark.parametrize("labels", [TWO, THREE], ids=["two", "three"])
def test_probabilities_of_scores_beyond_a_million(multi_class, labels):
    model = LogisticRegression(multi_class=multi_class).fit(X, labels)
    model._columns = 1e6 * model._columns
    with np.errstate(all="raise", under="ignore"):
        log, probabilities = model.predict_log_proba(X), model.predict_proba(X)
    assert np.abs(model._scores(X)).max() > 1e6
    assert not np.isnan(log).any()
    assert (log <= 0.0).all()
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, rtol=1e-12)
    if multi_class != "ovo":  # where votes decide, not probabilities
        assert (log > -np.inf).all()
        predicted = np.searchsorted(model.classes_, model.predict(X))
        np.testing.assert_array_equal(
            probabilities[np.arange(60), predicted], probabilities.max(axis=1)
        )


# Weights as users see them


@strategies
def test_coef_is_a_view_of_what_scores(multi_class):
    model = LogisticRegression(multi_class=multi_class).fit(X, FOUR)
    assert np.shares_memory(model.coef_, model._columns)
    model.coef_[:] = 0.0
    model.intercept_[:] = 0.0
    assert np.ptp(model.decision_function(X), axis=0).max() == 0.0


def test_the_linear_view():
    for labels in (TWO, THREE):
        model = LogisticRegression().fit(pd.DataFrame(X, columns=list("abcdefg")), labels)
        linear = X @ model.weights_.T + model.bias_
        frame = pd.DataFrame(X, columns=list("abcdefg"))
        np.testing.assert_allclose(
            model.predict_log_proba(frame), log_softmax(linear, axis=1), atol=1e-12
        )
        best = model.top_features(2)
        assert list(best) == model.classes_.tolist()
        odds = [model.log_odds(feature, 1) for feature in "abcdefg"]
        strongest = "abcdefg"[int(np.argmax(odds))]
        assert best[1][0] == (strongest, pytest.approx(max(odds)))
    against = LogisticRegression().fit(X, TWO)
    assert against.log_odds(3, 1, against=0) == pytest.approx(against.coef_[0, 3])
    assert against.log_odds(3, 0, against=1) == pytest.approx(-against.coef_[0, 3])
    pairs = LogisticRegression(multi_class="ovo").fit(X, THREE)
    assert pairs.weights_.shape == (3, 7)
    assert pairs.top_features(1)[0][0][0] in range(7)


def test_names_of_features():
    frame = pd.DataFrame(X, columns=[f"word {j}" for j in range(7)])
    model = LogisticRegression().fit(frame, THREE)
    assert model.feature_names_in_.tolist() == frame.columns.tolist()
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[frame.columns[::-1]])
    assert not hasattr(model.fit(X, THREE), "feature_names_in_")


def test_other_columns_than_learnt_raise():
    model = LogisticRegression().fit(X, THREE)
    for rows in (X[:, :6], SPARSE[:, :6], np.c_[X, X]):
        with pytest.raises(ValueError, match="expecting 7 features"):
            model.predict(rows)


def test_a_type_of_weights():
    for dtype in ("float32", np.float64):
        model = LogisticRegression(dtype=dtype).fit(X, THREE)
        assert model.coef_.dtype == model.intercept_.dtype == np.dtype(dtype)
        assert model.predict_proba(X).dtype == np.float64

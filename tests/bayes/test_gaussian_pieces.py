"""GaussianNB in pieces: weights, batches, merging, forgetting."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError

from wordodds import GaussianNB

from .problems import FORMS, assert_close_moments, assert_same_moments
from .problems import MEASURED as X
from .problems import MEASURED_LABELS as Y

rows = st.integers(0, 10**6).map(
    lambda seed: np.random.default_rng(seed).integers(-4, 5, (14, 4)) / 2.0
)
labels = st.lists(st.integers(0, 2), min_size=14, max_size=14).map(np.array)


@settings(max_examples=40)
@given(rows, labels, st.permutations(range(14)), st.permutations(range(4)), st.sampled_from(FORMS))
def test_order_of_rows_and_columns(x, y, order, columns, form):
    model = GaussianNB().fit(form(x), y)
    assert_close_moments(GaussianNB().fit(form(x[order]), y[order]), model)
    turned = GaussianNB().fit(form(x[:, columns]), y)
    np.testing.assert_array_equal(turned.theta_, model.theta_[:, columns])
    np.testing.assert_allclose(
        turned.joint_log_proba(form(x[:, columns])), model.joint_log_proba(form(x)), rtol=1e-9
    )


@settings(max_examples=40)
@given(rows, labels, st.sampled_from(FORMS))
def test_a_column_of_zeros_decides_nothing(x, y, form):
    more = np.hstack([x, np.zeros((14, 1))])
    model = GaussianNB().fit(form(x), y)
    if model.epsilon_ > 0:
        np.testing.assert_allclose(
            GaussianNB().fit(form(more), y).predict_log_proba(form(more)),
            model.predict_log_proba(form(x)),
            atol=1e-6,
            rtol=1e-6,
        )


@settings(max_examples=40)
@given(rows, labels, st.lists(st.integers(0, 2), min_size=14, max_size=14), st.sampled_from(FORMS))
def test_weights_are_repetitions(x, y, weights, form):
    weights = np.array(weights)
    weights[:3], y[:3] = 2, [0, 1, 2]
    repeated = np.repeat(np.arange(14), weights)
    model = GaussianNB().fit(form(x), y, weights)
    assert_close_moments(model, GaussianNB().fit(form(x[repeated]), y[repeated]))
    # A row of weight zero is absent to the bit, whatever it holds.
    present = weights > 0
    x[~present] = 1e300
    assert_same_moments(
        GaussianNB().fit(form(x), y, weights),
        GaussianNB().fit(form(x[present]), y[present], weights[present]),
    )


@settings(max_examples=40)
@given(rows, labels, st.integers(1, 13), st.sampled_from(FORMS), st.sampled_from(FORMS))
def test_pieces_merging_and_forgetting(x, y, cut, form, other_form):
    y[0], y[-1] = 0, 2
    whole = GaussianNB().fit(form(x), y)
    classes = whole.classes_
    first = GaussianNB().partial_fit(form(x[:cut]), y[:cut], classes=classes)
    second = GaussianNB().fit(other_form(x[cut:]), y[cut:])
    seen = pickle.dumps(second)
    pieces = pickle.loads(pickle.dumps(first)).partial_fit(other_form(x[cut:]), y[cut:])
    assert_close_moments(pieces, whole)
    merged = GaussianNB().fit(form(x[:cut]), y[:cut]).merge(second)
    assert pickle.dumps(second) == seen
    np.testing.assert_array_equal(merged.classes_, classes)
    assert_close_moments(merged, whole)
    forgotten = pickle.loads(pickle.dumps(whole)).forget(other_form(x[cut:]), y[cut:])
    assert_close_moments(forgotten, first, atol=1e-9)


def test_forgetting_everything_of_a_class():
    weights = np.array([0.1, 0.2, 0.3, 0.7, 0.6, 0.5])
    model = GaussianNB().fit(X, Y, weights)
    # In another order the weights add up to another number.
    assert weights[:3].sum() != weights[2::-1].sum()
    model.forget(X[2::-1], Y[2::-1], weights[2::-1])
    assert model.classes_.tolist() == ["high", "low"]
    assert model.class_count_[1] == 0.0
    assert np.isneginf(model.class_log_prior_[1])
    assert set(model.predict(X)) == {"high"}
    model.forget(X[3:], Y[3:], weights[3:])
    np.testing.assert_array_equal(model.predict_proba(X), np.full((6, 2), 0.5))
    assert_close_moments(
        model.partial_fit(X, Y, sample_weight=weights), GaussianNB().fit(X, Y, weights)
    )


@pytest.mark.parametrize(
    ("rows", "labels", "weights"),
    [
        (X[[0, 1, 2, 0]], ["low"] * 4, None),  # more than there are
        (X[:3], ["high"] * 3, None),  # all of the class, but other values
        (X[:1] * 100, ["low"], None),  # would leave a negative variance
        (X[:1], ["low"], [3.5]),
    ],
)
def test_forgetting_what_was_never_learnt(rows, labels, weights):
    model = GaussianNB().fit(X, Y)
    before = pickle.dumps(model)
    for form in FORMS:
        with pytest.raises(ValueError, match=r"never learnt: class '(low|high)' holds weight 3"):
            model.forget(form(rows), labels, weights)
    with pytest.raises(ValueError, match=r"\['new'\] in y do not exist"):
        model.forget(X[:1], ["new"])
    assert pickle.dumps(model) == before


def test_forgetting_more_than_a_class_of_one_row_holds():
    model = GaussianNB().fit(X[:4], Y[:4])
    with pytest.raises(ValueError, match="class 'high' holds weight 1, these rows weigh 2"):
        model.forget(X[[3, 3]], Y[[3, 3]])


def test_what_rounding_leaves_after_forgetting_is_no_negative_variance():
    rng = np.random.default_rng(0)
    for _ in range(20):
        constant, noise = np.full((5, 4), 0.1), rng.normal(size=(5, 4))
        model = GaussianNB(var_smoothing=0).fit(np.vstack([constant, noise]), [0] * 10)
        model.forget(noise, [0] * 5)
        assert (model.var_ >= 0.0).all()
        np.testing.assert_allclose(model.var_, 0.0, atol=1e-14)
        np.testing.assert_allclose(model.theta_, 0.1)
        assert not np.isnan(model.joint_log_proba(constant)).any()


def test_merging_models_of_other_classes():
    one, other = GaussianNB().fit(X[:4], Y[:4]), GaussianNB().fit(X, ["a", "zebra"] * 3)
    both = GaussianNB().fit(np.vstack([X[:4], X]), [*Y[:4], *["a", "zebra"] * 3])
    np.testing.assert_array_equal(one.merge(other).classes_, both.classes_)
    assert_close_moments(one, both)
    doubled = GaussianNB().fit(X, Y)
    assert_close_moments(doubled.merge(doubled), GaussianNB().fit(X, Y, np.full(6, 2.0)))


def test_what_cannot_be_merged():
    model = GaussianNB().fit(X, Y)
    before = pickle.dumps(model)
    with pytest.raises(TypeError, match="other must be a GaussianNB, got list"):
        model.merge([])
    with pytest.raises(NotFittedError):
        model.merge(GaussianNB())
    with pytest.raises(ValueError, match="other has 2 features, this model 3"):
        model.merge(GaussianNB().fit(X[:, :2], Y))
    with pytest.raises(ValueError, match="labels are of different kinds"):
        model.merge(GaussianNB().fit(X, [1, 1, 1, 2, 2, 2]))
    assert pickle.dumps(model) == before


def test_merging_checks_feature_names():
    pd = pytest.importorskip("pandas")
    one = GaussianNB().fit(pd.DataFrame(X, columns=list("abc")), Y)
    other = GaussianNB().fit(pd.DataFrame(X, columns=list("acb")), Y)
    with pytest.raises(ValueError, match="other names"):
        one.merge(other)
    one.merge(GaussianNB().fit(X, Y))
    assert one.feature_names_in_.tolist() == ["a", "b", "c"]

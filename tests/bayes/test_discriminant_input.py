"""GaussianDiscriminant: singular covariances, extreme numbers, bad and odd input."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from wordodds import GaussianDiscriminant

KINDS = ["full", "shared", "diagonal", "shared_diagonal", "spherical"]
X = np.array([[0, 1], [4, -2], [2, 4], [1, 2], [1, 3], [-3, 1], [5, 5], [0, 6.0]])
Y = np.array(list("aaaabbbb"))
RNG = np.random.default_rng(5)


@pytest.mark.parametrize("factor", [1e-200, 1e-150, 1e150, 1e200])
@pytest.mark.parametrize("kind", KINDS)
def test_extreme_units(kind, factor):
    expected = GaussianDiscriminant(covariance=kind).fit(X, Y).predict_proba(X)
    model = GaussianDiscriminant(covariance=kind).fit(X * factor, Y)
    np.testing.assert_allclose(model.predict_proba(X * factor), expected, rtol=1e-10)
    assert np.isfinite(model.joint_log_proba(X * factor)).all()
    drawn, _ = model.sample(50, random_state=0)
    assert (np.abs(drawn).max(axis=0) > 0.1 * factor).all()


@pytest.mark.parametrize("kind", ["full", "shared", "diagonal", "shared_diagonal"])
def test_columns_of_different_units(kind):
    units = np.array([1e-200, 1e200])
    expected = GaussianDiscriminant(covariance=kind).fit(X, Y)
    model = GaussianDiscriminant(covariance=kind).fit(X * units, Y)
    probability = expected.predict_proba(X)
    np.testing.assert_allclose(model.predict_proba(X * units), probability, rtol=1e-10)
    if "shared" in kind:
        np.testing.assert_allclose(model.weights_ * units, expected.weights_, rtol=1e-10)
        np.testing.assert_allclose(model.bias_, expected.bias_, rtol=1e-10)


@pytest.mark.parametrize("kind", KINDS)
def test_shrinkage_of_different_units_ends(kind):
    units = np.array([1e-200, 1e200])
    model = GaussianDiscriminant(covariance=kind, shrinkage=0.5).fit(X * units, Y)
    # Next to the large column the small one is nothing.
    alone = GaussianDiscriminant(covariance="shared" if "shared" in kind else "full")
    probability = model.predict_proba(X * units)
    np.testing.assert_allclose(probability.sum(axis=1), 1.0)
    if kind != "spherical":  # (1 - s) v + s v / 2 of its own variance v
        other = np.column_stack([X[:, 1] * 0.0, X[:, 1]])
        alone.set_params(shrinkage=0.5).fit(other, Y)
        np.testing.assert_allclose(probability, alone.predict_proba(other), rtol=1e-10)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("far", [1e10, 1e160, 1e308])
def test_rows_far_out_go_to_a_class(kind, far):
    X = RNG.normal(size=(60, 2))
    y = np.repeat([0, 1], 30)
    X[y == 1] = 10 + 3 * X[y == 1]  # far out, the wider class is the likelier one
    model = GaussianDiscriminant(covariance=kind).fit(X, y)
    rows = np.array([[far, far], [far, far / 2]])
    np.testing.assert_array_equal(model.predict_proba(rows), [[0, 1]] * 2)
    behind = 0 if "shared" in kind else 1
    np.testing.assert_array_equal(model.predict(-rows), [behind] * 2)
    for values in (model.joint_log_proba(rows), model.log_marginal(rows)):
        assert not np.isnan(values).any()
        assert (values < -1e10).all()


def test_log_odds_far_out_keep_their_digits():
    # Unit variance, means -1 and 1: the log-odds are 2 x. The distances squared have 20 digits.
    model = GaussianDiscriminant(covariance="shared").fit([[-2.0], [0], [0], [2]], [0, 0, 1, 1])
    log_proba = model.predict_log_proba([[1e10], [-1e10]])
    np.testing.assert_allclose(log_proba, [[-2e10, 0], [0, -2e10]], rtol=1e-14)


@pytest.mark.parametrize("kind", ["full", "spherical"])
def test_rows_far_out_never_go_to_a_class_of_prior_zero(kind):
    X = RNG.normal(size=(60, 2)) * np.repeat([1.0, 5.0, 2.0], 20)[:, np.newaxis]
    model = GaussianDiscriminant(covariance=kind, priors=[0.5, 0.0, 0.5])
    model.fit(X, np.repeat([0, 1, 2], 20))
    np.testing.assert_array_equal(model.predict_proba([[1e200, 1e250]]), [[0.0, 0.0, 1.0]])


@pytest.mark.parametrize("kind", KINDS)
def test_densities_far_out(kind):
    model = GaussianDiscriminant(covariance=kind).fit([[-2.0], [0], [0], [2]], [0, 0, 1, 1])
    for power in (90, 99, 101, 110, 300, 500):  # on both sides of where rows get units of their own
        joint = model.joint_log_proba([[2.0**power]])
        np.testing.assert_allclose(joint, [[-(2.0 ** (2 * power - 1))] * 2], rtol=1e-14)


def test_a_zero_far_out():
    units = np.array([1e-300, 1.0])  # 0 is no multiple of the first: it must not set the row's unit
    rows = RNG.normal(size=(60, 2)) * np.repeat([1.0, 5.0], 30)[:, np.newaxis]
    model = GaussianDiscriminant().fit(rows * units, np.repeat([0, 1], 30))
    np.testing.assert_array_equal(model.predict_proba([[0.0, 1e40]]), [[0.0, 1.0]])


def fails(X, y, **parameters):
    with pytest.raises(ValueError, match="is singular") as caught:
        GaussianDiscriminant(**parameters).fit(X, y)
    return str(caught.value)


def test_collinear_columns():
    wide = np.column_stack([X, X @ [0.1, 0.7]])
    assert fails(wide, Y) == (
        "the covariance of class 'a', from 4 samples of 3 feature(s), is singular: column 2 is a "
        "linear combination of the columns before it; raise shrinkage or raise blend or choose "
        'covariance="diagonal" or pass fewer columns'
    )
    message = fails(wide, Y, covariance="shared")
    assert "the pooled covariance of 2 class(es)" in message
    assert 'raise shrinkage or choose covariance="shared_diagonal" or pass fewer' in message
    for parameters in ({"shrinkage": 1e-6}, {"covariance": "diagonal"}):
        model = GaussianDiscriminant(**parameters).fit(wide, Y)
        assert np.isfinite(model.predict_log_proba(wide)).all()


@pytest.mark.parametrize("value", [0.1, 1 / 3, 1e-300, 0.0, 1e300])
def test_a_constant_column(value):
    # The sum of three tenths is not three times a tenth: rounding must not pass for variance.
    y = np.array(list("aaabbbb"))
    with_constant = np.column_stack([np.where(y == "a", value, X[1:, 0]), X[1:, 1]])
    message = fails(with_constant, y)
    assert "class 'a', from 3 samples of 2 feature(s), is singular: column 0 does not" in message
    assert "raise shrinkage or raise blend or pass fewer columns" in message
    assert fails(with_constant, y, covariance="diagonal") == message
    if abs(value) < 1e10:  # else it is also the unit that the others vanish beside
        GaussianDiscriminant(blend=0.1).fit(with_constant, y)
        GaussianDiscriminant(covariance="shared").fit(with_constant, y)


@given(
    value=st.floats(-1e6, 1e6),
    weights=st.lists(st.floats(0.01, 100), min_size=4, max_size=4),
    kind=st.sampled_from(["full", "diagonal"]),
)
def test_no_weighting_makes_a_constant_column_vary(value, weights, kind):
    rows = np.column_stack([X[:4, 0], np.full(4, value)])
    with pytest.raises(ValueError, match="column 1 does not vary"):
        GaussianDiscriminant(covariance=kind).fit(rows, Y[:4], sample_weight=weights)


@pytest.mark.parametrize("kind", KINDS)
def test_an_offset_takes_no_digits(kind):
    plain = GaussianDiscriminant(covariance=kind).fit(X, Y)
    moved = GaussianDiscriminant(covariance=kind).fit(X + 2.0**40, Y)
    np.testing.assert_array_equal(moved.covariance_, plain.covariance_)
    np.testing.assert_allclose(moved.predict_proba(X + 2.0**40), plain.predict_proba(X), rtol=1e-10)


def test_one_row_in_a_class():
    rows, y = np.vstack([X, [[7.0, 7.0]]]), np.append(Y, "c")
    message = fails(rows, y)
    assert message.startswith("the covariance of class 'c', from 1 sample of 2 feature(s), is")
    assert message.endswith("no column varies; raise blend or pass other columns")
    assert fails(rows, y, shrinkage=0.5) == message
    assert fails(rows, y, covariance="spherical") == message
    for parameters in ({"blend": 0.5}, {"covariance": "shared"}):
        model = GaussianDiscriminant(**parameters).fit(rows, y)
        assert model.predict([[7.0, 7.0]]) == ["c"]


@pytest.mark.parametrize("shape", [(5, 40), (30, 31), (30, 300)])
@pytest.mark.parametrize("kind", ["full", "shared"])
def test_more_columns_than_rows(kind, shape):
    rows, y = RNG.normal(size=shape) + 100, np.zeros(shape[0])
    assert "linear combination" in fails(rows, y, covariance=kind)
    model = GaussianDiscriminant(covariance=kind, shrinkage=0.1).fit(rows, y)
    assert np.isfinite(model.joint_log_proba(rows)).all()


def test_nothing_varies():
    rows = np.repeat([[1.0, 2.0], [3.0, 4.0]], 3, axis=0)
    message = fails(rows, list("aaabbb"), covariance="shared", shrinkage=0.5)
    assert message.endswith("no column varies; pass other columns")
    assert fails(rows, list("aaabbb"), blend=0.5).endswith("varies; pass other columns")


def test_one_class():
    for kind in KINDS:
        model = GaussianDiscriminant(covariance=kind).fit(X, ["only"] * 8)
        np.testing.assert_array_equal(model.predict_proba(X), np.ones((8, 1)))


def test_a_class_of_weight_zero_is_absent():
    weights = np.where(Y == "a", 1.0, 0.0)
    model = GaussianDiscriminant().fit(X, Y, sample_weight=weights)
    np.testing.assert_array_equal(model.classes_, ["a"])
    np.testing.assert_array_equal(model.means_, [X[:4].mean(axis=0)])
    with pytest.raises(ValueError, match="nothing to learn from"):
        GaussianDiscriminant(class_weight={"a": 0.0}).fit(X, Y, sample_weight=weights)


@pytest.mark.parametrize("size", [1e-320, 1e-300, 1e300])
def test_sizes_of_weights_do_not_matter(size):
    expected = GaussianDiscriminant().fit(X, Y).covariance_
    model = GaussianDiscriminant().fit(X, Y, sample_weight=np.full(8, size))
    np.testing.assert_allclose(model.covariance_, expected, rtol=1e-13)
    with pytest.raises(ValueError, match="sample_weight adds up to more than 1e308"):
        GaussianDiscriminant().fit(X, Y, sample_weight=np.full(8, 1e308))


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"covariance": "round"}, ValueError, "covariance must be one of \"full\", .* got 'round'"),
        ({"covariance": None}, ValueError, "covariance must be one of"),
        ({"shrinkage": -0.1}, ValueError, "shrinkage must be from 0 to 1, got -0.1"),
        ({"shrinkage": np.nan}, ValueError, "shrinkage must be from 0 to 1, got nan"),
        ({"shrinkage": "auto"}, TypeError, "shrinkage must be a number from 0 to 1"),
        ({"blend": 1.5}, ValueError, "blend must be from 0 to 1, got 1.5"),
        ({"blend": True}, TypeError, "blend must be a number from 0 to 1"),
        ({"covariance": "shared", "blend": 0.5}, ValueError, "blend must be 0 with covariance="),
        ({"priors": [0.2, 0.3, 0.5]}, ValueError, "Number of priors must match number of classes"),
        ({"priors": [0.5, 0.6]}, ValueError, "The sum of the priors should be 1"),
        ({"priors": [np.nan, 0.6]}, ValueError, "The sum of the priors should be 1"),
        ({"priors": [-0.5, 1.5]}, ValueError, "Priors must be non-negative"),
        ({"priors": [0.5, 0.5], "prior_alpha": 1.0}, ValueError, "priors or prior_alpha, not both"),
        ({"prior_alpha": -1.0}, ValueError, "prior_alpha must be finite and >= 0"),
        ({"class_weight": "even"}, ValueError, "class_weight must be"),
        ({"n_jobs": 0}, ValueError, "n_jobs must not be 0"),
    ],
)
def test_bad_parameters(parameters, error, message):
    with pytest.raises(error, match=message):
        GaussianDiscriminant(**parameters).fit(X, Y)


@pytest.mark.parametrize(
    ("rows", "labels", "error", "message"),
    [
        (sp.csr_array(X), Y, TypeError, "dense data is required"),
        (np.where(X == 4, np.nan, X), Y, ValueError, "Input X contains NaN"),
        (np.where(X == 4, np.inf, X), Y, ValueError, "Input X contains infinity"),
        (X[:0], Y[:0], ValueError, "Found array with 0 sample"),
        (X[:, :0], Y, ValueError, "Found array with 0 feature"),
        (X.ravel(), Y, ValueError, "Expected 2D array"),
        (X, Y[:5], ValueError, "inconsistent numbers of samples"),
        (X, None, ValueError, "requires y"),
        (X, X[:, 0] + 0.5, ValueError, "continuous"),
    ],
)
def test_bad_data_leave_the_model_as_it_was(rows, labels, error, message):
    model = GaussianDiscriminant()
    frame = pd.DataFrame(X, columns=["left", "right"])
    before = pickle.dumps(vars(model.fit(frame, Y)))
    with pytest.raises(error, match=message):
        model.fit(rows, labels)
    assert pickle.dumps(vars(model)) == before


def test_singular_data_leave_the_model_as_it_was():
    model = GaussianDiscriminant().fit(X, Y)
    before = model.predict_proba(X)
    with pytest.raises(ValueError, match="singular"):
        model.fit(np.ones((6, 3)), list("xxxyyy"))
    np.testing.assert_array_equal(model.predict_proba(X), before)


def test_unfitted_wrong_width_and_names():
    model = GaussianDiscriminant()
    for method in ("predict", "predict_proba", "joint_log_proba", "log_marginal", "sample"):
        with pytest.raises(NotFittedError):
            getattr(model, method)(1 if method == "sample" else X)
    model.fit(pd.DataFrame(X, columns=["left", "right"]), Y)
    np.testing.assert_array_equal(model.feature_names_in_, ["left", "right"])
    assert not hasattr(model.fit(X, Y), "feature_names_in_")
    with pytest.raises(ValueError, match="X has 3 features, but GaussianDiscriminant is expecting"):
        model.predict(np.ones((2, 3)))


def test_a_parameter_changed_after_the_fit_waits_for_the_next():
    model = GaussianDiscriminant().fit(X, Y)
    before = model.predict_proba(X)
    model.set_params(covariance="shared")
    np.testing.assert_array_equal(model.predict_proba(X), before)
    assert not hasattr(model, "weights_")


def test_pickle():
    for kind in KINDS:
        model = GaussianDiscriminant(covariance=kind).fit(X, Y)
        copy = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(copy.predict_proba(X), model.predict_proba(X))


# Their data: a column that is constant within every class, or 30 columns of 15 rows.
SINGULAR = {
    "check_sample_weights_shape",
    "check_sample_weights_not_overwritten",
    "check_sample_weight_equivalence_on_dense_data",
}


@parametrize_with_checks(
    [
        GaussianDiscriminant(),
        GaussianDiscriminant(shrinkage=0.1, blend=0.1),
        GaussianDiscriminant(covariance="shared", shrinkage=0.1),
        GaussianDiscriminant(covariance="diagonal", shrinkage=0.1, blend=0.1),
        GaussianDiscriminant(covariance="shared_diagonal", shrinkage=0.1),
        GaussianDiscriminant(covariance="spherical", blend=0.1),
    ]
)
def test_scikit_learns_estimator_checks(estimator, check):
    name = check.func.__name__
    if name == "check_array_api_input":
        return  # runs only where SciPy was imported in its array API mode; we take NumPy arrays
    if name in SINGULAR and not estimator.shrinkage and not estimator.blend:
        with pytest.raises(ValueError, match="is singular"):
            check(estimator)
        return
    check(estimator)

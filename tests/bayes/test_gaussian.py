"""GaussianNB: formulas, invariances, thread counts, odd input."""

import pickle

import mpmath
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from wordodds import GaussianNB

from .problems import FORMS, assert_close_moments, assert_same_moments
from .problems import MEASURED as X
from .problems import MEASURED_LABELS as Y


@pytest.mark.parametrize("form", FORMS)
def test_formula_by_hand(form):
    weights = [1.0, 2.0, 0.5, 1.0, 1.0, 3.0]
    model = GaussianNB(var_smoothing=1e-3).fit(form(X), Y, weights)
    joint = model.joint_log_proba(form(X))
    with mpmath.workdps(40):
        exact = [mpmath.mpf(weight) for weight in weights]
        columns = [[mpmath.mpf(value) for value in column] for column in X.T.tolist()]

        def moments(values, weights):
            total = mpmath.fsum(weights)
            mean = mpmath.fsum(v * w for v, w in zip(values, weights, strict=True)) / total
            squares = (w * (v - mean) ** 2 for v, w in zip(values, weights, strict=True))
            return mean, mpmath.fsum(squares) / total

        epsilon = mpmath.mpf("1e-3") * max(moments(column, exact)[1] for column in columns)
        for c, rows in enumerate([slice(3, 6), slice(0, 3)]):
            prior = mpmath.fsum(exact[rows]) / mpmath.fsum(exact)
            for i in range(len(X)):
                expected = mpmath.log(prior)
                for j, column in enumerate(columns):
                    mean, variance = moments(column[rows], exact[rows])
                    variance += epsilon
                    expected -= mpmath.log(2 * mpmath.pi * variance) / 2
                    expected -= (column[i] - mean) ** 2 / variance / 2
                    assert abs(model.theta_[c, j] - mean) < 1e-14
                    assert abs(model.var_[c, j] - variance) < 1e-14
                assert abs(joint[i, c] - expected) < 1e-12 * abs(expected)


def test_same_bits_for_any_thread_count_and_instruction_set(instruction_set):
    rng = np.random.default_rng(3)
    sparse = sp.random_array((1500, 200), density=0.05, rng=rng).tocsr()
    y = rng.integers(0, 21, 1500)
    for data in (sparse, sparse.toarray(), sparse.toarray().astype(np.float32)):
        one = GaussianNB(n_jobs=1).fit(data, y)
        expected = BITS.setdefault(str((type(data), data.dtype)), one.predict_log_proba(data))
        for n_jobs in (1, 2, 5):
            model = GaussianNB(n_jobs=n_jobs).fit(data, y)
            assert_same_moments(model, one)
            np.testing.assert_array_equal(model.predict_log_proba(data), expected)


BITS = {}  # of the first instruction set; the others must have the same


@pytest.mark.parametrize("form", FORMS)
def test_constant_data_is_defined(form):
    constant = np.tile([0.1, 0.0, -7.0], (6, 1))
    model = GaussianNB().fit(form(constant), Y)
    assert model.epsilon_ == 0.0
    np.testing.assert_array_equal(model.var_, 0.0)
    np.testing.assert_allclose(model.joint_log_proba(form(constant)), np.full((6, 2), -np.log(2)))
    other = form(constant + np.array([0.0, 1e-9, 0.0]))
    np.testing.assert_array_equal(model.joint_log_proba(other), -np.inf)
    np.testing.assert_array_equal(model.predict_proba(other), 0.5)


@pytest.mark.parametrize("form", FORMS)
def test_without_smoothing_a_constant_feature_is_a_point_mass(form):
    x = np.array([[5.0, 1], [5, 2], [0, 1], [0, 4], [1, 1], [3, 2]])
    model = GaussianNB(var_smoothing=0).fit(form(x), list("aabbcc"))
    joint = model.joint_log_proba(form(x))
    assert not np.isnan(joint).any()
    np.testing.assert_array_equal(
        np.isneginf(joint), [[0, 1, 0]] * 2 + [[1, 0, 0]] * 2 + [[1, 1, 0]] * 2
    )
    # Without the feature the class is the same.
    rest = GaussianNB(var_smoothing=0).fit(form(x[:, 1:]), list("aabbcc"))
    np.testing.assert_allclose(joint[:2, 0], rest.joint_log_proba(form(x[:, 1:]))[:2, 0])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("factor", [1e-150, 1e-100, 1e-10, 1e10, 1e100, 1e150])
def test_scale_changes_nothing(form, factor):
    data, y = load_iris(return_X_y=True)
    expected = GaussianNB().fit(data, y).predict_proba(data)
    model = GaussianNB().fit(form(data * factor), y)
    np.testing.assert_allclose(model.predict_proba(form(data * factor)), expected, atol=1e-9)


@pytest.mark.parametrize("form", FORMS)
def test_beyond_all_numbers(form):
    data, y = load_iris(return_X_y=True)
    for factor in (1e160, 1e305):
        with pytest.raises(ValueError, match="scale X or sample_weight down"):
            GaussianNB().fit(form(data * factor), y)
    for factor in (1e-160, 1e-200, 1e-300):
        with pytest.raises(ValueError, match="too little to be squared: scale X up"):
            GaussianNB().fit(form(data * factor), y)
    with pytest.raises(ValueError, match="scale X or sample_weight down"):
        GaussianNB().fit(form(np.array([[1.7e308], [-1.7e308]])), [0, 1])
    with pytest.raises(ValueError, match="scale X or sample_weight down"):
        GaussianNB().fit(form(data), y, np.full(150, 1e307))
    model = GaussianNB().fit(form(data), y)
    proba = model.predict_proba(form(np.array([[1.7e308, 0, -1.7e308, 1]])))
    np.testing.assert_allclose(proba.sum(), 1.0)


def test_tiny_features_beside_large_ones_do_not_matter():
    data, y = load_iris(return_X_y=True)
    expected = GaussianNB().fit(data, y).predict(data)
    data = np.hstack([data, data[:, :1] * 1e-200])
    np.testing.assert_array_equal(GaussianNB().fit(data, y).predict(data), expected)
    # A constant beside numbers of 1e-150: its squares over the variance overflow.
    data = np.hstack([data[:, :4] * 1e-150, np.ones((150, 1))])
    for form in FORMS:
        model = GaussianNB().fit(form(data), y)
        assert (model.predict(form(data)) == expected).mean() > 0.99
        assert np.isfinite(model.predict_proba(form(data[:, ::-1]))).all()


@pytest.mark.parametrize("value", [np.float32, np.float64, np.int64, np.int8, np.uint16, bool])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_every_dtype(value, index):
    x = np.abs(X).astype(value)
    sparse = sp.csr_array(x)
    sparse.indices, sparse.indptr = sparse.indices.astype(index), sparse.indptr.astype(index)
    expected = GaussianNB().fit(x.astype(np.float64), Y)
    for data in (x, sparse, np.asfortranarray(x), x.tolist()):
        model = GaussianNB().fit(data, Y)
        assert_close_moments(model, expected)
        np.testing.assert_allclose(model.joint_log_proba(data), expected.joint_log_proba(x))


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
@pytest.mark.parametrize("kind", ["array", "matrix"])
def test_every_sparse_format(form, kind):
    data = getattr(sp, f"{form}_{kind}")(X)
    expected = GaussianNB().fit(sp.csr_array(X), Y)
    assert_close_moments(GaussianNB().fit(data, Y), expected)
    np.testing.assert_allclose(expected.joint_log_proba(data), expected.joint_log_proba(X))


@pytest.mark.parametrize("value", [np.float32, np.int64])
def test_repeated_entries_are_one_value(value):
    indptr, indices = np.array([0, 4, 5, 7]), np.array([2, 0, 2, 0, 1, 1, 2])
    data = np.array([1, 3, 4, -3, 2, 0, 6], dtype=value)
    for array in (indptr, indices, data):
        array.flags.writeable = False
    repeated = sp.csr_array((data, indices, indptr), shape=(3, 3))
    repeated.has_canonical_format = True  # a lie
    dense = np.array([[0.0, 0, 5], [0, 2, 0], [0, 0, 6]])
    model = GaussianNB().fit(repeated, [0, 0, 1])
    assert_close_moments(model, GaussianNB().fit(dense, [0, 0, 1]))
    np.testing.assert_allclose(
        model.joint_log_proba(repeated), model.joint_log_proba(dense), rtol=1e-9
    )
    assert data.tolist() == [1, 3, 4, -3, 2, 0, 6]


def test_malformed_matrices_are_refused():
    model = GaussianNB().fit(X, Y)
    for field, position, wrong in (("indices", 1, 99), ("indices", 0, -1), ("indptr", 1, 10**6)):
        bad = sp.csr_array(X)
        getattr(bad, field)[position] = wrong
        for call in (
            lambda bad=bad: GaussianNB().fit(bad, Y),
            lambda bad=bad: model.predict(bad),
            lambda bad=bad: model.partial_fit(bad, Y),
            lambda bad=bad: model.forget(bad, Y),
        ):
            with pytest.raises(ValueError, match="X is not a valid matrix"):
                call()
    for wrong in (np.nan, np.inf):
        bad = X.copy()
        bad[1, 0] = wrong
        for form in FORMS:
            with pytest.raises(ValueError, match=r"NaN|infinity"):
                model.predict(form(bad))
    for shape in ((0, 3), (3, 0)):
        with pytest.raises(ValueError, match="while a minimum of 1 is required"):
            GaussianNB().fit(sp.csr_array(shape), [0] * shape[0])


def test_failures_leave_the_model_as_it_was():
    model = GaussianNB().fit(X, Y)
    before = pickle.dumps(model)
    for call in (
        lambda: model.fit(X * np.nan, Y),
        lambda: model.fit(X[:, :2] * 1e200, Y),
        lambda: model.fit(X, Y, sample_weight=-np.ones(6)),
        lambda: model.fit(X, Y, sample_weight=np.zeros(6)),
        lambda: model.partial_fit(X[:, :2], Y),
        lambda: model.partial_fit(X, Y[:2]),
        lambda: model.partial_fit(X, ["new"] * 6),
        lambda: model.partial_fit(X * 1e200, Y),
        lambda: model.partial_fit(X, Y, classes=["low", "other"]),
    ):
        with pytest.raises(ValueError, match=r".") as caught:
            call()
        assert caught.value.args
        assert pickle.dumps(model) == before
    model.priors = [0.5, 0.25, 0.25]
    with pytest.raises(ValueError, match="Number of priors"):
        model.partial_fit(X, Y)
    model.priors = None
    assert pickle.dumps(model) == before


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"var_smoothing": -1.0}, ValueError, "var_smoothing must be finite and >= 0, got -1.0"),
        ({"var_smoothing": np.inf}, ValueError, "var_smoothing must be finite"),
        ({"var_smoothing": np.nan}, ValueError, "var_smoothing must be finite"),
        ({"var_smoothing": 10**400}, ValueError, "var_smoothing must be finite"),
        ({"var_smoothing": "1"}, TypeError, "var_smoothing must be a number"),
        (
            {"priors": [0.5, 0.5], "prior_alpha": 1.0},
            ValueError,
            "pass priors or prior_alpha, not both",
        ),
        ({"prior_alpha": -1.0}, ValueError, "prior_alpha must be finite and >= 0"),
        ({"class_weight": {"low": 0, "high": 0}}, ValueError, "nothing to learn from"),
        ({"class_weight": "equal"}, ValueError, "class_weight must be"),
        ({"n_jobs": 0}, ValueError, "n_jobs must not be 0"),
    ],
)
def test_bad_parameters(parameters, error, message):
    with pytest.raises(error, match=message):
        GaussianNB(**parameters).fit(X, Y)


def test_priors_and_class_weights():
    y = np.array(["low"] * 2 + ["high"] * 4)
    smoothed = GaussianNB(prior_alpha=1.0).fit(X, y)
    np.testing.assert_allclose(smoothed.class_prior_, [5 / 8, 3 / 8])
    balanced = GaussianNB(class_weight="balanced").fit(X, y)
    np.testing.assert_allclose(balanced.class_prior_, [0.5, 0.5])
    weighted = GaussianNB(class_weight={"low": 3.0}).fit(X, y)
    assert_same_moments(weighted, GaussianNB().fit(X, y, [3.0, 3, 1, 1, 1, 1]))
    pieces = GaussianNB(class_weight={"low": 3.0}).partial_fit(X[:2], y[:2], ["low", "high"])
    assert_close_moments(pieces.partial_fit(X[2:], y[2:]), weighted)
    with pytest.raises(ValueError, match="needs all documents at once"):
        GaussianNB(class_weight="balanced").partial_fit(X, y, ["low", "high"])


@pytest.mark.parametrize("form", FORMS)
def test_a_class_without_weight(form):
    model = GaussianNB().partial_fit(form(X), Y, classes=["absent", "high", "low"])
    assert model.class_count_.tolist() == [0.0, 3.0, 3.0]
    np.testing.assert_array_equal(model.theta_[0], 0.0)
    np.testing.assert_array_equal(model.var_[0], model.epsilon_)
    np.testing.assert_array_equal(model.predict_proba(form(X))[:, 0], 0.0)
    np.testing.assert_array_equal(
        model.predict_proba(form(X))[:, 1:], GaussianNB().fit(form(X), Y).predict_proba(form(X))
    )


def test_samples_follow_the_model():
    model = GaussianNB(priors=[0.2, 0.8]).fit(X, Y)
    drawn, y = model.sample(20_000, random_state=0)
    assert drawn.shape == (20_000, 3)
    np.testing.assert_allclose((y == "high").mean(), 0.2, atol=0.015)
    for c, label in enumerate(model.classes_):
        np.testing.assert_allclose(drawn[y == label].mean(axis=0), model.theta_[c], atol=0.15)
        np.testing.assert_allclose(drawn[y == label].var(axis=0), model.var_[c], rtol=0.08)
    again = model.sample(20_000, random_state=np.random.default_rng(0))
    np.testing.assert_array_equal(again[0], drawn)
    old = [model.sample(5, random_state=np.random.RandomState(1))[0] for _ in range(2)]
    np.testing.assert_array_equal(*old)
    assert model.sample(0)[0].shape == (0, 3)
    for n in (-1, 2.5, True):
        with pytest.raises(ValueError, match="n must be a whole number >= 0"):
            model.sample(n)
    with pytest.raises(NotFittedError):
        GaussianNB().sample(3)


def test_a_damaged_state_is_refused():
    for name, wrong in (
        ("_table", lambda array: array[:1]),
        ("_table", lambda array: np.ascontiguousarray(array[:, :, :4])),
        ("_summary", lambda array: array[:2]),
    ):
        model = GaussianNB().fit(X, Y)
        model.__setstate__(model.__getstate__() | {name: wrong(getattr(model, name))})
        for form in FORMS:
            with pytest.raises(ValueError, match=r"expecting 1 features|kernel expects"):
                model.predict(form(X))


def test_pickle():
    model = GaussianNB().fit(X, Y)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict_proba(X), model.predict_proba(X))
    assert_same_moments(copy.partial_fit(X, Y), model.partial_fit(X, Y))


@parametrize_with_checks([GaussianNB()])
def test_scikit_learns_estimator_checks(estimator, check):
    if check.func.__name__ == "check_array_api_input":
        return  # runs only where SciPy was imported in its array API mode; we take NumPy arrays
    check(estimator)


def test_a_table_that_fills_the_memory_is_refused():
    wide = sp.csr_array((3, 200_000_000))
    with pytest.raises(MemoryError, match="3 classes x 200000000 features would take 5 GB"):
        GaussianNB().fit(wide, [0, 1, 2])

"""What SGDClassifier makes of bad parameters, strange numbers and damaged matrices."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from wordodds import SGDClassifier

from .problems import KINDS, LOSSES, assert_same_model, some_rows

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"loss": "log"}, "loss must be one of 'log_loss', .* got 'log'"),
        ({"loss": 3}, "loss must be one of"),
        ({"penalty": "l3"}, "penalty must be one of 'l2', .* got 'l3'"),
        ({"learning_rate": "fast"}, "learning_rate must be one of"),
        ({"alpha": -1.0}, "alpha must be a number >= 0.0, got -1.0"),
        ({"alpha": np.nan}, "alpha must be a number >= 0.0, got nan"),
        ({"alpha": np.inf}, "alpha must be a number >= 0.0, got inf"),
        ({"alpha": 0.0}, "alpha must be > 0 since learning_rate is 'optimal'"),
        ({"eta0": 0.0}, "eta0 must be a number > 0.0, got 0.0"),
        ({"power_t": -1.0}, "power_t must be a number >= 0.0"),
        ({"l1_ratio": 1.5}, "l1_ratio must be a number >= 0.0 and <= 1.0, got 1.5"),
        ({"penalty": "elasticnet", "l1_ratio": None}, "l1_ratio must be set"),
        ({"max_iter": 0}, "max_iter must be a whole number >= 1, got 0"),
        ({"max_iter": 2.5}, "max_iter must be a whole number >= 1, got 2.5"),
        ({"tol": -1e-3}, "tol must be a number >= 0.0"),
        ({"n_iter_no_change": 0}, "n_iter_no_change must be a whole number >= 1"),
        ({"validation_fraction": 1.0}, "validation_fraction must be < 1"),
        ({"shuffle": "yes"}, "shuffle must be a bool, got 'yes'"),
        ({"average": -1}, "average must be a whole number >= 0, got -1"),
        ({"dtype": np.int32}, "dtype must be float64 or float32, got <class 'numpy.int32'>"),
        ({"max_time": -1.0}, "max_time must be a number >= 0.0, got -1.0"),
        ({"learning_rate": "adagrad", "average": True}, "average must be False with"),
    ],
)
def test_a_bad_parameter_is_named(parameters, message):
    X, y = some_rows()
    with pytest.raises(ValueError, match=message):
        SGDClassifier(**parameters).fit(X, y)


def test_labels_and_classes():
    X, y = some_rows()
    with pytest.raises(ValueError, match=r"greater than one; got 1 class"):
        SGDClassifier().fit(X, np.zeros(150))
    with pytest.raises(ValueError, match=r"greater than one; got 1 class"):
        SGDClassifier().partial_fit(X, np.zeros(150), classes=[0])
    with pytest.raises(ValueError, match="weight of every row is zero"):
        SGDClassifier().fit(X, y, sample_weight=np.zeros(150))
    with pytest.raises(ValueError, match="classes must be passed"):
        SGDClassifier().partial_fit(X, y)
    with pytest.raises(ValueError, match="early_stopping should be False with partial_fit"):
        SGDClassifier(early_stopping=True).partial_fit(X, y, classes=range(4))
    with pytest.raises(ValueError, match="class_weight 'balanced' is not supported"):
        SGDClassifier(class_weight="balanced").partial_fit(X, y, classes=range(4))
    model = SGDClassifier().partial_fit(X, y, classes=range(4))
    with pytest.raises(ValueError, match=r"\[7\] in y do not exist"):
        model.partial_fit(X, y + 4 * (y == 3), classes=range(4))
    with pytest.raises(ValueError, match="39 features"):
        model.partial_fit(X[:, :-1], y)


def test_string_labels():
    X, y = some_rows(3)
    names = np.array(["red", "amber", "green"])
    model = SGDClassifier("log_loss", random_state=0).fit(X, names[y])
    assert list(model.classes_) == ["amber", "green", "red"]
    assert (model.predict(X) == names[y]).mean() > 0.7


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_feature_scales_from_tiny_to_huge(loss, kind):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 6)) * np.array([1e-200, 1e-100, 1.0, 1e50, 1e150, 1e200])
    y = rng.integers(0, 3, 60)
    before = SGDClassifier(loss, random_state=0, max_iter=20, **kind).fit(X[:, :3], y)
    coef = before.coef_.copy()
    for columns in (slice(0, 3), slice(2, 4), slice(0, 6), slice(4, 6)):
        model = clone(before)
        refused = ""
        try:
            model.fit(X[:, columns], y)
        except ValueError as error:
            refused = str(error)
        if refused:
            assert "Scaling input data" in refused
            assert not hasattr(model, "classes_")
        else:
            assert np.isfinite(model.coef_).all()
            assert np.isfinite(model.intercept_).all()
    np.testing.assert_array_equal(before.coef_, coef)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_a_batch_that_overflows_leaves_the_model_as_before_that_row(kind):
    X, y = some_rows()
    X = X[:40].toarray()
    X[30] = 1e250
    model = SGDClassifier("log_loss", shuffle=False, **kind)
    expected = clone(model).partial_fit(X[:30], y[:30], classes=range(4))
    broken = clone(model).partial_fit(X[:10], y[:10], classes=range(4))
    with pytest.raises(ValueError, match="under-/overflow occurred at epoch #1"):
        broken.partial_fit(X[10:], y[10:40])
    assert broken.t_ == expected.t_ == 31
    np.testing.assert_allclose(broken.coef_, expected.coef_, rtol=1e-12, atol=1e-15)
    broken.partial_fit(X[31:], y[31:40])
    assert np.isfinite(broken.coef_).all()


def index_too_large(X):
    X.indices[7] = X.shape[1]


def index_negative(X):
    X.indices[7] = -1


def indptr_decreases(X):
    X.indptr[3] = X.indptr[-1] + 5


def indptr_too_long(X):
    X.indptr[-1] += 100


def lengths_differ(X):
    X.data = X.data[:-1]


def not_a_number(X):
    X.data[5] = np.nan


@pytest.mark.parametrize(
    "defect",
    [
        index_too_large,
        index_negative,
        indptr_decreases,
        indptr_too_long,
        lengths_differ,
        not_a_number,
    ],
)
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_a_damaged_matrix_raises_everywhere(defect, index):
    X, y = some_rows()
    X.indptr, X.indices = X.indptr.astype(index), X.indices.astype(index)
    model = SGDClassifier("log_loss", random_state=0).fit(X, y)
    damaged = X.copy()
    defect(damaged)
    calls = [SGDClassifier().fit, model.fit, model.partial_fit, lambda X, y: model.predict(X)]
    for call in calls:
        with pytest.raises(ValueError, match="X is not a valid matrix"):
            call(damaged, y)
    assert_same_model(model, SGDClassifier("log_loss", random_state=0).fit(X, y))


def test_rows_and_matrices_of_nothing():
    model = SGDClassifier("log_loss", random_state=0)
    X = sp.csr_array((6, 4))
    fitted = clone(model).fit(X, [0, 1, 2, 0, 1, 2])
    np.testing.assert_array_equal(fitted.coef_, 0.0)
    for shape in ((0, 4), (4, 0)):
        with pytest.raises(ValueError, match="a minimum of 1 is required"):
            clone(model).fit(sp.csr_array(shape), np.arange(shape[0]))


def test_parameters_may_change_between_batches():
    X, y = some_rows()
    model = SGDClassifier("log_loss", shuffle=False).partial_fit(X, y, classes=range(4))
    usual = {"average": False, "dtype": np.float64, "learning_rate": "optimal", "penalty": "l2"}
    for change in (*KINDS, {}):
        before = model.score(X, y)
        model.set_params(**{**usual, **change}).partial_fit(X, y)
        assert np.isfinite(model.coef_).all()
        assert model.score(X, y) > before - 0.3


@pytest.mark.parametrize("penalty", ["l2", "l1"])
@pytest.mark.parametrize("learning_rate", ["optimal", "adagrad"])
def test_stored_zeros_are_as_good_as_absent(penalty, learning_rate):
    X, y = some_rows()
    X = sp.csr_matrix(X)
    dense = X.toarray()
    zeros = sp.csr_matrix(
        (
            dense.ravel(),
            np.tile(np.arange(X.shape[1]), len(dense)),
            np.arange(len(dense) + 1) * X.shape[1],
        ),
        shape=X.shape,
    )
    assert zeros.nnz > X.nnz
    model = SGDClassifier(
        "log_loss", penalty=penalty, learning_rate=learning_rate, eta0=0.1, random_state=0
    )
    assert_same_model(clone(model).fit(X, y), clone(model).fit(zeros, y))


def test_the_types_of_the_matrix_leave_no_trace():
    X, y = some_rows()
    X = sp.csr_matrix(X).astype(np.float32)  # numbers that both types hold
    wide = X.astype(np.float64)
    wide.indices, wide.indptr = wide.indices.astype(np.int64), wide.indptr.astype(np.int64)
    model = SGDClassifier("log_loss", random_state=0)
    expected = clone(model).fit(X.astype(np.float64), y)
    assert_same_model(clone(model).fit(X, y), expected)
    assert_same_model(clone(model).fit(wide, y), expected)


def test_the_type_of_the_weights_may_be_a_name():
    X, y = some_rows()
    by_name = SGDClassifier(dtype="float32", random_state=0).fit(X, y)
    assert by_name.coef_.dtype == np.float32
    assert_same_model(by_name, SGDClassifier(dtype=np.float32, random_state=0).fit(X, y))
    with pytest.raises(ValueError, match="dtype must be float64 or float32, got 'quick'"):
        SGDClassifier(dtype="quick").fit(X, y)

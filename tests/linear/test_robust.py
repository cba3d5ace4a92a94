"""What linear classifiers make of misuse: nothing is lost, no NaN comes out, errors name causes."""

import copy
import threading
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize

from wordodds import BinaryRegression, LogisticRegression, SGDClassifier

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
Y = (X[:, 0] + RNG.normal(size=60) > 0).astype(int)
BATCHES = {"loss": "log_loss", "learning_rate": "constant", "random_state": 0}


def batches(model, n, **changes):
    """Learn n times from all rows, with other parameters."""
    model.set_params(**changes)
    for _ in range(n):
        model.partial_fit(X, Y, classes=[0, 1])
    return model


@pytest.mark.parametrize(
    "changes", [{"dtype": np.float32}, {"penalty": "l1", "alpha": 1e-9}, {"penalty": None}]
)
def test_an_average_goes_on_when_other_parameters_change(changes):
    model = batches(SGDClassifier(average=True, **BATCHES), 20)
    # One batch more is a twenty-first of the mean.
    expected = batches(copy.deepcopy(model), 1).coef_
    changed = batches(model, 1, **changes).coef_
    np.testing.assert_allclose(changed, expected, rtol=1e-3)


def test_an_average_that_begins_late_is_that_of_the_steps_from_then_on():
    plain = batches(SGDClassifier(shuffle=False, **BATCHES), 20)
    averaged = batches(copy.deepcopy(plain), 2, average=True)
    seen = [plain.partial_fit(X[i : i + 1], Y[i : i + 1]).coef_.copy() for i in [*range(60)] * 2]
    np.testing.assert_allclose(averaged.coef_, np.mean(seen, axis=0), rtol=1e-9)


@pytest.mark.parametrize(
    ("changes", "y"), [({"average": 1000}, Y + 5), ({"class_weight": {0: 0, 1: 0}}, Y)]
)
def test_a_batch_that_fails_changes_nothing(changes, y):
    model = batches(SGDClassifier(average=True, **BATCHES), 1)
    expected = copy.deepcopy(model)
    with pytest.raises(ValueError, match=r"do not exist|weight of every row is zero"):
        model.set_params(**changes).partial_fit(X, y)
    np.testing.assert_array_equal(model.coef_, expected.coef_)
    assert model.t_ == expected.t_


@pytest.mark.parametrize("solver", ["lbfgs", "newton-cg", "cg", "gd", "irls"])
@pytest.mark.parametrize("scale", [1e-15, 1e-20, 1e-30, 1e-200])
def test_weights_of_other_rows_are_no_start(solver, scale):
    model = LogisticRegression(C=np.inf, warm_start=True).fit(X * scale, Y)
    model.set_params(C=1.0, solver=solver, max_iter=1000).fit(X, Y)

    def objective(w):
        scores = X @ w[:4] + w[4]
        return np.logaddexp(0.0, np.where(Y, -scores, scores)).mean() + w[:4] @ w[:4] / 120.0

    best = minimize(objective, np.zeros(5), tol=1e-12).fun
    found = objective(np.r_[model.coef_[0], model.intercept_])
    assert found == pytest.approx(model.history_["objective"][-1], rel=1e-9)
    assert found <= best + 1e-6


@pytest.mark.parametrize("model", [LogisticRegression(), BinaryRegression(), SGDClassifier()])
def test_a_callback_may_be_part_of_something_that_cannot_be_copied(model):
    class Monitor:
        def __init__(self):
            self.lock, self.seen = threading.Lock(), 0

        def step(self, entry):
            self.seen += 1

    monitor = Monitor()
    model.set_params(callback=monitor.step).fit(X, Y)
    assert monitor.seen > 0


@pytest.mark.parametrize("seed", [*range(880, 940)])
def test_the_bound_of_an_l1_fit_is_one(seed):
    # Weights of such different sizes leave the intercepts not quite at their best.
    rng = np.random.default_rng(seed)
    n, p, k = int(rng.integers(6, 40)), int(rng.integers(1, 40)), int(rng.integers(2, 4))
    rows, labels = rng.normal(size=(n, p)), rng.integers(k, size=n)
    C, l1_ratio = float(10 ** rng.uniform(-3, 3)), float(rng.choice([0.5, 1.0]))
    weights = rng.random(n) * 10 ** rng.uniform(-3, 3, size=n)
    rough = LogisticRegression(C=C, l1_ratio=l1_ratio, tol=1e-12, max_iter=3)
    best = LogisticRegression(C=C, l1_ratio=l1_ratio, tol=1e-13, max_iter=5000)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        rough.fit(rows, labels, sample_weight=weights)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        best.fit(rows, labels, sample_weight=weights)
    gap = rough.history_["objective"][-1] - best.history_["objective"].min()
    for message in (str(warning.message) for warning in caught):
        if "is at most" in message:
            bound = float(message.split("is at most ")[1].split()[0])
            assert bound >= 0.0
            assert gap <= 1.1 * bound + 1e-12  # the warning has two digits of it


@pytest.mark.parametrize("Model", [LogisticRegression, BinaryRegression, SGDClassifier])
def test_a_sparse_frame_is_a_sparse_matrix(Model):
    matrix = sp.csr_matrix(np.eye(4))
    frame = pd.DataFrame.sparse.from_spmatrix(matrix, columns=list("abcd"))
    labels = [0, 1, 0, 1]
    options = {"random_state": 0}
    model = Model(**options).fit(frame, labels)
    np.testing.assert_array_equal(model.coef_, Model(**options).fit(matrix, labels).coef_)
    assert model.feature_names_in_.tolist() == list("abcd")
    np.testing.assert_array_equal(
        model.predict(frame), Model(**options).fit(matrix, labels).predict(matrix)
    )


@pytest.mark.parametrize(
    ("model", "rows"),
    [
        (LogisticRegression(C=np.inf, dtype="float32"), X * 1e-200),
        (LogisticRegression(C=np.inf), X * 1e-310),
        (
            SGDClassifier(
                "log_loss", learning_rate="adagrad", penalty=None, eta0=1e39, dtype=np.float32
            ),
            X,
        ),
    ],
)
def test_weights_beyond_all_numbers_are_refused(model, rows):
    with pytest.raises(ValueError, match=r"a weight is beyond|under-/overflow"):
        model.fit(rows, Y)
    assert not hasattr(model, "coef_")


@pytest.mark.parametrize("multi_class", ["multinomial", "ovr", "ovo"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_rows_whose_scores_overflow_have_probabilities(multi_class, n_classes):
    labels = np.arange(60) % n_classes
    rows = X + np.eye(3, 4)[labels]
    model = LogisticRegression(multi_class=multi_class, C=100.0).fit(rows, labels)
    # Products of both signs beyond 1e308; what is left after them decides.
    far = np.sign(RNG.normal(size=(20, 4))) * 1.7e308
    proba = model.predict_proba(far)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.predict(far), model.predict(far * 1e-290))
    assert np.isfinite(model.decision_function(far)).all()


def test_rows_beyond_what_float32_weights_can_take():
    model = SGDClassifier("log_loss", dtype=np.float32, random_state=0).fit(X, Y)
    model.coef_[:] = [[10.0, -10.0, 10.0, -11.0]]
    far = np.full((1, 4), 1e308)
    np.testing.assert_array_equal(model.predict_proba(far), [[1.0, 0.0]])


def test_a_warning_before_the_first_look_has_a_norm():
    with pytest.warns(match=r"its norm is 0\.\d+, tol is 0\.0001"):
        LogisticRegression(solver="dual", max_iter=0).fit(sp.csr_matrix(X), Y)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"C": 10**400}, ValueError, "C is beyond 1e308"),
        ({"verbose": None}, TypeError, "verbose must be an int, got None"),
        ({"dtype": 1.5}, ValueError, "dtype must be float32, float64 or None, got 1.5"),
        ({"solver": np.array([1, 2])}, ValueError, "solver must be one of"),
        ({"multi_class": np.array([1, 2])}, ValueError, "multi_class must be one of"),
        ({"fit_intercept": "a"}, TypeError, "fit_intercept must be a bool, got 'a'"),
        ({"warm_start": np.nan}, TypeError, "warm_start must be a bool, got nan"),
        ({"C": np.inf, "l1_ratio": 0.5, "solver": "coordinate"}, ValueError, "needs a finite C"),
    ],
)
def test_a_bad_parameter_is_named(options, error, message):
    with pytest.raises(error, match=message):
        LogisticRegression(**options).fit(X, Y)


def test_a_share_of_no_penalty_is_none():
    model = LogisticRegression(C=np.inf, l1_ratio=0.5, solver="newton-cg").fit(X, Y)
    expected = LogisticRegression(C=np.inf, solver="newton-cg").fit(X, Y)
    np.testing.assert_array_equal(model.coef_, expected.coef_)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"callback": "a"}, "callback must be callable"), ({"alpha": 10**400}, "alpha must be")],
)
def test_a_bad_parameter_of_sgd_is_named(options, message):
    with pytest.raises(ValueError, match=message):
        SGDClassifier(**options).fit(X, Y)


@pytest.mark.parametrize("label", [(1, 2), np.inf, 1j, object()])
def test_labels_that_are_neither_words_nor_numbers(label):
    labels = np.empty(60, dtype=object)
    labels[:] = [label if y else 0 for y in Y]
    with pytest.raises(ValueError, match=r"label \d+ is"):
        LogisticRegression().fit(X, labels)


@pytest.mark.parametrize("Model", [LogisticRegression, BinaryRegression, SGDClassifier])
@pytest.mark.parametrize(
    "rows",
    [["a b", "c d"], np.array([["2020"], ["2021"]], dtype="M8[Y]"), np.array([["1"], ["2"]])],
)
def test_what_is_not_numbers_is_refused(Model, rows):
    with pytest.raises(TypeError, match=r"X must hold numbers"):
        Model().fit(rows, [0, 1])


def test_repeated_entries_leave_the_type_of_the_weights():
    repeated = sp.csr_matrix((np.ones(3, np.float32), [0, 0, 1], [0, 2, 3]), shape=(2, 2))
    assert LogisticRegression().fit(repeated, [0, 1]).coef_.dtype == np.float32

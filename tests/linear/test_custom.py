"""Losses and links that users write: compiled, checked, and accepted by every solver."""

import copy
import gc
import math
import pickle
import subprocess
import sys

import numba
import numpy as np
import pytest
import scipy.optimize
from sklearn.base import clone

from wordodds import BinaryRegression, custom_link, custom_loss
from wordodds._border.execution import execution
from wordodds.linear.losses import ScalarLoss
from wordodds.linear.solvers import DESCENTS

SOLVERS = list(DESCENTS)


def logistic(y, raw):
    return max(raw, 0.0) + math.log1p(math.exp(-abs(raw))) - y * raw


def logistic_gradient(y, raw):
    return 1.0 / (1.0 + math.exp(-raw)) - y


def logistic_hessian(y, raw):
    p = 1.0 / (1.0 + math.exp(-raw))
    return p * (1.0 - p)


# A hyperbola of the margin, infinite where that is below -4.
def barrier(y, raw):
    margin = (2.0 * y - 1.0) * raw + 4.0
    return 1.0 / margin if margin > 0.0 else math.inf


def barrier_gradient(y, raw):
    margin = (2.0 * y - 1.0) * raw + 4.0
    return -(2.0 * y - 1.0) / margin**2 if margin > 0.0 else math.nan


def barrier_hessian(y, raw):
    return 2.0 / ((2.0 * y - 1.0) * raw + 4.0) ** 3


# The chance of being wrong: bounded, and not convex.
def sigmoid_loss(y, raw):
    return 1.0 / (1.0 + math.exp((2.0 * y - 1.0) * raw))


def sigmoid_gradient(y, raw):
    p = 1.0 / (1.0 + math.exp((2.0 * y - 1.0) * raw))
    return -(2.0 * y - 1.0) * p * (1.0 - p)


def sigmoid_hessian(y, raw):
    p = 1.0 / (1.0 + math.exp((2.0 * y - 1.0) * raw))
    return p * (1.0 - p) * (1.0 - 2.0 * p)


def squared_hinge(y, raw):
    return max(0.0, 1.0 - (2.0 * y - 1.0) * raw) ** 2


def squared_hinge_gradient(y, raw):
    return -2.0 * (2.0 * y - 1.0) * max(0.0, 1.0 - (2.0 * y - 1.0) * raw)


def squared_hinge_hessian(y, raw):
    return 2.0 if (2.0 * y - 1.0) * raw < 1.0 else 0.0


def cauchit(raw):
    return 0.5 + math.atan(raw - 0.25) / math.pi


def cauchit_first(raw):
    return 1.0 / (math.pi * (1.0 + (raw - 0.25) ** 2))


def cauchit_second(raw):
    return -2.0 * (raw - 0.25) / (math.pi * (1.0 + (raw - 0.25) ** 2) ** 2)


def nan_far_out(y, raw):
    return math.nan if raw > 12.0 else max(raw, 0.0) + math.log1p(math.exp(-abs(raw))) - y * raw


def raises_far_out(y, raw):
    if raw > 12.0:
        raise ValueError("too far")
    return max(raw, 0.0) + math.log1p(math.exp(-abs(raw))) - y * raw


def raises_near(y, raw):
    if raw > 1.0:
        raise ValueError("too far")
    return 0.0


LOGISTIC = (logistic, logistic_gradient, logistic_hessian)
# Compiled once for all tests that need other functions beside them.
GRADIENT, HESSIAN = numba.njit(logistic_gradient), numba.njit(logistic_hessian)
HINGE = numba.njit(squared_hinge)


@pytest.fixture(scope="module")
def losses():
    return {
        "logistic": custom_loss(*LOGISTIC),
        "barrier": custom_loss(barrier, barrier_gradient, barrier_hessian, name="barrier"),
        "sigmoid": custom_loss(sigmoid_loss, sigmoid_gradient, sigmoid_hessian, convex=False),
        "squared_hinge": custom_loss(squared_hinge, squared_hinge_gradient, squared_hinge_hessian),
    }


@pytest.fixture(scope="module")
def link():
    return custom_link(cauchit, cauchit_first, cauchit_second, convex=False)


@pytest.fixture(scope="module")
def problem():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(200, 5))
    y = (X @ rng.normal(size=5) + 0.3 + rng.logistic(size=200) > 0).astype(int)
    return X, y


def objective(function, X, y, C, point):
    losses = [function(t, z) for t, z in zip(y, X @ point[:-1] + point[-1], strict=True)]
    return (sum(losses) + 0.5 / C * point[:-1] @ point[:-1]) / len(y)


@pytest.mark.parametrize("solver", SOLVERS)
def test_what_users_write_is_as_good_as_what_is_built_in(losses, problem, solver):
    X, y = problem
    expected = BinaryRegression(solver=solver, tol=1e-9, max_iter=1000).fit(X, y)
    model = BinaryRegression(loss=losses["logistic"], solver=solver, tol=1e-9, max_iter=1000)
    model.fit(X, y)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-7)
    np.testing.assert_array_equal(model.n_iter_, expected.n_iter_)
    np.testing.assert_allclose(model.predict_proba(X), expected.predict_proba(X), rtol=1e-7)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", ["barrier", "squared_hinge"])
def test_optimum_is_that_of_scipy(losses, problem, name, solver):
    X, y = problem
    loss = losses[name]
    best = scipy.optimize.minimize(
        lambda point: objective(loss.functions[0], X, y, 2.0, point), np.zeros(6), method="BFGS"
    )
    model = BinaryRegression(loss=loss, link=None, C=2.0, solver=solver, tol=1e-8, max_iter=1000)
    model.fit(X, y)
    point = np.append(model.coef_[0], model.intercept_)
    value = objective(loss.functions[0], X, y, 2.0, point)
    assert value == pytest.approx(model.history_["objective"][-1], rel=1e-12)
    assert value == pytest.approx(best.fun, abs=1e-6)
    assert value <= best.fun + 1e-9
    np.testing.assert_array_equal(model.predict(X), (X @ model.coef_[0] + model.intercept_ > 0))
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError, match="no attribute 'predict_log_proba'"):
        model.predict_log_proba(X)


def test_steps_that_leave_the_domain_are_shortened(losses, problem, monkeypatch):
    X, y = problem
    values = []

    def evaluate(self, *args):
        values.append(plain(self, *args))
        return values[-1]

    plain = ScalarLoss.evaluate
    monkeypatch.setattr(ScalarLoss, "evaluate", evaluate)
    model = BinaryRegression(loss=losses["barrier"], C=1e4, solver="newton-cg", tol=1e-8)
    model.fit(X * 10.0, y)
    assert any(value == math.inf for value, _, _ in values)
    assert model.history_["gradient_norm"][-1] <= 1e-8


@pytest.mark.parametrize("solver", ["lbfgs", "cg", "gd"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_first_step_along_a_straight_line_is_no_leap(losses, problem, solver):
    # Where every score is zero, this loss has no curvature; nor is there a penalty.
    X, y = problem
    model = BinaryRegression(loss=losses["sigmoid"], C=np.inf, solver=solver, max_iter=1)
    model.fit(X, y)
    assert np.abs(model.coef_).max() < 100.0
    assert model.history_["objective"][1] < model.history_["objective"][0]


@pytest.mark.parametrize("solver", SOLVERS)
def test_losses_that_are_not_convex_end_where_the_gradient_vanishes(losses, problem, solver):
    X, y = problem
    model = BinaryRegression(loss=losses["sigmoid"], C=100.0, solver=solver, tol=1e-6)
    model.set_params(max_iter=5000).fit(X, y)
    assert (np.diff(model.history_["objective"]) <= 1e-12).all()
    assert model.history_["gradient_norm"][-1] <= 1e-6
    assert model.score(X, y) > 0.75


@pytest.mark.parametrize("solver", SOLVERS)
def test_links_give_probabilities(link, problem, solver):
    X, y = problem

    def loss(target, z):
        return -math.log(cauchit(z) if target else 1.0 - cauchit(z))

    best = scipy.optimize.minimize(
        lambda point: objective(loss, X, y, 1.0, point), np.zeros(6), method="BFGS"
    )
    model = BinaryRegression(link=link, solver=solver, tol=1e-8, max_iter=1000).fit(X, y)
    assert model.history_["objective"][-1] == pytest.approx(best.fun, abs=1e-6)
    p = np.array([cauchit(z) for z in X @ model.coef_[0] + model.intercept_[0]])
    np.testing.assert_allclose(model.predict_proba(X), np.stack([1 - p, p], axis=1), rtol=1e-12)
    np.testing.assert_array_equal(model.predict(X), (p > 0.5).astype(int))
    assert link.middle == pytest.approx(0.25, abs=1e-15)
    far = model.predict_log_proba(np.outer([-1e6, 1e6], np.sign(model.coef_[0])))
    assert np.isfinite(far).all()


def test_a_certain_link_stays_finite():
    def steep(raw):
        return 1.0 / (1.0 + math.exp(-5.0 * raw))

    def first(raw):
        p = 1.0 / (1.0 + math.exp(-5.0 * raw))
        return 5.0 * p * (1.0 - p)

    def second(raw):
        p = 1.0 / (1.0 + math.exp(-5.0 * raw))
        return 25.0 * p * (1.0 - p) * (1.0 - 2.0 * p)

    loss = custom_link(steep, first, second).loss()
    raw = np.array([-1e3, -20.0, -7.0, 7.0, 20.0, 1e3])
    for y in (0.0, 1.0):
        assert np.isfinite(loss.of_each(np.full(6, y), raw, execution(1))).all()


@pytest.mark.parametrize(
    ("functions", "message"),
    [
        (
            (logistic, lambda y, raw: 1.0 / (1.0 + math.exp(-raw)), HESSIAN),
            r"gradient is not the derivative of loss at score \S+ for y = 1: expected -0\.\d+ by "
            r"finite differences, got 0\.\d+",
        ),
        (
            (logistic, GRADIENT, lambda y, raw: 0.25),
            r"hessian is not the derivative of gradient at score \S+ for y = 0: expected 0\.000\d+",
        ),
        (
            (HINGE, squared_hinge_gradient, lambda y, raw: 2.0),
            "hessian is not the derivative of gradient .* expected 0 by finite differences, got 2",
        ),
        (
            (logistic, lambda y, raw: 1.0001 / (1.0 + math.exp(-raw)) - y, HESSIAN),
            "gradient is not the derivative of loss",
        ),
        (
            (sigmoid_loss, sigmoid_gradient, sigmoid_hessian),
            "second derivative is -.* so it is not convex: pass convex=False",
        ),
        (
            (logistic, lambda y, raw: math.nan * y, HESSIAN),
            "gradient is nan at score -7.9 for y = 0",
        ),
        (
            (lambda y, raw: raw**2 if raw > 0.0 else math.inf, GRADIENT, HESSIAN),
            "loss is inf at score 0 for y = 0, where every fit begins",
        ),
    ],
)
def test_wrong_functions_are_caught_at_once(functions, message):
    with pytest.raises(ValueError, match=f"custom loss 'mine': .*{message}"):
        custom_loss(*functions, name="mine")


@pytest.mark.parametrize(
    ("functions", "message"),
    [
        ((cauchit, cauchit_second, cauchit_second), "derivative is not the derivative of inverse"),
        (
            (cauchit, cauchit_first, cauchit_first),
            "second_derivative is not the derivative of derivative",
        ),
        ((lambda raw: raw, lambda raw: 1.0, lambda raw: 0.0), "inverse is -7.9 at score -7.9"),
        ((lambda raw: 0.4, lambda raw: 0.0, lambda raw: 0.0), "inverse must reach 1/2"),
        ((lambda raw: 0.6, lambda raw: 0.0, lambda raw: 0.0), "inverse must fall below 1/2"),
        ((cauchit, cauchit_first, cauchit_second), "pass convex=False"),
    ],
)
def test_wrong_links_are_caught_at_once(functions, message):
    with pytest.raises(ValueError, match=f"custom link 'mine': .*{message}"):
        custom_link(*functions, name="mine")


def calls_python(y, raw):
    return logistic(y, raw)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (5, "loss must be a function, got 5"),
        (math.exp, "loss must be a plain Python function"),
        (lambda raw: raw, r"loss is called as loss\(y, raw\), but its parameters are \(raw\)"),
        (lambda y, raw: "x", "loss must return a number in every case, but returns"),
        (lambda y, raw: None if raw > 0.0 else 1.0, "must return a number in every case"),
        (lambda y, raw: raw.nonsense, "cannot compile loss: Unknown attribute 'nonsense'"),
        (calls_python, "Untyped global name 'logistic'.*decorate that function with numba.njit"),
    ],
)
def test_what_cannot_be_compiled_says_why(function, message):
    with pytest.raises(TypeError, match=f"custom loss 'mine': .*{message}") as caught:
        custom_loss(function, GRADIENT, HESSIAN, name="mine")
    assert len(str(caught.value)) < 450


def test_nan_during_a_fit_is_named(problem):
    X, y = problem
    loss = custom_loss(nan_far_out, GRADIENT, HESSIAN)
    model = BinaryRegression(C=1e6).fit(X, y)
    before = model.coef_.copy()
    with pytest.raises(
        FloatingPointError, match=r"custom loss 'nan_far_out': loss is nan at score 1[2-9]\S* for y"
    ):
        model.set_params(loss=loss).fit(X, X[:, 0] > 0)
    np.testing.assert_array_equal(model.coef_, before)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_exception_during_a_fit_is_an_error_too(problem):
    X, _ = problem
    loss = custom_loss(raises_far_out, GRADIENT, HESSIAN)
    with pytest.raises(FloatingPointError, match="custom loss 'raises_far_out': loss is nan"):
        BinaryRegression(loss=loss, C=1e6).fit(X, X[:, 0] > 0)
    with pytest.raises(ValueError, match=r"loss raised ValueError at score .*: too far; ret"):
        custom_loss(raises_near, GRADIENT, HESSIAN, name="mine")


def test_copies_and_pickles(losses, link, problem):
    X, y = problem
    loss = losses["barrier"]
    assert copy.copy(loss) is loss
    assert copy.deepcopy(link) is link
    model = clone(BinaryRegression(loss=loss, link=link)).fit(X, y)
    assert model.loss is loss
    again = pickle.loads(pickle.dumps(model))
    assert again.loss is not loss
    assert repr(again.loss) == "<custom loss 'barrier'>"
    np.testing.assert_array_equal(again.predict_log_proba(X), model.predict_log_proba(X))
    np.testing.assert_array_equal(again.fit(X, y).coef_, model.coef_)


def test_the_compiled_code_lives_as_long_as_somebody_may_call_it(problem):
    loss = custom_loss(numba.njit(logistic), GRADIENT, HESSIAN).loss()
    gc.collect()
    values = loss.of_each(np.ones(3), np.array([-1.0, 0.0, 1.0]), execution(2))
    np.testing.assert_allclose(values[0], np.log1p(np.exp([1.0, 0.0, -1.0])))


def test_the_same_bits_for_any_number_of_threads(losses):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30_000, 4))
    y = (X @ rng.normal(size=4) + rng.normal(size=30_000) > 0).astype(int)
    one, five = (
        BinaryRegression(loss=losses["squared_hinge"], solver="lbfgs", n_jobs=n).fit(X, y)
        for n in (1, 5)
    )
    np.testing.assert_array_equal(one.coef_, five.coef_)


def test_a_loss_of_its_own_excludes_noisy_or(losses, problem):
    with pytest.raises(ValueError, match="link='noisy_or' goes with no other loss than its own"):
        BinaryRegression(link="noisy_or", loss=losses["logistic"]).fit(*problem)


def test_numba_is_loaded_for_custom_losses_only():
    program = (
        "import sys; from wordodds import BinaryRegression, custom_loss; "
        "BinaryRegression(link='probit').fit([[0.0], [1.0]], [0, 1]).predict_proba([[0.5]]); "
        "assert 'numba' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)

"""Coordinate descent: the optimum of independent oracles, and data that break careless solvers."""

import itertools

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp
from scipy.special import expit, logsumexp
from sklearn.linear_model import LogisticRegression

from wordodds._border.csr import CsrArrays
from wordodds._border.execution import execution
from wordodds.linear.solvers.coordinate import coordinate_descent

LOSSES = [("logistic", 1), ("logistic", 4), ("softmax", 4)]


def iterates(
    X,
    codes,
    loss,
    n_columns,
    *,
    weights=None,
    C=1.0,
    l1_ratio=1.0,
    fit_intercept=True,
    n_jobs=1,
    n_max=200,
    tol=1e-10,
    **options,
):
    X = sp.csr_array(X)
    steps = coordinate_descent(
        CsrArrays.of(X),
        np.asarray(codes, dtype=np.int32),
        np.ones(X.shape[0]) if weights is None else weights,
        loss=loss,
        n_columns=n_columns,
        C=C,
        l1_ratio=l1_ratio,
        fit_intercept=fit_intercept,
        how=execution(n_jobs),
        **options,
    )
    seen = []
    for step in itertools.islice(steps, n_max):
        seen.append(step._replace(where=step.point.copy()))
        if step.gradient_norm <= tol:
            break
    return seen


def value_and_gradient(
    point, X, codes, loss, *, weights=None, C=1.0, l1_ratio=1.0, fit_intercept=True
):
    """The objective without its L1 part, from the definitions, and its gradient."""
    shares = np.ones(X.shape[0]) if weights is None else weights
    total = shares.sum()
    shares = (shares / total)[:, None]
    w = point[: X.shape[1]]
    scores = X @ w + (point[-1] if fit_intercept else 0.0)
    n_columns = point.shape[1]
    classes = np.array([1]) if n_columns == 1 else np.arange(n_columns)
    labels = np.asarray(codes)[:, None] == classes
    if loss == "softmax":
        losses = logsumexp(scores, axis=1, keepdims=True) - (scores * labels).sum(1, keepdims=True)
        p = np.exp(scores - logsumexp(scores, axis=1, keepdims=True))
    else:
        losses = np.logaddexp(0.0, scores) - labels * scores
        p = expit(scores)
    residuals = shares * (p - labels)
    ridge = (1.0 - l1_ratio) / (total * C)
    gradient = np.vstack([X.T @ residuals + ridge * w, residuals.sum(0)[None]])
    value = (shares * losses).sum() + 0.5 * ridge * (w**2).sum()
    return value, gradient[: len(point)], l1_ratio / (total * C)


def check_conditions(step, X, codes, loss, tol=1e-7, **options):
    """Hold value, exact zeros and the optimality conditions against the definitions."""
    value, gradient, l1 = value_and_gradient(step.point, X, codes, loss, **options)
    w, g = step.point[: X.shape[1]], gradient[: X.shape[1]]
    assert step.value == pytest.approx(value + l1 * np.abs(w).sum(), rel=1e-12)
    at_zero = np.maximum(np.abs(g) - l1, 0.0)
    violation = np.where(w == 0, at_zero, np.abs(g + l1 * np.sign(w)))
    worst = max(violation.max(initial=0.0), np.abs(gradient[X.shape[1] :]).max(initial=0.0))
    assert step.gradient_norm == pytest.approx(worst, rel=1e-6, abs=1e-14)
    assert worst < tol


def optimum_by_scipy(X, codes, loss, n_columns, *, fit_intercept=True, **options):
    """Minimise over positive and negative parts of the weights: bounds instead of kinks."""
    p = X.shape[1]
    shape = (p + fit_intercept, n_columns)

    def split(v):
        return v[: 2 * p * n_columns].reshape(2, p, n_columns)

    def point(v):
        up, down = split(v)
        return np.vstack([up - down, v[2 * p * n_columns :].reshape(-1, n_columns)])

    def fun(v):
        value, gradient, l1 = value_and_gradient(
            point(v), X, codes, loss, fit_intercept=fit_intercept, **options
        )
        up, down = split(v)
        parts = [gradient[:p] + l1, l1 - gradient[:p], gradient[p:]]
        return value + l1 * (up + down).sum(), np.concatenate([part.ravel() for part in parts])

    n_free = n_columns if fit_intercept else 0
    found = scipy.optimize.minimize(
        fun,
        np.zeros(2 * p * n_columns + n_free),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * (2 * p * n_columns) + [(None, None)] * n_free,
        options={"maxiter": 20000, "maxfun": 40000, "ftol": 1e-16, "gtol": 1e-11},
    )
    assert point(found.x).shape == shape
    return found.fun, point(found.x)


def problem(n_rows=80, n_features=15, n_classes=4, seed=0, density=0.5):
    rng = np.random.default_rng(seed)
    X = sp.random_array((n_rows, n_features), density=density, rng=rng, format="csr")
    truth = rng.normal(size=(n_features, n_classes)) * (rng.random((n_features, 1)) < 0.5) * 3
    codes = (X @ truth + rng.gumbel(size=(n_rows, n_classes))).argmax(1)
    codes[:n_classes] = np.arange(n_classes)
    return X, codes.astype(np.int32)


def of_loss(codes, n_columns):
    return codes % 2 if n_columns == 1 else codes


@pytest.mark.parametrize(("loss", "n_columns"), LOSSES)
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("l1_ratio", [1.0, 0.4, 0.0])
def test_the_optimum_is_scipys(loss, n_columns, fit_intercept, l1_ratio):
    X, codes = problem(seed=n_columns)
    codes = of_loss(codes, n_columns)
    weights = np.random.default_rng(5).uniform(0.2, 3.0, len(codes))
    options = {
        "C": 1.0,
        "l1_ratio": l1_ratio,
        "fit_intercept": fit_intercept,
        "weights": weights,
    }
    steps = iterates(X, codes, loss, n_columns, **options)
    check_conditions(steps[-1], X, codes, loss, **options)
    value, point = optimum_by_scipy(X, codes, loss, n_columns, **options)
    assert steps[-1].value <= value + 1e-12
    assert steps[-1].value == pytest.approx(value, rel=1e-6)
    ours = steps[-1].point
    if loss == "softmax" and fit_intercept:  # the loss ignores what all intercepts share
        assert ours[-1].sum() == pytest.approx(0.0, abs=1e-12)
        point[-1] -= point[-1].mean()
    if loss == "logistic" or l1_ratio < 1:  # unique
        np.testing.assert_allclose(ours, point, atol=1e-4)
    if l1_ratio == 1:
        assert 0 < np.count_nonzero(ours[:15] == 0) < 15 * n_columns


@pytest.mark.needs("scikit-learn>=1.9")
@pytest.mark.parametrize(("loss", "n_columns"), [("logistic", 1), ("softmax", 4)])
@pytest.mark.parametrize("l1_ratio", [1.0, 0.5])
def test_the_optimum_is_sagas(loss, n_columns, l1_ratio):
    X, codes = problem(seed=9, n_features=8)
    codes = of_loss(codes, n_columns)
    ours = iterates(X, codes, loss, n_columns, C=0.7, l1_ratio=l1_ratio)[-1]
    saga = LogisticRegression(
        solver="saga", l1_ratio=l1_ratio, C=0.7, tol=1e-9, max_iter=20000, random_state=0
    ).fit(X, codes)
    np.testing.assert_allclose(ours.point[:-1].T, saga.coef_, atol=1e-4)
    centred = saga.intercept_ - (saga.intercept_.mean() if n_columns > 1 else 0.0)
    np.testing.assert_allclose(ours.point[-1], centred, atol=1e-4)


@pytest.mark.parametrize(("loss", "n_columns"), LOSSES)
def test_values_fall_and_passes_grow(loss, n_columns):
    X, codes = problem(n_rows=60, n_features=400, density=0.1)
    steps = iterates(X, of_loss(codes, n_columns), loss, n_columns, C=20.0)
    values = np.array([step.value for step in steps])
    assert len(values) > 2
    assert np.all(np.diff(values) <= 1e-14 * values[:-1])
    assert np.all(np.diff([step.passes for step in steps]) >= 1.0)
    assert not steps[0].point.any()
    check_conditions(steps[-1], X, of_loss(codes, n_columns), loss, C=20.0)


@pytest.mark.parametrize(("loss", "n_columns"), LOSSES)
@pytest.mark.parametrize("value", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_index_and_value_types(loss, n_columns, index, value):
    X, codes = problem(density=0.3)
    X.data = np.float32(X.data).astype(np.float64)  # what float32 can hold
    codes = of_loss(codes, n_columns)
    expected = iterates(X, codes, loss, n_columns)[-1]
    X.indptr, X.indices, X.data = (
        X.indptr.astype(index),
        X.indices.astype(index),
        X.data.astype(value),
    )
    np.testing.assert_array_equal(iterates(X, codes, loss, n_columns)[-1].point, expected.point)


@pytest.mark.parametrize(("loss", "n_columns"), LOSSES)
def test_the_same_bits_for_any_number_of_threads(loss, n_columns):
    X, codes = problem(n_rows=1500, n_features=5000, density=0.01)
    codes = of_loss(codes, n_columns)
    one, *others = (
        iterates(X, codes, loss, n_columns, C=5.0, n_jobs=n_jobs, n_max=5) for n_jobs in (1, 2, 5)
    )
    for other in others:
        for step, same in zip(one, other, strict=True):
            np.testing.assert_array_equal(step.point, same.point)
            assert step[1:] == same[1:]


@pytest.mark.parametrize(("loss", "n_columns"), LOSSES)
def test_a_start_is_used_and_not_changed(loss, n_columns):
    X, codes = problem()
    codes = of_loss(codes, n_columns)
    start = np.random.default_rng(1).normal(size=(16, n_columns))
    kept = start.copy()
    steps = iterates(X, codes, loss, n_columns, start=start)
    np.testing.assert_array_equal(start, kept)
    np.testing.assert_array_equal(steps[0].point, start)
    cold = iterates(X, codes, loss, n_columns)[-1]
    assert steps[-1].value == pytest.approx(cold.value, rel=1e-10)
    again = iterates(X, codes, loss, n_columns, start=cold.point)
    assert again[0].value == pytest.approx(cold.value, rel=1e-14)
    assert len(again) <= 2


def test_starts_that_cannot_be():
    X, codes = problem()
    with pytest.raises(ValueError, match=r"start must have the shape \(16, 1\), got \(15, 1\)"):
        iterates(X, codes % 2, "logistic", 1, start=np.zeros((15, 1)))
    with pytest.raises(ValueError, match="not finite"):
        iterates(X, codes % 2, "logistic", 1, start=np.full((16, 1), 1e308))


def test_a_weight_of_two_is_the_row_twice():
    X, codes = problem()
    twice = np.repeat(np.arange(80), np.arange(80) % 3 + 1)
    weighted = iterates(X, codes % 2, "logistic", 1, weights=np.arange(80) % 3 + 1.0)[-1]
    repeated = iterates(X[twice], codes[twice] % 2, "logistic", 1)[-1]
    np.testing.assert_allclose(weighted.point, repeated.point, atol=1e-8)


EDGES = {
    "separable": lambda rng: (np.sign(rng.normal(size=(50, 1))), None),
    "collinear": lambda rng: (np.repeat(rng.normal(size=(60, 3)), 4, axis=1), None),
    "constant and zero": lambda rng: (
        np.hstack([np.ones((40, 2)), np.zeros((40, 3)), rng.normal(size=(40, 2))]),
        None,
    ),
    "p >> n": lambda rng: (rng.normal(size=(10, 2000)), None),
    "n >> p": lambda rng: (rng.normal(size=(2000, 2)), None),
    "one row": lambda rng: (np.ones((1, 3)), np.zeros(1, int)),
    "no feature": lambda rng: (np.zeros((20, 0)), None),
    "nothing but zeros": lambda rng: (sp.csr_array((20, 5)), None),
}


@pytest.mark.parametrize(("loss", "n_columns"), LOSSES)
@pytest.mark.parametrize("name", EDGES)
@pytest.mark.parametrize("C", [1.0, 1e6])
def test_edges(name, loss, n_columns, C):
    rng = np.random.default_rng(3)
    X, codes = EDGES[name](rng)
    X = sp.csr_array(X)
    if codes is None:
        codes = (X[:, [0]].toarray().ravel() > 0) if X.shape[1] else np.arange(X.shape[0]) % 3 == 0
        codes = codes.astype(int) + (2 * (np.arange(X.shape[0]) % 2) if n_columns > 1 else 0)
    steps = iterates(X, codes, loss, n_columns, C=C, n_max=40, tol=1e-9)
    values = np.array([step.value for step in steps])
    assert np.isfinite(values).all()
    assert np.isfinite(steps[-1].point).all()
    assert np.all(np.diff(values) <= 1e-14 * values[:-1])
    if C == 1.0:
        # Classes that nothing tells apart are slow together.
        tol = 1e-4 if loss == "softmax" else 1e-7
        check_conditions(steps[-1], X, codes, loss, tol=tol, C=C)


@pytest.mark.parametrize("l1_ratio", [1.0, 0.5])
@pytest.mark.parametrize(("loss", "n_columns"), LOSSES)
def test_scales_from_1e_minus_200_to_1e200(loss, n_columns, l1_ratio):
    X, codes = problem(n_features=9)
    codes = of_loss(codes, n_columns)
    powers = np.array([-200, -160, -100, -3, 0, 3, 100, 160, 200])
    scaled = X @ sp.diags_array(10.0**powers)
    steps = iterates(scaled, codes, loss, n_columns, l1_ratio=l1_ratio, n_max=40)
    values = np.array([step.value for step in steps])
    assert np.isfinite(values).all()
    assert np.isfinite(steps[-1].point).all()
    assert np.isfinite([step.gradient_norm for step in steps]).all()
    assert values[-1] < 0.9 * values[0]
    assert np.all(np.diff(values) <= 1e-14 * values[:-1])
    # Tiny columns are too dear to use; huge ones cost nothing, so they fit as without a penalty.
    assert not steps[-1].point[:3].any()
    assert steps[-1].point[6:9].any()


def test_one_against_a_million():
    X = sp.csr_array((np.ones(3), ([0, 5, 9], [0, 0, 1])), shape=(1001, 2))
    codes = np.zeros(1001, dtype=np.int32)
    codes[0] = 1
    weights = np.full(1001, 1000.0)
    weights[0] = 1.0
    options = {"weights": weights, "C": 1e3}
    steps = iterates(X, codes, "logistic", 1, tol=1e-13, **options)
    check_conditions(steps[-1], X, codes, "logistic", tol=1e-10, **options)
    assert steps[-1].point[-1, 0] < -np.log(1e6)
    assert steps[-1].point[0, 0] > 1.0


def test_the_end_of_precision_ends_the_steps():
    X, codes = problem()
    steps = iterates(X, codes % 2, "logistic", 1, tol=0.0, n_max=1000)
    assert len(steps) < 50
    assert steps[-1].gradient_norm < 1e-9

"""Every solver against SciPy's optimum and against each other; problems that are hard to solve."""

import sys
import warnings
from collections import deque
from itertools import islice
from typing import get_args

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from wordodds import LogisticRegression
from wordodds.linear import binary, logistic
from wordodds.linear.gap import gap_bound
from wordodds.linear.solvers import DESCENTS, STOCHASTIC, choose
from wordodds.linear.solvers.irls import _DualSteps, _primal_direction
from wordodds.linear.solvers.lbfgs import _direction

from .problems import (
    KINDS,
    SECOND_ORDER,
    SOLVERS,
    PlainObjective,
    engine_objective,
    noisy_labels,
    random_labels,
    random_rows,
)

solvers = pytest.mark.parametrize("solver", SOLVERS)
kinds = pytest.mark.parametrize("kind", KINDS)


def fit_kind(kind, X, labels, weights=None, **options):
    multi_class = "ovr" if kind == "ovr" else "multinomial"
    model = LogisticRegression(multi_class=multi_class, n_jobs=1, **options)
    return model.fit(X, labels, sample_weight=weights)


@pytest.fixture(scope="module", params=["few columns", "few rows"])
def shape(request):
    return (60, 7) if request.param == "few columns" else (15, 40)


@pytest.fixture(scope="module", params=KINDS)
def solved(request, shape):
    """Return problems, and what SciPy says of them."""
    X = random_rows(*shape, density=0.7)
    labels = noisy_labels(X, 2 if request.param == "binary" else 3)
    weights = np.random.default_rng(2).random(len(X)) + 0.2
    plains = [
        PlainObjective(X, labels, request.param, C, fit_intercept, weights)
        for C, fit_intercept in ((0.1, True), (2.0, True), (2.0, False))
    ]
    return [(plain, plain.optimum()) for plain in plains]


def test_types_name_the_solvers_and_links_that_exist():
    assert ("auto", *DESCENTS, *STOCHASTIC, "coordinate") == logistic.SOLVERS
    assert ("auto", *DESCENTS) == binary.SOLVERS
    assert get_args(binary.LinkName) == tuple(binary.LINKS)


@solvers
@pytest.mark.parametrize("storage", ["dense", "sparse"])
def test_the_optimum_is_that_of_scipy(solver, storage, solved):
    for plain, (value, W, b) in solved:
        model = fit_kind(
            plain.kind,
            sp.csr_array(plain.X) if storage == "sparse" else plain.X,
            plain.codes,
            plain.weights,
            C=plain.C,
            fit_intercept=plain.fit_intercept,
            solver=solver,
            tol=1e-7,
            max_iter=5000,
        )
        objective = model.history_["objective"]
        assert objective[-1] == pytest.approx(value, abs=1e-9)
        assert (np.diff(objective) <= 1e-13 * objective[0]).all()
        np.testing.assert_allclose(model.coef_, W.T, atol=1e-5)
        np.testing.assert_allclose(model.intercept_, b, atol=1e-5)
        parameters = np.vstack([model.coef_.T, model.intercept_])[
            : None if model.fit_intercept else -1
        ]
        assert plain(parameters.reshape(-1))[0] == pytest.approx(objective[-1], rel=1e-12)


@solvers
def test_without_a_penalty(solver):
    X = random_rows(80, 4)
    labels = noisy_labels(X, 3)
    plain = PlainObjective(X, labels, C=np.inf)
    value, W, _ = plain.optimum()
    model = LogisticRegression(solver=solver, C=np.inf, tol=1e-8, max_iter=5000).fit(X, labels)
    assert model.history_["objective"][-1] == pytest.approx(value, abs=1e-10)
    np.testing.assert_allclose(  # the same may be added to every class
        model.coef_ - model.coef_.mean(axis=0), (W - W.mean(axis=1, keepdims=True)).T, atol=1e-5
    )


@kinds
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_both_forms_of_irls_make_the_same_step(kind, fit_intercept):
    X = random_rows(9, 20)
    plain = PlainObjective(X, random_labels(9, KINDS[kind] if KINDS[kind] > 1 else 2), kind)
    plain.fit_intercept = fit_intercept
    per_feature = np.random.default_rng(0).random((20, 1)) + 0.01
    for penalty in (None, per_feature):
        objective = engine_objective(plain, "sparse", penalty)
        point = np.zeros(objective.shape)
        for _ in range(3):
            here = objective.at(point)
            dual = _DualSteps(objective).direction(here)
            np.testing.assert_allclose(dual, _primal_direction(here), rtol=1e-8, atol=1e-10)
            point = point + 0.5 * dual


def test_irls_points_to_newton_cg_where_its_system_would_be_too_large(monkeypatch):
    monkeypatch.setattr(sys.modules[_DualSteps.__module__], "UNKNOWNS_MAX", 20)
    X, labels = random_rows(30, 8), random_labels(30)
    with pytest.raises(
        ValueError, match=r'27 unknowns, and 20 is the most: use solver="newton-cg"'
    ):
        LogisticRegression(solver="irls").fit(X, labels)
    LogisticRegression(solver="irls", multi_class="ovr").fit(X, labels)  # a system for each column


def test_auto_chooses_by_shape():
    for (n_rows, n_cols), solver in (
        ((400, 40), "irls"),
        ((40, 400), "irls"),
        ((400, 400), "newton-cg"),
    ):
        X, labels = random_rows(n_rows, n_cols), random_labels(n_rows)
        assert choose(engine_objective(PlainObjective(X, labels, "softmax"))) == solver
    assert LogisticRegression().fit(X, labels).solver_ == "newton-cg"


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_without_a_penalty_few_rows_are_no_reason_for_irls():
    # Its form with an unknown for each row divides by the penalty.
    X, labels = random_rows(20, 3000), random_labels(20, 2)
    model = LogisticRegression(C=np.inf, max_iter=2).fit(X, labels)
    assert model.solver_ == "newton-cg"
    with pytest.raises(ValueError, match=r"systems of 3001 unknowns"):
        LogisticRegression(C=np.inf, solver="irls").fit(X, labels)


# Rows, labels, weights; C is tried from 1e-6 to infinity.
BASE, TWO, THREE = random_rows(30, 4), random_labels(30, 2), random_labels(30, 3)
HARD = {
    "separable": (np.c_[2.0 * TWO - 1.0, BASE], TWO, None),
    "separable, three classes": (np.c_[np.eye(3)[THREE], BASE], THREE, None),
    "collinear": (np.c_[BASE, BASE, BASE @ np.ones(4)], THREE, None),
    "constant and zero columns": (np.c_[BASE, np.ones(30), np.zeros((30, 2))], THREE, None),
    "zeros only": (np.zeros((6, 3)), THREE[:6], None),
    "many columns": (random_rows(6, 60), np.arange(6) % 2, None),
    "one row of each class": (random_rows(4, 3), np.arange(4), None),
    "imbalance": (BASE, TWO, np.where(TWO, 1e-6, 1.0)),
    "imbalance, three classes": (BASE, THREE, np.where(THREE == 1, 1.0, 1e6)),
    "tiny": (1e-200 * BASE, THREE, None),
    "huge": (1e200 * BASE, THREE, None),
    "all sizes": (BASE * [1e-200, 1e-5, 1e5, 1e200], THREE, None),
    "all sizes within columns": (BASE * np.logspace(-200, 200, 30)[:, np.newaxis], TWO, None),
    "huge weights": (BASE, TWO, np.full(30, 1e300)),
    "tiny weights": (BASE, TWO, np.full(30, 5e-324)),
}


@solvers
@pytest.mark.parametrize("name", HARD)
def test_a_hard_problem_ends_with_finite_weights_or_says_so(solver, name):
    X, labels, weights = HARD[name]
    for C in (1e-6, 1.0, 1e6, np.inf):
        model = LogisticRegression(solver=solver, C=C, max_iter=30, n_jobs=1)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(X, labels, sample_weight=weights)
        assert np.isfinite(model.coef_).all()
        assert np.isfinite(model.intercept_).all()
        objective, norm = model.history_["objective"], model.history_["gradient_norm"][-1]
        assert (np.diff(objective) <= 1e-13 * objective[0]).all()
        assert [warning.category for warning in caught] in ([], [ConvergenceWarning])
        if caught:
            message = str(caught[0].message)
            assert f"its norm is {norm:.2g}, tol is 0.0001" in message
            assert "above the optimum" in message or "no useful bound" in message
        elif norm > model.tol:  # silent only as near as double precision comes
            assert norm <= 10 * model.tol
        if solver in SECOND_ORDER:
            assert not caught, (name, C, str(caught[0].message))
        assert not np.isnan(model.predict_proba(X)).any()


@pytest.mark.parametrize("solver", SECOND_ORDER)
def test_units_of_the_columns_do_not_matter_without_a_penalty(solver):
    X = random_rows(80, 4)
    labels = noisy_labels(X, 2)
    units = np.array([1e-200, 1e-3, 1e3, 1e200])
    options = {"solver": solver, "C": np.inf, "tol": 1e-10}
    expected = LogisticRegression(**options).fit(X, labels)
    model = LogisticRegression(**options).fit(sp.csr_array(X * units), labels)
    np.testing.assert_allclose(model.coef_ * units, expected.coef_, rtol=1e-5)
    np.testing.assert_allclose(model.intercept_, expected.intercept_, rtol=1e-5)


@solvers
def test_tiny_columns_get_tiny_weights(solver):
    # With weights near zero the residuals are those of the intercept alone.
    X, labels = 1e-200 * BASE, np.r_[TWO[:20], np.zeros(10, dtype=int)]
    model = LogisticRegression(solver=solver, C=0.5, tol=1e-12).fit(X, labels)
    expected = 0.5 * X.T @ (labels - labels.mean())
    np.testing.assert_allclose(model.coef_[0], expected, atol=np.abs(expected).max())
    if solver == "irls":  # the others do not see what is below tol
        np.testing.assert_allclose(model.coef_[0], expected, rtol=1e-6)
    assert model.intercept_[0] == pytest.approx(np.log(labels.mean() / (1.0 - labels.mean())))


@solvers
def test_a_start_where_the_loss_is_flat(solver):
    X = random_rows(80, 4)
    for n_classes, C in ((2, 1.0), (3, 1.0), (2, np.inf)):
        labels = noisy_labels(X, n_classes)
        model = LogisticRegression(solver=solver, C=C, warm_start=True, max_iter=500, n_jobs=1)
        best = model.fit(X, labels).history_["objective"][-1]
        model._columns = -1e4 * model._columns  # every row is sure of the wrong class
        assert model.fit(X, labels).history_["objective"][-1] == pytest.approx(best, rel=1e-6)


def test_each_solver_is_as_quick_as_its_textbook_says():
    X = random_rows(200, 8) * np.logspace(0.0, 1.5, 8)
    labels = noisy_labels(X / 10.0, 3)
    norms = {}
    for solver in SOLVERS:
        model = LogisticRegression(solver=solver, tol=1e-9, max_iter=20_000, n_jobs=1)
        norms[solver] = model.fit(X, labels).history_["gradient_norm"]
    assert len(norms["lbfgs"]) < len(norms["gd"]) / 4
    assert len(norms["cg"]) < len(norms["gd"]) / 4
    assert len(norms["newton-cg"]) <= 12
    # Quadratic in the end: the digits double.
    assert len(norms["irls"]) <= 10
    assert norms["irls"][-1] < 1e-2 * norms["irls"][-2] ** 1.5


def test_lbfgs_remembers_what_the_hessian_did_to_its_last_step():
    objective = engine_objective(PlainObjective(BASE, THREE, "softmax"))
    pairs = deque()
    for seed in range(3):
        step = np.random.default_rng(seed).normal(size=objective.shape)
        step[:, 3:] = 0.0
        change = objective.at(np.zeros(objective.shape)).hessian_times(step.copy())[0]
        pairs.append((step, change, objective.dot(step, change)))
    np.testing.assert_allclose(_direction(objective, change, pairs), -step, rtol=1e-9, atol=1e-12)


@solvers
def test_a_solver_that_gives_up_far_from_the_optimum_says_so(solver, monkeypatch):
    given_up = DESCENTS[solver]
    monkeypatch.setitem(DESCENTS, solver, lambda *where: islice(given_up(*where), 1))
    with pytest.warns(
        ConvergenceWarning, match="found no way down after 0 iterations .* norm is 0"
    ):
        LogisticRegression(solver=solver).fit(BASE, THREE)


@kinds
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_bound_of_the_gap_is_one(kind, fit_intercept):
    X = random_rows(40, 6)
    n_classes = max(2, KINDS[kind])
    for labels in (noisy_labels(X, n_classes), random_labels(40, n_classes)):
        for C in (0.01, 100.0):
            weights = np.where(labels == 1, 1.0, 30.0)
            plain = PlainObjective(X, labels, kind, C, fit_intercept, weights)
            objective = engine_objective(plain)
            optimum, _, _ = plain.optimum()
            for solver in ("gd", "lbfgs"):
                start = np.zeros(objective.shape)
                for iterate in islice(DESCENTS[solver](objective, start), 6):
                    gap = iterate.value - optimum
                    assert gap - 1e-12 <= gap_bound(objective, iterate.point) < np.inf
            *_, last = islice(DESCENTS["irls"](objective, start), 40)
            assert gap_bound(objective, last.point) <= 1e-9
            # So far away that rounding hides the intercepts: no bound, or a true one.
            for factor in (1e2, 1e5):
                far = objective.at(factor * last.point)
                assert gap_bound(objective, far.point) >= far.value - optimum


def test_no_bound_is_known_without_a_penalty():
    objective = engine_objective(PlainObjective(BASE, TWO, "binary", C=np.inf))
    assert gap_bound(objective, np.zeros(objective.shape)) == np.inf


def test_the_warning_states_the_gap():
    model = LogisticRegression(solver="gd", max_iter=2, C=0.1)
    with pytest.warns(
        ConvergenceWarning, match="max_iter=2 .* norm is .* above the optimum"
    ) as caught:
        model.fit(BASE, THREE)
    assert caught[0].filename == __file__
    bound = float(str(caught[0].message).split("at most ")[1].split()[0])
    optimum, _, _ = PlainObjective(BASE, THREE, C=0.1).optimum()
    assert 0.0 < model.history_["objective"][-1] - optimum <= bound < 0.1


@solvers
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_float32_is_float64_but_for_its_rounding(solver, storage):
    X = random_rows(density=0.6).astype(np.float32)
    labels = noisy_labels(X, 3)
    options = {"solver": solver, "tol": 1e-7, "max_iter": 2000}
    single = LogisticRegression(**options).fit(storage(X), labels)
    double = LogisticRegression(**options).fit(storage(X.astype(np.float64)), labels)
    assert single.coef_.dtype == single.intercept_.dtype == np.float32
    assert double.coef_.dtype == np.float64
    np.testing.assert_allclose(single.coef_, double.coef_, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(single.predict_proba(X), double.predict_proba(X), atol=1e-5)

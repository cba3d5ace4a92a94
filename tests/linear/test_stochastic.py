"""Solvers that visit rows one by one: sag, sgd and dual ascent, through the estimator."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning

from wordodds import LogisticRegression

from .problems import FOUR, TWO, PlainObjective, X, assert_same_model, random_rows

CASES = [(TWO, "multinomial", "binary"), (FOUR, "multinomial", "softmax"), (FOUR, "ovr", "ovr")]


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(("y", "multi_class", "kind"), CASES, ids=[case[2] for case in CASES])
@pytest.mark.parametrize("solver", ["sag", "dual"])
def test_the_optimum_is_that_of_scipy(solver, y, multi_class, kind, fit_intercept, storage):
    model = LogisticRegression(
        solver=solver,
        multi_class=multi_class,
        fit_intercept=fit_intercept,
        tol=1e-7,
        max_iter=3000,
        random_state=0,
    ).fit(storage(X), y)
    value, W, b = PlainObjective(X, y, kind, fit_intercept=fit_intercept).optimum()
    assert model.solver_ == solver
    assert model.history_["objective"][-1] == pytest.approx(value, rel=1e-6)
    np.testing.assert_allclose(model.coef_.T, W, atol=1e-4)
    np.testing.assert_allclose(model.intercept_, b, atol=1e-4)


@pytest.mark.parametrize(("y", "multi_class", "kind"), CASES, ids=[case[2] for case in CASES])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_sgd_comes_near_the_optimum(y, multi_class, kind):
    model = LogisticRegression(
        solver="sgd", multi_class=multi_class, C=0.1, max_iter=400, random_state=0
    ).fit(X, y)
    value, _, _ = PlainObjective(X, y, kind, C=0.1).optimum()
    first, last = model.history_["objective"][[0, -1]]
    assert last - value < 0.01 * (first - value)
    assert last >= value * (1.0 - 1e-9)


@pytest.mark.parametrize("solver", ["sag", "sgd", "dual"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_seed_decides(solver):
    rows = random_rows(80, 30, density=0.3, seed=5)
    labels = np.arange(80) % 4

    def fitted(seed, n_jobs=1):
        model = LogisticRegression(
            solver=solver, tol=0.0, max_iter=3, random_state=seed, n_jobs=n_jobs
        )
        return model.fit(sp.csr_array(rows), labels)

    for n_jobs in (1, 2, 5):
        assert_same_model(fitted(0), fitted(0, n_jobs))
    assert (fitted(0).coef_ != fitted(1).coef_).any()


@pytest.mark.parametrize("solver", ["sag", "sgd", "dual"])
def test_columns_of_extreme_sizes_are_refused_by_name(solver):
    with pytest.raises(ValueError, match=f'solver="{solver}".*newton-cg'):
        LogisticRegression(solver=solver).fit(X * 1e100, FOUR)


def test_auto_takes_dual_ascent_for_many_sparse_columns():
    rows = sp.random_array((300, 2000), density=0.02, rng=np.random.default_rng(0), format="csr")
    labels = np.arange(300) % 3
    assert LogisticRegression().fit(rows, labels).solver_ == "dual"
    assert LogisticRegression().fit(rows.toarray(), labels).solver_ == "newton-cg"
    assert LogisticRegression(l1_ratio=1.0, C=10.0).fit(rows, labels).solver_ == "coordinate"


def test_where_dual_ascent_is_slow_newton_goes_on():
    rows = sp.csr_array(random_rows(60, 40, density=0.5, seed=2) * 30.0)
    labels = np.arange(60) % 3
    exact = LogisticRegression(solver="newton-cg", C=1e4, tol=1e-9).fit(rows, labels)
    model = LogisticRegression(solver="dual", C=1e4, tol=1e-9, random_state=0, max_iter=1000)
    model.fit(rows, labels)
    objectives = [m.history_["objective"][-1] for m in (model, exact)]
    assert objectives[0] == pytest.approx(objectives[1], rel=1e-6)


@pytest.mark.parametrize("C", [1e-15, 1e-20])
def test_a_penalty_far_above_all_rows_leaves_sag_steps_that_are_numbers(C):
    options = {"C": C, "fit_intercept": False, "tol": 1e-13, "random_state": 0}
    model = LogisticRegression(solver="sag", **options).fit(X, TWO)
    exact = LogisticRegression(solver="newton-cg", **options).fit(X, TWO)
    assert np.abs(exact.coef_).max() > 0.0
    np.testing.assert_allclose(model.coef_, exact.coef_, rtol=1e-9)


def test_where_sag_cannot_reach_the_intercept_its_advice_works():
    options = {"C": 1e-20, "tol": 1e-6, "random_state": 0}
    rows, labels = X[2:], TWO[2:]  # not as many of both labels
    with pytest.warns(ConvergenceWarning, match='solver="newton-cg"') as caught:
        LogisticRegression(solver="sag", **options).fit(rows, labels)
    assert "smaller C" not in str(caught[0].message)
    advised = LogisticRegression(solver="newton-cg", **options).fit(rows, labels)
    odds = np.mean(labels == advised.classes_[1]) / np.mean(labels == advised.classes_[0])
    assert advised.intercept_ == pytest.approx([np.log(odds)], abs=1e-5)

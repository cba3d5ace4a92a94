"""Properties that hold for every small problem of logistic regression."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from wordodds import LogisticRegression

from ..linear.problems import SECOND_ORDER, SOLVERS, PlainObjective

numbers = st.floats(-8.0, 8.0, width=32)
some = settings(max_examples=15)


@st.composite
def problems(draw, n_classes):
    """Draw (X, labels, weights): every class has a row."""
    n_rows, n_cols = draw(st.integers(n_classes, 12)), draw(st.integers(1, 5))
    rows = st.lists(numbers, min_size=n_cols, max_size=n_cols)
    X = np.array(draw(st.lists(rows, min_size=n_rows, max_size=n_rows)))
    labels = st.integers(0, n_classes - 1)
    codes = np.array(draw(st.lists(labels, min_size=n_rows, max_size=n_rows)))
    codes[:n_classes] = np.arange(n_classes)
    weights = st.lists(st.floats(0.1, 5.0), min_size=n_rows, max_size=n_rows)
    return X, codes, np.array(draw(weights))


@pytest.mark.parametrize(("kind", "n_classes"), [("binary", 2), ("softmax", 3), ("ovr", 3)])
@some
@given(data=st.data(), C=st.sampled_from([0.01, 1.0, 30.0]), fit_intercept=st.booleans())
def test_the_optimum_is_that_of_scipy(kind, n_classes, data, C, fit_intercept):
    X, codes, weights = data.draw(problems(n_classes))
    plain = PlainObjective(X, codes, kind, C, fit_intercept, weights)
    value, W, _ = plain.optimum()
    for solver, rows in ((SECOND_ORDER[0], X), (SECOND_ORDER[1], sp.csr_array(X)), ("lbfgs", X)):
        model = LogisticRegression(
            solver=solver,
            C=C,
            fit_intercept=fit_intercept,
            multi_class="ovr" if kind == "ovr" else "multinomial",
            tol=1e-8,
            max_iter=1000,
            n_jobs=1,
        ).fit(rows, codes, sample_weight=weights)
        assert model.history_["objective"][-1] == pytest.approx(value, rel=1e-6, abs=1e-9)
        np.testing.assert_allclose(model.coef_, W.T, atol=1e-4)


@some
@given(problem=problems(3), C=st.sampled_from([1e-6, 1.0, 1e6, np.inf]))
def test_any_solver_ends_and_nothing_is_nan(problem, C):
    X, codes, weights = problem
    for solver in SOLVERS:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = LogisticRegression(solver=solver, C=C, max_iter=20, n_jobs=1)
            model.fit(X, codes, sample_weight=weights)
        assert np.isfinite(model.coef_).all()
        np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0, rtol=1e-12)


@some
@given(problem=problems(3), kept=st.lists(st.booleans(), min_size=12, max_size=12))
def test_weight_0_is_no_row(problem, kept):
    X, codes, weights = problem
    mask = np.array(kept[: len(codes)])
    mask[:3] = True
    model = LogisticRegression(n_jobs=1).fit(X, codes, sample_weight=weights * mask)
    expected = LogisticRegression(n_jobs=1).fit(X[mask], codes[mask], sample_weight=weights[mask])
    np.testing.assert_array_equal(model.coef_, expected.coef_)
    np.testing.assert_array_equal(model.intercept_, expected.intercept_)


@some
@given(problem=problems(3), seed=st.integers(0, 99))
def test_the_order_of_rows_columns_and_classes_does_not_matter(problem, seed):
    X, codes, weights = problem
    rng = np.random.default_rng(seed)
    rows, columns, classes = (rng.permutation(n) for n in (*X.shape, 3))
    model = LogisticRegression(tol=1e-9, n_jobs=1)
    expected = model.fit(X, codes, sample_weight=weights).predict_proba(X)
    model.fit(X[rows][:, columns], classes[codes[rows]], sample_weight=weights[rows])
    probabilities = model.predict_proba(X[:, columns])[:, classes]
    np.testing.assert_allclose(probabilities, expected, atol=1e-6)

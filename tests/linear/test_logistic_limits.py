"""LogisticRegression as an estimator: limits, history, warm starts, and what it refuses."""

import pickle
import time

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from wordodds import LogisticRegression

from .problems import FOUR, SOLVERS, THREE, TWO, X, assert_same_model

solvers = pytest.mark.parametrize("solver", SOLVERS)
strategies = pytest.mark.parametrize("multi_class", ["multinomial", "ovr", "ovo"])


@solvers
def test_the_history_has_an_entry_for_each_iteration(solver):
    model = LogisticRegression(solver=solver, max_iter=500).fit(X, THREE)
    history = model.history_
    assert list(history) == ["iteration", "objective", "gradient_norm", "time", "passes"]
    assert history["iteration"].tolist() == list(range(model.n_iter_[0] + 1))
    assert history["objective"][0] == pytest.approx(np.log(3))
    assert history["gradient_norm"][-1] <= model.tol < history["gradient_norm"][:-1].min()
    assert (np.diff(history["time"]) >= 0).all()
    assert (np.diff(history["passes"]) > 0).all()
    assert model.solver_ == solver


@strategies
def test_a_callback_sees_every_iteration_and_may_end_the_fit(multi_class):
    seen = []
    model = LogisticRegression(
        solver="gd", multi_class=multi_class, callback=seen.append, max_iter=500
    )
    model.fit(X, TWO)
    assert [entry["objective"] for entry in seen] == model.history_["objective"].tolist()
    ended = LogisticRegression(solver="gd", callback=lambda entry: entry["iteration"] == 3)
    assert ended.fit(X, TWO).n_iter_.tolist() == [3]  # and no warning: it was asked for


def test_what_a_callback_raises_comes_out_and_the_model_stays():
    model = LogisticRegression().fit(X, THREE)
    before = pickle.dumps(model)

    def callback(entry):
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        model.set_params(callback=callback).fit(X, TWO)
    assert pickle.dumps(model.set_params(callback=None)) == before


def test_a_keyboard_interrupt_leaves_the_last_iteration():
    def callback(entry):
        if entry["iteration"] == 3:
            raise KeyboardInterrupt

    model = LogisticRegression(solver="gd", callback=callback)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, THREE)
    expected = LogisticRegression(solver="gd", callback=lambda entry: entry["iteration"] == 3)
    assert_same_model(model, expected.fit(X, THREE))
    pairs = LogisticRegression(multi_class="ovo", callback=callback, solver="gd")
    with pytest.raises(KeyboardInterrupt):
        pairs.fit(X, THREE)
    assert not hasattr(pairs, "coef_")


@strategies
def test_max_time_ends_a_fit(multi_class):
    def slow(entry):
        time.sleep(0.02)

    options = {"solver": "gd", "multi_class": multi_class, "tol": 0.0, "max_iter": 10**6}
    began = time.perf_counter()
    with pytest.warns(ConvergenceWarning, match=r"reached max_time=") as caught:
        model = LogisticRegression(max_time=0.05, callback=slow, **options).fit(X, THREE)
    assert time.perf_counter() - began >= 0.05
    # Each iteration sleeps: the time is for all pairs together.
    assert model.n_iter_.sum() <= 3
    assert len(caught) == len(model.n_iter_)


def test_max_iter_0_is_the_start():
    with pytest.warns(ConvergenceWarning, match="max_iter=0"):
        model = LogisticRegression(max_iter=0).fit(X, THREE)
    assert not model.coef_.any()
    assert model.predict_proba(X) == pytest.approx(1.0 / 3.0)


@solvers
def test_a_warm_start_begins_where_the_last_fit_ended(solver):
    model = LogisticRegression(solver=solver, warm_start=True, max_iter=500).fit(X, THREE)
    assert model.fit(X, THREE).n_iter_.tolist() == [0]
    cold = LogisticRegression(solver=solver, max_iter=500).fit(X, THREE)
    n_iter = cold.n_iter_.copy()
    assert cold.fit(X, THREE).n_iter_ == n_iter > 0
    # Other classes, another width: from zero.
    model.fit(X, TWO)
    assert_same_model(model, LogisticRegression(solver=solver, max_iter=500).fit(X, TWO))
    model.fit(X[:, :4], TWO)
    assert_same_model(model, LogisticRegression(solver=solver, max_iter=500).fit(X[:, :4], TWO))


def test_a_warm_start_with_columns_of_all_sizes():
    rows = X * [1e-100, 1, 1, 1e100, 1, 1e12, 1]
    model = LogisticRegression(warm_start=True, C=100.0).fit(rows, TWO)
    assert model.fit(rows, TWO).n_iter_.tolist() == [0]


def test_verbose_writes_a_line_for_each_iteration(capsys):
    model = LogisticRegression(verbose=1).fit(X, THREE)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == model.n_iter_[0] + 1
    assert lines[0].startswith("iteration 0: objective 1.0986")


# What is refused


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"C": 0.0}, ValueError, r"C must be > 0, got 0\.0"),
        ({"C": np.nan}, ValueError, "C must be > 0, got nan"),
        ({"C": "1"}, TypeError, "C must be a number, got '1'"),
        ({"C": True}, TypeError, "C must be a number, got True"),
        ({"l1_ratio": 1.5}, ValueError, r"l1_ratio must be from 0 to 1, got 1\.5"),
        ({"solver": "magic"}, ValueError, "solver must be one of auto, irls, .* got 'magic'$"),
        ({"solver": "newton-cholesky"}, ValueError, '.* in its place: "irls"'),
        (
            {"multi_class": "all"},
            ValueError,
            "multi_class must be one of multinomial, .* got 'all'",
        ),
        ({"tol": -1.0}, ValueError, r"tol must be >= 0, got -1\.0"),
        ({"max_iter": -1}, ValueError, "max_iter must be >= 0, got -1"),
        ({"max_iter": 1.5}, TypeError, r"max_iter must be an int, got 1\.5"),
        ({"max_time": -1}, ValueError, "max_time must be >= 0, got -1"),
        ({"callback": 3}, TypeError, "callback must be callable, got 3"),
        ({"dtype": "int32"}, ValueError, "dtype must be float32, float64 or None, got 'int32'"),
        ({"class_weight": "even"}, ValueError, "class_weight must be a dict, .* got 'even'"),
        ({"n_jobs": 0}, ValueError, "n_jobs"),
    ],
)
def test_parameters_are_checked_and_a_failed_fit_leaves_the_model(options, error, message):
    model = LogisticRegression().fit(X, THREE)
    before = pickle.dumps(model)
    with pytest.raises(error, match=message):
        model.set_params(**options).fit(X[:, :3], TWO)
    model.set_params(**{name: getattr(LogisticRegression(), name) for name in options})
    assert pickle.dumps(model) == before


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (-np.ones(60), r"sample_weight\[0\] must be finite and >= 0"),
        (np.full(60, np.nan), r"sample_weight\[0\] must be finite"),
        (np.ones(59), "one weight per row"),
        (np.zeros(60), "the weight of every row is zero"),
        (np.full(60, 1e308), "add up to more than 1e308"),
    ],
)
def test_weights_are_checked(weights, message):
    with pytest.raises(ValueError, match=message), np.errstate(over="ignore"):
        LogisticRegression().fit(X, THREE, sample_weight=weights)


def test_an_unfitted_model_says_so():
    for call in ("predict", "predict_proba", "predict_log_proba", "decision_function"):
        with pytest.raises(NotFittedError):
            getattr(LogisticRegression(), call)(X)
    with pytest.raises(NotFittedError):
        LogisticRegression().top_features()
    assert not hasattr(LogisticRegression(), "coef_")


@strategies
def test_a_pickle_is_the_model(multi_class):
    model = LogisticRegression(multi_class=multi_class).fit(X, FOUR)
    other = pickle.loads(pickle.dumps(model))
    assert_same_model(model, other)
    np.testing.assert_array_equal(model.predict_log_proba(X), other.predict_log_proba(X))
    assert np.shares_memory(other.coef_, other._columns)
    assert clone(model).get_params() == model.get_params()

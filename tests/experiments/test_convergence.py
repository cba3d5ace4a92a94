"""Convergence: gaps, when they are reached, and what is said about them."""

import numpy as np
import pytest
import sklearn.linear_model
import sklearn.preprocessing
from scipy.optimize import minimize

from wordodds.datasets import make_corpus
from wordodds.experiments import style
from wordodds.experiments.experiment import Run
from wordodds.experiments.newsgroups import Data, count_texts
from wordodds.experiments.studies.convergence import EXPERIMENT
from wordodds.experiments.studies.convergence.fits import (
    ITERATIONS,
    SOLVERS,
    Settings,
    _problems,
    fit,
    measure,
    thinned,
)
from wordodds.experiments.studies.convergence.report import _judge_lecture, ratio
from wordodds.experiments.table import Results

from .small import settled

SETTINGS = Settings(_problems((120, 120, 150, 100), (5, 4)), (2, 3, 5), (60, 240), 2, 2)


@pytest.fixture(scope="module")
def data():
    data = Data()
    parts = (
        make_corpus(n, n_classes=3, n_words=120, document_length=30, random_state=seed)
        for n, seed in ((160, 1), (90, 2))
    )
    data.__dict__["bags"] = count_texts(*parts)
    return data


@pytest.fixture(scope="module")
def results(data):
    return measure(SETTINGS, Run(data))


def test_every_solver_has_its_rows(results):
    names = [problem.name for problem in SETTINGS.problems]
    assert results.where(kind="path").unique("problem") == names
    for problem in SETTINGS.problems:
        part = results.where(kind="reach", problem=problem.name)
        assert part.unique("solver") == list(problem.limits)
        assert len(part) == 2 * 2 * len(problem.limits)
        assert part.unique("size") == [problem.n_rows]
    assert len(results.where(kind="cost")) == 2 * 2 * 3
    assert results.where(kind="path").unique("seed") == [0]


def test_gaps_are_reached_when_the_table_says_so(results):
    for row in results.where(kind="reach").rows:
        assert (row["gap"] <= row["target"]) == bool(row["reached"])
    newton = results.where(kind="reach", solver="Newton-CG", target=1e-6)
    assert newton.column("reached").all()
    for _, part in results.where(kind="path", solver="Newton-CG").groups("problem"):
        assert (np.diff(part.column("gap")) < 0.0).all()
        assert part.column("gap")[-2] > 1e-7  # it ends with the first that is small enough


def test_the_optimum_is_that_of_scipy():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 3)), rng.integers(2, size=80)

    def objective(w):
        margins = np.where(y == 1, 1.0, -1.0) * (X @ w[:3] + w[3])
        return np.logaddexp(0.0, -margins).mean() + 0.5 * w[:3] @ w[:3] / 80

    best = minimize(objective, np.zeros(4), tol=1e-12).fun
    for solver in SOLVERS:
        history = fit(X, y, solver, 300, 0, enough=best * (1.0 + 1e-3))
        assert history["objective"][0] == pytest.approx(np.log(2.0))
        assert best * (1.0 - 1e-9) < history["objective"][-1] <= best * (1.0 + 1e-3)


def test_the_lectures_errors_are_those_of_refitted_models(data, results):
    part = results.where(kind="lecture")
    assert part.unique("pair") == [" / ".join(data.bags.train.label_names[:2])]
    assert part.unique("iteration") == list(ITERATIONS)
    assert len(part) == 2 * 2 * len(ITERATIONS)
    # After enough iterations both are at the optimum: that of scikit-learn, on the same rows.
    columns, labels = data.columns(3)
    rng = np.random.default_rng(1)
    names = data.bags.train.label_names[:2]
    rows = rng.permutation(np.flatnonzero(np.isin(labels, names)))
    y, n_test = labels[rows], len(rows) // 10
    X = columns[rows, :30]
    X = sklearn.preprocessing.StandardScaler().fit(X[n_test:]).transform(X)
    peer = sklearn.linear_model.LogisticRegression(tol=1e-8, max_iter=5000)
    expected = peer.fit(X[n_test:], y[n_test:]).score(X[:n_test], y[:n_test])
    found = part.where(solver="IRLS", iteration=ITERATIONS[-1], seed=1).value("accuracy")
    assert found == pytest.approx(expected)


@pytest.mark.parametrize(
    ("last", "says"), [(0.1, "a / b: 2 and 8"), (0.15, "a / b: 2 and more than 8")]
)
def test_a_pair_is_settled_where_its_error_stays(last, says):
    table = Results("convergence")
    errors = {"IRLS": (0.2, 0.1, 0.1, 0.1), "gradient descent": (0.4, 0.104, 0.2, last)}
    for solver, path in errors.items():
        for iteration, error in zip((1, 2, 4, 8), path, strict=True):
            table.add(kind="lecture", pair="a / b", solver=solver, seed=0, iteration=iteration,
                      accuracy=1 - error)  # fmt: skip
    (found,) = _judge_lecture(table)
    assert found.number.endswith(says)
    assert found.verdict == "borne out"
    assert _judge_lecture(Results("convergence")) == []


def test_the_noise_floor_of_sgd_is_drawn(results):
    paths, lecture, _ = EXPERIMENT.draw(results)
    problems = results.where(kind="path").unique("problem")
    assert len(paths.figure.axes) == 3 * len(problems)
    labels = [ax.get_xlabel() for ax in paths.figure.axes[-3:]]
    assert labels == ["iteration", "passes over the rows", "seconds"]
    for problem, ax in zip(problems, paths.figure.axes[::3], strict=True):
        gaps = results.where(kind="path", problem=problem, solver="SGD").column("gap")
        floors = [
            line.get_ydata()[0] for line in ax.lines
            if line.get_linestyle() == ":" and line.get_color() == style.colour_of("SGD")
        ]  # fmt: skip
        assert floors == ([gaps.min()] if gaps.min() > 1e-6 else [])
    assert lecture.stem == "convergence-lecture"


@pytest.mark.parametrize("n", [1, 20, 21, 2000])
def test_thinned_keeps_both_ends(n):
    kept = thinned(n)
    assert kept == sorted(set(kept))
    assert (kept[0], kept[-1]) == (0, n - 1)
    assert len(kept) <= 21


def test_the_same_seed_gives_the_same_rows(data, results):
    again = measure(SETTINGS, Run(data, n_jobs=1))
    assert settled(again) == settled(results)


def _table(seconds, iterations, rough, growth):
    """Return a table of one dense and one sparse problem, two seeds, from what solvers take."""
    table = Results("convergence")
    for problem in ("dense", "sparse"):
        for solver in seconds:
            if solver == "IRLS" and problem == "sparse":
                continue
            for seed, factor in enumerate((1.0, 1.01)):
                about = {"kind": "reach", "problem": problem, "solver": solver, "seed": seed}
                about |= {"size": 100, "dims": 5, "iteration": iterations[solver]}
                reached = int(solver != "SGD")
                table.add(**about, target=1e-6, reached=reached, seconds=factor * seconds[solver])
                table.add(**about, target=1e-2, reached=1, seconds=rough[solver] / factor)
    for solver, power in growth.items():
        for size in (100, 1000):
            for d in (5, 10, 20, 40):
                noise = 1.0 + 0.01 * (d % 3)
                table.add(kind="cost", solver=solver, size=size, dims=d,
                          seconds=noise * size * float(d) ** power)  # fmt: skip
    return table


def test_judge_goes_by_the_intervals():
    iterations = {"IRLS": 5, "gradient descent": 500, "conjugate gradients": 50, "L-BFGS": 40,
                  "SGD": 30}  # fmt: skip
    seconds = {"IRLS": 2.0, "gradient descent": 9.0, "conjugate gradients": 1.0, "L-BFGS": 1.5,
               "SGD": 7.0}  # fmt: skip
    rough = {**seconds, "SGD": 0.1}
    growth = {"IRLS": 2.0, "conjugate gradients": 0.98}
    found = EXPERIMENT.judge(_table(seconds, iterations, rough, growth))
    verdicts = [finding.verdict == "borne out" for finding in found]
    # IRLS's cost is N d²; conjugate gradients are best, so that L-BFGS is not faster than them.
    assert verdicts == [True, True, False, True, True, True, False, True, True]
    seconds |= {"L-BFGS": 0.5}
    found = EXPERIMENT.judge(_table(seconds, {**iterations, "IRLS": 400}, seconds,
                                    {"IRLS": 4.0, "conjugate gradients": 2.0}))  # fmt: skip
    verdicts = [finding.verdict == "borne out" for finding in found]
    assert verdicts == [False, False, False, False, False, True, True, True, False]


def test_what_is_too_noisy_is_not_tested():
    seconds = dict.fromkeys(SOLVERS, 1.0)
    table = _table(seconds, seconds, seconds, {"IRLS": 2.0, "conjugate gradients": 1.0})
    for row in table.where(kind="cost", solver="IRLS").rows:
        row["seconds"] = row["size"] * (9.0 if row["dims"] in (5, 20) else 1.0) * row["dims"]
    (finding,) = [f for f in EXPERIMENT.judge(table) if "whatever d" in f.says]
    assert finding.verdict == "not tested"
    assert "too wide" in finding.number


def test_ratios_are_geometric_means_and_know_what_never_arrived():
    table = _table({"IRLS": 2.0, "SGD": 8.0}, {"IRLS": 5, "SGD": 9}, {"IRLS": 1.0, "SGD": 1.0}, {})
    found = ratio(table, "dense", "seconds", "SGD", "IRLS")
    assert found.value == pytest.approx(4.0)
    unknown = ratio(table, "dense", "seconds", "IRLS", "SGD")
    assert np.isnan(unknown.value)
    assert unknown.low < 1.0 < unknown.high


def test_figures_come_from_the_file_alone(results, tmp_path):
    results.write(tmp_path / "convergence.csv")
    read = Results.read(tmp_path / "convergence.csv")
    plots = EXPERIMENT.draw(read)
    stems = ["convergence", "convergence-lecture", "convergence-cost"]
    assert [plot.stem for plot in plots] == stems
    assert len(plots[0].figure.axes) == 3 * len(SETTINGS.problems)
    (legend,) = plots[0].figure.legends
    assert [text.get_text() for text in legend.get_texts()] == list(SOLVERS)
    assert {finding.figure for finding in EXPERIMENT.judge(read)} <= {p.stem for p in plots}

"""The synthetic experiment: exact errors against simulation, growth against closed forms."""

import numpy as np
import pytest
from scipy.stats import norm

from wordodds.experiments.experiment import Run
from wordodds.experiments.newsgroups import Data
from wordodds.experiments.studies.theory import fits as theory
from wordodds.experiments.studies.theory.fits import LR, NB, Settings, measure, needed, score
from wordodds.experiments.studies.theory.report import draw, judge
from wordodds.experiments.studies.theory.worlds import duplicated, every_tells, holds, one_tells
from wordodds.experiments.table import Results

DIMS = (8, 16, 32)
TINY = Settings((8, 64, 2048), 2, {NB: DIMS, LR: DIMS}, 1 << 12, (2, 3))
RUN = Run(Data(), n_jobs=1)


@pytest.fixture(scope="module")
def results():
    return measure(TINY, RUN)


@pytest.mark.parametrize(
    "world",
    [holds(5), duplicated(3, 2, 4), one_tells(4), every_tells(6)],
    ids=lambda world: world.name,
)
@pytest.mark.parametrize("bias", [0.0, 0.7])
def test_the_exact_error_is_that_of_a_large_sample(world, bias):
    rng = np.random.default_rng(1)
    X, y = world.draw(100_000, rng)
    weights = rng.normal(size=X.shape[1]) + 0.5
    wrong = np.mean((X @ weights + bias > 0) != (y == 1))
    assert world.error(weights, bias) == pytest.approx(wrong, abs=5 * np.sqrt(0.25 / len(y)))


def test_a_world_is_what_it_says():
    world = duplicated(3, 2, 4)
    X, y = world.draw(40_000, np.random.default_rng(0))
    assert X.shape == (40_000, 11)
    assert (X[:, 3:7] == X[:, [3]]).all()
    assert (X[:, 7:] == X[:, [7]]).all()
    distinct = X[:, [0, 1, 2, 3, 7]]
    np.testing.assert_allclose(distinct[y == 1].mean(axis=0), world.mean, atol=0.05)
    np.testing.assert_allclose(distinct[y == 0].mean(axis=0), -world.mean, atol=0.05)
    np.testing.assert_allclose(np.cov(distinct[y == 1].T), np.eye(5), atol=0.05)


def test_limits_of_copied_features():
    world = duplicated(16, 2, 16)
    assert world.best_error == pytest.approx(norm.cdf(-1.0))
    assert world.best_error == pytest.approx(
        world.error(np.repeat(1 / world.copies, world.copies), 0)
    )
    # Naive Bayes weighs 16 features once and 2 sixteen times: the cosine with equal weights.
    cosine = (16 + 2 * 16) / np.sqrt(18 * (16 + 2 * 16**2))
    assert world.naive_error == pytest.approx(norm.cdf(-cosine))
    assert holds(48).naive_error == pytest.approx(norm.cdf(-1.0))


def test_a_rule_without_weights_guesses():
    assert one_tells(3).error(np.zeros(3), 1.0) == 0.5


@pytest.mark.parametrize("start", [4, 16, 90, 5000])
def test_needed_finds_the_size_from_anywhere(start):
    assert needed(lambda n: 3.0 / np.sqrt(n), 0.25, start) == pytest.approx(144.0)


def test_needed_ends_at_the_smallest_size():
    assert needed(lambda n: 0.1, 0.25, 64) == 4.0


def test_naive_bayes_needs_what_theory_says():
    # The direction is mean + noise of variance 4 / n in m features: the share of the separation
    # that it keeps is 1 / sqrt(1 + 4 m / (n d^2)).
    m, n = 256, 512
    kept = [1.0 - score(one_tells(m), NB, n, seed, 1)["lost"] for seed in range(6)]
    assert np.mean(kept) == pytest.approx(1 / np.sqrt(1 + m / n), abs=0.02)


def test_logistic_regression_finds_the_weights():
    row = score(one_tells(4), LR, 20_000, 0, 1)
    assert row["weight_error"] < 0.1
    assert row["accuracy"] == pytest.approx(norm.cdf(1.0), abs=1e-3)


def test_the_table(results):
    curves = results.where(part="curve")
    assert len(curves) == 2 * 2 * 3 * 2
    assert set(curves.column("dims")) == {48}
    goals = [row for row in results.rows if "needed" in row]
    assert len(goals) == 3 * len(DIMS) * 2
    assert (results.column("accuracy")[~np.isnan(results.column("accuracy"))] <= 1.0).all()
    for model in (NB, LR):
        sizes = results.where(model=model, world="one feature tells", goal="error").column("needed")
        assert (np.diff(sizes) > 0).all()


def test_the_same_seed_gives_the_same_rows(results):
    again = measure(TINY, Run(Data(), n_jobs=2))
    assert [{**row, "seconds": 0} for row in again.rows] == [
        {**row, "seconds": 0} for row in results.rows
    ]
    other = theory.score(holds(5), NB, 16, 1, 1)
    assert other["accuracy"] != theory.score(holds(5), NB, 16, 2, 1)["accuracy"]


def test_figures_are_drawn_from_the_table(results, tmp_path):
    results.write(tmp_path / "theory.csv")
    plots = draw(Results.read(tmp_path / "theory.csv"))
    assert [plot.stem for plot in plots] == ["theory-limits", "theory-growth"]
    limits, growth = (plot.figure.axes for plot in plots)
    assert [ax.get_title() for ax in limits] == ["assumption holds", "features duplicated"]
    assert len(growth) == 3
    assert len(limits[1].get_legend().get_texts()) == 4
    for ax in growth[:2]:
        assert all("m^{" in text.get_text() for text in ax.get_legend().get_texts())
    assert [text.get_text() for text in growth[2].get_legend().get_texts()] == ["NB", "LR"]


def test_the_bounds_of_the_lectures_are_drawn(results):
    limits, growth = draw(results)
    ax = limits.figure.axes[0]
    (bound,) = [line for line in ax.lines if "log(n/m)" in str(line.get_label())]
    sizes, heights = bound.get_data()
    errors = 1 - results.where(part="curve", world="assumption holds", model=LR).by_seed("accuracy")
    mean = dict(zip(TINY.sizes, errors.mean(axis=0), strict=True))
    gaps = [height - mean[size] for size, height in zip(sizes, heights, strict=True)]
    assert min(gaps) == pytest.approx(0.0, abs=1e-12)  # it touches the curve
    assert min(sizes) > 48
    for ax in growth.figure.axes:
        dotted = [line for line in ax.lines if line.get_linestyle() == ":"]
        for line, shape in zip(dotted, (np.log, np.asarray), strict=True):
            ratio = line.get_ydata() / shape(line.get_xdata())
            np.testing.assert_allclose(ratio, ratio[0])


def test_findings_of_a_real_table(results):
    findings = judge(results)
    assert [finding.claim for finding in findings] == ["C1"] * 6 + ["C2"] + ["C3"] * 2
    assert findings[7].verdict == "borne out"
    assert {finding.figure for finding in findings} == {"theory-limits", "theory-growth"}


def made_up(shapes, ends):
    """Return a table with growth of these shapes and errors of these ends."""
    results = Results("theory")
    for model, shape in shapes.items():
        for world, goal in (
            ("one feature tells", "weights"),
            ("one feature tells", "error"),
            ("every feature tells", "error"),
        ):
            for dims in (8, 64, 512, 4096):
                row = {"model": model, "world": world, "goal": goal, "dims": dims}
                results.add(part="growth", needed=shape(dims), **row)
    for (world, model), error in ends.items():
        for seed in range(4):
            values = {"accuracy": 1 - error - 1e-4 * seed, "best_error": 0.15, "limit": 0.3}
            results.add(part="curve", world=world, model=model, size=9, seed=seed, **values)
    return results


ENDS = {
    ("assumption holds", NB): 0.151,
    ("assumption holds", LR): 0.152,
    ("features duplicated", NB): 0.3,
    ("features duplicated", LR): 0.151,
}


@pytest.mark.parametrize(
    ("naive", "line", "verdicts"),
    [
        (np.log2, lambda m: 3.0 * m, [True, True, True, True, True, True]),
        # That the bound is O(m) is borne out by all that grows no faster.
        (lambda m: 3.0 * m, np.log2, [False, False, False, False, False, True]),
        (lambda m: 20.0, lambda m: m**2.0, [True, False, True, False, True, False]),
        (np.sqrt, np.sqrt, [False, False, False, False, False, True]),
    ],
    ids=["as claimed", "reversed", "constant and square", "roots"],
)
def test_growth_is_judged_by_its_exponent(naive, line, verdicts):
    findings = judge(made_up({NB: naive, LR: line}, ENDS))
    assert [finding.verdict == "borne out" for finding in findings[:6]] == verdicts


@pytest.mark.parametrize(
    ("changed", "verdicts"),
    [
        ({}, ["borne out"] * 3),
        ({("assumption holds", NB): 0.17}, ["not borne out", "borne out", "borne out"]),
        ({("features duplicated", LR): 0.25}, ["borne out", "borne out", "not borne out"]),
        ({("features duplicated", NB): 0.14}, ["borne out", "not borne out", "borne out"]),
    ],
    ids=["as claimed", "naive Bayes stays above", "regression stays above", "naive Bayes wins"],
)
def test_limits_are_judged_by_their_intervals(changed, verdicts):
    table = made_up({NB: np.log2, LR: lambda m: 3.0 * m}, ENDS | changed)
    assert [finding.verdict for finding in judge(table)[6:]] == verdicts

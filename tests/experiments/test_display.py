"""Displays: what is on the axes is what is in the table."""

import numpy as np
import pytest
import scipy.stats
from matplotlib import pyplot
from matplotlib.figure import Figure

from wordodds.experiments import (
    ConvergenceDisplay,
    LearningCurveDisplay,
    ReliabilityDisplay,
    Results,
    style,
)

SIZES = [10, 100, 1000]


def table(n_seeds=4):
    rng = np.random.default_rng(0)
    results = Results("demo")
    for size in reversed(SIZES):  # a table need not be sorted
        for seed in range(n_seeds):
            for model in ("Gaussian NB", "logistic regression"):
                results.add(
                    model=model,
                    size=size,
                    seed=seed,
                    accuracy=rng.uniform(0.5, 0.9),
                    log_loss=float(np.exp(rng.normal())),
                )
    return results


@pytest.fixture
def ax():
    return Figure().subplots()


def band(ax, position):
    """Return the lower and the upper edge of a band at the sizes."""
    corners = ax.collections[position].get_paths()[0].vertices
    edges = [corners[np.isclose(corners[:, 0], size), 1] for size in SIZES]
    return np.array([[edge.min(), edge.max()] for edge in edges]).T


@pytest.mark.parametrize("y", ["accuracy", "error", "log_loss"])
def test_lines_are_means_and_bands_their_intervals(ax, y):
    results = table()
    display = LearningCurveDisplay.from_results(results, y=y, ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    for position, model in enumerate(("Gaussian NB", "logistic regression")):
        line = ax.lines[position]
        assert line.get_label() == model
        assert line.get_color() == style.colour_of(model)
        assert line.get_xdata().tolist() == SIZES
        columns = [results.where(model=model, size=size) for size in SIZES]
        values = [
            1 - part.column("accuracy") if y == "error" else part.column(y) for part in columns
        ]
        np.testing.assert_allclose(line.get_ydata(), np.mean(values, axis=1))
        expected = [scipy.stats.t.interval(0.95, 3, np.mean(v), scipy.stats.sem(v)) for v in values]
        np.testing.assert_allclose(band(ax, position), np.transpose(expected))
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["Gaussian NB", "logistic regression"]


def test_on_a_logarithmic_axis_means_are_geometric(ax):
    results = table()
    LearningCurveDisplay.from_results(results, y="log_loss", log_x=True, log_y=True, ax=ax)
    assert (ax.get_xscale(), ax.get_yscale()) == ("log", "log")
    values = [results.where(model="Gaussian NB", size=n).column("log_loss") for n in SIZES]
    np.testing.assert_allclose(ax.lines[0].get_ydata(), scipy.stats.gmean(values, axis=1))
    expected = [
        scipy.stats.t.interval(0.95, 3, np.mean(v), scipy.stats.sem(v)) for v in np.log(values)
    ]
    np.testing.assert_allclose(band(ax, 0), np.exp(expected).T)


def test_labels_have_words_and_units(ax):
    LearningCurveDisplay.from_results(table(), y="log_loss", ax=ax)
    assert ax.get_xlabel() == "training documents"
    assert ax.get_ylabel() == "log loss (nats)"


def crossing_table():
    results = Results("demo")
    for seed in range(3):
        for size, scores in zip(
            SIZES, ((0.6, 0.5, 0.2), (0.7, 0.8, 0.3), (0.8, 0.9, 0.95)), strict=True
        ):
            for model, accuracy in zip("abc", scores, strict=True):
                results.add(model=model, size=size, seed=seed, accuracy=accuracy)
    return results


@pytest.mark.parametrize(
    ("crossings", "places"),
    [
        (False, []),
        ([("a", "b")], [10**1.5]),
        # Of b and c the difference goes from 0.5 to -0.05, of a and c from 0.4 to -0.15.
        (True, [10**1.5, 10 ** (2 + 0.4 / 0.55), 10 ** (2 + 0.5 / 0.55)]),
    ],
)
def test_crossings_are_marked(ax, crossings, places):
    results = crossing_table()
    LearningCurveDisplay.from_results(results, crossings=crossings, log_x=True, ax=ax)
    dotted = [line.get_xdata()[0] for line in ax.lines if line.get_linestyle() == ":"]
    np.testing.assert_allclose(dotted, places)
    assert [text.get_text() for text in ax.texts] == [f"{place:,.0f}" for place in places]


def test_of_all_pairs_those_that_cannot_be_compared_are_left_out(ax):
    results = crossing_table()
    for row in results.where(model="c").rows:
        row["accuracy"] = None if row["size"] == 10 else row["accuracy"]
    for row in results.where(model="b").rows:
        row["accuracy"] = None if row["size"] > 10 else row["accuracy"]
    LearningCurveDisplay.from_results(results, crossings=True, log_x=True, ax=ax)
    assert [text.get_text() for text in ax.texts] == [f"{10 ** (2 + 0.4 / 0.55):,.0f}"]
    with pytest.raises(ValueError, match="'b' and 'c' have no size at which both"):
        LearningCurveDisplay.from_results(results, crossings=[("b", "c")], ax=ax)


@pytest.mark.parametrize("crossings", ["all", ("a", "b"), 1, [("a", "b", "c")]])
def test_other_crossings_are_refused(ax, crossings):
    with pytest.raises(ValueError, match="crossings must be True, False or a list of pairs"):
        LearningCurveDisplay.from_results(crossing_table(), crossings=crossings, ax=ax)


def test_a_frame_is_told_how_to_become_results(ax):
    with pytest.raises(TypeError, match=r'Results\("name", frame.to_dict'):
        LearningCurveDisplay.from_results([{"model": "a"}], ax=ax)


def test_crossings_are_of_models(ax):
    with pytest.raises(ValueError, match="crossings are of models"):
        LearningCurveDisplay.from_results(table(), group="seed", crossings=True, ax=ax)


def test_a_default_beside_its_tuned_self_is_dashed(ax):
    results = crossing_table()
    for row in results.rows:
        row["model"] = {"a": "NB", "b": "NB, tuned", "c": "LR"}[row["model"]]
    LearningCurveDisplay.from_results(results, ax=ax)
    assert [line.get_linestyle() for line in ax.lines] == ["--", "-", "-"]


def test_one_seed_is_a_line_without_a_band(ax):
    LearningCurveDisplay.from_results(table(n_seeds=1), legend=False, ax=ax)
    low, high = band(ax, 0)
    np.testing.assert_array_equal(low, high)
    assert ax.get_legend() is None


def test_without_axes_there_is_a_new_figure():
    display = LearningCurveDisplay.from_results(table())
    assert display.ax_ in display.figure_.axes
    assert pyplot.fignum_exists(display.figure_.number)
    pyplot.close(display.figure_)


def test_other_columns_may_name_the_axes(ax):
    results = Results("demo")
    for dims in (5, 10):
        for kind in ("a", "b"):
            results.add(dims=dims, kind=kind, seed=0, accuracy=dims / 100)
    display = LearningCurveDisplay.from_results(results, x="dims", group="kind", ax=ax)
    assert list(display.curves) == ["a", "b"]
    assert ax.get_xlabel() == "dimensions"


@pytest.mark.parametrize("x", ["iteration", "seconds"])
def test_convergence(ax, x):
    results = Results("demo")
    for solver, rate in (("gd", 0.5), ("irls", 0.01)):
        for iteration in range(4):
            gap = 0.0 if (solver, iteration) == ("irls", 3) else rate**iteration
            results.add(solver=solver, iteration=iteration, seconds=0.1 * (iteration + 1), gap=gap)
    display = ConvergenceDisplay.from_results(results, x=x, ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure
    assert [line.get_label() for line in ax.lines] == ["gd", "irls"]
    np.testing.assert_allclose(ax.lines[0].get_ydata(), 0.5 ** np.arange(4))
    # What has arrived at the optimum has no place on a logarithmic axis.
    np.testing.assert_allclose(ax.lines[1].get_ydata(), 0.01 ** np.arange(3))
    first = {"iteration": 0.0, "seconds": 0.1}[x]
    assert ax.lines[1].get_xdata()[0] == pytest.approx(first)
    assert ax.get_yscale() == "log"


def test_reliability(ax):
    results = Results("demo")
    bins = [(0.55, 0.5, 0.25), (0.95, 0.7, 0.75)]
    for confidence, accuracy, share in bins:
        results.add(model="Gaussian NB", confidence=confidence, accuracy=accuracy, share=share)
    display = ReliabilityDisplay.from_results(results, ax=ax)
    assert display.ax_ is ax
    diagonal, line = ax.lines
    np.testing.assert_array_equal(diagonal.get_xydata(), [[0, 0], [1, 1]])
    np.testing.assert_allclose(line.get_xydata(), [row[:2] for row in bins])
    small, large = ax.collections[0].get_sizes()
    assert small < large
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["Gaussian NB"]


def test_a_column_that_is_not_there_is_named(ax):
    results = Results("x", [{"model": "m", "size": 1, "accuracy": 0.5}])
    with pytest.raises(ValueError, match="nothing in a column 'sizes'; their columns are exp"):
        LearningCurveDisplay.from_results(results, x="sizes", ax=ax)
    with pytest.raises(ValueError, match="no rows to draw"):
        LearningCurveDisplay.from_results(Results("x"), ax=ax)
    with pytest.raises(ValueError, match="'gap'"):
        ConvergenceDisplay.from_results(results, x="size", ax=ax)
    with pytest.raises(ValueError, match="'confidence'"):
        ReliabilityDisplay.from_results(results, ax=ax)

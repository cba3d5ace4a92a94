"""The cost of naive Bayes: what is drawn, what grows, and exponents of made-up times."""

import numpy as np
import pytest

from wordodds.experiments.studies import cost
from wordodds.experiments.studies.cost import SERIES, Settings, documents, measure
from wordodds.experiments.table import Results

from .small import settled, small_run, verdicts

TINY = Settings(n_words=(2000, 4000, 8000), n_classes=(8, 16, 32), n_vocabulary=(50, 99), rounds=1)


@pytest.fixture(scope="module")
def results():
    return measure(TINY, small_run())


def test_documents_have_their_length_and_follow_zipf():
    counts = documents(2000, 50, 1000, np.random.default_rng(0))
    assert counts.shape == (2000, 1000)
    assert (counts.sum(axis=1) == 50).all()
    assert counts.has_canonical_format
    # Each tenfold of ranks has the same share.
    shares = np.add.reduceat(counts.sum(axis=0), [0, 9, 99]) / 100_000
    np.testing.assert_allclose(shares, 1 / 3, atol=0.01)


def test_one_factor_grows_at_a_time(results):
    for name, part in results.groups("series"):
        factors = {x: part.unique(x) for x in ("words", "classes", "dims")}
        grown = [x for x, values in factors.items() if len(values) > 1]
        assert grown == [{"vocabulary": "dims"}.get(name.split(", ")[1], name.split(", ")[1])]
    assert results.unique("series") == list(SERIES)
    assert results.where(series="fit, words").column("words").tolist() == [2000, 4000, 8000]
    assert results.where(series="fit, vocabulary").column("cells").tolist() == [1000, 1980]
    assert (results.column("seconds") > 0).all()


def made_up(power):
    table = Results("cost")
    for name, series in SERIES.items():
        for k in range(5):
            table.add(series=name, **{series.x: 100 * 2**k}, seconds=1e-3 * 2 ** (power * k))
    return table


@pytest.mark.parametrize(
    ("power", "verdict"),
    [(0.0, "not borne out"), (0.9, "borne out"), (1.0, "borne out"), (2.0, "not borne out")],
)
def test_only_a_linear_cost_bears_the_claim_out(power, verdict):
    table = made_up(power)
    assert verdicts(cost.judge(table)) == [verdict] * 5
    assert [fitted.value for fitted in cost.exponents(table).values()] == [pytest.approx(power)] * 5


def test_the_figure_has_the_series_and_lines_of_slope_one(results):
    (plot,) = cost.draw(made_up(1.0))
    assert [len(ax.lines) for ax in plot.figure.axes] == [2, 4, 2, 2]
    for ax in plot.figure.axes:
        for straight, measured in zip(ax.lines[::2], ax.lines[1::2], strict=True):
            np.testing.assert_allclose(straight.get_ydata(), measured.get_ydata())
    cost.draw(results)


def test_two_runs_are_the_same_but_for_seconds(results):
    assert settled(measure(TINY, small_run())) == settled(results)

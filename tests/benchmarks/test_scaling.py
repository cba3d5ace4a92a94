"""The exponents of growth, the measurements they rest on, and what is made of them."""

import math
import random
from xml.etree import ElementTree

import numpy as np
import pytest
from benchmarks.scaling import __main__ as program
from benchmarks.scaling import figure, promises
from benchmarks.scaling.costs import best_times, peak_memory
from benchmarks.scaling.curves import (
    Curve,
    exponent,
    growth_table,
    long_enough,
    thread_exponent,
    thread_table,
)
from benchmarks.scaling.jobs import Corpus, class_jobs, document_jobs, resize
from benchmarks.scaling.promises import Promise
from scipy import stats

SIZES = [1.0, 2.0, 4.0, 8.0, 16.0]


@pytest.mark.parametrize("slope", [0.0, 0.5, 1.0, 2.0])
def test_the_exponent_of_a_power(slope):
    fit = exponent(SIZES, [3.0 * size**slope for size in SIZES])
    assert fit.slope == pytest.approx(slope, abs=1e-12)
    assert fit.error == pytest.approx(0.0, abs=1e-12)


def test_slope_and_error_are_those_of_linear_regression():
    values = np.random.default_rng(0).lognormal(size=len(SIZES))
    expected = stats.linregress(np.log(SIZES), np.log(values))
    assert exponent(SIZES, values) == pytest.approx((expected.slope, expected.stderr))


def test_the_error_covers_the_slope_as_often_as_it_says():
    rng = np.random.default_rng(0)
    sizes = np.geomspace(1.0, 256.0, 9)
    reach = stats.t.ppf(0.95, len(sizes) - 2)  # of 90 %
    fits = [exponent(sizes, sizes * rng.lognormal(sigma=0.1, size=9)) for _ in range(400)]
    covered = np.mean([abs(fit.slope - 1.0) <= reach * fit.error for fit in fits])
    assert covered == pytest.approx(0.90, abs=0.05)


def test_a_curve_that_bends_has_a_larger_error():
    straight, bent = ([100.0 * a + size for size in SIZES] for a in (0.0, 0.05))
    assert exponent(SIZES, bent).error > 0.01 > exponent(SIZES, straight).error


def test_few_points_have_no_error_and_one_no_slope():
    assert exponent([1.0, 2.0], [1.0, 4.0]).slope == pytest.approx(2.0)
    assert math.isnan(exponent([1.0, 2.0], [1.0, 4.0]).error)
    assert str(exponent([1.0, 2.0], [1.0, 4.0])) == "2.00"
    assert math.isnan(exponent([1.0], [1.0]).slope)


def test_threads():
    fit = thread_exponent([1.0, 1.0], [0.5, 0.25])
    assert fit == pytest.approx((-1.5, 0.5))
    assert math.isnan(thread_exponent([], []).slope)


def test_short_jobs_say_nothing_of_threads():
    curve = Curve("job", "classes", SIZES[:3], {1: [0.001, 0.02, 0.04], 2: [9.0, 0.01, 0.02]}, {})
    assert long_enough(curve, curve.seconds) == [[0.02, 0.04], [0.01, 0.02]]


def test_peak_memory_is_that_of_the_job_alone():
    held = np.ones(2_000_000)
    for _ in range(2):  # what the first time has freed does not make the second cheaper
        peak = peak_memory(lambda: [held, np.ones(2_500_000)])
        assert 20_000_000 <= peak <= 26_000_000
    assert peak_memory(lambda: None) < 5_000_000


def test_memory_that_was_freed_before_counts_too():
    """Blocks too small for a mapping of their own stay with the C library; one keeps them there."""
    blocks = [bytes(50_000) for _ in range(400)]
    del blocks[:-1]
    assert peak_memory(lambda: [bytes(50_000) for _ in range(400)]) >= 19_000_000


def test_a_job_that_fails_where_memory_is_measured(capfd):
    with pytest.raises(RuntimeError, match="child that measures memory"):
        peak_memory(lambda: [][1])
    assert "IndexError" in capfd.readouterr().err


def test_jobs_take_turns_within_the_budget():
    calls = []
    times = best_times([lambda: calls.append("a"), lambda: calls.append("b")], n_rounds=3)
    assert calls == ["a", "b"] * 3
    assert all(0.0 <= seconds < 1.0 for seconds in times)
    calls.clear()
    best_times([lambda: calls.append("a")], n_rounds=9, n_rounds_min=4, budget=0.0)
    assert calls == ["a"] * 4


@pytest.fixture(scope="module")
def corpus():
    draw = random.Random(0)
    words = [f"w{i}" for i in range(300)]
    texts = [" ".join(draw.choices(words, k=30)) for _ in range(96)]
    return Corpus(texts, np.arange(96) // 32)


def test_copies_and_parts(corpus):
    assert resize(corpus, 1 / 16).texts == corpus.texts[::16]
    assert resize(corpus, 2).texts == corpus.texts + corpus.texts
    for copies in (1 / 4, 3):
        texts, labels = resize(corpus, copies)
        assert len(texts) == len(labels) == 96 * copies
        own = dict(zip(corpus.texts, corpus.labels, strict=True))
        assert [own[text] for text in texts] == labels.tolist()


@pytest.fixture(scope="module")
def curves(corpus):
    """Return a miniature of the whole run."""
    jobs = [*document_jobs(corpus, [1, 2]), *class_jobs(corpus, [2, 6])]
    return program.measure_all(jobs, budget=0.0, n_rounds_min=1)


def test_a_miniature_run(curves):
    against = [curve.against for curve in curves]
    assert against == ["documents"] * 4 + ["classes"] * 3
    for curve in curves:
        for values in (curve.seconds, curve.peaks):
            assert [len(values[n]) for n in (1, 2)] == [len(curve.sizes)] * 2
        assert min(curve.seconds[1]) > 0.0
    rows = growth_table(curves, 96).splitlines()
    assert len(rows) == 2 + len(curves)
    assert rows[2].startswith("| CountVectorizer.fit_transform | documents | 96, 192 |")
    assert len(thread_table(curves).splitlines()) == 2 + len(curves)


def test_the_figure_shows_each_curve(curves, tmp_path):
    path = tmp_path / "scaling.svg"
    figure.draw(curves, 96, path)
    assert path.stat().st_size < 150_000
    assert ElementTree.parse(path).getroot().tag == "{http://www.w3.org/2000/svg}svg"
    documents, classes, threads = figure.make_figure(curves, 96).axes[:3]
    assert len(documents.lines) == 2 * 4  # of one and of two threads
    assert len(classes.lines) == 2 * 3
    assert len(threads.lines) == len(curves) + 1  # and the ideal
    np.testing.assert_array_equal(documents.lines[0].get_xdata(), [96, 192])
    np.testing.assert_array_equal(documents.lines[0].get_ydata(), curves[0].seconds[1])


def test_promises_of_small_sizes(corpus):
    """That they can be computed; what they come to is a matter of the full sizes."""
    kept = [
        *promises.hash_flooding(n_words=100),
        next(promises.long_documents(megabytes=1)),
        *promises.eight_copies(corpus.texts),
    ]
    assert [promise.at_most for promise in kept] == [2.0, 4.8, 8.8, 8.8]
    assert all(promise.ratio > 0.0 for promise in kept)


def test_a_ratio_is_that_of_one_large_job_to_one_small_one(monkeypatch):
    done = []

    def letters_read(jobs, n_rounds):
        totals = []
        for job in jobs:
            done.clear()
            job()
            totals.append(sum(done))
        return totals

    monkeypatch.setattr(promises, "best_times", letters_read)
    assert promises._ratio(lambda texts: done.append(len(texts[0])), ["x" * 8], ["xx"], 3) == 4.0


def test_a_broken_promise_is_shown():
    good, bad = Promise("good", 2.0, 2.0), Promise("bad", 2.1, 2.0)
    assert (good.kept, bad.kept) == (True, False)
    assert promises.table([good, bad]).splitlines()[2:] == [
        "| good | 2.00 | 2 | yes |",
        "| bad | 2.10 | 2 | NO |",
    ]

"""Calibration: halves that never see themselves, intervals, and what is said about them."""

import numpy as np
import pytest
from sklearn.preprocessing import normalize

from wordodds.datasets import make_corpus
from wordodds.experiments.experiment import Run
from wordodds.experiments.newsgroups import Data, count_texts
from wordodds.experiments.studies.calibration import (
    EXPERIMENT,
    METHODS,
    Settings,
    bootstrap,
    cross_calibrated,
    log_rows,
    measure,
)
from wordodds.experiments.table import Results
from wordodds.model.calibration import expected_calibration_error

from .small import settled

SETTINGS = Settings(n_resamples=20, n_train=150)


@pytest.fixture(scope="module")
def data():
    data = Data()
    parts = (
        make_corpus(n, n_classes=4, n_words=200, document_length=30, random_state=seed)
        for n, seed in ((200, 1), (300, 2))
    )
    data.__dict__["bags"] = count_texts(*parts)
    return data


@pytest.fixture(scope="module")
def results(data):
    return measure(SETTINGS, Run(data))


def test_rows_add_up(results):
    for name in ("multinomial NB", "logistic regression"):
        for method in METHODS:
            part = results.where(model=name, method=method)
            (whole,) = part.where(kind="whole").rows
            bins = part.where(kind="bin")
            share = bins.column("share")
            assert share.sum() == pytest.approx(1.0)
            for column in ("accuracy", "confidence"):
                assert share @ bins.column(column) == pytest.approx(whole[column])
            distance = np.abs(bins.column("confidence") - bins.column("accuracy"))
            assert share @ distance == pytest.approx(whole["ece"])
            assert whole["ece_low"] <= whole["ece_high"]
            assert (whole["size"], whole["dims"]) == (150, bins.unique("dims")[0])


def test_a_half_is_calibrated_on_the_other_alone():
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(60, 3)) * 4.0
    codes = np.where(rng.random(60) < 0.6, scores.argmax(axis=1), rng.integers(3, size=60))
    halves = [np.arange(30), np.arange(30, 60)]
    before = cross_calibrated(scores, codes, halves, "temperature")
    # The labels of the first half matter to the second half's probabilities, not to its own.
    codes[:30] = rng.permutation(codes[:30])
    after = cross_calibrated(scores, codes, halves, "temperature")
    np.testing.assert_array_equal(after[:30], before[:30])
    assert not np.allclose(after[30:], before[30:])
    np.testing.assert_array_equal(after.argmax(axis=1), scores.argmax(axis=1))


def test_bootstrap_measures_what_the_library_measures():
    rng = np.random.default_rng(0)
    chances = rng.dirichlet([0.1, 0.1, 0.1], size=400)
    codes = np.where(rng.random(400) < 0.7, chances.argmax(axis=1), rng.integers(3, size=400))
    right = chances.argmax(axis=1) == codes
    found = bootstrap(chances.max(axis=1), right, 400, seed=0)
    assert found["ece"].value == pytest.approx(expected_calibration_error(chances, codes))
    assert found["sure"].value == np.mean(chances.max(axis=1) > 0.99)
    # A mean's interval is the normal one, nearly.
    half = 1.96 * right.std() / np.sqrt(400)
    assert found["accuracy"].low == pytest.approx(right.mean() - half, abs=0.2 * half)
    assert found["accuracy"].high == pytest.approx(right.mean() + half, abs=0.2 * half)
    assert found["ece"].low < found["ece"].value < found["ece"].high


def test_log_rows_are_those_of_scikit_learn(data):
    counts = data.bags.train.counts.copy()
    counts.data[counts.indptr[3] : counts.indptr[4]] = 0
    counts.eliminate_zeros()
    np.testing.assert_allclose(
        log_rows(counts).toarray(), normalize(np.log1p(counts.toarray())), atol=1e-15
    )


def test_the_same_seed_gives_the_same_rows(data, results):
    again = measure(SETTINGS, Run(data, n_jobs=1))
    assert settled(again) == settled(results)


def _table(bayes, logistic, tempered):
    """Return a table from (ece, sure, accuracy, confidence), each give or take 0.01."""
    table = Results("calibration")
    for model, method, values in (
        ("multinomial NB", "as learnt", bayes),
        ("multinomial NB", "temperature", tempered),
        ("logistic regression", "as learnt", logistic),
    ):
        row = {}
        for name, value in zip(("ece", "sure", "accuracy", "confidence"), values, strict=True):
            row |= {name: value, f"{name}_low": value - 0.01, f"{name}_high": value + 0.01}
        table.add(kind="whole", model=model, method=method, right_if_sure=0.9, **row)
    return table


def test_judge_goes_by_the_intervals():
    as_claimed = _table((0.2, 0.8, 0.75, 0.95), (0.1, 0.2, 0.7, 0.65), (0.05, 0.2, 0.75, 0.75))
    assert {finding.verdict for finding in EXPERIMENT.judge(as_claimed)} == {"borne out"}
    not_so = _table((0.1, 0.505, 0.505, 0.52), (0.09, 0.2, 0.7, 0.65), (0.09, 0.2, 0.505, 0.5))
    assert {finding.verdict for finding in EXPERIMENT.judge(not_so)} == {"not borne out"}


def test_figures_come_from_the_file_alone(results, tmp_path):
    results.write(tmp_path / "calibration.csv")
    read = Results.read(tmp_path / "calibration.csv")
    plots = EXPERIMENT.draw(read)
    assert [plot.stem for plot in plots] == ["calibration", "calibration-confidence"]
    for ax in plots[0].figure.axes:
        labels = [text.get_text().split(",")[0] for text in ax.get_legend().get_texts()]
        assert labels == list(METHODS)
    assert {finding.figure for finding in EXPERIMENT.judge(read)} <= {p.stem for p in plots}

"""The metrics of a search, beside scikit-learn's."""

from functools import partial

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, balanced_accuracy_score, f1_score

from wordodds.classifier.cross_validation import Outcome
from wordodds.classifier.tuning.metrics import metric_of, metric_title

CLASSES = np.array(["ham", "spam", "unsure"])
SIZES = np.array([30, 20, 10])


def outcome(seed, weights=None, n=60, n_classes=3):
    rng = np.random.default_rng(seed)
    codes, predicted = rng.integers(n_classes, size=(2, n)).astype(np.int32)
    weights = rng.uniform(0.5, 2.0, n) if weights is None else weights
    return Outcome(rng.uniform(0.1, 3.0, n), weights, 1.0, codes, predicted)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    ("name", "peer"),
    [
        ("accuracy", accuracy_score),
        ("balanced_accuracy", balanced_accuracy_score),
        ("f1_macro", partial(f1_score, average="macro")),
        ("f1:spam", partial(f1_score, average="macro", labels=[1])),
    ],
)
def test_metrics_are_those_of_scikit_learn(name, peer, n_classes):
    for seed in range(5):
        found = outcome(seed, n_classes=n_classes)
        expected = peer(found.codes, found.predicted, sample_weight=found.weights)
        assert metric_of(name, CLASSES, SIZES)(found) == pytest.approx(expected, abs=1e-12)


def test_the_likelihood_is_the_negative_mean_loss():
    found = outcome(0)
    expected = -np.average(found.losses, weights=found.weights)
    assert metric_of("log_loss", CLASSES, SIZES)(found) == pytest.approx(expected, abs=1e-12)


def test_a_label_that_no_one_has_and_no_one_predicts():
    found = outcome(1, n_classes=1)
    assert metric_of("f1:unsure", CLASSES, SIZES)(found) == 0.0
    assert metric_of("f1_macro", CLASSES, SIZES)(found) == 1.0


@pytest.mark.parametrize("name", ["precision", "f1:eggs", "f1:", ""])
def test_unknown_metrics_are_refused_with_what_there_is(name):
    with pytest.raises(ValueError, match="metric") as error:
        metric_of(name, CLASSES, SIZES)
    assert ("'ham', 'spam'" if str(name).startswith("f1:") else "balanced_accuracy") in str(
        error.value
    )


def test_whole_numbers_are_labels_too():
    found = outcome(2)
    assert metric_of("f1:20", np.array([10, 20, 30]), SIZES)(found) == metric_of(
        "f1:spam", CLASSES, SIZES
    )(found)


def test_a_metric_is_a_name():
    for name in (None, 3, np.array(["accuracy"])):
        with pytest.raises(TypeError, match="metric must be a str"):
            metric_of(name, CLASSES, SIZES)


def test_titles_leave_labels_alone():
    assert metric_title("balanced_accuracy") == "balanced accuracy"
    assert metric_title("f1:a_b") == "f1:a_b"


def test_a_label_that_cannot_be_held_out():
    with pytest.raises(ValueError, match="needs two documents of that label"):
        metric_of("f1:unsure", CLASSES, np.array([30, 20, 1]))

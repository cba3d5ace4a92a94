"""Metrics that a search maximises on held-out documents."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from wordodds.classifier.cross_validation import Outcome
from wordodds.typing import AnyArray, Floats, Ints

__all__ = ["METRICS", "Metric", "metric_of", "metric_title"]

Metric: TypeAlias = Callable[[Outcome], float]
"""A number that is larger for better predictions."""

METRICS = ("accuracy", "balanced_accuracy", "f1_macro", "log_loss")
_OF_LABEL = "f1:"


def metric_of(name: str, classes: AnyArray, sizes: Ints) -> Metric:
    """Return a metric by its name, for classes of some sizes; "f1:spam" is the F1 of "spam"."""
    if not isinstance(name, str):
        raise TypeError(f"metric must be a str, got {name!r:.80}")
    if name == "accuracy":
        return _accuracy
    if name == "balanced_accuracy":
        return _balanced_accuracy
    if name == "f1_macro":
        return _f1_macro
    if name == "log_loss":
        return lambda outcome: -outcome.mean
    labels = list(map(str, classes.tolist()))
    if name.startswith(_OF_LABEL):
        label = name.removeprefix(_OF_LABEL)
        if label in labels:
            code = labels.index(label)
            if sizes[code] < 2:
                raise ValueError(
                    f"metric {name!r} needs two documents of that label, so that one can be held "
                    "out: there is one"
                )
            return _f1_of(code)
        known = ", ".join(map(repr, labels))
        raise ValueError(f"metric {name!r} names an unknown label; the labels are {known}"[:500])
    raise ValueError(
        f'metric must be one of {", ".join(METRICS)}, or "f1:" and a label; got {name!r}'
    )


def metric_title(name: str) -> str:
    """Return the name of a metric for a table."""
    return name.replace("_", " ") if name in METRICS else name


def _accuracy(outcome: Outcome) -> float:
    right = outcome.codes == outcome.predicted
    return float(np.average(right, weights=outcome.weights))


def _balanced_accuracy(outcome: Outcome) -> float:
    right, _, support = _sums(outcome)
    occurs = support > 0.0
    return float((right[occurs] / support[occurs]).mean())


def _f1_macro(outcome: Outcome) -> float:
    right, found, support = _sums(outcome)
    occurs = found + support > 0.0
    return float((2.0 * right[occurs] / (found + support)[occurs]).mean())


def _f1_of(code: int) -> Metric:
    def f1(outcome: Outcome) -> float:
        right, found, support = _sums(outcome, code + 1)
        total = found[code] + support[code]
        return float(2.0 * right[code] / total) if total > 0.0 else 0.0

    return f1


def _sums(outcome: Outcome, n_least: int = 0) -> tuple[Floats, Floats, Floats]:
    """Return, per class, the weight of right predictions, of all predictions, and of documents."""
    codes, predicted, weights = outcome.codes, outcome.predicted, outcome.weights
    n = max(n_least, int(max(codes.max(initial=-1), predicted.max(initial=-1))) + 1)
    right = codes == predicted
    sums = np.zeros((3, n))
    np.add.at(sums[0], codes[right], weights[right])
    np.add.at(sums[1], predicted, weights)
    np.add.at(sums[2], codes, weights)
    return sums[0], sums[1], sums[2]

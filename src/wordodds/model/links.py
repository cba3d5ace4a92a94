"""Links: how the scores of a linear model become probabilities."""

from functools import cache
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from wordodds._border.execution import execution
from wordodds._core import score
from wordodds.typing import Booleans, Floats, Floats32, Positions

__all__ = [
    "FASTTEXT_FLOOR",
    "FASTTEXT_LINKS",
    "LINKS",
    "ColumnLink",
    "LinkName",
    "NoProbabilitiesError",
    "base_link",
    "checked_scores",
    "class_log_odds",
    "log_probabilities",
    "probabilities",
    "reached_in_fasttext",
    "scaled_rows",
]

LinkName: TypeAlias = Literal[
    "softmax",
    "one_vs_rest",
    "modified_huber",
    "none",
    "sigmoid",
    "fasttext_softmax",
    "fasttext_sigmoid",
    "fasttext_tree",
]
LINKS: tuple[LinkName, ...] = ("softmax", "one_vs_rest", "modified_huber", "none")
# Those of fastText's models, and what a calibration of their scores starts from.
FASTTEXT_LINKS: dict[LinkName, LinkName] = {
    "sigmoid": "one_vs_rest",
    "fasttext_softmax": "softmax",
    "fasttext_sigmoid": "one_vs_rest",
    "fasttext_tree": "softmax",
}

# What an infinite score counts as: the difference of two of them is finite.
LARGEST = 8e307
# What fastText adds to a probability before it takes the logarithm, and never takes away again.
FASTTEXT_FLOOR = 1e-5


class NoProbabilitiesError(ValueError, AttributeError):
    """The scores are margins, which have no probabilities yet.

    A ValueError; also an AttributeError, which is what scikit-learn's margin classifiers raise when
    asked for ``predict_proba``.
    """


class ColumnLink:
    """The link of scores that have a column for each class, or one for the second of two."""

    def __init__(self, name: LinkName) -> None:
        self.name = name
        # fastText's table of sigmoids makes equal probabilities, of which it takes the last.
        self._takes_last = name == "fasttext_sigmoid"

    def class_scores(self, scores: Floats) -> Floats:
        """Return the scores as they are: columns are classes."""
        return scores

    def probabilities(self, scores: Floats, n_jobs: int | None) -> Floats:
        """Return the probability of each class, (n_rows, n_classes)."""
        return probabilities(scores, self.name, n_jobs)

    def codes(self, scores: Floats, n_jobs: int | None, calibrated: bool) -> Positions:
        """Return the most probable class of each row."""
        if self._takes_last and not calibrated:
            values = self.probabilities(scores, n_jobs)
            return np.asarray(values.shape[1] - 1 - values[:, ::-1].argmax(axis=1))
        if scores.shape[1] == 1:
            return (scores[:, 0] > 0.0).astype(np.intp)
        return np.asarray(scores.argmax(axis=1))

    def ranked(self, values: Floats, calibrated: bool) -> Positions:
        """Return the classes of each row by probability, the most probable first."""
        if not self._takes_last or calibrated:
            return np.argsort(-values, axis=1, kind="stable")
        backwards = np.argsort(-values[:, ::-1], axis=1, kind="stable")
        return np.asarray(values.shape[1] - 1 - backwards)

    def reached(self, values: Floats, threshold: float, calibrated: bool) -> Booleans:
        """Return which classes have at least this probability."""
        if calibrated or not self.name.startswith("fasttext"):
            return values >= threshold
        return reached_in_fasttext(values, threshold)

    def contrast(self, n_columns: int, code: int, against: int | None) -> Floats:
        """Return how columns add up to the log-odds of a class, against another or the others."""
        columns = np.zeros(n_columns)
        if n_columns == 1:
            columns[0] = 1.0 if code == 1 else -1.0
            return columns
        if against is not None:
            columns[against] -= 1.0
        elif base_link(self.name) == "softmax":
            columns[:] = -1.0 / (n_columns - 1)
            columns[code] = 0.0
        columns[code] += 1.0
        return columns


def probabilities(scores: npt.ArrayLike, link: str, n_jobs: int | None = 1) -> Floats:
    """Return the probability of each class, (n_rows, n_classes).

    Scores have one column for two classes (above zero: the second), else one for each class, of any
    size, infinite ones included; a row of nothing but minus infinities is uniform. Rows of
    probabilities sum to one, but for "sigmoid", where each label is a question of its own, and
    fastText's. By link:

    - "softmax": exp(score), scaled to sum to one.
    - "one_vs_rest": the sigmoid of each column, scaled.
    - "modified_huber": (clip(score, -1, 1) + 1) / 2, scaled.
    - "sigmoid": that of each column, not scaled.
    - "fasttext_softmax": softmax + 1e-5.
    - "fasttext_sigmoid": the sigmoid from fastText's table of 513 values + 1e-5.
    - "fasttext_tree": exp(score).

    One column is the log-odds of the second class with the first two, and taken for that class with
    the third. "none" raises NoProbabilitiesError.

    Examples
    --------
    >>> probabilities([[0.0, 0.0], [-1e308, 1e308]], "softmax")
    array([[0.5, 0.5],
           [0. , 1. ]])
    """
    if link == "modified_huber":
        return _huber(checked_scores(scores))
    if link == "fasttext_softmax":
        return probabilities(scores, "softmax", n_jobs) + FASTTEXT_FLOOR
    if link == "fasttext_sigmoid":
        return _tabulated_sigmoid(checked_scores(scores)) + FASTTEXT_FLOOR
    with np.errstate(under="ignore"):
        return np.asarray(np.exp(log_probabilities(scores, link, n_jobs)))


def log_probabilities(scores: npt.ArrayLike, link: str, n_jobs: int | None = 1) -> Floats:
    """Return the logarithms of `probabilities`, with all digits where those round to 0."""
    _check_link(link)
    table = checked_scores(scores)
    if link in ("modified_huber", "fasttext_softmax", "fasttext_sigmoid"):
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(probabilities(table, link, n_jobs)))
    if link == "fasttext_tree":
        return table
    with np.errstate(under="ignore"):
        if link == "sigmoid":
            return np.asarray(-np.logaddexp(0.0, -table))
        if table.shape[1] == 1:
            return np.asarray(0.0 - np.logaddexp(0.0, np.concatenate([table, -table], axis=1)))
        if link == "one_vs_rest":
            table = -np.logaddexp(0.0, -table)
    score.rows_log_softmax(*execution(n_jobs), scores_in_out=table)
    return table


def base_link(link: LinkName) -> LinkName:
    """Return the link without what is peculiar to fastText: what a calibration starts from."""
    return FASTTEXT_LINKS.get(link, link)


def class_log_odds(scores: npt.ArrayLike, link: str) -> Floats:
    """Return what a class is calibrated by, (n_rows, n_columns), finite.

    Of softmax scores the log-odds of each class, ``s_c - log sum_{k != c} exp(s_k)``: the scores
    themselves, such as naive Bayes' joint log-likelihoods, grow with the length of the text and
    cannot be compared between documents. Of all others, and of one column, the scores.
    """
    table = checked_scores(scores)
    if link != "softmax" or table.shape[1] == 1:
        return np.clip(table, -LARGEST, LARGEST)
    rows = np.arange(len(table))
    best = table.argmax(axis=1)
    peak = table[rows, best]
    impossible = peak == -np.inf  # every class is; none more than another
    table[impossible] = peak[impossible] = 0.0
    with np.errstate(over="ignore", under="ignore", divide="ignore"):
        shifted = table - peak[:, None]
        weight = np.exp(shifted)
        # At least one, the largest weight: nothing cancels, except where that one is taken away.
        odds = shifted - np.log(weight.sum(axis=1, keepdims=True) - weight)
        shifted[rows, best] = -np.inf
        odds[rows, best] = -_log_sum(shifted)
    return np.asarray(np.clip(odds, -LARGEST, LARGEST))


def reached_in_fasttext(values: Floats, threshold: float) -> Booleans:
    """Compare as fastText does: in float32, before it adds its floor."""
    return (values - FASTTEXT_FLOOR).astype(np.float32) >= np.float32(threshold)


def scaled_rows(chances: Floats) -> Floats:
    """Return probabilities of chances that were found one class at a time; may write into them.

    One column is the second of two classes; others are scaled to sum to one, and a row of zeros
    becomes uniform.
    """
    if chances.shape[1] == 1:
        return np.hstack([1.0 - chances, chances])
    # Where every column says no, none says it louder.
    chances[~chances.any(axis=1)] = 1.0
    return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def checked_scores(scores: npt.ArrayLike) -> Floats:
    """Return a copy of the scores as float64, without NaN and plus infinity."""
    table = np.array(scores, dtype=np.float64, order="C", ndmin=1)
    if table.ndim != 2 or table.shape[1] == 0:
        raise ValueError(f"scores must have shape (n_rows, n_columns), got {table.shape}")
    if (wrong := np.isnan(table).any(axis=1)).any():
        raise ValueError(f"scores must be numbers, row {int(wrong.argmax())} has NaN")
    # Two infinite scores then share what the finite ones leave, rather than subtract to NaN.
    return np.minimum(table, np.finfo(np.float64).max, out=table)


def _check_link(link: str) -> None:
    if link == "none":
        raise NoProbabilitiesError(
            "the scores of this model are margins and have no probabilities: call "
            "calibrate(texts, labels) with documents it was not trained on, or use "
            "decision_function"
        )
    if link not in LINKS and link not in FASTTEXT_LINKS:
        raise ValueError(f"link must be one of {', '.join(LINKS)}, got {link!r}")


@cache
def _sigmoid_table() -> Floats32:
    steps = np.arange(513, dtype=np.float32) * np.float32(2 * 8) / np.float32(512) - np.float32(8)
    return np.asarray(1.0 / (1.0 + np.exp(-steps).astype(np.float64)), dtype=np.float32)


def _tabulated_sigmoid(scores: Floats) -> Floats:
    """Return what fastText takes for the sigmoid: the value at the step below, within -8 and 8."""
    with np.errstate(over="ignore"):
        x = scores.astype(np.float32)
    steps = ((np.clip(x, -8, 8) + np.float32(8)) * np.float32(32)).astype(np.intp)
    values = _sigmoid_table()[steps].astype(np.float64)
    return np.where(x < -8, 0.0, np.where(x > 8, 1.0, values))


def _huber(scores: Floats) -> Floats:
    return scaled_rows((np.clip(scores, -1.0, 1.0) + 1.0) / 2.0)


def _log_sum(terms: Floats) -> Floats:
    """Return log sum exp of each row, minus infinity where all terms are."""
    peak = np.maximum(terms.max(axis=1), -np.finfo(np.float64).max)
    total = np.exp(terms - peak[:, None]).sum(axis=1)
    return np.asarray(peak + np.log(total))

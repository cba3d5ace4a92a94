"""Fits to parts of some documents, judged on the documents that were left out.

Documents are counted once. Each fold then gets the matrix that a vectorizer fitted to its training
documents would give, so that a held-out word that no training document has is dropped as it will
be in use.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import scipy.special

from wordodds._border.csr import CsrArrays
from wordodds._border.execution import Execution
from wordodds._core import linear as core
from wordodds._core import text as text_core
from wordodds.classifier.named_models import Weighting
from wordodds.linear.problem import columns_of_weights
from wordodds.linear.ratio import RatioPrior, label_table, merge_equal_rows, ratio_problem
from wordodds.text.prune import document_count, map_columns
from wordodds.text.vectorizer import CsrMatrix
from wordodds.typing import Booleans, Codes, DocumentLimit, Floats, Ints

__all__ = [
    "HASHED_CELLS_MAX",
    "TOLERANCE",
    "Counts",
    "Examples",
    "HeldOut",
    "Limits",
    "Outcome",
    "best_temperature",
    "has_terms",
    "least_by_column",
    "weighed_rows",
]


EPOCHS_MAX = 200
# Looser than that of the fit that follows: candidates differ by more than the error it leaves.
TOLERANCE = 2e-2
# Scores are multiplied by at most this, or its inverse.
LOG_FACTOR_MAX = 5.0
# Hashed columns times classes above which several models take too much memory.
HASHED_CELLS_MAX = 1 << 25


Limits: TypeAlias = DocumentLimit | tuple[DocumentLimit, ...] | None
"""``min_df``, perhaps one for each of several views; None without a vocabulary."""


class Counts(NamedTuple):
    """Counts of documents, and where the columns of their views begin."""

    matrix: CsrMatrix  # (n_documents, n_terms), no stored zeros
    view_begins: Codes | None  # of the views but the first; None of a single one


class Examples(NamedTuple):
    """Counts of documents and their labels."""

    counts: CsrMatrix  # (n_documents, n_terms), no stored zeros
    codes: Codes
    weights: Floats
    n_classes: int
    weighting: Weighting  # as in TextClassifier
    use_idf: bool
    view_begins: Codes | None = None  # as in Counts

    @property
    def n_columns(self) -> int:
        """The number of columns of weights."""
        return columns_of_weights(self.n_classes)


class Outcome(NamedTuple):
    """What one candidate makes of held-out documents, at its best temperature.

    Documents are in the same order for all candidates with the same folds.
    """

    losses: Floats
    weights: Floats
    temperature: float
    codes: Codes  # the true classes
    predicted: Codes

    @property
    def mean(self) -> float:
        """The mean log loss of a document."""
        return float(np.average(self.losses, weights=self.weights))

    def excess(self, best: "Outcome") -> tuple[float, float]:
        """Return how much larger the mean loss is than that of another, and the standard error."""
        difference = self.losses - best.losses
        mean = float(np.average(difference, weights=self.weights))
        spread = float(np.average((difference - mean) ** 2, weights=self.weights))
        return mean, float(np.sqrt(spread / self.weights.sum()))


class HeldOut:
    """A fit for each held-out part; all follow one path over candidates.

    ``held`` has a mask for each fit: the documents that are left out and judged. ``documents`` has
    their positions in the order of outcomes, without those that cannot be judged.
    """

    def __init__(
        self,
        examples: Examples,
        min_df: Limits,
        held: Sequence[Booleans],
        prior: RatioPrior,
        seed: int,
        how: Execution,
        tolerance: float = TOLERANCE,
    ) -> None:
        distinct, numbers = merge_equal_rows(CsrArrays.of(examples.counts), how)
        self._how, self._tolerance = how, tolerance
        self._parts = [
            _Part(
                examples,
                distinct,
                numbers,
                is_held=is_held,
                min_df=min_df,
                prior=prior,
                seed=seed,
                how=how,
            )
            for is_held in held
        ]
        self.documents = np.concatenate([part.documents for part in self._parts])
        self._codes = examples.codes[self.documents]
        self._weights = examples.weights[self.documents]
        self._log_factor = 0.0
        self._bayes_scale: float | None = None

    def start(self, lean: float) -> None:
        """Go back to the weights of the prior, `lean` times those of naive Bayes."""
        core.ratio_start([part.problem for part in self._parts], *self._how, lean=lean)

    def bayes_scale(self) -> float:
        """Return the factor by which the weights of naive Bayes predict held-out labels best."""
        if self._bayes_scale is None:
            self.start(1.0)
            self._bayes_scale = _scale_of(self._scores(), self._codes, self._weights)
        return self._bayes_scale

    def fit(self, C: float) -> Outcome:
        """Continue to a C that is at least the last one since the start."""
        problems = [part.problem for part in self._parts]
        core.ratio_ascend(
            problems, *self._how, strength=C, epochs_max=EPOCHS_MAX, tolerance=self._tolerance
        )
        scores = self._scores()
        self._log_factor = _best_log_factor(scores, self._codes, self._weights, self._log_factor)
        losses = _losses(scores * np.exp(self._log_factor), self._codes)
        temperature = float(np.exp(-self._log_factor))
        return Outcome(losses, self._weights, temperature, self._codes, _predicted(scores))

    def _scores(self) -> Floats:
        return np.concatenate([part.scores(self._how) for part in self._parts])


class _Part:
    """A problem without some documents, and these documents."""

    def __init__(
        self,
        examples: Examples,
        distinct: CsrArrays,
        numbers: Ints,
        *,
        is_held: Booleans,
        min_df: Limits,
        prior: RatioPrior,
        seed: int,
        how: Execution,
    ) -> None:
        learnt = label_table(
            numbers[~is_held],
            examples.codes[~is_held],
            examples.weights[~is_held],
            (distinct.n_rows, examples.n_classes),
        )
        n_learnt = np.bincount(numbers[~is_held], minlength=distinct.n_rows)
        rows = weighed_rows(distinct, n_learnt, min_df, examples, how)
        self.problem = ratio_problem(rows, learnt, examples.n_columns, prior, seed, how)
        # A class without training documents cannot be learnt, at any strength.
        judged = is_held & (examples.weights > 0.0) & np.isin(examples.codes, learnt.codes)
        self.documents = np.flatnonzero(judged)
        self._rows, self._row_of = np.unique(numbers[self.documents], return_inverse=True)

    def scores(self, how: Execution) -> Floats:
        """Return the scores of each held-out document, (n_held, n_columns)."""
        return np.asarray(self.problem.scores(self._rows, *how)[self._row_of])


def weighed_rows(
    rows: CsrArrays,
    n_learnt: Ints,
    min_df: Limits,
    examples: Examples,
    how: Execution,
) -> CsrArrays:
    """Return rows weighed by a vectorizer that has learnt from row i n_learnt[i] times."""
    n_documents = int(n_learnt.sum())
    frequency = np.bincount(
        rows.indices, weights=np.repeat(n_learnt, np.diff(rows.indptr)), minlength=rows.n_cols
    )
    idf = np.log((1.0 + n_documents) / (1.0 + frequency)) + 1.0
    begins = examples.view_begins
    if min_df is not None:
        least = least_by_column(min_df, n_documents, rows.n_cols, begins)
        kept: Booleans = np.asarray(frequency >= least)
        if begins is not None:
            begins = np.concatenate([[0], np.cumsum(kept)])[begins].astype(np.int32)
        columns = np.where(kept, np.cumsum(kept) - 1, -1)
        # A column at least, if only an empty one.
        n_kept = max(1, int(kept.sum()))
        rows = map_columns(rows, columns, n_kept, how, binary=False, sums=False)
        idf = idf[kept] if kept.any() else np.ones(1)
    rows = rows._replace(data=rows.data.astype(np.float64))
    if examples.weighting.endswith("tfidf"):
        is_sublinear = examples.weighting == "sublinear_tfidf"
        weights = idf if examples.use_idf else None
        text_core.csr_weigh_terms(
            weights,
            *how,
            sublinear=is_sublinear,
            norm="l2",
            view_begins=begins,
            matrix_in_out=rows,
        )
    return rows


def least_by_column(
    min_df: Limits, n_documents: int, n_cols: int, view_begins: Codes | None
) -> float | Floats:
    """Return in how many documents the term of a column must occur at least."""
    if not isinstance(min_df, tuple):
        return _least(min_df, n_documents)
    assert view_begins is not None
    sizes = np.diff([0, *view_begins, n_cols])
    return np.repeat([_least(limit, n_documents) for limit in min_df], sizes)


def has_terms(counts: Counts, min_df: Limits) -> bool:
    """Return whether any term occurs in at least `min_df` documents."""
    matrix = counts.matrix
    if min_df is None or matrix.nnz == 0:
        return bool(matrix.nnz > 0)
    frequency = np.bincount(matrix.indices, minlength=matrix.shape[1])
    least = least_by_column(min_df, matrix.shape[0], matrix.shape[1], counts.view_begins)
    return bool((frequency >= least).any())


def _least(limit: DocumentLimit | None, n_documents: int) -> float:
    assert limit is not None
    return max(document_count(limit, n_documents), 1.0)


def _predicted(scores: Floats) -> Codes:
    """Return the class of each row by its scores."""
    if scores.shape[1] == 1:
        return (scores[:, 0] > 0.0).astype(np.int32)
    return np.asarray(scores.argmax(axis=1), dtype=np.int32)


def _losses(scores: Floats, codes: Codes) -> Floats:
    """Return -log p(class) of each row, by scores of one class against the rest."""
    if scores.shape[1] == 1:
        sign = np.where(codes == 1, -1.0, 1.0)
        return np.asarray(np.logaddexp(0.0, sign * scores[:, 0]))
    log_p = scipy.special.log_expit(scores)
    own = log_p[np.arange(len(codes)), codes]
    best = log_p.max(axis=1)
    return np.asarray(best + np.log(np.exp(log_p - best[:, np.newaxis]).sum(axis=1)) - own)


def _slope(log_factor: float, scores: Floats, codes: Codes, weights: Floats) -> float:
    """Return the derivative of the penalised total loss by the logarithm of a factor of scores."""
    scaled = scores * np.exp(log_factor)
    if scores.shape[1] == 1:
        signed = np.where(codes == 1, scaled[:, 0], -scaled[:, 0])
        return log_factor - float(weights @ (signed * scipy.special.expit(-signed)))
    p = scipy.special.expit(scaled)
    slopes = scaled * (1.0 - p)  # of log p, by the logarithm of the factor
    mean = (p * slopes).sum(axis=1) / np.maximum(p.sum(axis=1), 1e-300)
    return log_factor + float(weights @ (mean - slopes[np.arange(len(codes)), codes]))


def _best_log_factor(scores: Floats, codes: Codes, weights: Floats, start: float) -> float:
    """Return the logarithm of the factor of the least total loss plus half its square.

    The penalty weighs about as much as one document; it keeps the factor finite where documents are
    few or all of them are predicted right.
    """

    def slope(at: float) -> float:
        return _slope(at, scores, codes, weights)

    low, high, step = start, start, 0.1
    at_low = at_high = slope(start)
    while at_high < 0.0 and high < LOG_FACTOR_MAX:
        low, at_low = high, at_high
        high, step = min(high + step, LOG_FACTOR_MAX), 2.0 * step
        at_high = slope(high)
    while at_low > 0.0 and low > -LOG_FACTOR_MAX:
        high, at_high = low, at_low
        low, step = max(low - step, -LOG_FACTOR_MAX), 2.0 * step
        at_low = slope(low)
    if at_low > 0.0 or at_high < 0.0:
        return low if at_low > 0.0 else high
    for _ in range(30):  # regula falsi, with the Illinois trick
        if high - low < 5e-3:
            break
        middle = (low * at_high - high * at_low) / (at_high - at_low)
        at_middle = slope(middle)
        if at_middle <= 0.0:
            low, at_low, at_high = middle, at_middle, 0.5 * at_high
        else:
            high, at_high, at_low = middle, at_middle, 0.5 * at_low
        if abs(at_middle) < 1e-3 * weights.sum():
            return middle
    return 0.5 * (low + high)


def best_temperature(scores: Floats, codes: Codes, weights: Floats) -> float:
    """Return the temperature (the divisor of scores) with the least log loss."""
    return float(np.exp(-_best_log_factor(scores, codes, weights, 0.0)))


def _scale_of(scores: Floats, codes: Codes, weights: Floats) -> float:
    """Return the common slope of logistic regressions of each class on its own score.

    Minimises the sum of their losses over the slope and an intercept for each, under weak priors
    around a slope of 1 and intercepts of 0, by Newton's method.
    """
    n_columns = scores.shape[1]
    positive = codes[:, np.newaxis] == (1 if n_columns == 1 else np.arange(n_columns))
    rows = weights[:, np.newaxis]
    slope, intercepts = 1.0, np.zeros(n_columns)
    for _ in range(30):
        p = scipy.special.expit(slope * scores + intercepts)
        residual, curvature = rows * (p - positive), rows * p * (1.0 - p)
        by_slope = float((residual * scores).sum()) + slope - 1.0
        by_intercept = residual.sum(axis=0) + 0.1 * intercepts
        cross = (curvature * scores).sum(axis=0)
        diagonal = curvature.sum(axis=0) + 0.1
        schur = float((curvature * scores**2).sum()) + 1.0 - float((cross**2 / diagonal).sum())
        step = (by_slope - float((cross / diagonal) @ by_intercept)) / max(schur, 1e-9)
        # Newton's method may overshoot where the curve is flat.
        step = float(np.clip(step, -1.0, 1.0))
        slope -= step
        intercepts -= np.clip((by_intercept - cross * step) / diagonal, -2.0, 2.0)
        if abs(step) < 1e-3:
            break
    return max(0.0, slope)

"""Candidates judged on held-out documents, at several sizes of the corpus.

A candidate begins on a sample. The better ones go on to samples of four times as many characters,
then to all documents, and last to all documents with other ones held out, because some candidates
win one division by chance. A sample is counted once for each way of reading, with every term;
weights, limits and models are tried on the same counts, which are kept as long as there is room.
"""

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from wordodds._border.execution import Execution
from wordodds.bayes import ComplementNB, MultinomialNB
from wordodds.classifier.cross_validation import (
    TOLERANCE,
    Counts,
    Examples,
    HeldOut,
    Outcome,
    has_terms,
)
from wordodds.classifier.documents import Count, Documents, can_hold_out
from wordodds.classifier.sample import sampled, stratified_folds
from wordodds.classifier.tuning.held_out_bayes import HeldOutBayes
from wordodds.classifier.tuning.metrics import Metric
from wordodds.classifier.tuning.space import Candidate, Prior
from wordodds.linear import NBLogisticRegression
from wordodds.linear.problem import columns_of_weights
from wordodds.linear.ratio import RatioPrior
from wordodds.linear.ratio_fit import (
    LARGEST_CURVATURE,
    check_scale,
    largest_curvature,
    ratio_prior,
)
from wordodds.text import EmptyVocabularyError
from wordodds.typing import Booleans, Floats

__all__ = ["Judged", "Rungs"]

LEAST = 1 << 20  # characters of the smallest sample
GROWTH = 4
STRENGTHS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)  # C of NBLogisticRegression
PSEUDO_COUNTS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)  # alpha of naive Bayes
# Characters times columns of weights above which two folds are held out, or one, to save time.
WORK_FOR_TWO, WORK_FOR_ONE = 1e7, 1e8
N_FOLDS = 5
LAST_TOLERANCE = TOLERANCE / 10.0  # of fits on the last rung, which decides
KEPT_BYTES = 1 << 29  # of counts


class Judged(NamedTuple):
    """A candidate at the best value of its path."""

    candidate: Candidate
    strength: float  # C, or alpha of naive Bayes
    lean: float
    temperature: float
    value: float  # of the metric
    log_loss: float
    n_documents: int

    @property
    def rank(self) -> tuple[float, float]:
        """What the better of two candidates has more of: the metric, then the likelihood."""
        return self.value, -self.log_loss


class _Step(NamedTuple):
    """A step of a path."""

    strength: float
    lean: float
    outcome: Outcome


class _Rung(NamedTuple):
    """Documents, and which of them are held out from each of several fits."""

    documents: Documents
    counted: Floats  # what each document counts in the metric, whatever its class weighs
    held: list[Booleans]


class Rungs:
    """The samples, their counts, and the judge of candidates on them.

    ``sample_weights`` are the weights of documents without those of their classes; the metric
    takes no notice of the latter.
    """

    def __init__(
        self,
        documents: Documents,
        sample_weights: Floats,
        count: Count,
        metric: Metric,
        given_C: float | None,
        seed: int,
        how: Execution,
    ) -> None:
        self._count, self._metric, self._how, self._seed = count, metric, how, seed
        self._strengths = STRENGTHS if given_C is None else (given_C,)
        self._rungs = [
            _rung(documents, sample_weights, seed),
            _rung(documents, sample_weights, seed + 1),
        ]
        limit = int(documents.sizes.sum()) // GROWTH
        while limit >= LEAST:
            rows = sampled(documents.sizes, limit, seed=seed)
            smaller = documents.taken(rows)
            if len(smaller) == self.n_documents(0) or not can_hold_out(smaller):
                break
            self._rungs.insert(0, _rung(smaller, sample_weights[rows], seed))
            limit //= GROWTH
        self._kept: OrderedDict[Any, Counts | None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._rungs)

    def n_documents(self, rung: int) -> int:
        """Return the size of a sample."""
        return len(self._rungs[rung].documents)

    def judge(self, candidate: Candidate, rung: int) -> Judged | None:
        """Return what a candidate makes of a rung; None if its reading finds no term."""
        documents, counted, held = self._rungs[rung]
        min_df = candidate.reading.min_df
        counts = self._counts(candidate, documents)
        if counts is None or not has_terms(counts, min_df):
            return None
        matrix = counts.matrix
        if candidate.weighting == "binary":
            ones = np.ones_like(matrix.data)
            matrix = sp.csr_matrix((ones, matrix.indices, matrix.indptr), matrix.shape)
        examples = Examples(
            matrix,
            documents.codes,
            documents.weights,
            len(documents.classes),
            candidate.weighting,
            min_df is not None,
            counts.view_begins,
        )
        parts: HeldOut | HeldOutBayes
        if candidate.prior is None:
            parts = HeldOutBayes(examples, min_df, held, self._how)
            path = _path_of_bayes(candidate, parts, self._how)
        else:
            prior = _ratio_prior(candidate.prior)
            tolerance = TOLERANCE if rung < len(self) - 1 else LAST_TOLERANCE
            parts = HeldOut(examples, min_df, held, prior, self._seed, self._how, tolerance)
            strengths = self._strengths_for(examples)
            path = _path_of_ratio(candidate.prior, parts, strengths)
        if not len(parts.documents):
            return None
        counted = counted[parts.documents]
        judged = [
            Judged(
                candidate,
                step.strength,
                step.lean,
                step.outcome.temperature,
                self._metric(step.outcome._replace(weights=counted)),
                step.outcome.mean,
                len(documents),
            )
            for step in path
        ]
        return max(judged, key=lambda each: each.rank)

    def _strengths_for(self, examples: Examples) -> list[float]:
        """Return the values of C that a fit to all examples would not refuse; one at least."""
        is_scaled = examples.weighting.endswith("tfidf")
        largest = 1.0 if is_scaled else float(examples.counts.max())
        check_scale(self._strengths[0], float(examples.weights.max()), largest)
        # Equal rows are one row with the sum of their weights.
        heaviest = float(examples.weights.sum())
        curvatures = (largest_curvature(C, heaviest, largest) for C in self._strengths)
        allowed = [
            C
            for C, curvature in zip(self._strengths, curvatures, strict=True)
            if curvature <= LARGEST_CURVATURE
        ]
        return allowed or list(self._strengths[:1])

    def _counts(self, candidate: Candidate, documents: Documents) -> Counts | None:
        """Count documents, once for all candidates that differ in what follows."""
        reading = candidate.reading
        if reading.min_df is not None:
            reading = reading._replace(min_df=1)
        key = len(documents), reading.key
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        try:
            counts = self._count(documents.texts, reading)
        except EmptyVocabularyError:
            counts = None
        self._kept[key] = counts
        while len(self._kept) > 1 and sum(map(_n_bytes, self._kept.values())) > KEPT_BYTES:
            self._kept.popitem(last=False)
        return counts


def _rung(documents: Documents, sample_weights: Floats, seed: int) -> _Rung:
    """Divide documents into folds, of which fewer are held out where fits take long."""
    work = float(documents.sizes.sum()) * columns_of_weights(len(documents.classes))
    n_held = 1 if work > WORK_FOR_ONE else 2 if work > WORK_FOR_TWO else N_FOLDS
    fold_of = stratified_folds(documents.codes, N_FOLDS, seed)
    return _Rung(documents, sample_weights, [fold_of == fold for fold in range(n_held)])


def _path_of_ratio(prior: Prior, problems: HeldOut, strengths: list[float]) -> Iterator[_Step]:
    lean = prior.share * problems.bayes_scale() if prior.share else 0.0
    problems.start(lean)
    losses: list[float] = []
    for C in strengths:
        outcome = problems.fit(C)
        yield _Step(C, lean, outcome)
        losses.append(outcome.mean)
        if len(losses) >= 3 and losses[-3] < losses[-2] < losses[-1]:
            return  # weaker penalties are worse still


def _path_of_bayes(candidate: Candidate, parts: HeldOutBayes, how: Execution) -> Iterator[_Step]:
    kind = ComplementNB if candidate.model == "complement" else MultinomialNB
    for alpha in PSEUDO_COUNTS:
        yield _Step(alpha, 0.0, parts.fit(kind(alpha=alpha, n_jobs=how.n_jobs)))


def _ratio_prior(prior: Prior) -> RatioPrior:
    return ratio_prior(NBLogisticRegression(alpha=prior.alpha, floor=prior.floor))


def _n_bytes(counts: Counts | None) -> int:
    if counts is None:
        return 0
    matrix = counts.matrix
    return int(matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes)

"""Candidates judged on held-out documents, at several sizes of the corpus.

A candidate begins on a sample. The better ones go on to samples of four times as many characters,
then to all documents, and last to all documents divided anew, as some will have been lucky before.
Documents are counted once for each way of reading, with every term; weights, limits and models are
tried on the same counts.
"""

from collections import OrderedDict
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from wordodds._border.execution import Execution
from wordodds.bayes import ComplementNB, MultinomialNB
from wordodds.classifier.choose import Count, Documents, can_hold_out, has_terms
from wordodds.classifier.cross_validation import Counts, Examples, HeldOut, Limits, Outcome
from wordodds.classifier.held_out_bayes import HeldOutBayes
from wordodds.classifier.sample import sampled, stratified_folds
from wordodds.classifier.tuning.metrics import Metric
from wordodds.classifier.tuning.space import Candidate, Prior
from wordodds.linear.problem import columns_of_weights
from wordodds.linear.ratio import RatioPrior
from wordodds.typing import Booleans

__all__ = ["Judged", "Rungs"]

LEAST = 1 << 20  # characters of the smallest sample
GROWTH = 4
STRENGTHS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)  # C of NBLogisticRegression
PSEUDO_COUNTS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0)  # alpha of naive Bayes
# Characters times columns of weights above which fewer folds are held out, to save time.
MIDDLING, LARGE = 1e7, 1e8
N_FOLDS = 5
KEPT_BYTES = 1 << 29  # of counts
INTERCEPT_SCALE = 1.0  # of NBLogisticRegression with its defaults


class Judged(NamedTuple):
    """A candidate at the best value of its path."""

    candidate: Candidate
    strength: float  # C, or alpha of naive Bayes
    lean: float
    outcome: Outcome
    value: float  # of the metric
    n_documents: int

    @property
    def rank(self) -> tuple[float, float]:
        """What the better of two candidates has more of: the metric, then the likelihood."""
        return self.value, -self.outcome.mean


class _Rung(NamedTuple):
    """Documents, and which of them are held out from each of several fits."""

    documents: Documents
    held: list[Booleans]


class Rungs:
    """The samples, their counts, and the judge of candidates on them."""

    def __init__(
        self,
        documents: Documents,
        count: Count,
        metric: Metric,
        given_C: float | None,
        seed: int,
        how: Execution,
    ) -> None:
        self._count, self._metric, self._how, self._seed = count, metric, how, seed
        self._strengths = STRENGTHS if given_C is None else (given_C,)
        self._rungs = [_rung(documents, seed), _rung(documents, seed + 1)]
        limit = int(documents.sizes.sum()) // GROWTH
        while limit >= LEAST:
            smaller = documents.taken(sampled(documents.sizes, limit, seed=seed))
            if not can_hold_out(smaller):
                break
            self._rungs.insert(0, _rung(smaller, seed))
            limit //= GROWTH
        self._kept: OrderedDict[Any, Counts | None] = OrderedDict()

    def __len__(self) -> int:
        return len(self._rungs)

    def n_documents(self, rung: int) -> int:
        """Return the size of a sample."""
        return len(self._rungs[rung].documents)

    def judge(self, candidate: Candidate, rung: int) -> Judged | None:
        """Return what a candidate makes of a rung; None if its reading finds no term."""
        documents, held = self._rungs[rung]
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
        if candidate.prior is None:
            path = self._path_of_bayes(candidate, examples, held)
        else:
            path = self._path_of_ratio(candidate.prior, examples, min_df, held)
        judged = [
            Judged(candidate, strength, lean, outcome, self._metric(outcome), len(documents))
            for strength, lean, outcome in path
        ]
        return max(judged, key=lambda each: each.rank, default=None)

    def _path_of_ratio(
        self, prior: Prior, examples: Examples, min_df: Limits, held: list[Booleans]
    ) -> list[tuple[float, float, Outcome]]:
        ratio = RatioPrior(prior.alpha, prior.floor, INTERCEPT_SCALE)
        problems = HeldOut(examples, min_df, held, ratio, self._seed, self._how)
        if not problems.n_documents:
            return []
        lean = prior.share * problems.bayes_scale() if prior.share else 0.0
        problems.start(lean)
        path: list[tuple[float, float, Outcome]] = []
        for C in self._strengths:
            path.append((C, lean, problems.fit(C)))
            losses = [outcome.mean for _, _, outcome in path[-3:]]
            if len(losses) == 3 and losses[0] < losses[1] < losses[2]:
                break  # weaker penalties are worse still
        return path

    def _path_of_bayes(
        self, candidate: Candidate, examples: Examples, held: list[Booleans]
    ) -> list[tuple[float, float, Outcome]]:
        kind = ComplementNB if candidate.model == "complement" else MultinomialNB
        parts = HeldOutBayes(examples, candidate.reading.min_df, held, self._how)
        if not parts.n_documents:
            return []
        n_jobs = self._how.n_jobs
        return [
            (alpha, 0.0, parts.fit(kind(alpha=alpha, n_jobs=n_jobs))) for alpha in PSEUDO_COUNTS
        ]

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
        except ValueError:  # no term is left
            counts = None
        self._kept[key] = counts
        while len(self._kept) > 1 and sum(map(_n_bytes, self._kept.values())) > KEPT_BYTES:
            self._kept.popitem(last=False)
        return counts


def _rung(documents: Documents, seed: int) -> _Rung:
    """Divide documents into folds, of which fewer are held out where fits take long."""
    work = float(documents.sizes.sum()) * columns_of_weights(len(documents.classes))
    n_held = 1 if work > LARGE else 2 if work > MIDDLING else N_FOLDS
    fold_of = stratified_folds(documents.codes, N_FOLDS, seed)
    return _Rung(documents, [fold_of == fold for fold in range(n_held)])


def _n_bytes(counts: Counts | None) -> int:
    if counts is None:
        return 0
    matrix = counts.matrix
    return int(matrix.data.nbytes + matrix.indices.nbytes + matrix.indptr.nbytes)

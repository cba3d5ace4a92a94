"""Naive Bayes fitted to parts of some documents, judged on the documents that were left out."""

from collections.abc import Sequence

import numpy as np
from sklearn.base import BaseEstimator, clone

from wordodds._border.csr import CsrArrays
from wordodds._border.execution import Execution
from wordodds.classifier.cross_validation import Examples, Limits, Outcome, weighed_rows
from wordodds.typing import Booleans, Codes, Floats

__all__ = ["HeldOutBayes"]


class HeldOutBayes:
    """Rows to learn from and held-out rows of each part.

    As `HeldOut`, but naive Bayes is judged by its probabilities as they are, without a temperature.
    """

    def __init__(
        self, examples: Examples, min_df: Limits, held: Sequence[Booleans], how: Execution
    ) -> None:
        self._parts = [_Part(examples, is_held, min_df, how) for is_held in held]
        self.documents = np.concatenate([part.documents for part in self._parts])
        self._codes = examples.codes[self.documents]
        self._weights = examples.weights[self.documents]

    def fit(self, model: BaseEstimator) -> Outcome:
        """Fit a copy of a model to each part and judge it."""
        found = [part.judge(clone(model)) for part in self._parts]
        losses, predicted = map(np.concatenate, zip(*found, strict=True))
        return Outcome(losses, self._weights, 1.0, self._codes, predicted)


class _Part:
    """Rows to learn from, and those of the documents that are held out."""

    def __init__(
        self, examples: Examples, is_held: Booleans, min_df: Limits, how: Execution
    ) -> None:
        counts, weighs = CsrArrays.of(examples.counts), examples.weights > 0.0
        rows = weighed_rows(counts, (~is_held).astype(np.int64), min_df, examples, how).to_scipy()
        learnt = np.flatnonzero(~is_held & weighs)
        self._learnt = rows[learnt], examples.codes[learnt]
        self._weights = examples.weights[learnt]
        # A class without training documents cannot be learnt.
        is_known = np.isin(examples.codes, examples.codes[learnt])
        self.documents = np.flatnonzero(is_held & weighs & is_known)
        self._held, self._codes = rows[self.documents], examples.codes[self.documents]

    def judge(self, model: BaseEstimator) -> tuple[Floats, Codes]:
        """Fit a model; return the loss of each held-out document and the class it predicts."""
        model.fit(*self._learnt, sample_weight=self._weights)
        log_p = model.predict_log_proba(self._held)
        own = np.searchsorted(model.classes_, self._codes)
        predicted = model.classes_[log_p.argmax(axis=1)]
        return -log_p[np.arange(len(own)), own], np.asarray(predicted, dtype=np.int32)

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
    """Rows of all parts, on which models with any pseudo-count can be judged.

    As `HeldOut`, but for the temperature: naive Bayes is judged by its probabilities as they are.
    """

    def __init__(
        self, examples: Examples, min_df: Limits, held: Sequence[Booleans], how: Execution
    ) -> None:
        self._parts = [_Part(examples, is_held, min_df, how) for is_held in held]
        judged = np.concatenate([part.documents for part in self._parts])
        self._codes, self._weights = examples.codes[judged], examples.weights[judged]

    @property
    def n_documents(self) -> int:
        """The number of held-out documents that can be judged."""
        return len(self._codes)

    def fit(self, model: BaseEstimator) -> Outcome:
        """Fit a copy of a model to each part and judge it."""
        found = [part.judge(clone(model)) for part in self._parts]
        losses, predicted = map(np.concatenate, zip(*found, strict=True))
        return Outcome(losses, self._weights, 1.0, self._codes, predicted)


class _Part:
    """Rows without some documents, and these documents."""

    def __init__(
        self, examples: Examples, is_held: Booleans, min_df: Limits, how: Execution
    ) -> None:
        counts, weighs = CsrArrays.of(examples.counts), examples.weights > 0.0
        learnt = (~is_held).astype(np.int64)
        self._rows = weighed_rows(counts, learnt, min_df, examples, how).to_scipy()
        self._learnt = np.flatnonzero(~is_held & weighs)
        self._codes, self._weights = examples.codes, examples.weights
        # A class without training documents cannot be learnt.
        known = np.unique(examples.codes[self._learnt])
        self.documents = np.flatnonzero(is_held & weighs & np.isin(examples.codes, known))

    def judge(self, model: BaseEstimator) -> tuple[Floats, Codes]:
        """Fit a model; return the loss of each held-out document and the class it predicts."""
        learnt, held = self._learnt, self.documents
        model.fit(self._rows[learnt], self._codes[learnt], sample_weight=self._weights[learnt])
        log_p = model.predict_log_proba(self._rows[held])
        own = np.searchsorted(model.classes_, self._codes[held])
        predicted = model.classes_[log_p.argmax(axis=1)]
        return -log_p[np.arange(len(held)), own], np.asarray(predicted, dtype=np.int32)

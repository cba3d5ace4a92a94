"""From raw text to scores, probabilities and the codes of labels."""

from collections.abc import Callable
from typing import Any

import numpy as np

from wordodds._border.documents import Documents, as_strings
from wordodds._border.execution import execution
from wordodds._core.score import TextScorer
from wordodds.model.calibration import Calibration
from wordodds.model.label_weights import LabelWeights
from wordodds.model.links import FASTTEXT_FLOOR, probabilities
from wordodds.model.tree import best_leaves, leaf_chances, leaf_scores
from wordodds.typing import Floats, Ints, Positions

__all__ = ["TextScores"]

_DOCUMENTS_AT_ONCE = 4096  # where Python finds the features, matrices are made of so many


class TextScores(LabelWeights):
    """Labels and weights, and what they make of text."""

    calibration: Calibration | None
    n_jobs: int | None
    _scorer: TextScorer | None

    @property
    def has_probabilities(self) -> bool:
        """Whether `predict_proba` works."""
        return self.calibration is not None or self.link != "none"

    def _scores(self, texts: Any, advance: Callable[[int], None] | None = None) -> Floats:
        """Return the scores, (n_texts, n_columns)."""
        return self._scores_of(self.features.documents(texts, self.n_jobs), advance)

    def _scores_of(
        self,
        documents: Documents,
        advance: Callable[[int], None] | None = None,
        n_features: Ints | None = None,
    ) -> Floats:
        """Return the same of checked documents; n_features receives how many each has."""
        if self.features.options is None:
            return self._scores_in_python(documents)
        n_jobs = self.n_jobs
        scorer = self._scorer
        if scorer is None:
            scorer = self._scorer_for(self.features.stemmed_options(documents, n_jobs))
        return scorer.score(documents, advance, n_features, *execution(n_jobs))

    def _class_scores(self, scores: Floats) -> Floats:
        """Return a score for each class where there is one for each decision of a tree."""
        return scores if self.tree is None else leaf_scores(scores, self.tree, self._floor)

    @property
    def _floor(self) -> float:
        return FASTTEXT_FLOOR if self.link == "fasttext_tree" else 0.0

    def _scores_in_python(self, documents: Documents) -> Floats:
        from scipy.sparse import csr_array

        features, texts = self.features, as_strings(documents)
        parts = [np.empty((0, len(self._bias)))]
        for first in range(0, len(texts), _DOCUMENTS_AT_ONCE):
            some = texts[first : first + _DOCUMENTS_AT_ONCE]
            indptr, indices, counts = features.rows_of(map(features.found_in, some))
            values = features.weighed(counts)
            norms = features.norms(indptr, indices, values)
            rows = csr_array((values, indices, indptr), shape=(len(some), self.n_features))
            rows.eliminate_zeros()  # zero times an infinite weight
            parts.append(self._bias + (rows @ self.weights) / norms[:, None])
        return np.concatenate(parts)

    def _lasting_scorer(self) -> TextScorer | None:
        """Return what scores every text; None if Python must, or for each batch another does."""
        options = self.features.options
        # Words of stems are known only with the text.
        return None if options is None or self.features.stemmer else self._scorer_for(options)

    def _scorer_for(self, options: Any) -> TextScorer:
        features = self.features
        return TextScorer(
            options,
            features.terms,
            features.n_unknown,
            features.n_hashed,
            features.alternate_sign,
            None if features.fasttext is None else features.fasttext.rows,
            features.binary,
            features.sublinear,
            features.norm,
            features.norm_weights,
            self._weights,
            self._bias,
            self._factor,
        )

    def _probabilities(self, scores: Floats) -> Floats:
        if self.calibration is not None:
            return self.calibration.probabilities(self._class_scores(scores))
        if self.tree is not None:
            return leaf_chances(scores, self.tree, self._floor)
        return probabilities(scores, self.link, self.n_jobs)

    def _values(self, scores: Floats) -> Floats:
        """Return probabilities, or else scores, of each class."""
        if self.has_probabilities:
            return self._probabilities(scores)
        return np.concatenate([-scores, scores], axis=1) if scores.shape[1] == 1 else scores

    def _codes(self, scores: Floats) -> Positions:
        if self.calibration is not None and self.calibration.method != "temperature":
            scores = self._probabilities(scores)  # curves may change the order
        elif self.tree is not None:
            return best_leaves(scores, self.tree, self._floor, self.n_jobs)
        elif self._has_equals:
            values = self._probabilities(scores)
            return np.asarray(values.shape[1] - 1 - values[:, ::-1].argmax(axis=1))
        if scores.shape[1] == 1:
            return (scores[:, 0] > 0.0).astype(np.intp)
        return np.asarray(scores.argmax(axis=1))

    def ranked(self, values: Floats) -> Positions:
        """Return the positions of labels by their probabilities, the most probable first.

        Parameters
        ----------
        values : ndarray of shape (n_texts, n_classes)
            Such as `predict_proba` gives.
        """
        if not self._has_equals:
            return np.argsort(-values, axis=1, kind="stable")
        backwards = np.argsort(-values[:, ::-1], axis=1, kind="stable")
        return np.asarray(values.shape[1] - 1 - backwards)

    @property
    def _has_equals(self) -> bool:
        # fastText's table of sigmoids makes them, and of equals it takes the last.
        return self.link == "fasttext_sigmoid" and self.calibration is None

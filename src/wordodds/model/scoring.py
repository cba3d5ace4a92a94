"""From documents to scores: features are found and add their weights at once."""

from collections.abc import Callable
from typing import Any

import numpy as np

from wordodds._border.documents import Documents, as_strings
from wordodds._border.execution import execution
from wordodds._border.features import column_number
from wordodds._core.score import TextScorer
from wordodds._core.text import AnalyzerOptions
from wordodds.model.features import TextFeatures
from wordodds.model.weights import Weights
from wordodds.typing import Floats, Ints

__all__ = ["Scorer", "row_of"]

_DOCUMENTS_AT_ONCE = 4096  # of each matrix, where Python finds the features


class Scorer:
    """Scores documents by features and their weights. Never changes."""

    def __init__(self, features: TextFeatures, weights: Weights) -> None:
        # Here too: SciPy, which scores what Python analyzed, checks no index.
        n_rows, of_norm = features.n_features, features.norm_weights
        if len(weights) != n_rows or (of_norm is not None and of_norm.shape != (n_rows,)):
            raise ValueError(f"weights and norm_weights must have {n_rows} rows, one a feature")
        self.features = features
        self.weights = weights
        options = features.options
        # None if Python finds the features, or if each batch has a scorer with its own stems.
        self._compiled = None
        if options is not None and not features.has_stems:
            self._compiled = self._compile(options)

    def __reduce__(self) -> tuple[Any, ...]:
        return Scorer, (self.features, self.weights)  # compiled again

    def scores(
        self,
        documents: Documents,
        n_jobs: int | None,
        advance: Callable[[int], None] | None = None,
        n_features: Ints | None = None,
    ) -> Floats:
        """Return scores, (n_documents, n_columns); n_features receives how many each has."""
        compiled = self._compiled
        if compiled is None:
            if self.features.options is None:
                return self._scores_in_python(documents)
            compiled = self._compile(self.features.stemmed_options(documents, n_jobs))
        n_threads, instruction_set = execution(n_jobs)  # unpacked in the call: 0.2 us more
        return compiled.score(
            documents, n_threads, instruction_set, advance=advance, n_features_out=n_features
        )

    def _scores_in_python(self, documents: Documents) -> Floats:
        from scipy.sparse import csr_array

        features, texts, bias = self.features, as_strings(documents), self.weights.bias
        weights, parts = self.weights.rows(slice(None)), [np.empty((0, len(bias)))]
        for first in range(0, len(texts), _DOCUMENTS_AT_ONCE):
            some = texts[first : first + _DOCUMENTS_AT_ONCE]
            indptr, indices, counts = features.rows_of(map(features.found_in, some))
            values = features.weighed(indptr, indices, counts)
            rows = csr_array((values, indices, indptr), shape=(len(some), len(self.weights)))
            rows.eliminate_zeros()  # zero times an infinite weight
            parts.append(bias + rows @ weights)
        return np.concatenate(parts)

    def _compile(self, options: AnalyzerOptions) -> TextScorer:
        features, weights = self.features, self.weights
        return TextScorer(
            options,
            weights.table,
            weights.bias,
            factor=weights.factor,
            terms=features.terms,
            n_unknown=features.n_unknown,
            n_hashed=features.n_hashed,
            alternate_sign=features.alternate_sign,
            fasttext=None if features.fasttext is None else features.fasttext.rows,
            weighting=[(view.binary, view.sublinear, view.norm) for view in features.views],
            norm_weights=features.norm_weights,
        )


def row_of(features: TextFeatures, feature: int | str) -> tuple[int, float]:
    """Return the row of a feature by its number or name, and the sign that its count has there."""
    if not isinstance(feature, str):
        return column_number(feature, features.n_features), 1.0
    row, sign = -1, 1.0
    if features.fasttext is not None:
        row = features.fasttext.row_of(feature)
    else:
        _, rows, signs = features.rows_of([features.by_name(feature)])
        if len(rows):
            row, sign = int(rows[0]), float(signs[0])
    if row < 0:
        raise ValueError(f"there is no feature {feature!r}")
    return row, sign

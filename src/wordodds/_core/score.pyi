from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from wordodds._core.sparse import Csr
from wordodds._core.text import Advance, AnalyzerOptions, Documents, FastTextRows, FrozenTerms

def csr_score_classes(
    matrix: Csr,
    weights: npt.NDArray[np.float64],
    bias: npt.NDArray[np.float64],
    n_jobs: int,
    instruction_set: int,
) -> npt.NDArray[np.float64]:
    """Return bias + rows · weights, (n_rows, n_classes)."""

def csr_score_sparse_classes(
    matrix: Csr,
    n_jobs: int,
    instruction_set: int,
    *,
    bias: npt.NDArray[np.float64],
    class_scale: npt.NDArray[np.float64],
    class_base: npt.NDArray[np.float64],
    feature_base: npt.NDArray[np.float64],
    excess_indptr: npt.NDArray[np.int64],
    excess_classes: npt.NDArray[np.int32],
    excess: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]:
    """Return scores from weights of rank one plus a sparse excess, (n_rows, n_classes).

    weights[j][c] = class_scale[c] * feature_base[j] + class_base[c] + excess[j][c].
    """

def rows_log_softmax(
    n_jobs: int, instruction_set: int, *, scores_in_out: npt.NDArray[np.float64]
) -> None:
    """Turn scores into log-probabilities, in place."""

def rows_find_leaves(
    scores: npt.NDArray[np.float64],
    tree: npt.NDArray[np.int32],
    n_jobs: int,
    instruction_set: int,
    *,
    floor: float,
) -> npt.NDArray[np.int64]:
    """Return the most probable leaf of a tree for each row of its nodes' scores."""

class TextScorer:
    """Raw text into scores."""

    def __init__(
        self,
        options: AnalyzerOptions,
        weights: npt.NDArray[np.floating[Any]],
        bias: npt.NDArray[np.float64],
        *,
        factor: npt.NDArray[np.float64] | None,
        terms: FrozenTerms | None,
        n_unknown: int,
        n_hashed: int,
        alternate_sign: bool,
        fasttext: FastTextRows | None,
        weighting: Sequence[tuple[bool, bool, str | None]],
        norm_weights: npt.NDArray[np.float64] | None,
    ) -> None:
        """Take the weights of a model: (n_features, 1 or a multiple of 4), float64 or float32.

        Low-rank weights have a second factor, (rank, n_columns). The weighting of each view is
        whether its counts are binary, whether sublinear, and its norm.
        """

    def score(
        self,
        documents: Documents,
        n_jobs: int,
        instruction_set: int,
        *,
        advance: Advance,
        n_features_out: npt.NDArray[np.int64] | None,
    ) -> npt.NDArray[np.float64]:
        """Return the scores, (n_documents, n_columns).

        If given, n_features_out receives how many features each document has.
        """

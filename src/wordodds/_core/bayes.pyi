from typing import Any

import numpy as np
import numpy.typing as npt

from wordodds._core.sparse import Csr

def csr_tally_classes(
    matrix: Csr,
    labels: npt.NDArray[np.int32],
    n_classes: int,
    row_weights: npt.NDArray[np.float64] | None,
    n_jobs: int,
    instruction_set: int,
) -> npt.NDArray[np.float64]:
    """Return the weighted sums of the rows of each class, (n_classes, n_cols)."""

def csr_tally_entries(
    matrix: Csr,
    labels: npt.NDArray[np.int32],
    n_classes: int,
    row_weights: npt.NDArray[np.float64] | None,
    n_jobs: int,
    instruction_set: int,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float64]]:
    """Return the same sums where there are any, feature-major: indptr, classes and sums."""

def tally_multinomial_weights(
    tally: npt.NDArray[np.float64],
    pseudo_counts: npt.NDArray[np.float64],
    stride: int,
    n_jobs: int,
    instruction_set: int,
) -> npt.NDArray[np.float64]:
    """Return smoothed log-probabilities, feature-major and padded, (n_cols, stride)."""

def tally_bernoulli_weights(
    tally: npt.NDArray[np.float64],
    class_counts: npt.NDArray[np.float64],
    pseudo_counts: npt.NDArray[np.float64],
    stride: int,
    n_jobs: int,
    instruction_set: int,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return log-odds of presence, feature-major and padded, and the log-odds of the empty row."""

def tally_complement_weights(
    tally: npt.NDArray[np.float64],
    feature_totals: npt.NDArray[np.float64],
    pseudo_counts: npt.NDArray[np.float64],
    stride: int,
    n_jobs: int,
    instruction_set: int,
) -> npt.NDArray[np.float64]:
    """Return minus the log-probabilities in all other classes, feature-major and padded."""

def csr_class_moments(
    matrix: Csr,
    labels: npt.NDArray[np.int32],
    row_weights: npt.NDArray[np.float64] | None,
    n_classes: int,
    n_jobs: int,
    instruction_set: int,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return each class's weight, means and sums of squared deviations."""

def dense_class_moments(
    matrix: npt.NDArray[Any],
    labels: npt.NDArray[np.int32],
    row_weights: npt.NDArray[np.float64] | None,
    n_classes: int,
    n_jobs: int,
    instruction_set: int,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the same of a C-ordered matrix of float32 or float64."""

def moments_fill_gaussians(
    mean: npt.NDArray[np.float64],
    variance: npt.NDArray[np.float64],
    log_prior: npt.NDArray[np.float64],
    n_jobs: int,
    instruction_set: int,
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return what the scores need: a table (n_cols, 2, padded classes) and a summary by class."""

def csr_score_gaussians(
    matrix: Csr,
    table: npt.NDArray[np.float64],
    summary: npt.NDArray[np.float64],
    n_jobs: int,
    instruction_set: int,
) -> npt.NDArray[np.float64]:
    """Return log p(row, class) under the Gaussians, (n_rows, n_classes)."""

def dense_score_gaussians(
    matrix: npt.NDArray[Any],
    table: npt.NDArray[np.float64],
    summary: npt.NDArray[np.float64],
    n_jobs: int,
    instruction_set: int,
) -> npt.NDArray[np.float64]:
    """Return the same of a C-ordered matrix of float32 or float64."""

from typing import Any

import numpy as np
import numpy.typing as npt

def csr_tally_classes(
    indptr: npt.NDArray[np.signedinteger[Any]],
    indices: npt.NDArray[np.signedinteger[Any]],
    data: npt.NDArray[Any],
    n_cols: int,
    labels: npt.NDArray[np.int32],
    n_classes: int,
    n_jobs: int,
    instruction_set: int,
) -> npt.NDArray[np.float64]:
    """Return the sums of the rows of each class, (n_classes, n_cols)."""

def tally_log_weights(
    tally: npt.NDArray[np.float64],
    alpha: float,
    stride: int,
    n_jobs: int,
    instruction_set: int,
) -> npt.NDArray[np.float64]:
    """Return smoothed log-probabilities, feature-major and padded, (n_cols, stride)."""

from typing import Any

import numpy as np
import numpy.typing as npt

def csr_find_defect(
    indptr: npt.NDArray[np.signedinteger[Any]],
    indices: npt.NDArray[np.signedinteger[Any]],
    data: npt.NDArray[Any],
    n_rows: int,
    n_cols: int,
    finite: bool,
    non_negative: bool,
    n_jobs: int,
    instruction_set: int,
) -> tuple[str, int, int]:
    """Return the first defect by name ("none" if there is none), its row and its position."""

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

def csr_number_rows(
    indptr: npt.NDArray[np.signedinteger[Any]],
    indices: npt.NDArray[np.signedinteger[Any]],
    data: npt.NDArray[Any],
    n_cols: int,
    n_jobs: int,
    instruction_set: int,
) -> tuple[npt.NDArray[np.int64], int]:
    """Return the number of each row among the distinct ones, by first occurrence, and how many."""

def csr_has_repeats(
    indptr: npt.NDArray[np.signedinteger[Any]],
    indices: npt.NDArray[np.signedinteger[Any]],
    n_cols: int,
    n_jobs: int,
    instruction_set: int,
) -> bool:
    """Return whether a row holds a column twice."""

def csr_map_columns(
    indptr: npt.NDArray[np.signedinteger[Any]],
    indices: npt.NDArray[np.signedinteger[Any]],
    data: npt.NDArray[Any],
    columns: npt.NDArray[np.signedinteger[Any]],
    n_jobs: int,
    instruction_set: int,
) -> tuple[
    npt.NDArray[np.signedinteger[Any]], npt.NDArray[np.signedinteger[Any]], npt.NDArray[Any]
]:
    """Return the arrays with entries moved from column j to columns[j], those of -1 left out."""

def csr_binarize(
    indptr: npt.NDArray[np.signedinteger[Any]],
    indices: npt.NDArray[np.signedinteger[Any]],
    data: npt.NDArray[Any],
    n_cols: int,
    threshold: float,
    n_jobs: int,
    instruction_set: int,
) -> tuple[npt.NDArray[np.float32], bool]:
    """Return 1 for every value above the threshold, else 0, and whether columns repeat in a row."""

def dense_compress_rows(
    dense: npt.NDArray[Any],
    n_jobs: int,
    instruction_set: int,
) -> tuple[
    npt.NDArray[np.signedinteger[Any]], npt.NDArray[np.signedinteger[Any]], npt.NDArray[Any]
]:
    """Return indptr, indices and data of the entries other than zero, of a contiguous array.

    Values keep their type; indptr and indices are both int32 where they fit, else int64.
    """

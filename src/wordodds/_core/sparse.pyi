from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

class Csr(Protocol):
    """A CSR matrix as kernels take it: entries numbered with 64 bits, columns with 32."""

    @property
    def indptr(self) -> npt.NDArray[np.int64]: ...
    @property
    def indices(self) -> npt.NDArray[np.int32]: ...
    @property
    def data(self) -> npt.NDArray[Any]: ...
    @property
    def n_rows(self) -> int: ...
    @property
    def n_cols(self) -> int: ...

def csr_find_defect(
    matrix: Csr,
    n_jobs: int,
    instruction_set: int,
    *,
    finite: bool,
    non_negative: bool,
) -> tuple[str, int, int]:
    """Return the first defect by name ("none" if there is none), its row and its position."""

def csr_number_rows(
    matrix: Csr,
    n_jobs: int,
    instruction_set: int,
) -> tuple[npt.NDArray[np.int64], int]:
    """Return the number of each row among the distinct ones, by first occurrence, and how many."""

def csr_has_repeats(
    matrix: Csr,
    n_jobs: int,
    instruction_set: int,
) -> bool:
    """Return whether a row holds a column twice."""

def csr_map_columns(
    matrix: Csr,
    columns: npt.NDArray[np.int32],
    n_jobs: int,
    instruction_set: int,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[Any]]:
    """Return the arrays with entries moved from column j to columns[j], those of -1 left out."""

def csr_binarize(
    matrix: Csr,
    n_jobs: int,
    instruction_set: int,
    *,
    threshold: float,
) -> tuple[npt.NDArray[np.float32], bool]:
    """Return 1 for every value above the threshold, else 0, and whether columns repeat in a row."""

def dense_compress_rows(
    dense: npt.NDArray[Any],
    n_jobs: int,
    instruction_set: int,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[Any]]:
    """Return indptr, indices and data of the entries other than zero, of a contiguous array."""

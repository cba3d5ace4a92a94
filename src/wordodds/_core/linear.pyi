from typing import Any, Protocol, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from wordodds._core.sparse import Csr

_Doubles = npt.NDArray[np.float64]
_Codes = npt.NDArray[np.int32]
_SharedColumns: TypeAlias = tuple[
    _Codes, int, npt.NDArray[np.int64], _Codes, _Doubles, _Doubles, _Doubles, _Doubles
]

def csr_multiply(
    matrix: Csr,
    right: _Doubles,
    n_jobs: int,
    instruction_set: int,
    *,
    bias: _Doubles | None,
    addend_factor: float,
    addend: _Doubles | None,
    squares: bool,
    product_out: _Doubles,
) -> float: ...
def vectors_dot(a: _Doubles, b: _Doubles, n_jobs: int, instruction_set: int) -> float: ...
def vectors_add(
    t: float, x: _Doubles, n_jobs: int, instruction_set: int, *, y_in_out: _Doubles
) -> None: ...
def vectors_scale_add(
    x: _Doubles, t: float, n_jobs: int, instruction_set: int, *, y_in_out: _Doubles
) -> None: ...
def vectors_cg_step(
    alpha: float,
    direction: _Doubles,
    product: _Doubles,
    inverse_diagonal: _Doubles,
    n_jobs: int,
    instruction_set: int,
    *,
    solution_in_out: _Doubles,
    residual_in_out: _Doubles,
    preconditioned_out: _Doubles,
) -> tuple[float, float]: ...
def link_losses() -> dict[str, int]: ...
def scores_scalar_loss(
    loss: int, y: _Doubles, raw: _Doubles, n_jobs: int, instruction_set: int
) -> _Doubles: ...
def rows_scalar_loss(
    loss: int,
    n_columns: int,
    codes: _Codes,
    row_weights: _Doubles,
    scores: _Doubles,
    n_jobs: int,
    instruction_set: int,
) -> tuple[float, _Doubles, _Doubles]: ...
def rows_softmax_loss(
    n_columns: int,
    codes: _Codes,
    row_weights: _Doubles,
    scores: _Doubles,
    n_jobs: int,
    instruction_set: int,
) -> tuple[float, _Doubles, _Doubles]: ...
def rows_softmax_curve(
    row_weights: _Doubles,
    probabilities: _Doubles,
    n_jobs: int,
    instruction_set: int,
    *,
    vectors_in_out: _Doubles,
) -> None: ...
def csr_sag_epoch(
    matrix: Csr,
    codes: _Codes,
    row_weights: _Doubles,
    order: npt.NDArray[np.int64],
    n_jobs: int,
    instruction_set: int,
    *,
    penalty: float,
    loss: int,
    n_columns: int,
    fit_intercept: bool,
    step: float,
    weights_in_out: _Doubles,
    intercepts_in_out: _Doubles,
    row_gradients_in_out: _Doubles,
    gradient_in_out: _Doubles,
    by_intercepts_in_out: _Doubles,
) -> None: ...

class DualSetup:
    n_rows: int
    n_shared: int
    n_columns: int
    stride: int
    numbers: npt.NDArray[np.int32]
    indptr: npt.NDArray[np.int64]
    indices: npt.NDArray[np.int32]
    data: _Doubles
    shared: _Doubles
    single: _Doubles
    single_max: _Doubles
    codes: npt.NDArray[np.int32]
    costs: _Doubles

    def __init__(
        self,
        shared_columns: _SharedColumns,
        codes: npt.NDArray[np.int32],
        costs: _Doubles,
        *,
        is_softmax: bool,
        n_columns: int,
        intercept_step: float,
    ) -> None:
        """Take what `dual_setup` returned, and the problem."""

def dual_setup(matrix: Csr, n_jobs: int, instruction_set: int) -> _SharedColumns:
    """Return numbers, n_shared, indptr, indices, data, shared, single and single_max."""

def dual_ascend(
    setup: DualSetup,
    order: npt.NDArray[np.int32],
    n_jobs: int,
    instruction_set: int,
    *,
    weights_in_out: npt.NDArray[Any],
    intercept_in_out: _Doubles,
    sums_in_out: _Doubles,
    log_odds_in_out: _Doubles,
) -> None: ...
def dual_measure(
    setup: DualSetup,
    weights: npt.NDArray[Any],
    intercept: _Doubles,
    sums: _Doubles,
    log_odds: _Doubles,
    n_jobs: int,
    instruction_set: int,
    *,
    residuals_out: _Doubles,
    gradient_out: _Doubles,
) -> tuple[float, float, float, float, _Doubles]: ...
def dual_variables(
    setup: DualSetup, log_odds: _Doubles, n_jobs: int, instruction_set: int
) -> _Doubles: ...
def dual_weights(
    setup: DualSetup, values: _Doubles, n_jobs: int, instruction_set: int
) -> _Doubles: ...
def csr_spread_weights(
    matrix: Csr,
    setup: DualSetup,
    weights: _Doubles,
    duals: _Doubles,
    n_jobs: int,
    instruction_set: int,
    *,
    weights_out: _Doubles,
) -> None: ...

class Coordinates:
    @property
    def point(self) -> _Doubles: ...
    def __init__(
        self,
        codes: _Codes,
        shares: _Doubles,
        point: _Doubles,
        softmax: bool,
        l1: float,
        l2: float,
        fit_intercept: bool,
    ) -> None: ...

def csc_start_coordinates(
    columns: Csr,
    coordinates: Coordinates,
    n_jobs: int,
    instruction_set: int,
) -> tuple[float, float, int]: ...
def csc_step_coordinates(
    columns: Csr,
    coordinates: Coordinates,
    n_jobs: int,
    instruction_set: int,
) -> tuple[float, float, int]: ...

# --- stochastic gradient descent ---------------------------------------------------------------

class _SgdState(Protocol):
    """What the engine reads of a state, and the numbers that it writes back."""

    weights: npt.NDArray[Any]
    averages: npt.NDArray[Any] | None
    l1_received: npt.NDArray[Any] | None
    duals: npt.NDArray[Any] | None
    roots: npt.NDArray[Any] | None
    bias: _Doubles
    average_bias: _Doubles | None
    bias_roots: _Doubles | None
    square_norms: _Doubles
    sum_norms: _Doubles
    t: float
    scale: float
    average_a: float
    average_b: float
    l1_total: float

def csr_sgd_epoch(
    matrix: Csr,
    labels: npt.NDArray[np.int32],
    row_weights: npt.NDArray[np.float64] | None,
    positive_weights: npt.NDArray[np.float64] | None,
    order: npt.NDArray[np.int64],
    n_jobs: int,
    instruction_set: int,
    *,
    options: tuple[float, ...],
    weights: npt.NDArray[np.floating[Any]],
    state: _SgdState,
    n_columns: int,
    loss_sums_in_out: npt.NDArray[np.float64],
    penalty_sums_in_out: npt.NDArray[np.float64],
) -> int: ...
def sgd_settle(
    options: tuple[float, ...],
    weights: npt.NDArray[np.floating[Any]],
    state: _SgdState,
    n_columns: int,
    n_jobs: int,
    instruction_set: int,
) -> None: ...
def csr_count_ratios(
    matrix: Csr,
    label_indptr: npt.NDArray[np.int64],
    label_codes: npt.NDArray[np.int32],
    label_weights_: npt.NDArray[np.float64],
    n_jobs: int,
    instruction_set: int,
    *,
    n_columns: int,
    alpha: float,
) -> npt.NDArray[np.float32]:
    """Return the log-count ratio of each feature and column of weights."""

def count_ratios(
    counts: npt.NDArray[np.float64],
    class_counts: npt.NDArray[np.float64],
    alpha: float,
    n_jobs: int,
    instruction_set: int,
) -> npt.NDArray[np.float32]:
    """Return the same from document frequencies, of all classes and of each column."""

class RatioAscent:
    """A problem in memory, and how far its fit has come."""

    def scores(
        self, rows: npt.NDArray[np.int64], n_jobs: int, instruction_set: int
    ) -> npt.NDArray[np.float64]:
        """Return the scores of some rows, (n_rows, n_columns)."""

    def fit(
        self,
        lean: float,
        strength: float,
        epochs_max: int,
        tolerance: float,
        n_jobs: int,
        instruction_set: int,
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], int, float]:
        """Start and ascend a few columns at a time; return weights, intercept, epochs and gap."""

    def weights(
        self, n_jobs: int, instruction_set: int
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return padded weights and the intercept."""

def ratio_ascent(
    matrix: Csr,
    label_indptr: npt.NDArray[np.int64],
    label_codes: npt.NDArray[np.int32],
    label_weights_: npt.NDArray[np.float64],
    ratios: npt.NDArray[np.float32],
    *,
    floor: float,
    intercept_step: float,
    seed: int,
) -> RatioAscent:
    """Return a problem, which `ratio_start` or `fit` must start."""

def ratio_start(
    problems: list[RatioAscent], lean: float, n_jobs: int, instruction_set: int
) -> None:
    """Set the weights of problems to those of the prior, as before any row was visited."""

def ratio_ascend(
    problems: list[RatioAscent],
    strength: float,
    epochs_max: int,
    tolerance: float,
    n_jobs: int,
    instruction_set: int,
) -> list[tuple[int, float]]:
    """Go on with problems; return epochs and relative gap of each."""

class RatioState:
    """Weights of the same regression, between visits to blocks of rows."""

    def __new__(
        cls,
        ratios: npt.NDArray[np.float32],
        floor: float,
        intercept_step: float,
        lean: float,
        spread: float,
        n_jobs: int,
        instruction_set: int,
    ) -> Self: ...
    def read(self, weights: npt.NDArray[np.float32], intercept: npt.NDArray[np.float64]) -> None:
        """Continue from other weights."""

    def ascend(
        self,
        matrix: Csr,
        codes: npt.NDArray[np.int32],
        costs: npt.NDArray[np.float64],
        n_jobs: int,
        instruction_set: int,
        *,
        is_first: bool,
        seed: int,
        log_odds_in_out: npt.NDArray[np.float32],
    ) -> npt.NDArray[np.float64]:
        """Visit each row once; return the gap of each column."""

    def weights(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return padded weights and the intercept."""

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from wordodds._core.sparse import Csr

_Doubles = npt.NDArray[np.float64]
_Codes = npt.NDArray[np.int32]

def padded_columns(n_columns: int) -> int: ...
def csr_multiply(
    matrix: Csr,
    right: _Doubles,
    bias: _Doubles | None,
    addend_factor: float,
    addend: _Doubles | None,
    squares: bool,
    product: _Doubles,
    n_jobs: int,
    instruction_set: int,
) -> float: ...
def vectors_dot(a: _Doubles, b: _Doubles, n_jobs: int, instruction_set: int) -> float: ...
def vectors_add(t: float, x: _Doubles, y: _Doubles, n_jobs: int, instruction_set: int) -> None: ...
def vectors_scale_add(
    x: _Doubles, t: float, y: _Doubles, n_jobs: int, instruction_set: int
) -> None: ...
def vectors_cg_step(
    alpha: float,
    direction: _Doubles,
    product: _Doubles,
    inverse_diagonal: _Doubles,
    solution: _Doubles,
    residual: _Doubles,
    preconditioned: _Doubles,
    n_jobs: int,
    instruction_set: int,
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
    vectors: _Doubles,
    n_jobs: int,
    instruction_set: int,
) -> None: ...
def csr_sag_epoch(
    matrix: Csr,
    codes: _Codes,
    row_weights: _Doubles,
    penalty: float,
    loss: int,
    n_columns: int,
    fit_intercept: bool,
    step: float,
    order: npt.NDArray[np.int64],
    weights: _Doubles,
    intercepts: _Doubles,
    row_gradients: _Doubles,
    gradient: _Doubles,
    by_intercepts: _Doubles,
    n_jobs: int,
    instruction_set: int,
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
        numbers: npt.NDArray[np.int32],
        n_shared: int,
        indptr: npt.NDArray[np.int64],
        indices: npt.NDArray[np.int32],
        data: _Doubles,
        shared: _Doubles,
        single: _Doubles,
        single_max: _Doubles,
        codes: npt.NDArray[np.int32],
        costs: _Doubles,
        is_softmax: bool,
        n_columns: int,
        intercept_step: float,
    ) -> None: ...

def dual_setup(
    matrix: Csr,
    n_jobs: int,
    instruction_set: int,
) -> tuple[
    npt.NDArray[np.int32],
    int,
    npt.NDArray[np.int64],
    npt.NDArray[np.int32],
    _Doubles,
    _Doubles,
    _Doubles,
    _Doubles,
]: ...
def dual_ascend(
    setup: DualSetup,
    order: npt.NDArray[np.int32],
    weights: npt.NDArray[Any],
    intercept: _Doubles,
    sums: _Doubles,
    log_odds: _Doubles,
    n_jobs: int,
    instruction_set: int,
) -> None: ...
def dual_measure(
    setup: DualSetup,
    weights: npt.NDArray[Any],
    intercept: _Doubles,
    sums: _Doubles,
    log_odds: _Doubles,
    residuals: _Doubles,
    gradient: _Doubles,
    n_jobs: int,
    instruction_set: int,
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
    weights_out: _Doubles,
    n_jobs: int,
    instruction_set: int,
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

def sgd_stride(n_columns: int) -> int: ...
def csr_sgd_epoch(
    matrix: Csr,
    labels: npt.NDArray[np.int32],
    row_weights: npt.NDArray[np.float64] | None,
    positive_weights: npt.NDArray[np.float64] | None,
    order: npt.NDArray[np.int64],
    options: tuple[float, ...],
    weights: npt.NDArray[np.floating[Any]],
    state: _SgdState,
    n_columns: int,
    loss_sums: npt.NDArray[np.float64],
    penalty_sums: npt.NDArray[np.float64],
    n_jobs: int,
    instruction_set: int,
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
    n_columns: int,
    alpha: float,
    n_jobs: int,
    instruction_set: int,
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

    def __init__(
        self,
        ratios: npt.NDArray[np.float32],
        floor: float,
        intercept_step: float,
        lean: float,
        spread: float,
        n_jobs: int,
        instruction_set: int,
    ) -> None: ...
    def read(self, weights: npt.NDArray[np.float32], intercept: npt.NDArray[np.float64]) -> None:
        """Continue from other weights."""

    def ascend(
        self,
        matrix: Csr,
        codes: npt.NDArray[np.int32],
        costs: npt.NDArray[np.float64],
        is_first: bool,
        seed: int,
        log_odds: npt.NDArray[np.float32],
        n_jobs: int,
        instruction_set: int,
    ) -> npt.NDArray[np.float64]:
        """Visit each row once, log_odds are changed; return the gap of each column."""

    def weights(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return padded weights and the intercept."""

from typing import Any, NamedTuple, Protocol, Self

import numpy as np
import numpy.typing as npt

from wordodds._core.sparse import Csr

_Doubles = npt.NDArray[np.float64]
_Codes = npt.NDArray[np.int32]

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

class SharedColumns(NamedTuple):
    """The rows of a matrix, without the columns that one row has to itself."""

    numbers: _Codes  # of each column, among those of several rows; -1 for the others
    n_shared: int
    indptr: npt.NDArray[np.int64]  # of the rows as CSR arrays
    indices: _Codes
    data: _Doubles
    shared: _Doubles  # of each row: its squared length in these columns
    single: _Doubles  # that in the others
    single_max: _Doubles  # the largest absolute value in the others

class DualSetup:
    n_rows: int
    n_shared: int
    n_columns: int
    stride: int
    split: SharedColumns
    codes: npt.NDArray[np.int32]
    costs: _Doubles

    def __init__(
        self,
        split: SharedColumns,
        codes: npt.NDArray[np.int32],
        costs: _Doubles,
        *,
        is_softmax: bool,
        n_columns: int,
        intercept_step: float,
    ) -> None:
        """Take rows and the problem."""

def csr_take_shared_columns(matrix: Csr, n_jobs: int, instruction_set: int) -> SharedColumns:
    """Return the rows in terms of the columns that they share."""

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
        *,
        is_softmax: bool,
        l1: float,
        l2: float,
        fit_intercept: bool,
        point_in_out: _Doubles,
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

class _SgdOptions(Protocol):
    """The fields of the engine's structure of that name."""

    @property
    def loss(self) -> int: ...
    @property
    def schedule(self) -> int: ...
    @property
    def eta0(self) -> float: ...
    @property
    def power_t(self) -> float: ...
    @property
    def alpha(self) -> float: ...
    @property
    def optimal_start(self) -> float: ...
    @property
    def l2(self) -> float: ...
    @property
    def l1(self) -> float: ...
    @property
    def bias_rate(self) -> float: ...
    @property
    def average_from(self) -> float: ...

class _SgdState(Protocol):
    """What the engine reads of a state, and the numbers that it writes back."""

    n_columns: int
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
    options: _SgdOptions,
    state_in_out: _SgdState,
    loss_sums_in_out: npt.NDArray[np.float64],
    penalty_sums_in_out: npt.NDArray[np.float64],
) -> int: ...
def sgd_settle(
    n_jobs: int, instruction_set: int, *, options: _SgdOptions, state_in_out: _SgdState
) -> None: ...

# --- logistic regression under a prior that naive Bayes has set --------------------------------

class _LabelWeights(Protocol):
    """The weight of each row for each class, as CSR arrays."""

    @property
    def indptr(self) -> npt.NDArray[np.int64]: ...
    @property
    def codes(self) -> _Codes: ...
    @property
    def weights(self) -> _Doubles: ...

def csr_count_ratios(
    matrix: Csr,
    labels: _LabelWeights,
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
    n_jobs: int,
    instruction_set: int,
    *,
    alpha: float,
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
        n_jobs: int,
        instruction_set: int,
        *,
        lean: float,
        strength: float,
        epochs_max: int,
        tolerance: float,
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], int, float]:
        """Start and ascend a few columns at a time; return weights, intercept, epochs and gap."""

    def weights(
        self, n_jobs: int, instruction_set: int
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return padded weights and the intercept."""

def ratio_ascent(
    matrix: Csr,
    labels: _LabelWeights,
    ratios: npt.NDArray[np.float32],
    *,
    floor: float,
    intercept_step: float,
    seed: int,
) -> RatioAscent:
    """Return a problem, which `ratio_start` or `fit` must start."""

def ratio_start(
    problems: list[RatioAscent], n_jobs: int, instruction_set: int, *, lean: float
) -> None:
    """Set the weights of problems to those of the prior, as before any row was visited."""

def ratio_ascend(
    problems: list[RatioAscent],
    n_jobs: int,
    instruction_set: int,
    *,
    strength: float,
    epochs_max: int,
    tolerance: float,
) -> list[tuple[int, float]]:
    """Go on with problems; return epochs and relative gap of each."""

class RatioState:
    """Weights of the same regression, between visits to blocks of rows."""

    def __new__(
        cls,
        ratios: npt.NDArray[np.float32],
        n_jobs: int,
        instruction_set: int,
        *,
        floor: float,
        intercept_step: float,
        lean: float,
        spread: float,
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

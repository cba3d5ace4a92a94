# Dual coordinate ascent; part of linear.pyx.

cdef extern from "wordodds/linear/shared_columns.hpp" namespace "wordodds" nogil:
    cdef cppclass CSharedColumns "wordodds::SharedColumns":
        span[int64_t] indptr
        span[int32_t] indices
        span[double] data
        span[double] shared
        span[double] single
        span[double] single_max

cdef extern from * namespace "wordodds::binding" nogil:
    """
    WORDODDS_TAKES_FLOATS(csr_number_shared_columns)
    WORDODDS_TAKES_FLOATS(csr_take_shared_columns)
    WORDODDS_TAKES_FLOATS(csr_spread_weights)
    """
    int64_t c_csr_number_shared_columns "wordodds::binding::csr_number_shared_columns"(
        const AnyCsr&, const Execution&, span[int32_t]) except +
    void c_csr_take_shared_columns "wordodds::binding::csr_take_shared_columns"(
        const AnyCsr&, span[const int32_t], const Execution&, const CSharedColumns&) except +
    void c_csr_spread_weights "wordodds::binding::csr_spread_weights"(
        const AnyCsr&, span[const int32_t], span[const double], span[const double],
        int64_t n_columns, int64_t stride, const Execution&, span[double]) except +

cdef extern from "wordodds/linear/dual.hpp" namespace "wordodds" nogil:
    cdef enum class DualLoss(int32_t):
        softmax
        logistic
    cdef cppclass DualRows:
        int64_t n_rows
        span[const int64_t] indptr
        span[const int32_t] indices
        span[const double] data
        span[const double] shared
        span[const double] single
    cdef cppclass DualProblem:
        DualLoss loss
        int64_t n_columns
        span[const int32_t] codes
        span[const double] costs
        double intercept_step
    cdef cppclass DualState[Weight]:
        span[Weight] weights
        span[double] intercept
        span[double] sums
        span[double] log_odds
    void c_dual_ascend "wordodds::dual_ascend"[Weight](
        const DualRows&, const DualProblem&, span[const int32_t], const Execution&,
        const DualState[Weight]&) except +

cdef extern from "wordodds/linear/dual_value.hpp" namespace "wordodds" nogil:
    cdef cppclass DualValue:
        double loss
        double entropy
        double squares
        double gradient_max
    DualValue c_dual_measure "wordodds::dual_measure"[Weight](
        const DualRows&, const DualProblem&, span[const double], const DualState[Weight]&,
        const Execution&, span[double], span[double], span[double]) except +
    void c_dual_variables "wordodds::dual_variables"(
        const DualProblem&, span[const double], const Execution&, span[double]) except +
    void c_dual_weights "wordodds::dual_weights"(
        const DualRows&, int64_t stride, span[const double], const Execution&,
        span[double]) except +


SharedColumns = namedtuple(
    "SharedColumns", "numbers n_shared indptr indices data shared single single_max")


cdef class DualSetup:
    """The rows in terms of shared columns, and the problem; owns what the kernels read."""

    cdef readonly int64_t n_rows, n_shared, n_columns, stride
    cdef readonly object split, codes, costs
    cdef DualRows rows
    cdef DualProblem problem

    def __init__(
        self, split, codes, costs, *, bint is_softmax,
        int64_t n_columns, double intercept_step,
    ):
        if not isinstance(split, SharedColumns):  # which keeps its arrays alive
            raise TypeError(f"expected SharedColumns, got {type(split).__name__}")
        cdef const int64_t[::1] indptr_ = split.indptr
        cdef const int32_t[::1] indices_ = split.indices
        cdef const int32_t[::1] codes_ = codes
        self.n_rows = indptr_.shape[0] - 1
        if not (len(codes) == len(costs) == len(split.shared) == len(split.single) == self.n_rows):
            raise ValueError("codes, costs and rows differ in length")
        if self.n_rows < 1 or n_columns < 1:
            raise ValueError("there must be a row and a column")
        self.n_shared, self.n_columns = split.n_shared, n_columns
        self.stride = lane_stride(n_columns)
        self.split, self.codes, self.costs = split, codes, costs
        self.rows.n_rows = self.n_rows
        self.rows.indptr = span_of(&indptr_[0], indptr_.shape[0])
        self.rows.indices = span_of(
            &indices_[0] if indices_.shape[0] else <const int32_t*> NULL, indices_.shape[0])
        self.rows.data = doubles(split.data)
        self.rows.shared = doubles(split.shared)
        self.rows.single = doubles(split.single)
        self.problem.loss = DualLoss.softmax if is_softmax else DualLoss.logistic
        self.problem.n_columns = n_columns
        self.problem.codes = span_of(&codes_[0], codes_.shape[0])
        self.problem.costs = doubles(costs)
        self.problem.intercept_step = intercept_step

    cdef check(self, int64_t n_weights, double[::1] intercept, double[::1] sums,
               double[:, ::1] log_odds):
        if n_weights != self.n_shared * self.stride:
            raise ValueError("weights must have n_shared * stride elements")
        if intercept.shape[0] != self.stride or sums.shape[0] != self.stride:
            raise ValueError("intercept and sums must have stride elements")
        if log_odds.shape[0] != self.n_rows or log_odds.shape[1] != self.stride:
            raise ValueError("log_odds must have shape (n_rows, stride)")


def csr_take_shared_columns(matrix, int32_t n_jobs, int32_t instruction_set):
    cdef BorrowedCsr rows = borrow_csr(matrix)
    cdef int64_t n_rows = rows.n_rows, n_cols = rows.n_cols, nnz = rows.nnz, n_shared, n_taken
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    cdef int32_t[::1] numbers = np.empty(n_cols, dtype=np.int32)
    cdef int64_t[::1] starts = np.empty(n_rows + 1, dtype=np.int64)
    cdef int32_t[::1] columns = np.empty(nnz, dtype=np.int32)
    cdef double[::1] values = np.empty(nnz), shared = np.empty(n_rows)
    cdef double[::1] single = np.empty(n_rows), single_max = np.empty(n_rows)
    cdef span[int32_t] numbers_ = span_of(
        &numbers[0] if n_cols else <int32_t*> NULL, n_cols)
    cdef span[const int32_t] read_numbers = span_of(
        <const int32_t*> (&numbers[0] if n_cols else NULL), n_cols)
    cdef CSharedColumns out
    out.indptr = span_of(&starts[0], n_rows + 1)
    out.indices = span_of(&columns[0] if nnz else <int32_t*> NULL, nnz)
    out.data = outputs(values)
    out.shared = outputs(shared)
    out.single = outputs(single)
    out.single_max = outputs(single_max)
    with nogil:  # `rows` and the memoryviews pin the arrays
        n_shared = c_csr_number_shared_columns(rows.view, call.get().execution, numbers_)
        c_csr_take_shared_columns(rows.view, read_numbers, call.get().execution, out)
    n_taken = starts[n_rows]
    return SharedColumns(
        np.asarray(numbers), n_shared, np.asarray(starts), np.asarray(columns)[:n_taken],
        np.asarray(values)[:n_taken], np.asarray(shared), np.asarray(single),
        np.asarray(single_max))


cdef DualState[value_t] dual_state(
    DualSetup setup, value_t[:, ::1] weights, double[::1] intercept, double[::1] sums,
    double[:, ::1] log_odds,
) except *:
    setup.check(weights.shape[0] * weights.shape[1], intercept, sums, log_odds)
    cdef DualState[value_t] state
    state.weights = span_of(
        &weights[0, 0] if weights.shape[0] else <value_t*> NULL,
        weights.shape[0] * weights.shape[1])
    state.intercept = outputs(intercept)
    state.sums = outputs(sums)
    state.log_odds = span_of(&log_odds[0, 0], log_odds.shape[0] * log_odds.shape[1])
    return state


def dual_ascend(
    DualSetup setup, const int32_t[::1] order, int32_t n_jobs, int32_t instruction_set, *,
    value_t[:, ::1] weights_in_out, double[::1] intercept_in_out, double[::1] sums_in_out,
    double[:, ::1] log_odds_in_out,
):
    cdef DualState[value_t] state = dual_state(
        setup, weights_in_out, intercept_in_out, sums_in_out, log_odds_in_out)
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    with nogil:  # the memoryviews and the setup pin the arrays
        c_dual_ascend(
            setup.rows, setup.problem, span_of(&order[0], order.shape[0]), call.get().execution,
            state)


def dual_measure(
    DualSetup setup, value_t[:, ::1] weights, double[::1] intercept, double[::1] sums,
    double[:, ::1] log_odds, int32_t n_jobs, int32_t instruction_set, *,
    double[::1] residuals_out, double[::1] gradient_out,
):
    cdef DualState[value_t] state = dual_state(setup, weights, intercept, sums, log_odds)
    if (residuals_out.shape[0] != setup.n_rows * setup.stride
            or gradient_out.shape[0] != setup.n_shared * setup.stride):
        raise ValueError("residuals and gradient must have n_rows and n_shared * stride elements")
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    cdef double[::1] intercept_gradient = np.empty(setup.stride)
    cdef DualValue value
    cdef span[const double] single_max = doubles(setup.split.single_max)
    cdef span[double] intercept_gradient_ = outputs(intercept_gradient)
    cdef span[double] residuals_ = outputs(residuals_out), gradient_ = outputs(gradient_out)
    with nogil:  # the memoryviews and the setup pin the arrays
        value = c_dual_measure(
            setup.rows, setup.problem, single_max, state, call.get().execution,
            intercept_gradient_, residuals_, gradient_)
    return (
        value.loss, value.entropy, value.squares, value.gradient_max,
        np.asarray(intercept_gradient)[:setup.n_columns])


def dual_variables(
    DualSetup setup, double[:, ::1] log_odds, int32_t n_jobs, int32_t instruction_set,
):
    if log_odds.shape[0] != setup.n_rows or log_odds.shape[1] != setup.stride:
        raise ValueError("log_odds must have shape (n_rows, stride)")
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    duals = np.empty((setup.n_rows, setup.stride))
    cdef double[::1] out = duals.reshape(-1)
    cdef span[double] out_ = outputs(out)
    cdef span[const double] log_odds_ = span_of(
        <const double*> &log_odds[0, 0], log_odds.shape[0] * log_odds.shape[1])
    with nogil:  # the memoryviews and the setup pin the arrays
        c_dual_variables(setup.problem, log_odds_, call.get().execution, out_)
    return duals


def dual_weights(
    DualSetup setup, const double[:, ::1] values, int32_t n_jobs, int32_t instruction_set,
):
    if values.shape[0] != setup.n_rows or values.shape[1] != lane_stride(values.shape[1]):
        raise ValueError("values must have n_rows rows of one column or of whole lanes")
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    cdef int64_t stride = values.shape[1]
    weights = np.empty((setup.n_shared, stride))
    cdef double[::1] out = weights.reshape(-1)
    cdef span[double] out_ = outputs(out)
    cdef span[const double] values_ = span_of(&values[0, 0], values.shape[0] * stride)
    with nogil:  # the memoryviews and the setup pin the arrays
        c_dual_weights(setup.rows, stride, values_, call.get().execution, out_)
    return weights


def csr_spread_weights(
    matrix, DualSetup setup, const double[:, ::1] weights, const double[:, ::1] duals,
    int32_t n_jobs, int32_t instruction_set, *, double[:, ::1] weights_out,
):
    cdef BorrowedCsr rows = borrow_csr(matrix)
    cdef int64_t n_rows = rows.n_rows, n_cols = rows.n_cols
    cdef int64_t stride = setup.stride, n_columns = setup.n_columns
    if weights.shape[0] != setup.n_shared or weights.shape[1] != stride:
        raise ValueError("weights must have shape (n_shared, stride)")
    if duals.shape[0] != n_rows or duals.shape[1] != stride:
        raise ValueError("duals must have shape (n_rows, stride)")
    if weights_out.shape[0] < n_cols or weights_out.shape[1] != n_columns:
        raise ValueError("weights_out must have shape (n_cols or more, n_columns)")
    if setup.n_rows != n_rows or len(setup.split.numbers) != n_cols:
        raise ValueError("the setup belongs to another matrix")
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    cdef const int32_t[::1] numbers = setup.split.numbers
    cdef span[const int32_t] numbers_ = span_of(
        &numbers[0] if n_cols else <const int32_t*> NULL, n_cols)
    cdef span[const double] weights_ = span_of(
        &weights[0, 0] if weights.shape[0] else <const double*> NULL,
        weights.shape[0] * stride)
    cdef span[const double] duals_ = span_of(&duals[0, 0], n_rows * stride)
    cdef span[double] out = span_of(
        &weights_out[0, 0] if weights_out.shape[0] else <double*> NULL, n_cols * n_columns)
    with nogil:  # `rows`, the memoryviews and the setup pin the arrays
        c_csr_spread_weights(
            rows.view, numbers_, weights_, duals_, n_columns, stride, call.get().execution, out)

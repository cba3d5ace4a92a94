# Stochastic average gradient; part of linear.pyx.

cdef extern from "wordodds/linear/sag.hpp" namespace "wordodds" nogil:
    cdef cppclass SagProblem:
        span[const int32_t] codes
        span[const double] row_weights
        double penalty
        ScalarLoss loss
        int64_t n_columns
        int64_t stride
        bint fit_intercept
        double step
    cdef cppclass SagState:
        span[double] weights
        span[double] intercepts
        span[double] row_gradients
        span[double] gradient
        span[double] by_intercepts

cdef extern from * namespace "wordodds::binding" nogil:
    """
    WORDODDS_TAKES_FLOATS(csr_sag_epoch)
    """
    void c_csr_sag_epoch "wordodds::binding::csr_sag_epoch"(
        const AnyCsr&, const SagProblem&, span[const int64_t], const Execution&,
        const SagState&) except +


def csr_sag_epoch(
    matrix, const int32_t[::1] codes, const double[::1] row_weights, const int64_t[::1] order,
    int32_t n_jobs, int32_t instruction_set, *, double penalty, uintptr_t loss,
    int64_t n_columns, bint fit_intercept, double step, double[:, ::1] weights_in_out,
    double[::1] intercepts_in_out, double[:, ::1] row_gradients_in_out,
    double[:, ::1] gradient_in_out, double[::1] by_intercepts_in_out,
):
    cdef BorrowedCsr rows = borrow_csr(matrix)
    cdef int64_t n_rows = rows.n_rows, n_cols = rows.n_cols
    cdef int64_t stride = lane_stride(n_columns)
    if not (weights_in_out.shape[1] == gradient_in_out.shape[1] == stride
            and row_gradients_in_out.shape[1] == stride
            and intercepts_in_out.shape[0] == by_intercepts_in_out.shape[0] == stride):
        raise ValueError("the state is not padded as the kernel expects")
    if not (codes.shape[0] == row_weights.shape[0] == row_gradients_in_out.shape[0] == n_rows
            and weights_in_out.shape[0] == gradient_in_out.shape[0] == n_cols):
        raise ValueError("matrix, rows and state differ in length")
    if order.shape[0] and not (0 <= np.min(order) and np.max(order) < n_rows):
        raise ValueError("order must hold rows of the matrix")
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    cdef SagProblem problem
    problem.codes = span_of(&codes[0] if n_rows else <const int32_t*> NULL, n_rows)
    problem.row_weights = doubles(row_weights)
    problem.penalty = penalty
    problem.loss = <ScalarLoss> loss
    problem.n_columns = n_columns
    problem.stride = stride
    problem.fit_intercept = fit_intercept
    problem.step = step
    cdef SagState state
    state.weights = span_of(
        &weights_in_out[0, 0] if n_cols else <double*> NULL, n_cols * stride)
    state.intercepts = outputs(intercepts_in_out)
    state.row_gradients = span_of(
        &row_gradients_in_out[0, 0] if n_rows else <double*> NULL, n_rows * stride)
    state.gradient = span_of(
        &gradient_in_out[0, 0] if n_cols else <double*> NULL, n_cols * stride)
    state.by_intercepts = outputs(by_intercepts_in_out)
    cdef span[const int64_t] order_ = span_of(
        &order[0] if order.shape[0] else <const int64_t*> NULL, order.shape[0])
    with nogil:  # `rows` and the memoryviews pin the arrays
        c_csr_sag_epoch(rows.view, problem, order_, call.get().execution, state)

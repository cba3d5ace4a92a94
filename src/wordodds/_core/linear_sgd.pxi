# Stochastic gradient descent; part of linear.pyx.

cdef extern from "wordodds/linear/sgd.hpp" namespace "wordodds" nogil:
    cdef enum class SgdLoss(int32_t):
        pass
    cdef enum class SgdSchedule(int32_t):
        pass
    cdef cppclass SgdOptions:
        SgdLoss loss
        SgdSchedule schedule
        double eta0
        double power_t
        double alpha
        double optimal_start
        double l2
        double l1
        double bias_rate
        double average_from
    cdef cppclass SgdProgress:
        double t
        double scale
        double average_a
        double average_b
        double l1_total
    cdef cppclass SgdState[Weight]:
        int64_t n_columns
        span[Weight] weights
        span[double] bias
        span[Weight] averages
        span[double] average_bias
        span[Weight] l1_received
        span[Weight] duals
        span[Weight] roots
        span[double] bias_roots
        span[double] square_norms
        span[double] sum_norms
        SgdProgress* progress
    cdef cppclass SgdSums:
        span[double] loss
        span[double] penalty

cdef extern from "wordodds/linear/sgd_settle.hpp" namespace "wordodds" nogil:
    void c_sgd_settle "wordodds::sgd_settle"[Weight](
        const SgdOptions&, const Execution&, const SgdState[Weight]&) except +

cdef extern from * namespace "wordodds::binding" nogil:
    """
    namespace wordodds::binding {
    struct SgdRows {
        std::span<const int32_t> labels;
        std::span<const double> row_weights;
        std::span<const double> positive_weights;
        std::span<const int64_t> order;
    };
    template <class Weight>
    int64_t csr_sgd_epoch(const AnyCsr& matrix, const SgdRows& rows, const SgdOptions& options,
                          const Execution& execution, const SgdState<Weight>& state,
                          const SgdSums& sums) {
        return std::visit(
            [&](const auto& view) {
                return wordodds::csr_sgd_epoch(view, rows.labels, rows.row_weights,
                                               rows.positive_weights, rows.order, options,
                                               execution, state, sums);
            },
            with_floats(matrix));
    }
    }
    """
    cdef cppclass SgdRows:
        span[const int32_t] labels
        span[const double] row_weights
        span[const double] positive_weights
        span[const int64_t] order
    int64_t c_csr_sgd_epoch "wordodds::binding::csr_sgd_epoch"[Weight](
        const AnyCsr&, const SgdRows&, const SgdOptions&, const Execution&,
        const SgdState[Weight]&, const SgdSums&) except +


cdef SgdOptions sgd_options(options) except *:
    cdef SgdOptions result
    result.loss = <SgdLoss><int32_t>options.loss
    result.schedule = <SgdSchedule><int32_t>options.schedule
    result.eta0 = options.eta0
    result.power_t = options.power_t
    result.alpha = options.alpha
    result.optimal_start = options.optimal_start
    result.l2 = options.l2
    result.l1 = options.l1
    result.bias_rate = options.bias_rate
    result.average_from = options.average_from
    return result


cdef span[value_t] sgd_table(
    value_t[:, ::1] like, array, list pinned
) except *:
    cdef value_t[:, ::1] view
    if array is None:
        return span_of(<value_t*>NULL, 0)
    view = array
    if view.shape[0] != like.shape[0] or view.shape[1] != like.shape[1]:
        raise ValueError("an array of the state is not (n_features, stride)")
    pinned.append(view)
    return span_of(
        &view[0, 0] if view.shape[0] else <value_t*>NULL, view.shape[0] * view.shape[1])


cdef span[double] sgd_column(array, int64_t stride, list pinned) except *:
    cdef double[::1] view
    if array is None:
        return span_of(<double*>NULL, 0)
    view = array
    if view.shape[0] != stride:
        raise ValueError("an array of the state is not (stride,)")
    pinned.append(view)
    return span_of(&view[0], stride)


# The view of a state that the engine takes; `pinned` keeps its arrays. All are like `weights`,
# which are the state's: their type chooses the kernel.
cdef SgdState[value_t] sgd_state(
    value_t[:, ::1] weights, state, SgdProgress* progress, list pinned
) except *:
    cdef SgdState[value_t] result
    cdef int64_t stride = line_stride(state.n_columns)
    if weights.shape[1] != stride:
        raise ValueError("the weights of the state are not padded as the kernel expects")
    result.n_columns = state.n_columns
    result.weights = sgd_table(weights, weights, pinned)
    result.averages = sgd_table(weights, state.averages, pinned)
    result.l1_received = sgd_table(weights, state.l1_received, pinned)
    result.duals = sgd_table(weights, state.duals, pinned)
    result.roots = sgd_table(weights, state.roots, pinned)
    result.bias = sgd_column(state.bias, stride, pinned)
    result.average_bias = sgd_column(state.average_bias, stride, pinned)
    result.bias_roots = sgd_column(state.bias_roots, stride, pinned)
    result.square_norms = sgd_column(state.square_norms, stride, pinned)
    result.sum_norms = sgd_column(state.sum_norms, stride, pinned)
    progress.t = state.t
    progress.scale = state.scale
    progress.average_a = state.average_a
    progress.average_b = state.average_b
    progress.l1_total = state.l1_total
    result.progress = progress
    return result


cdef sgd_write_back(const SgdProgress& progress, state):
    state.t = progress.t
    state.scale = progress.scale
    state.average_a = progress.average_a
    state.average_b = progress.average_b
    state.l1_total = progress.l1_total


def csr_sgd_epoch(
    matrix, const int32_t[::1] labels, const double[::1] row_weights,
    const double[::1] positive_weights, const int64_t[::1] order, int32_t n_jobs,
    int32_t instruction_set, *, options, state_in_out, double[::1] loss_sums_in_out,
    double[::1] penalty_sums_in_out,
):
    cdef BorrowedCsr rows = borrow_csr(matrix)
    cdef int64_t n_rows = rows.n_rows, n_columns = state_in_out.n_columns
    cdef int64_t stride = line_stride(n_columns)
    if len(state_in_out.weights) != rows.n_cols:
        raise ValueError("matrix and weights differ in features")
    if labels.shape[0] != n_rows:
        raise ValueError("labels and rows differ in number")
    if row_weights is not None and row_weights.shape[0] != n_rows:
        raise ValueError("row_weights and rows differ in number")
    if positive_weights is not None and positive_weights.shape[0] != n_columns:
        raise ValueError("positive_weights and columns differ in number")
    if loss_sums_in_out.shape[0] != stride or penalty_sums_in_out.shape[0] != stride:
        raise ValueError("loss_sums and penalty_sums must be (stride,)")
    cdef SgdRows seen
    seen.labels = span_of(&labels[0] if n_rows else <const int32_t*> NULL, n_rows)
    if row_weights is not None and n_rows:
        seen.row_weights = span_of(&row_weights[0], n_rows)
    if positive_weights is not None:
        seen.positive_weights = span_of(&positive_weights[0], n_columns)
    seen.order = span_of(
        &order[0] if order.shape[0] else <const int64_t*> NULL, order.shape[0])
    cdef SgdSums sums
    sums.loss = span_of(&loss_sums_in_out[0], stride)
    sums.penalty = span_of(&penalty_sums_in_out[0], stride)
    cdef SgdOptions options_ = sgd_options(options)
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    if state_in_out.weights.dtype == np.float32:
        return sgd_epoch[float](
            state_in_out.weights, state_in_out, rows, seen, options_, call.get(), sums)
    return sgd_epoch[double](
        state_in_out.weights, state_in_out, rows, seen, options_, call.get(), sums)


# The caller keeps the arrays of `seen` and `sums`.
cdef int64_t sgd_epoch(
    value_t[:, ::1] weights, state, BorrowedCsr rows, const SgdRows& seen,
    const SgdOptions& options, Call* call, const SgdSums& sums,
) except -1:
    cdef list pinned = []
    cdef SgdProgress progress
    cdef SgdState[value_t] state_ = sgd_state(weights, state, &progress, pinned)
    cdef int64_t taken
    try:
        with nogil:  # `rows` and `pinned` pin the arrays
            taken = c_csr_sgd_epoch(
                rows.view, seen, options, call.execution, state_, sums)
    finally:
        sgd_write_back(progress, state)
    return taken


def sgd_settle(int32_t n_jobs, int32_t instruction_set, *, options, state_in_out):
    cdef SgdOptions options_ = sgd_options(options)
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    if state_in_out.weights.dtype == np.float32:
        settle[float](state_in_out.weights, state_in_out, options_, call.get())
    else:
        settle[double](state_in_out.weights, state_in_out, options_, call.get())


cdef int settle(
    value_t[:, ::1] weights, state, const SgdOptions& options, Call* call,
) except -1:
    cdef list pinned = []
    cdef SgdProgress progress
    cdef SgdState[value_t] state_ = sgd_state(weights, state, &progress, pinned)
    with nogil:  # `pinned` pins the arrays
        c_sgd_settle(options, call.execution, state_)
    sgd_write_back(progress, state)
    return 0

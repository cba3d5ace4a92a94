# Logistic regression on columns scaled by the log-count ratio; part of linear.pyx.
from libc.stdint cimport uint64_t

cdef extern from "wordodds/linear/ratio_ascent.hpp" namespace "wordodds" nogil:
    cdef cppclass RatioScales:
        double alpha
        double floor
    cdef cppclass RatioProblem:
        int64_t n_columns
        span[const int32_t] codes
        span[const double] costs
        span[const double] counts
        RatioScales scales
        double intercept_step
        int32_t epochs_max
        double tolerance
        uint64_t seed
    cdef cppclass RatioFit:
        int32_t epochs
        double change
    RatioFit c_csr_fit_ratio_logistic "wordodds::csr_fit_ratio_logistic"[Index](
        const CsrView[Index, double]&, const RatioProblem&, const Execution&, int64_t stride,
        span[double], span[double]) except +
    cdef cppclass RatioRows:
        span[const int32_t] codes
        span[const double] costs
        bint is_first
        uint64_t seed
    cdef cppclass CRatioState "wordodds::RatioState":
        CRatioState(
            int64_t, const RatioScales&, double, span[const double], span[const double],
            const Execution&) except +
        int64_t n_columns() const
        int64_t n_features() const
        void ascend[Index](
            const CsrView[Index, double]&, const RatioRows&, const Execution&, span[float]) except +
        void write(int64_t stride, span[double], span[double]) const


def csr_fit_ratio_logistic(
    const index_t[::1] indptr, const index_t[::1] indices, const double[::1] data, int64_t n_cols,
    const int32_t[::1] codes, const double[::1] costs, const double[::1] counts, int64_t n_columns,
    double alpha, double floor, double intercept_step, int32_t epochs_max, double tolerance, uint64_t seed,
    int32_t n_jobs, int32_t instruction_set,
):
    cdef int64_t n_rows = indptr.shape[0] - 1, nnz = indices.shape[0]
    if not (codes.shape[0] == costs.shape[0] == counts.shape[0] == n_rows) or n_rows < 1:
        raise ValueError("codes, costs, counts and rows differ in length")
    if n_columns < 1 or n_cols < 1:
        raise ValueError("there must be a feature and a column of weights")
    if data.shape[0] != nnz or indptr[0] != 0 or indptr[n_rows] != nnz:
        raise ValueError("indptr, indices and data differ in length")
    cdef RatioProblem problem
    problem.n_columns = n_columns
    problem.codes = span_of(&codes[0], n_rows)
    problem.costs = doubles(costs)
    problem.counts = doubles(counts)
    problem.scales.alpha = alpha
    problem.scales.floor = floor
    problem.intercept_step = intercept_step
    problem.epochs_max = epochs_max
    problem.tolerance = tolerance
    problem.seed = seed
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    cdef int64_t stride = padded_columns(n_columns)
    intercept = np.empty(n_columns)
    weights = (np.empty if stride == n_columns else np.zeros)((n_cols, stride))
    cdef double[:, ::1] weights_out = weights
    cdef span[double] weights_ = span_of(&weights_out[0, 0], n_cols * stride)
    cdef span[double] intercept_ = outputs(intercept)
    cdef RatioFit fit
    with nogil:  # the memoryviews pin the arrays
        fit = c_csr_fit_ratio_logistic(
            csr_view(
                n_rows, n_cols, &indptr[0], indptr.shape[0],
                &indices[0] if nnz else <const index_t*> NULL, nnz,
                &data[0] if nnz else <const double*> NULL, data.shape[0]),
            problem, call.get().execution, stride, weights_, intercept_)
    return weights, intercept, fit.epochs, fit.change


cdef class RatioState:
    """Weights of the same regression, between visits to blocks of rows."""

    cdef unique_ptr[CRatioState] engine

    def __cinit__(
        self, int64_t n_columns, double alpha, double floor, double intercept_step,
        const double[::1] counts, const double[:, ::1] class_counts, int32_t n_jobs,
        int32_t instruction_set,
    ):
        cdef int64_t n_features = counts.shape[0]
        if n_columns < 1 or n_features < 1:
            raise ValueError("there must be a feature and a column of weights")
        if class_counts.shape[0] != n_columns or class_counts.shape[1] != n_features:
            raise ValueError("counts and class_counts differ in length")
        cdef RatioScales scales
        scales.alpha = alpha
        scales.floor = floor
        cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
        cdef span[const double] counts_ = doubles(counts)
        with nogil:  # the memoryviews pin the arrays
            self.engine = make_unique[CRatioState](
                n_columns, scales, intercept_step, counts_,
                span_of(&class_counts[0, 0], n_columns * n_features), call.get().execution)

    def ascend(
        self, const index_t[::1] indptr, const index_t[::1] indices, const double[::1] data,
        const int32_t[::1] codes, const double[::1] costs, bint is_first, uint64_t seed,
        float[:, ::1] log_odds, int32_t n_jobs, int32_t instruction_set,
    ):
        cdef int64_t n_rows = indptr.shape[0] - 1, nnz = indices.shape[0]
        cdef int64_t n_columns = self.engine.get().n_columns()
        if not (codes.shape[0] == costs.shape[0] == log_odds.shape[0] == n_rows) or n_rows < 1:
            raise ValueError("codes, costs, log_odds and rows differ in length")
        if data.shape[0] != nnz or indptr[0] != 0 or indptr[n_rows] != nnz:
            raise ValueError("indptr, indices and data differ in length")
        if log_odds.shape[1] != n_columns:
            raise ValueError("log_odds must have one column for each column of weights")
        cdef RatioRows rows
        rows.codes = span_of(&codes[0], n_rows)
        rows.costs = doubles(costs)
        rows.is_first = is_first
        rows.seed = seed
        cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
        with nogil:  # the memoryviews pin the arrays
            self.engine.get().ascend(
                csr_view(
                    n_rows, self.engine.get().n_features(), &indptr[0], indptr.shape[0],
                    &indices[0] if nnz else <const index_t*> NULL, nnz,
                    &data[0] if nnz else <const double*> NULL, data.shape[0]),
                rows, call.get().execution, span_of(&log_odds[0, 0], n_rows * n_columns))

    def weights(self):
        cdef int64_t n_features = self.engine.get().n_features()
        cdef int64_t n_columns = self.engine.get().n_columns(), stride = padded_columns(n_columns)
        intercept = np.empty(n_columns)
        weights = (np.empty if stride == n_columns else np.zeros)((n_features, stride))
        cdef double[:, ::1] weights_out = weights
        self.engine.get().write(
            stride, span_of(&weights_out[0, 0], n_features * stride), outputs(intercept))
        return weights, intercept

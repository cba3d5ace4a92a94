# Logistic regression on columns scaled by the log-count ratio; part of linear.pyx.
from libc.stdint cimport uint64_t

cdef extern from "wordodds/linear/ratio_ascent.hpp" namespace "wordodds" nogil:
    cdef cppclass RatioProblem:
        int64_t n_columns
        span[const int32_t] codes
        span[const double] costs
        span[const double] counts
        double alpha
        double floor
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
    cdef RatioProblem problem
    problem.n_columns = n_columns
    problem.codes = span_of(&codes[0], n_rows)
    problem.costs = doubles(costs)
    problem.counts = doubles(counts)
    problem.alpha = alpha
    problem.floor = floor
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

# distutils: language = c++
"""Class tallies and the weights made of them."""
from libc.stdint cimport int32_t, int64_t
from libcpp.memory cimport unique_ptr, make_unique
from libcpp.utility cimport move

import numpy as np

from wordodds._core.common cimport AnyCsr, Call, Execution, class_stride, span, span_of, value_t
from wordodds._core.sparse cimport BorrowedCsr, borrow_csr

cdef extern from "wordodds/bayes/tally.hpp":
    pass
cdef extern from "wordodds/bayes/tally_entries.hpp" namespace "wordodds" nogil:
    cdef cppclass TallyProducts:
        pass
    void tally_entries_write(
        const TallyProducts&, span[const int64_t], const Execution&, span[int32_t],
        span[double]) except +

cdef extern from * namespace "wordodds::binding" nogil:
    """
    WORDODDS_TAKES_NUMBERS(csr_tally_classes)
    WORDODDS_TAKES_NUMBERS(csr_tally_entries)
    """
    void c_csr_tally_classes "wordodds::binding::csr_tally_classes"(
        const AnyCsr&, span[const int32_t], int64_t n_classes, span[const double],
        const Execution&, span[double]) except +
    TallyProducts c_csr_tally_entries "wordodds::binding::csr_tally_entries"(
        const AnyCsr&, span[const int32_t], int64_t n_classes, span[const double],
        const Execution&, span[int64_t]) except +

cdef extern from "wordodds/bayes/weights.hpp" namespace "wordodds" nogil:
    cdef cppclass PseudoCounts:
        span[const double] values
        int64_t class_step
        int64_t feature_step
    cdef cppclass TallyView:
        span[const double] counts
        int64_t n_classes
        int64_t n_cols
    void c_tally_multinomial_weights "wordodds::tally_multinomial_weights"(
        const TallyView&, const PseudoCounts&, int64_t stride, const Execution&,
        span[double]) except +
    void c_tally_bernoulli_weights "wordodds::tally_bernoulli_weights"(
        const TallyView&, span[const double], const PseudoCounts&, int64_t stride,
        const Execution&, span[double], span[double]) except +
    void c_tally_complement_weights "wordodds::tally_complement_weights"(
        const TallyView&, span[const double], const PseudoCounts&, int64_t stride,
        const Execution&, span[double]) except +


cdef span[const double] weights_of(const double[::1] row_weights, int64_t n_rows):
    # None: an empty span, which stands for weights of 1.
    if row_weights is None:
        return span_of(<const double*> NULL, 0)
    if row_weights.shape[0] != n_rows:
        raise ValueError("row_weights and rows differ in number")
    return span_of(&row_weights[0] if n_rows else <const double*> NULL, n_rows)


def csr_tally_classes(
    matrix, const int32_t[::1] labels, int64_t n_classes, const double[::1] row_weights,
    int32_t n_jobs, int32_t instruction_set,
):
    cdef BorrowedCsr rows = borrow_csr(matrix)
    if labels.shape[0] != rows.n_rows:
        raise ValueError("labels and rows differ in number")
    cdef span[const double] weights = weights_of(row_weights, labels.shape[0])
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    cdef const int32_t* labels_ = &labels[0] if labels.shape[0] else NULL
    tally = np.empty((n_classes, rows.n_cols), dtype=np.float64)
    cdef double[::1] out = tally.reshape(-1)
    cdef double* out_ = &out[0] if out.shape[0] else NULL
    with nogil:  # `rows` and the memoryviews pin the arrays
        c_csr_tally_classes(
            rows.view, span_of(labels_, labels.shape[0]), n_classes, weights,
            call.get().execution, span_of(out_, out.shape[0]))
    return tally


def csr_tally_entries(
    matrix, const int32_t[::1] labels, int64_t n_classes, const double[::1] row_weights,
    int32_t n_jobs, int32_t instruction_set,
):
    cdef BorrowedCsr rows = borrow_csr(matrix)
    if labels.shape[0] != rows.n_rows:
        raise ValueError("labels and rows differ in number")
    cdef span[const double] weights = weights_of(row_weights, labels.shape[0])
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    cdef const int32_t* labels_ = &labels[0] if labels.shape[0] else NULL
    cdef TallyProducts products
    feature_indptr = np.empty(rows.n_cols + 1, dtype=np.int64)
    cdef int64_t[::1] indptr_out = feature_indptr
    with nogil:  # `rows` and the memoryviews pin the arrays
        products = move(c_csr_tally_entries(
            rows.view, span_of(labels_, labels.shape[0]), n_classes, weights,
            call.get().execution, span_of(&indptr_out[0], indptr_out.shape[0])))
    classes = np.empty(indptr_out[rows.n_cols], dtype=np.int32)
    sums = np.empty(indptr_out[rows.n_cols], dtype=np.float64)
    cdef const int64_t* indptr_read = &indptr_out[0]
    cdef int32_t[::1] classes_out = classes
    cdef double[::1] sums_out = sums
    if sums_out.shape[0]:
        with nogil:  # the memoryviews pin the arrays
            tally_entries_write(
                products, span_of(indptr_read, indptr_out.shape[0]), call.get().execution,
                span_of(&classes_out[0], classes_out.shape[0]),
                span_of(&sums_out[0], sums_out.shape[0]))
    return feature_indptr, classes, sums


def _in_cache_lines(int64_t n_rows, int64_t n_cols):
    # NumPy aligns to 16 bytes: a row of three cache lines would then lie in four.
    cdef int64_t line = 64
    block = np.empty(n_rows * n_cols + line // 8, dtype=np.float64)
    begin = -block.ctypes.data % line // 8
    return block[begin:begin + n_rows * n_cols].reshape(n_rows, n_cols)


cdef class _Weighing:
    """The arguments that the three kinds of weights share, and where they write."""

    cdef const double[:, ::1] tally_
    cdef const double[:, ::1] pseudo_counts_
    cdef double[:, ::1] out_
    cdef TallyView tally
    cdef PseudoCounts pseudo_counts
    cdef span[double] weights_out
    cdef int64_t stride
    cdef object weights

    def __init__(
        self, const double[:, ::1] tally, const double[:, ::1] pseudo_counts, int64_t stride
    ):
        cdef int64_t n_classes = tally.shape[0], n_cols = tally.shape[1]
        if n_classes == 0 or n_cols == 0:
            raise ValueError("the tally is empty")
        if stride < n_classes:
            raise ValueError("stride is below the number of classes")
        if pseudo_counts.shape[0] not in (1, n_classes) or pseudo_counts.shape[1] not in (1, n_cols):
            raise ValueError("pseudo-counts and tally differ in shape")
        self.tally_, self.pseudo_counts_, self.stride = tally, pseudo_counts, stride
        self.weights = _in_cache_lines(n_cols, stride)
        self.out_ = self.weights
        self.tally.counts = span_of(&tally[0, 0], n_classes * n_cols)
        self.tally.n_classes = n_classes
        self.tally.n_cols = n_cols
        self.pseudo_counts.values = span_of(
            &pseudo_counts[0, 0], pseudo_counts.shape[0] * pseudo_counts.shape[1])
        self.pseudo_counts.feature_step = 1 if pseudo_counts.shape[1] > 1 else 0
        self.pseudo_counts.class_step = (
            pseudo_counts.shape[1] if pseudo_counts.shape[0] > 1 else 0)
        self.weights_out = span_of(&self.out_[0, 0], n_cols * stride)


def tally_multinomial_weights(
    tally, pseudo_counts, int64_t stride, int32_t n_jobs, int32_t instruction_set
):
    cdef _Weighing weighing = _Weighing(tally, pseudo_counts, stride)
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    with nogil:  # `weighing` pins the arrays
        c_tally_multinomial_weights(
            weighing.tally, weighing.pseudo_counts, stride, call.get().execution,
            weighing.weights_out)
    return weighing.weights


def tally_bernoulli_weights(
    tally, const double[::1] class_counts, pseudo_counts, int64_t stride,
    int32_t n_jobs, int32_t instruction_set,
):
    cdef _Weighing weighing = _Weighing(tally, pseudo_counts, stride)
    cdef int64_t n_classes = weighing.tally.n_classes
    if class_counts.shape[0] != n_classes:
        raise ValueError("class_counts and tally differ in the number of classes")
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    bias = np.empty(n_classes, dtype=np.float64)
    cdef double[::1] bias_ = bias
    with nogil:  # `weighing` and the memoryviews pin the arrays
        c_tally_bernoulli_weights(
            weighing.tally, span_of(&class_counts[0], n_classes), weighing.pseudo_counts, stride,
            call.get().execution, weighing.weights_out, span_of(&bias_[0], n_classes))
    return weighing.weights, bias


def tally_complement_weights(
    tally, const double[::1] feature_totals, pseudo_counts, int64_t stride,
    int32_t n_jobs, int32_t instruction_set,
):
    cdef _Weighing weighing = _Weighing(tally, pseudo_counts, stride)
    cdef int64_t n_cols = weighing.tally.n_cols
    if feature_totals.shape[0] != n_cols:
        raise ValueError("feature_totals and tally differ in the number of features")
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    with nogil:  # `weighing` and the memoryview pin the arrays
        c_tally_complement_weights(
            weighing.tally, span_of(&feature_totals[0], n_cols), weighing.pseudo_counts, stride,
            call.get().execution, weighing.weights_out)
    return weighing.weights



cdef extern from "wordodds/bayes/moments.hpp" namespace "wordodds" nogil:
    cdef cppclass DenseRows[Value]:
        int64_t n_rows
        int64_t n_cols
        span[const Value] data
    cdef cppclass ClassMoments:
        span[double] weight
        span[double] mean
        span[double] m2
    void c_dense_class_moments "wordodds::dense_class_moments"[Value](
        const DenseRows[Value]&, span[const int32_t], span[const double],
        int64_t n_classes, const Execution&, const ClassMoments&) except +

cdef extern from "wordodds/bayes/gaussian.hpp" namespace "wordodds" nogil:
    int64_t n_class_summaries
    cdef cppclass GaussianTable:
        span[const double] table
        span[const double] summary
        int64_t n_cols
        int64_t n_classes
        int64_t stride
    void c_moments_fill_gaussians "wordodds::moments_fill_gaussians"(
        span[const double], span[const double], span[const double], int64_t n_cols,
        const Execution&, span[double], span[double]) except +

cdef extern from "wordodds/bayes/gaussian_dense.hpp" namespace "wordodds" nogil:
    void c_dense_score_gaussians "wordodds::dense_score_gaussians"[Value](
        const DenseRows[Value]&, const GaussianTable&, const Execution&, span[double]) except +

cdef extern from * namespace "wordodds::binding" nogil:
    """
    WORDODDS_TAKES_NUMBERS(csr_class_moments)
    WORDODDS_TAKES_NUMBERS(csr_score_gaussians)
    """
    void c_csr_class_moments "wordodds::binding::csr_class_moments"(
        const AnyCsr&, span[const int32_t], span[const double], int64_t n_classes,
        const Execution&, const ClassMoments&) except +
    void c_csr_score_gaussians "wordodds::binding::csr_score_gaussians"(
        const AnyCsr&, const GaussianTable&, const Execution&, span[double]) except +


cdef span[const double] flat2(const double[:, ::1] array) noexcept:
    cdef int64_t size = array.shape[0] * array.shape[1]
    return span_of(&array[0, 0] if size else NULL, size)


cdef span[double] flat_out(double[::1] array) noexcept:
    return span_of(&array[0] if array.shape[0] else NULL, <int64_t>array.shape[0])


cdef DenseRows[value_t] dense_view(const value_t[:, ::1] matrix) noexcept:
    cdef DenseRows[value_t] view
    cdef int64_t size = matrix.shape[0] * matrix.shape[1]
    view.n_rows = matrix.shape[0]
    view.n_cols = matrix.shape[1]
    view.data = span_of(&matrix[0, 0] if size else NULL, size)
    return view


cdef span[const double] weights_span(const double[::1] row_weights, int64_t n_rows) except *:
    if row_weights is None:
        return span_of(<const double*>NULL, 0)
    if row_weights.shape[0] != n_rows:
        raise ValueError("row weights and rows differ in number")
    return span_of(&row_weights[0] if n_rows else NULL, n_rows)


cdef ClassMoments moments_out(double[::1] weight, double[::1] mean, double[::1] m2) noexcept:
    cdef ClassMoments moments
    moments.weight = flat_out(weight)
    moments.mean = flat_out(mean)
    moments.m2 = flat_out(m2)
    return moments


def csr_class_moments(
    matrix, const int32_t[::1] labels, const double[::1] row_weights, int64_t n_classes,
    int32_t n_jobs, int32_t instruction_set,
):
    cdef BorrowedCsr rows = borrow_csr(matrix)
    cdef int64_t n_rows = rows.n_rows, n_cols = rows.n_cols
    if labels.shape[0] != n_rows:
        raise ValueError("labels and rows differ in number")
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    cdef const int32_t* labels_ = &labels[0] if labels.shape[0] else NULL
    cdef span[const double] weights = weights_span(row_weights, n_rows)
    weight = np.empty(n_classes, dtype=np.float64)
    mean = np.empty((n_classes, n_cols), dtype=np.float64)
    m2 = np.empty((n_classes, n_cols), dtype=np.float64)
    cdef ClassMoments out = moments_out(weight, mean.reshape(-1), m2.reshape(-1))
    with nogil:  # `rows`, the memoryviews and the names pin the arrays
        c_csr_class_moments(
            rows.view, span_of(labels_, n_rows), weights, n_classes, call.get().execution, out)
    return weight, mean, m2


def dense_class_moments(
    const value_t[:, ::1] matrix, const int32_t[::1] labels, const double[::1] row_weights,
    int64_t n_classes, int32_t n_jobs, int32_t instruction_set,
):
    cdef int64_t n_rows = matrix.shape[0], n_cols = matrix.shape[1]
    if labels.shape[0] != n_rows:
        raise ValueError("labels and rows differ in number")
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    cdef const int32_t* labels_ = &labels[0] if labels.shape[0] else NULL
    cdef DenseRows[value_t] view = dense_view(matrix)
    cdef span[const double] weights = weights_span(row_weights, n_rows)
    weight = np.empty(n_classes, dtype=np.float64)
    mean = np.empty((n_classes, n_cols), dtype=np.float64)
    m2 = np.empty((n_classes, n_cols), dtype=np.float64)
    cdef ClassMoments out = moments_out(weight, mean.reshape(-1), m2.reshape(-1))
    with nogil:  # the memoryviews and the names pin the arrays
        c_dense_class_moments(
            view, span_of(labels_, n_rows), weights, n_classes, call.get().execution, out)
    return weight, mean, m2


def moments_fill_gaussians(
    const double[:, ::1] mean, const double[:, ::1] variance, const double[::1] log_prior,
    int32_t n_jobs, int32_t instruction_set,
):
    cdef int64_t n_classes = mean.shape[0], n_cols = mean.shape[1]
    if variance.shape[0] != n_classes or variance.shape[1] != n_cols:
        raise ValueError("means and variances differ in shape")
    if log_prior.shape[0] != n_classes or n_classes == 0:
        raise ValueError("priors and classes differ in number")
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    cdef span[const double] means = flat2(mean), variances = flat2(variance)
    table = np.empty((n_cols, 2, class_stride(n_classes)), dtype=np.float64)
    summary = np.empty((n_class_summaries, n_classes), dtype=np.float64)
    cdef span[double] table_ = flat_out(table.reshape(-1))
    cdef span[double] summary_ = flat_out(summary.reshape(-1))
    with nogil:  # the memoryviews and the names pin the arrays
        c_moments_fill_gaussians(
            means, variances, span_of(&log_prior[0], n_classes), n_cols,
            call.get().execution, table_, summary_)
    return table, summary


cdef GaussianTable gaussian_table(
    const double[:, :, ::1] table, const double[:, ::1] summary,
) except *:
    cdef GaussianTable gaussians
    cdef int64_t size = table.shape[0] * table.shape[1] * table.shape[2]
    if summary.shape[0] != n_class_summaries or summary.shape[1] == 0:
        raise ValueError("the summary of the classes has another shape than the kernel expects")
    if table.shape[1] != 2 or table.shape[2] != class_stride(summary.shape[1]):
        raise ValueError("the table is not padded as the kernel expects")
    gaussians.table = span_of(&table[0, 0, 0] if size else NULL, size)
    gaussians.summary = flat2(summary)
    gaussians.n_cols = table.shape[0]
    gaussians.n_classes = summary.shape[1]
    gaussians.stride = table.shape[2]
    return gaussians


def csr_score_gaussians(
    matrix, const double[:, :, ::1] table, const double[:, ::1] summary,
    int32_t n_jobs, int32_t instruction_set,
):
    cdef BorrowedCsr rows = borrow_csr(matrix)
    if rows.n_cols != table.shape[0]:
        raise ValueError("matrix and table differ in columns")
    cdef GaussianTable gaussians = gaussian_table(table, summary)
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    scores = np.empty((rows.n_rows, summary.shape[1]), dtype=np.float64)
    cdef span[double] out = flat_out(scores.reshape(-1))
    with nogil:  # `rows`, the memoryviews and the name pin the arrays
        c_csr_score_gaussians(rows.view, gaussians, call.get().execution, out)
    return scores


def dense_score_gaussians(
    const value_t[:, ::1] matrix, const double[:, :, ::1] table, const double[:, ::1] summary,
    int32_t n_jobs, int32_t instruction_set,
):
    if matrix.shape[1] != table.shape[0]:
        raise ValueError("matrix and table differ in columns")
    cdef GaussianTable gaussians = gaussian_table(table, summary)
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    cdef DenseRows[value_t] view = dense_view(matrix)
    scores = np.empty((matrix.shape[0], summary.shape[1]), dtype=np.float64)
    cdef span[double] out = flat_out(scores.reshape(-1))
    with nogil:  # the memoryviews and the name pin the arrays
        c_dense_score_gaussians(view, gaussians, call.get().execution, out)
    return scores

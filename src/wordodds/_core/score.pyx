# distutils: language = c++
"""Linear scores of CSR rows and of raw text, and their normalisation."""
from cpython.object cimport PyObject
from libc.stdint cimport int32_t, int64_t
from libcpp.memory cimport unique_ptr, make_unique
from libcpp.vector cimport vector

import numpy as np

from wordodds._core.common cimport (
    AnyCsr, Call, Execution, class_stride, is_lane_stride, span, span_of, value_t,
)
from wordodds._core.sparse cimport BorrowedCsr, borrow_csr
from wordodds._core.text cimport (
    AnalyzerOptions, Borrowed, CAnalyzerOptions, CFastTextRows, CFrozenTerms, Document, FastTextRows,
    FrozenTerms, HashingOptions, RowNorm, borrow, views_of,
)

cdef extern from "wordodds/score/linear.hpp" namespace "wordodds" nogil:
    cdef cppclass ClassWeights:
        span[const double] weights
        span[const double] bias
        int64_t stride
    void c_rows_log_softmax "wordodds::rows_log_softmax"(
        int64_t n_rows, int64_t n_classes, const Execution&, span[double]) except +

cdef extern from "wordodds/score/sparse_linear.hpp" namespace "wordodds" nogil:
    cdef cppclass SparseClassWeights:
        span[const double] bias
        span[const double] class_scale
        span[const double] class_base
        span[const double] feature_base
        span[const int64_t] indptr
        span[const int32_t] classes
        span[const double] excess

cdef extern from * namespace "wordodds::binding" nogil:
    """
    WORDODDS_TAKES_NUMBERS(csr_score_classes)
    WORDODDS_TAKES_NUMBERS(csr_score_sparse_classes)
    """
    void c_csr_score_classes "wordodds::binding::csr_score_classes"(
        const AnyCsr&, const ClassWeights&, const Execution&, span[double]) except +
    void c_csr_score_sparse_classes "wordodds::binding::csr_score_sparse_classes"(
        const AnyCsr&, const SparseClassWeights&, const Execution&, span[double]) except +

cdef extern from "wordodds/score/tree.hpp" namespace "wordodds" nogil:
    void c_rows_find_leaves "wordodds::rows_find_leaves"(
        int64_t, span[const double], span[const int32_t], double, const Execution&,
        span[int64_t]) except +

cdef extern from "wordodds/score/documents.hpp" namespace "wordodds" nogil:
    cdef cppclass FeatureRows:
        const CFrozenTerms* terms
        int64_t n_unknown
        HashingOptions hashing
        const CFastTextRows* fasttext
        int64_t size(int64_t n_views) const
    cdef cppclass TermWeighting:
        bint binary
        bint sublinear
        RowNorm norm
        span[const double] norm_weights
    cdef cppclass DocumentWeights[Weight]:
        span[const Weight] weights
        int64_t stride
        span[const double] bias
        span[const double] factor
        int64_t rank
    void c_documents_score_classes "wordodds::documents_score_classes"[Weight](
        span[Document], span[const CAnalyzerOptions], const FeatureRows&,
        span[const TermWeighting],
        const DocumentWeights[Weight]&, const Execution&, span[double], span[int64_t]) except +

cdef object empty = np.empty


def csr_score_classes(
    matrix, const double[:, ::1] weights, const double[::1] bias,
    int32_t n_jobs, int32_t instruction_set,
):
    cdef BorrowedCsr rows = borrow_csr(matrix)
    cdef int64_t n_classes = bias.shape[0]
    if weights.shape[0] != rows.n_cols:
        raise ValueError("matrix and weights differ in features")
    if weights.shape[1] != class_stride(n_classes):
        raise ValueError("weights are not padded as the kernel expects")
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    cdef const double* weights_ = &weights[0, 0] if weights.shape[0] else NULL
    cdef ClassWeights class_weights
    class_weights.weights = span_of(weights_, weights.shape[0] * weights.shape[1])
    class_weights.bias = span_of(&bias[0], n_classes)
    class_weights.stride = weights.shape[1]
    scores = np.empty((rows.n_rows, n_classes), dtype=np.float64)
    cdef double[::1] out = scores.reshape(-1)
    cdef double* out_ = &out[0] if out.shape[0] else NULL
    with nogil:  # `rows` and the memoryviews pin the arrays
        c_csr_score_classes(
            rows.view, class_weights, call.get().execution, span_of(out_, out.shape[0]))
    return scores


cdef span[const double] doubles(const double[::1] numbers):
    return span_of(
        &numbers[0] if numbers.shape[0] else <const double*> NULL, numbers.shape[0])


def csr_score_sparse_classes(
    matrix, int32_t n_jobs, int32_t instruction_set, *, const double[::1] bias,
    const double[::1] class_scale, const double[::1] class_base, const double[::1] feature_base,
    const int64_t[::1] excess_indptr, const int32_t[::1] excess_classes, const double[::1] excess,
):
    cdef BorrowedCsr rows = borrow_csr(matrix)
    cdef int64_t n_classes = bias.shape[0], n_cols = feature_base.shape[0]
    if class_scale.shape[0] != n_classes or class_base.shape[0] != n_classes:
        raise ValueError("bias, class_scale and class_base differ in length")
    if excess_indptr.shape[0] != n_cols + 1:
        raise ValueError("excess_indptr must be one longer than feature_base")
    if rows.n_cols != n_cols:
        raise ValueError("matrix and weights differ in features")
    if excess_indptr[0] != 0 or excess_indptr[n_cols] != excess.shape[0]:
        raise ValueError("excess_indptr does not lead from 0 to the length of excess")
    if excess_classes.shape[0] != excess.shape[0]:
        raise ValueError("excess and excess_classes differ in length")
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    cdef const int32_t* classes_ = &excess_classes[0] if excess_classes.shape[0] else NULL
    cdef SparseClassWeights weights
    weights.bias = doubles(bias)
    weights.class_scale = doubles(class_scale)
    weights.class_base = doubles(class_base)
    weights.feature_base = doubles(feature_base)
    weights.indptr = span_of(&excess_indptr[0], excess_indptr.shape[0])
    weights.classes = span_of(classes_, excess_classes.shape[0])
    weights.excess = doubles(excess)
    scores = np.empty((rows.n_rows, n_classes), dtype=np.float64)
    cdef double[::1] out = scores.reshape(-1)
    cdef double* out_ = &out[0] if out.shape[0] else NULL
    with nogil:  # `rows` and the memoryviews pin the arrays
        c_csr_score_sparse_classes(
            rows.view, weights, call.get().execution, span_of(out_, out.shape[0]))
    return scores


def rows_log_softmax(
    int32_t n_jobs, int32_t instruction_set, *, double[:, ::1] scores_in_out,
):
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    cdef int64_t n_rows = scores_in_out.shape[0], n_classes = scores_in_out.shape[1]
    if n_rows == 0:
        return
    with nogil:  # the memoryview pins the array
        c_rows_log_softmax(
            n_rows, n_classes, call.get().execution,
            span_of(&scores_in_out[0, 0], n_rows * n_classes))


def rows_find_leaves(
    const double[:, ::1] scores, const int32_t[:, ::1] tree, int32_t n_jobs,
    int32_t instruction_set, *, double floor,
):
    if tree.shape[1] != 2 or tree.shape[0] < 1 or scores.shape[1] != tree.shape[0]:
        raise ValueError("scores must have a column for each node of the tree")
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    leaves = np.empty(scores.shape[0], dtype=np.int64)
    cdef int64_t[::1] out = leaves
    if scores.shape[0] == 0:
        return leaves
    with nogil:  # the memoryviews pin the arrays
        c_rows_find_leaves(
            scores.shape[0], span_of(&scores[0, 0], scores.shape[0] * scores.shape[1]),
            span_of(&tree[0, 0], 2 * tree.shape[0]), floor, call.get().execution,
            span_of(&out[0], out.shape[0]))
    return leaves


cdef int fill_weights(
    const value_t[:, ::1] weights, const double[::1] bias, const double[:, ::1] factor,
    DocumentWeights[value_t]& out,
) except -1:
    cdef int64_t n_columns = bias.shape[0], rank = n_columns
    if factor is not None:
        rank = factor.shape[0]
        if factor.shape[1] != n_columns or rank < 1:
            raise ValueError("the factor must lead from the columns of weights to those of scores")
        out.factor = span_of(&factor[0, 0], rank * n_columns)
    if not n_columns or not is_lane_stride(weights.shape[1], rank):
        raise ValueError("weights are not padded as the kernel expects")
    out.weights = span_of(
        &weights[0, 0] if weights.shape[0] else <const value_t*> NULL,
        weights.shape[0] * weights.shape[1])
    out.stride, out.rank = weights.shape[1], rank
    out.bias = doubles(bias)
    return 0


cdef class TextScorer:
    """Raw text into scores: all that documents_score_classes takes but for the documents."""

    cdef AnalyzerOptions options
    cdef FrozenTerms terms
    cdef FastTextRows fasttext
    cdef FeatureRows rows
    cdef vector[TermWeighting] weighting
    cdef bint is_single
    cdef DocumentWeights[double] doubles
    cdef DocumentWeights[float] singles
    cdef object weights
    cdef object factor
    cdef const double[::1] bias
    cdef const double[::1] norm_weights

    def __init__(
        self, AnalyzerOptions options not None, object weights not None,
        const double[::1] bias not None, *, object factor, FrozenTerms terms, int64_t n_unknown,
        int32_t n_hashed, bint alternate_sign, FastTextRows fasttext, object weighting,
        const double[::1] norm_weights,
    ):
        self.options, self.terms, self.fasttext = options, terms, fasttext
        self.weights, self.factor = weights, factor
        self.bias, self.norm_weights = bias, norm_weights
        self.rows.terms = &terms.engine if terms is not None else NULL
        self.rows.n_unknown = n_unknown
        self.rows.hashing.n_features = n_hashed
        self.rows.hashing.alternate_sign = alternate_sign
        self.rows.fasttext = &fasttext.engine if fasttext is not None else NULL
        cdef TermWeighting of_view
        cdef int64_t n_views = options.views.size()
        if norm_weights is not None:
            of_view.norm_weights = doubles(norm_weights)
        for binary, sublinear, norm in weighting:
            of_view.binary, of_view.sublinear = binary, sublinear
            of_view.norm = {None: RowNorm.none, "l1": RowNorm.l1, "l2": RowNorm.l2}[norm]
            self.weighting.push_back(of_view)
        if <int64_t> self.weighting.size() != n_views:
            raise ValueError("weighting must have one entry for each view")
        if terms is None and fasttext is None and (n_hashed < 1 or n_unknown):
            raise ValueError("hashing needs a number of columns, and no others for unknown words")
        if n_unknown < 0 or self.rows.size(n_views) != weights.shape[0]:
            raise ValueError("weights must have one row for each feature")
        if norm_weights is not None:
            if norm_weights.shape[0] != weights.shape[0]:
                raise ValueError("norm_weights must have one number for each feature")
        self.is_single = weights.dtype == np.float32
        if self.is_single:
            fill_weights[float](weights, bias, factor, self.singles)
        else:
            fill_weights[double](weights, bias, factor, self.doubles)

    def score(
        self, object documents, int32_t n_jobs, int32_t instruction_set, *, object advance,
        int64_t[::1] n_features_out,
    ):
        cdef Borrowed borrowed = borrow(documents)
        cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set, <PyObject*> advance)
        cdef int64_t n_rows = borrowed.view.size(), n_columns = self.bias.shape[0]
        scores = empty((n_rows, n_columns))
        if n_rows == 0:
            return scores
        cdef double[:, ::1] out = scores
        cdef span[int64_t] counts
        cdef span[const CAnalyzerOptions] views = views_of(self.options)
        cdef span[const TermWeighting] weighting = span_of(
            <const TermWeighting*> self.weighting.data(), self.weighting.size())
        if n_features_out is not None:
            if n_features_out.shape[0] != n_rows:
                raise ValueError("n_features must have one number for each document")
            counts = span_of(&n_features_out[0], n_rows)
        with nogil:  # `borrowed` pins the text, the scorer all else
            if self.is_single:
                c_documents_score_classes(
                    borrowed.view, views, self.rows, weighting, self.singles,
                    call.get().execution, span_of(&out[0, 0], n_rows * n_columns), counts)
            else:
                c_documents_score_classes(
                    borrowed.view, views, self.rows, weighting, self.doubles,
                    call.get().execution, span_of(&out[0, 0], n_rows * n_columns), counts)
        call.get().tell()
        return scores

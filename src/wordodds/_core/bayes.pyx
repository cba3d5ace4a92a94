# distutils: language = c++
"""Class tallies and their smoothed logarithms."""
from libc.stdint cimport int32_t, int64_t
from libcpp.memory cimport unique_ptr, make_unique

import numpy as np

from wordodds._core.common cimport (
    Call, CsrView, Execution, csr_view, index_t, span, span_of, number_t,
)

cdef extern from "wordodds/bayes/multinomial.hpp" namespace "wordodds" nogil:
    void c_csr_tally_classes "wordodds::csr_tally_classes"[Index, Value](
        const CsrView[Index, Value]&, span[const int32_t], int64_t n_classes,
        const Execution&, span[double]) except +
    void c_tally_log_weights "wordodds::tally_log_weights"(
        span[const double], int64_t n_classes, int64_t n_cols, double alpha, int64_t stride,
        const Execution&, span[double]) except +


def csr_tally_classes(
    const index_t[::1] indptr, const index_t[::1] indices, const number_t[::1] data,
    int64_t n_cols, const int32_t[::1] labels, int64_t n_classes,
    int32_t n_jobs, int32_t instruction_set,
):
    if labels.shape[0] != indptr.shape[0] - 1:
        raise ValueError("labels and rows differ in number")
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    cdef const index_t* indices_ = &indices[0] if indices.shape[0] else NULL
    cdef const number_t* data_ = &data[0] if data.shape[0] else NULL
    cdef const int32_t* labels_ = &labels[0] if labels.shape[0] else NULL
    tally = np.empty((n_classes, n_cols), dtype=np.float64)
    cdef double[::1] out = tally.reshape(-1)
    cdef double* out_ = &out[0] if out.shape[0] else NULL
    with nogil:  # the memoryviews pin the arrays
        c_csr_tally_classes(
            csr_view(
                labels.shape[0], n_cols, &indptr[0], indptr.shape[0],
                indices_, indices.shape[0], data_, data.shape[0]),
            span_of(labels_, labels.shape[0]), n_classes,
            call.get().execution, span_of(out_, out.shape[0]))
    return tally


def tally_log_weights(
    const double[:, ::1] tally, double alpha, int64_t stride,
    int32_t n_jobs, int32_t instruction_set,
):
    cdef int64_t n_classes = tally.shape[0], n_cols = tally.shape[1]
    if stride < n_classes:
        raise ValueError("stride is below the number of classes")
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    cdef const double* tally_ = &tally[0, 0] if n_classes * n_cols else NULL
    weights = np.empty((n_cols, stride), dtype=np.float64)
    cdef double[::1] out = weights.reshape(-1)
    cdef double* out_ = &out[0] if out.shape[0] else NULL
    with nogil:  # the memoryviews pin the arrays
        c_tally_log_weights(
            span_of(tally_, n_classes * n_cols), n_classes, n_cols, alpha, stride,
            call.get().execution, span_of(out_, out.shape[0]))
    return weights

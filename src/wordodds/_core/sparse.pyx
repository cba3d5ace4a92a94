# distutils: language = c++
"""Validation of CSR matrices."""
from libc.stdint cimport int32_t, int64_t
from libcpp cimport bool as cbool
from libcpp.memory cimport unique_ptr, make_unique

from wordodds._core.common cimport Call, CsrView, Execution, csr_view, index_t, number_t

cdef extern from "wordodds/sparse/validate.hpp" namespace "wordodds" nogil:
    cdef enum class CsrDefect(int32_t):
        none
        indptr_length
        indptr_start
        indptr_decreases
        indptr_end
        data_length
        index_out_of_range
        value_not_finite
        value_negative
    cdef cppclass CsrReport:
        CsrDefect defect
        int64_t row
        int64_t position
    cdef cppclass CsrRequirements:
        cbool finite
        cbool non_negative
    CsrReport c_csr_find_defect "wordodds::csr_find_defect"[Index, Value](
        const CsrView[Index, Value]&, CsrRequirements, const Execution&) except +

DEFECTS = {
    <int32_t> CsrDefect.none: "none",
    <int32_t> CsrDefect.indptr_length: "indptr_length",
    <int32_t> CsrDefect.indptr_start: "indptr_start",
    <int32_t> CsrDefect.indptr_decreases: "indptr_decreases",
    <int32_t> CsrDefect.indptr_end: "indptr_end",
    <int32_t> CsrDefect.data_length: "data_length",
    <int32_t> CsrDefect.index_out_of_range: "index_out_of_range",
    <int32_t> CsrDefect.value_not_finite: "value_not_finite",
    <int32_t> CsrDefect.value_negative: "value_negative",
}


def csr_find_defect(
    const index_t[::1] indptr, const index_t[::1] indices, const number_t[::1] data,
    int64_t n_rows, int64_t n_cols, cbool finite, cbool non_negative,
    int32_t n_jobs, int32_t instruction_set,
):
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    cdef const index_t* indptr_ = &indptr[0] if indptr.shape[0] else NULL
    cdef const index_t* indices_ = &indices[0] if indices.shape[0] else NULL
    cdef const number_t* data_ = &data[0] if data.shape[0] else NULL
    cdef CsrRequirements requirements
    cdef CsrReport report
    requirements.finite = finite
    requirements.non_negative = non_negative
    with nogil:  # the memoryviews pin the arrays
        report = c_csr_find_defect(
            csr_view(
                n_rows, n_cols, indptr_, indptr.shape[0], indices_, indices.shape[0],
                data_, data.shape[0]),
            requirements, call.get().execution)
    return DEFECTS[<int32_t> report.defect], report.row, report.position

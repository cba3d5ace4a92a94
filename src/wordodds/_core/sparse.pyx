# distutils: language = c++
"""Validation and conversion of CSR matrices."""
from libc.stdint cimport INT32_MAX, int32_t, int64_t
from libcpp cimport bool as cbool
from libcpp.memory cimport unique_ptr, make_unique

import numpy as np

from wordodds._core.common cimport (
    Call, CsrView, Execution, csr_view, index_t, number_t, span, span_of,
)

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

cdef extern from "wordodds/sparse/repeats.hpp" namespace "wordodds" nogil:
    cdef cppclass CsrStructure[Index]:
        int64_t n_rows
        int64_t n_cols
        span[const Index] indptr
        span[const Index] indices
    cbool c_csr_has_repeats "wordodds::csr_has_repeats"[Index](
        const CsrStructure[Index]&, const Execution&) except +

cdef extern from "wordodds/sparse/equal_rows.hpp" namespace "wordodds" nogil:
    int64_t c_csr_number_rows "wordodds::csr_number_rows"[Index, Value](
        const CsrView[Index, Value]&, const Execution&, span[int64_t]) except +

cdef extern from "wordodds/sparse/map_columns.hpp" namespace "wordodds" nogil:
    void csr_count_mapped[Index, Value](
        const CsrView[Index, Value]&, span[const Index], const Execution&, span[Index]) except +
    void c_csr_map_columns "wordodds::csr_map_columns"[Index, Value](
        const CsrView[Index, Value]&, span[const Index], span[const Index], const Execution&,
        span[Index], span[Value]) except +

cdef extern from "wordodds/sparse/binarize.hpp" namespace "wordodds" nogil:
    cbool c_csr_binarize "wordodds::csr_binarize"[Index, Value](
        const CsrView[Index, Value]&, double, const Execution&, span[float]) except +

cdef extern from "wordodds/sparse/compress.hpp" namespace "wordodds" nogil:
    cdef enum class Layout(int32_t):
        rows
        columns
    cdef cppclass DenseView[Value]:
        int64_t n_rows
        int64_t n_cols
        span[const Value] data
        Layout layout
    void dense_count_entries[Value](
        const DenseView[Value]&, const Execution&, span[int64_t]) except +
    void c_dense_compress_rows "wordodds::dense_compress_rows"[Index, Value](
        const DenseView[Value]&, span[const int64_t], const Execution&, span[Index],
        span[Value]) except +

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


def csr_number_rows(
    const index_t[::1] indptr, const index_t[::1] indices, const number_t[::1] data, int64_t n_cols,
    int32_t n_jobs, int32_t instruction_set,
):
    cdef int64_t n_rows = indptr.shape[0] - 1, nnz = indices.shape[0], n_distinct = 0
    if n_rows < 0 or data.shape[0] != nnz or indptr[0] != 0 or indptr[n_rows] != nnz:
        raise ValueError("indptr, indices and data differ in length")
    numbers = np.empty(n_rows, dtype=np.int64)
    if n_rows == 0:
        return numbers, 0
    cdef int64_t[::1] numbers_out = numbers
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    with nogil:  # the memoryviews pin the arrays
        n_distinct = c_csr_number_rows(
            csr_view(
                n_rows, n_cols, &indptr[0], indptr.shape[0],
                &indices[0] if nnz else <const index_t*> NULL, nnz,
                &data[0] if nnz else <const number_t*> NULL, data.shape[0]),
            call.get().execution, span_of(&numbers_out[0], n_rows))
    return numbers, n_distinct


def csr_has_repeats(
    const index_t[::1] indptr, const index_t[::1] indices, int64_t n_cols,
    int32_t n_jobs, int32_t instruction_set,
):
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    cdef const index_t* indices_ = &indices[0] if indices.shape[0] else NULL
    cdef CsrStructure[index_t] structure
    structure.n_rows = indptr.shape[0] - 1
    structure.n_cols = n_cols
    structure.indptr = span_of(&indptr[0], indptr.shape[0])
    structure.indices = span_of(indices_, indices.shape[0])
    cdef cbool found
    with nogil:  # the memoryviews pin the arrays
        found = c_csr_has_repeats(structure, call.get().execution)
    return found


def csr_map_columns(
    const index_t[::1] indptr, const index_t[::1] indices, const number_t[::1] data,
    const index_t[::1] columns, int32_t n_jobs, int32_t instruction_set,
):
    cdef int64_t n_rows = indptr.shape[0] - 1, nnz = indices.shape[0], n_cols = columns.shape[0]
    if n_rows < 0 or data.shape[0] != nnz or indptr[0] != 0 or indptr[n_rows] != nnz:
        raise ValueError("indptr, indices and data differ in length")
    starts = np.zeros(n_rows + 1, dtype=np.asarray(indptr).dtype)
    cdef index_t[::1] starts_out = starts
    cdef const index_t* columns_ = &columns[0] if n_cols else NULL
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    cdef CsrView[index_t, number_t] matrix = csr_view(
        n_rows, n_cols, &indptr[0], indptr.shape[0],
        &indices[0] if nnz else <const index_t*> NULL, nnz,
        &data[0] if nnz else <const number_t*> NULL, data.shape[0])
    with nogil:  # the memoryviews pin the arrays
        csr_count_mapped(
            matrix, span_of(columns_, n_cols), call.get().execution,
            span_of(&starts_out[0], n_rows + 1))
    moved = np.empty(starts_out[n_rows], dtype=starts.dtype)
    kept = np.empty(starts_out[n_rows], dtype=np.asarray(data).dtype)
    if len(moved) == 0:
        return starts, moved, kept
    cdef index_t[::1] indices_out = moved
    cdef number_t[::1] data_out = kept
    with nogil:
        c_csr_map_columns(
            matrix, span_of(columns_, n_cols),
            span_of(<const index_t*> &starts_out[0], n_rows + 1), call.get().execution,
            span_of(&indices_out[0], indices_out.shape[0]),
            span_of(&data_out[0], data_out.shape[0]))
    return starts, moved, kept


def csr_binarize(
    const index_t[::1] indptr, const index_t[::1] indices, const number_t[::1] data,
    int64_t n_cols, double threshold, int32_t n_jobs, int32_t instruction_set,
):
    if data.shape[0] != indices.shape[0]:
        raise ValueError("data and indices differ in length")
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    cdef const index_t* indices_ = &indices[0] if indices.shape[0] else NULL
    cdef const number_t* data_ = &data[0] if data.shape[0] else NULL
    presences = np.empty(data.shape[0], dtype=np.float32)
    cdef float[::1] out = presences
    cdef float* out_ = &out[0] if out.shape[0] else NULL
    cdef cbool has_repeats
    with nogil:  # the memoryviews pin the arrays
        has_repeats = c_csr_binarize(
            csr_view(
                indptr.shape[0] - 1, n_cols, &indptr[0], indptr.shape[0],
                indices_, indices.shape[0], data_, data.shape[0]),
            threshold, call.get().execution, span_of(out_, out.shape[0]))
    return presences, has_repeats


def dense_compress_rows(const number_t[:, :] dense, int32_t n_jobs, int32_t instruction_set):
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    cdef int64_t n_rows = dense.shape[0], n_cols = dense.shape[1]
    cdef DenseView[number_t] matrix
    matrix.n_rows = n_rows
    matrix.n_cols = n_cols
    if dense.is_c_contig():
        matrix.layout = Layout.rows
    elif dense.is_f_contig():
        matrix.layout = Layout.columns
    else:
        raise ValueError("dense is contiguous neither by rows nor by columns")
    matrix.data = span_of(
        &dense[0, 0] if n_rows * n_cols else <const number_t*> NULL, n_rows * n_cols)
    starts = np.empty(n_rows + 1, dtype=np.int64)
    cdef int64_t[::1] indptr = starts
    with nogil:  # the memoryviews pin the arrays
        dense_count_entries(matrix, call.get().execution, span_of(&indptr[0], indptr.shape[0]))
    data = np.empty(indptr[n_rows], dtype=np.asarray(dense).dtype)
    # One type for both, as in every CSR matrix here.
    if n_cols <= INT32_MAX and indptr[n_rows] <= INT32_MAX:
        indices = np.empty(indptr[n_rows], dtype=np.int32)
        write_compressed[number_t, int32_t](matrix, indptr, call.get(), indices, data)
        return starts.astype(np.int32), indices, data
    indices = np.empty(indptr[n_rows], dtype=np.int64)
    write_compressed[number_t, int64_t](matrix, indptr, call.get(), indices, data)
    return starts, indices, data


cdef int write_compressed(
    const DenseView[number_t]& matrix, const int64_t[::1] indptr, Call* call,
    index_t[::1] indices, number_t[::1] data,
) except -1:
    if indices.shape[0] == 0:
        return 0
    with nogil:  # the memoryviews pin the arrays
        c_dense_compress_rows(
            matrix, span_of(&indptr[0], indptr.shape[0]), call.execution,
            span_of(&indices[0], indices.shape[0]), span_of(&data[0], data.shape[0]))
    return 0

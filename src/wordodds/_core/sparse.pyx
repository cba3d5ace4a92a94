# distutils: language = c++
"""Validation and conversion of CSR matrices."""
from libc.stdint cimport INT32_MAX, int32_t, int64_t
from libcpp cimport bool as cbool
from libcpp.memory cimport unique_ptr, make_unique

import numpy as np

from wordodds._core.common cimport (
    AnyCsr, Call, CsrStructure, Execution, any_csr, number_t, span, span_of,
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

cdef extern from "wordodds/sparse/repeats.hpp":
    pass
cdef extern from "wordodds/sparse/equal_rows.hpp":
    pass
cdef extern from "wordodds/sparse/binarize.hpp":
    pass
cdef extern from "wordodds/sparse/map_columns.hpp" namespace "wordodds" nogil:
    void csr_count_mapped(
        const CsrStructure&, span[const int32_t], const Execution&, span[int64_t]) except +

cdef extern from * namespace "wordodds::binding" nogil:
    """
    WORDODDS_TAKES_NUMBERS(csr_find_defect)
    WORDODDS_TAKES_NUMBERS(csr_has_repeats)
    WORDODDS_TAKES_NUMBERS(csr_number_rows)
    WORDODDS_TAKES_NUMBERS(csr_binarize)

    namespace wordodds::binding {
    // `data_out` holds values of the matrix's type.
    inline void csr_map_columns(const AnyCsr& matrix, std::span<const int32_t> columns,
                                std::span<const int64_t> indptr, const Execution& execution,
                                std::span<int32_t> indices_out, void* data_out) {
        std::visit(
            [&]<class Value>(const CsrView<Value>& view) {
                wordodds::csr_map_columns(view, columns, indptr, execution, indices_out,
                                          {static_cast<Value*>(data_out), indices_out.size()});
            },
            matrix);
    }
    }
    """
    CsrReport c_csr_find_defect "wordodds::binding::csr_find_defect"(
        const AnyCsr&, CsrRequirements, const Execution&) except +
    cbool c_csr_has_repeats "wordodds::binding::csr_has_repeats"(
        const AnyCsr&, const Execution&) except +
    int64_t c_csr_number_rows "wordodds::binding::csr_number_rows"(
        const AnyCsr&, const Execution&, span[int64_t]) except +
    cbool c_csr_binarize "wordodds::binding::csr_binarize"(
        const AnyCsr&, double, const Execution&, span[float]) except +
    void c_csr_map_columns "wordodds::binding::csr_map_columns"(
        const AnyCsr&, span[const int32_t], span[const int64_t], const Execution&, span[int32_t],
        void*) except +

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
    void c_dense_compress_rows "wordodds::dense_compress_rows"[Value](
        const DenseView[Value]&, span[const int64_t], const Execution&, span[int32_t],
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


cdef const number_t* pointer(const number_t[::1] numbers) noexcept:
    return &numbers[0] if numbers.shape[0] else NULL


cdef BorrowedCsr borrow_unchecked(object matrix):
    cdef BorrowedCsr rows = BorrowedCsr.__new__(BorrowedCsr)
    cdef const double[::1] doubles
    cdef const float[::1] floats
    cdef const int64_t[::1] whole
    rows.n_rows, rows.n_cols = matrix.n_rows, matrix.n_cols
    rows.indptr, rows.indices, rows.data = matrix.indptr, matrix.indices, matrix.data
    rows.nnz = rows.indices.shape[0]
    rows.structure.n_rows = rows.n_rows
    rows.structure.n_cols = rows.n_cols
    rows.structure.indptr = span_of(pointer(rows.indptr), rows.indptr.shape[0])
    rows.structure.indices = span_of(
        &rows.indices[0] if rows.nnz else <const int32_t*> NULL, rows.nnz)
    kind = rows.data.dtype.char
    if kind == "d":
        doubles = rows.data
        rows.view = any_csr(rows.structure, pointer(doubles), doubles.shape[0])
    elif kind == "f":
        floats = rows.data
        rows.view = any_csr(rows.structure, pointer(floats), floats.shape[0])
    else:
        whole = rows.data
        rows.view = any_csr(rows.structure, pointer(whole), whole.shape[0])
    return rows


cdef BorrowedCsr borrow_csr(object matrix):
    # `matrix`: CsrArrays, or what has its attributes. Its indices are trusted, its lengths are not.
    cdef BorrowedCsr rows = borrow_unchecked(matrix)
    if rows.n_rows < 0 or rows.indptr.shape[0] != rows.n_rows + 1:
        raise ValueError("indptr must have n_rows + 1 entries")
    if len(rows.data) != rows.nnz or rows.indptr[0] != 0 or rows.indptr[rows.n_rows] > rows.nnz:
        raise ValueError("indptr, indices and data differ in length")
    return rows


def csr_find_defect(
    matrix, int32_t n_jobs, int32_t instruction_set, *, cbool finite, cbool non_negative,
):
    cdef BorrowedCsr rows = borrow_unchecked(matrix)
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    cdef CsrRequirements requirements
    cdef CsrReport report
    requirements.finite = finite
    requirements.non_negative = non_negative
    with nogil:  # `rows` pins the arrays
        report = c_csr_find_defect(rows.view, requirements, call.get().execution)
    return DEFECTS[<int32_t> report.defect], report.row, report.position


def csr_number_rows(matrix, int32_t n_jobs, int32_t instruction_set):
    cdef BorrowedCsr rows = borrow_csr(matrix)
    numbers = np.empty(rows.n_rows, dtype=np.int64)
    if rows.n_rows == 0:
        return numbers, 0
    cdef int64_t[::1] numbers_out = numbers
    cdef int64_t n_distinct
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    with nogil:  # `rows` and the memoryview pin the arrays
        n_distinct = c_csr_number_rows(
            rows.view, call.get().execution, span_of(&numbers_out[0], rows.n_rows))
    return numbers, n_distinct


def csr_has_repeats(matrix, int32_t n_jobs, int32_t instruction_set):
    cdef BorrowedCsr rows = borrow_csr(matrix)
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    cdef cbool found
    with nogil:  # `rows` pins the arrays
        found = c_csr_has_repeats(rows.view, call.get().execution)
    return found


def csr_map_columns(
    matrix, const int32_t[::1] columns, int32_t n_jobs, int32_t instruction_set,
):
    cdef BorrowedCsr rows = borrow_csr(matrix)
    if columns.shape[0] != rows.n_cols:
        raise ValueError("columns must have one number for each column")
    cdef span[const int32_t] columns_ = span_of(
        &columns[0] if rows.n_cols else <const int32_t*> NULL, rows.n_cols)
    starts = np.empty(rows.n_rows + 1, dtype=np.int64)
    cdef int64_t[::1] starts_out = starts
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    with nogil:  # `rows` and the memoryviews pin the arrays
        csr_count_mapped(
            rows.structure, columns_, call.get().execution,
            span_of(&starts_out[0], rows.n_rows + 1))
    moved = np.empty(starts_out[rows.n_rows], dtype=np.int32)
    kept = np.empty(starts_out[rows.n_rows], dtype=rows.data.dtype)
    if len(moved) == 0:
        return starts, moved, kept
    cdef int32_t[::1] indices_out = moved
    cdef unsigned char[::1] data_out = kept.view(np.uint8)
    with nogil:
        c_csr_map_columns(
            rows.view, columns_, span_of(<const int64_t*> &starts_out[0], rows.n_rows + 1),
            call.get().execution, span_of(&indices_out[0], indices_out.shape[0]), &data_out[0])
    return starts, moved, kept


def csr_binarize(matrix, int32_t n_jobs, int32_t instruction_set, *, double threshold):
    cdef BorrowedCsr rows = borrow_csr(matrix)
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    presences = np.empty(rows.nnz, dtype=np.float32)
    cdef float[::1] out = presences
    cdef float* out_ = &out[0] if rows.nnz else NULL
    cdef cbool has_repeats
    with nogil:  # `rows` and the memoryview pin the arrays
        has_repeats = c_csr_binarize(
            rows.view, threshold, call.get().execution, span_of(out_, rows.nnz))
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
    if n_cols > INT32_MAX:
        raise ValueError("dense has more columns than 32 bits can number")
    indices = np.empty(indptr[n_rows], dtype=np.int32)
    data = np.empty(indptr[n_rows], dtype=np.asarray(dense).dtype)
    if len(indices) == 0:
        return starts, indices, data
    cdef int32_t[::1] indices_out = indices
    cdef number_t[::1] data_out = data
    with nogil:
        c_dense_compress_rows(
            matrix, span_of(<const int64_t*> &indptr[0], indptr.shape[0]), call.get().execution,
            span_of(&indices_out[0], indices_out.shape[0]),
            span_of(&data_out[0], data_out.shape[0]))
    return starts, indices, data

# CSR matrices as every binding borrows them.
from libc.stdint cimport int32_t, int64_t

from wordodds._core.common cimport AnyCsr, CsrStructure


cdef class BorrowedCsr:
    """A view for the engine, and the arrays that it points into."""

    cdef AnyCsr view
    cdef CsrStructure structure
    cdef int64_t n_rows, n_cols, nnz
    cdef const int64_t[::1] indptr
    cdef const int32_t[::1] indices
    cdef object data


cdef BorrowedCsr borrow_csr(object matrix)

# Declarations that every binding shares: the call context, spans and CSR views.
from cpython.object cimport PyObject
from libc.stdint cimport int32_t, int64_t

ctypedef fused value_t:
    float
    double

ctypedef fused number_t:
    float
    double
    int64_t

cdef extern from "<span>" namespace "std" nogil:
    cdef cppclass span[T]:
        T* data()
        size_t size()

cdef extern from "wordodds/base/types.hpp" namespace "wordodds" nogil:
    cdef cppclass CsrStructure:
        int64_t n_rows
        int64_t n_cols
        span[const int64_t] indptr
        span[const int32_t] indices
    cdef cppclass CsrView[Value]:
        pass

cdef extern from "wordodds/base/stride.hpp" namespace "wordodds" nogil:
    int64_t lane_stride(int64_t)
    bint is_lane_stride(int64_t, int64_t)
    int64_t line_stride(int64_t)
    int64_t class_stride(int64_t)

cdef extern from "wordodds/base/parallel.hpp" namespace "wordodds" nogil:
    cdef cppclass Execution:
        pass

cdef extern from "wordodds/base/stop.hpp" namespace "wordodds" nogil:
    cdef cppclass StopToken:
        StopToken()

cdef extern from "call.hpp" namespace "wordodds::binding" nogil:
    cdef cppclass Call:
        Call(int32_t n_jobs, int32_t instruction_set) except +
        Call(int32_t n_jobs, int32_t instruction_set, PyObject* advance) except +
        StopToken stop
        Execution execution
        bint tell() except False
    span[T] span_of[T](T* data, int64_t length)

cdef extern from "csr.hpp" namespace "wordodds::binding" nogil:
    cdef cppclass AnyCsr:
        pass
    AnyCsr any_csr[Value](const CsrStructure&, const Value* data, int64_t length)
    CsrView[double] with_doubles(const AnyCsr&) except +

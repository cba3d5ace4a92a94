# distutils: language = c++
"""What the engine was built with, what this machine can run, and how matrices are padded."""
from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.vector cimport vector

from wordodds._core.common cimport (
    class_stride as c_class_stride, lane_stride as c_lane_stride, line_stride as c_line_stride, span,
    span_of,
)

cdef extern from "<string_view>" namespace "std" nogil:
    cdef cppclass string_view:
        const char* data()
        size_t size()

cdef extern from "wordodds/base/dispatch.hpp" namespace "wordodds" nogil:
    cdef cppclass InstructionSet:
        pass
    vector[InstructionSet] c_available "wordodds::available_instruction_sets"() except +
    string_view c_name "wordodds::instruction_set_name"(InstructionSet)

cdef extern from "wordodds/base/checksum.hpp" namespace "wordodds" nogil:
    uint64_t c_checksum "wordodds::checksum"(span[const char])

cdef extern from "wordodds/text/unicode.hpp" namespace "wordodds":
    const char* c_unicode_version "wordodds::unicode_version"

cdef extern from *:
    """
    #if defined(__clang__)
    #define WORDODDS_COMPILER "Clang " __clang_version__
    #elif defined(__GNUC__)
    #define WORDODDS_COMPILER "GCC " __VERSION__
    #else
    #define WORDODDS_COMPILER "unknown"
    #endif
    """
    const char* WORDODDS_COMPILER


def available_instruction_sets():
    cdef vector[InstructionSet] sets = c_available()
    cdef string_view name
    cdef size_t i
    numbered = {}
    for i in range(sets.size()):
        name = c_name(sets[i])
        numbered[name.data()[:name.size()].decode()] = <int32_t> sets[i]
    return numbered


def compiler():
    return WORDODDS_COMPILER.decode()


def unicode_version():
    return c_unicode_version.decode()


def checksum(const unsigned char[::1] data):
    cdef const char* bytes_ = <const char*> &data[0] if data.shape[0] else NULL
    cdef uint64_t result
    with nogil:  # the memoryview pins the bytes
        result = c_checksum(span_of(bytes_, data.shape[0]))
    return result


def lane_stride(int64_t n_columns):
    return c_lane_stride(n_columns)


def line_stride(int64_t n_columns):
    return c_line_stride(n_columns)


def class_stride(int64_t n_classes):
    return c_class_stride(n_classes)

# distutils: language = c++
"""What the engine was built with and what this machine can run."""
from libc.stdint cimport int32_t
from libcpp.vector cimport vector

cdef extern from "<string_view>" namespace "std" nogil:
    cdef cppclass string_view:
        const char* data()
        size_t size()

cdef extern from "wordodds/base/dispatch.hpp" namespace "wordodds" nogil:
    cdef cppclass InstructionSet:
        pass
    vector[InstructionSet] c_available "wordodds::available_instruction_sets"() except +
    string_view c_name "wordodds::instruction_set_name"(InstructionSet)

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

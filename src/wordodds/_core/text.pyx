# distutils: language = c++
"""Counting words: Python's strings in, NumPy arrays out."""
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int32_t, int64_t, uint64_t
from libcpp.memory cimport unique_ptr, make_unique
from libcpp.utility cimport move
from libcpp.vector cimport vector

import numpy as np

from wordodds._core.common cimport Call, Execution, index_t, span, span_of

cdef extern from "Python.h":
    bint PyUnicode_Check(object)
    bint PyUnicode_IS_ASCII(object)
    int PyUnicode_KIND(object)
    const void* PyUnicode_DATA(object)
    Py_ssize_t PyUnicode_GET_LENGTH(object)

cdef extern from "wordodds/text/document.hpp" namespace "wordodds" nogil:
    cdef enum class TextKind(int32_t):
        ascii
        latin1
        ucs2
        ucs4
    cdef cppclass Document:
        const void* data
        int64_t length
        TextKind kind
    const int64_t document_max_length

cdef extern from "<string_view>" namespace "std" nogil:
    cdef cppclass string_view:
        const char* data()
        size_t size()

cdef extern from "wordodds/text/key.hpp" namespace "wordodds" nogil:
    cdef cppclass HashKey:
        uint64_t a
        uint64_t b

cdef extern from "wordodds/text/vocabulary.hpp" namespace "wordodds" nogil:
    cdef cppclass CVocabulary "wordodds::Vocabulary":
        CVocabulary(HashKey) except +
        CVocabulary(HashKey, span[const char], span[const int64_t]) except +
        int64_t size() const
        string_view term(int64_t) const
        span[const char] arena() const
        span[const int64_t] offsets() const

cdef extern from "wordodds/text/count.hpp" namespace "wordodds" nogil:
    cdef cppclass CountedRows:
        int64_t n_rows
        int64_t nnz
    CountedRows c_documents_count_growing "wordodds::documents_count_growing"(
        span[Document], const Execution&, CVocabulary&) except +
    CountedRows c_documents_count_frozen "wordodds::documents_count_frozen"(
        span[Document], const CVocabulary&, const Execution&) except +
    void counted_rows_write[Index](
        const CountedRows&, const Execution&, span[Index], span[Index], span[int64_t]) except +


cdef HashKey hash_key(tuple key):
    cdef HashKey result
    result.a, result.b = key
    return result


cdef class Vocabulary:
    """The terms of a fitted vectorizer, packed, in column order."""

    cdef unique_ptr[CVocabulary] engine

    def __cinit__(self, *args):
        # Never without an engine, however Python made the object.
        cdef HashKey key
        key.a = key.b = 0
        self.engine = make_unique[CVocabulary](key)

    def __init__(self, const unsigned char[::1] arena, const int64_t[::1] offsets, tuple key):
        cdef const char* bytes_ = <const char*> &arena[0] if arena.shape[0] else NULL
        cdef const int64_t* borders = &offsets[0] if offsets.shape[0] else NULL
        self.engine = make_unique[CVocabulary](
            hash_key(key),
            span_of(bytes_, arena.shape[0]),
            span_of(borders, offsets.shape[0]))

    def __len__(self):
        return self.engine.get().size()

    def packed(self):
        cdef span[const char] arena = self.engine.get().arena()
        cdef span[const int64_t] offsets = self.engine.get().offsets()
        copied = np.empty(offsets.size(), dtype=np.int64)
        cdef int64_t[::1] out = copied
        cdef size_t i
        for i in range(offsets.size()):
            out[i] = offsets.data()[i]
        return arena.data()[:arena.size()], copied

    def terms(self):
        # One conversion a term; surrogates pass, as they came in.
        cdef int64_t i
        cdef string_view term
        names = []
        for i in range(self.engine.get().size()):
            term = self.engine.get().term(i)
            names.append(PyUnicode_DecodeUTF8(term.data(), term.size(), "surrogatepass"))
        return names


cdef vector[Document] borrow(tuple documents) except *:
    # The tuple keeps the strings alive, and strings never change: their buffers stay valid
    # without the interpreter lock.
    cdef vector[Document] borrowed
    cdef Document document
    cdef int kind
    borrowed.reserve(len(documents))
    for row, text in enumerate(documents):
        if not PyUnicode_Check(text):
            raise TypeError(f"document {row} is {type(text).__name__}, expected str")
        document.data = PyUnicode_DATA(text)
        document.length = PyUnicode_GET_LENGTH(text)
        if document.length > document_max_length:
            raise ValueError(f"document {row} is longer than 2**32 - 1 characters; split it")
        kind = PyUnicode_KIND(text)
        if kind == 1:
            document.kind = TextKind.ascii if PyUnicode_IS_ASCII(text) else TextKind.latin1
        else:
            document.kind = TextKind.ucs2 if kind == 2 else TextKind.ucs4
        borrowed.push_back(document)
    return borrowed


cdef object write_rows(const CountedRows& rows, Call* call):
    dtype = np.int32 if rows.nnz <= np.iinfo(np.int32).max else np.int64
    indptr = np.empty(rows.n_rows + 1, dtype=dtype)
    indices = np.empty(rows.nnz, dtype=dtype)
    data = np.empty(rows.nnz, dtype=np.int64)
    if dtype is np.int32:
        write_rows_as[int32_t](rows, call, indptr, indices, data)
    else:
        write_rows_as[int64_t](rows, call, indptr, indices, data)
    return indptr, indices, data


cdef int write_rows_as(
    const CountedRows& rows, Call* call,
    index_t[::1] indptr, index_t[::1] indices, int64_t[::1] data,
) except -1:
    cdef index_t* indices_out = &indices[0] if indices.shape[0] else NULL
    cdef int64_t* data_out = &data[0] if data.shape[0] else NULL
    with nogil:  # the memoryviews pin the arrays
        counted_rows_write(
            rows, call.execution,
            span_of(&indptr[0], indptr.shape[0]),
            span_of(indices_out, indices.shape[0]),
            span_of(data_out, data.shape[0]))
    return 0


def documents_count_growing(tuple documents, tuple key, int32_t n_jobs, int32_t instruction_set):
    cdef vector[Document] borrowed = borrow(documents)
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    cdef Vocabulary vocabulary = Vocabulary.__new__(Vocabulary)
    cdef CountedRows rows
    vocabulary.engine = make_unique[CVocabulary](hash_key(key))
    with nogil:  # `documents` pins the strings
        rows = move(c_documents_count_growing(
            span_of(borrowed.data(), borrowed.size()),
            call.get().execution, vocabulary.engine.get()[0]))
    return vocabulary, *write_rows(rows, call.get())


def documents_count_frozen(
    tuple documents, Vocabulary vocabulary, int32_t n_jobs, int32_t instruction_set
):
    cdef vector[Document] borrowed = borrow(documents)
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    cdef CountedRows rows
    with nogil:  # `documents` pins the strings, `vocabulary` its engine
        rows = move(c_documents_count_frozen(
            span_of(borrowed.data(), borrowed.size()),
            vocabulary.engine.get()[0], call.get().execution))
    return write_rows(rows, call.get())

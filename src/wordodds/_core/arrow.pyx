# distutils: language = c++
"""Columns of text through the Arrow C data interface: borrowed, not copied, and without pyarrow."""
from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_IsValid
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int32_t, int64_t
from libcpp cimport bool as cpp_bool
from libcpp.memory cimport unique_ptr, make_unique
from libcpp.utility cimport move

import numpy as np

from wordodds._core.common cimport Call

cdef extern from *:
    """
    // Ends a column's life now: its destructor would run with a Python exception still set.
    static void text_column_clear(wordodds::TextColumn& column) {
        const wordodds::TextColumn ended = std::move(column);
    }
    """
    void text_column_clear(CTextColumn&)


cdef void* capsule_pointer(object capsule, const char* name, str method) except NULL:
    if not PyCapsule_IsValid(capsule, name):
        raise TypeError(
            f"{method} must give a capsule named {name.decode()!r}, got {repr(capsule):.80}")
    return PyCapsule_GetPointer(capsule, name)


cdef cpp_bool read_stream(
    CTextColumn& column_out, object capsule, int32_t n_jobs, int32_t instruction_set,
) except *:
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    cdef ArrowArrayStream* stream = <ArrowArrayStream*> capsule_pointer(
        capsule, "arrow_array_stream", "__arrow_c_stream__")
    cdef ArrowOwned[ArrowArrayStream] owned = ArrowOwned[ArrowArrayStream](stream)
    cdef cpp_bool is_text
    with nogil:  # `owned` is ours alone; producers that need the interpreter lock take it
        is_text = text_column_read_stream(move(owned), call.get().execution, column_out)
    return is_text


cdef cpp_bool read_array(
    CTextColumn& column_out, object capsules, int32_t n_jobs, int32_t instruction_set,
) except *:
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    if not isinstance(capsules, tuple) or len(capsules) != 2:
        raise TypeError(
            f"__arrow_c_array__ must give two capsules in a tuple, got {repr(capsules):.80}")
    cdef ArrowSchema* schema = <ArrowSchema*> capsule_pointer(
        capsules[0], "arrow_schema", "__arrow_c_array__")
    cdef ArrowArray* array = <ArrowArray*> capsule_pointer(
        capsules[1], "arrow_array", "__arrow_c_array__")
    cdef ArrowOwned[ArrowSchema] owned_schema = ArrowOwned[ArrowSchema](schema)
    cdef ArrowOwned[ArrowArray] owned_array = ArrowOwned[ArrowArray](array)
    cdef cpp_bool is_text
    with nogil:  # both are ours alone
        is_text = text_column_read_array(
            move(owned_schema), move(owned_array), call.get().execution, column_out)
    return is_text


cdef class TextColumn:
    """Text of an Arrow column, with the arrays that hold it. Never changes once read."""

    def __dealloc__(self):
        text_column_clear(self.engine)

    @staticmethod
    def read(source, int32_t n_jobs, int32_t instruction_set):
        cdef TextColumn column = TextColumn.__new__(TextColumn)
        if isinstance(source, type):  # has the methods, but is no column
            return None
        if hasattr(source, "__arrow_c_stream__"):
            is_text = read_stream(
                column.engine, source.__arrow_c_stream__(), n_jobs, instruction_set)
        elif hasattr(source, "__arrow_c_array__"):
            is_text = read_array(
                column.engine, source.__arrow_c_array__(), n_jobs, instruction_set)
        else:
            is_text = False
        return column if is_text else None

    def __len__(self):
        return self.engine.documents.size()

    @property
    def n_bytes(self):
        return self.engine.n_bytes

    @property
    def null_rows(self):
        copied = np.empty(self.engine.null_rows.size(), dtype=np.int64)
        cdef int64_t[::1] out = copied
        cdef size_t i
        for i in range(self.engine.null_rows.size()):
            out[i] = self.engine.null_rows[i]
        return copied

    def to_list(self):
        texts = []
        cdef size_t i
        for i in range(self.engine.documents.size()):
            document = &self.engine.documents[i]
            texts.append(PyUnicode_DecodeUTF8(
                <const char*> document.data, document.length, "strict"))
        for i in range(self.engine.null_rows.size()):
            texts[self.engine.null_rows[i]] = None
        return texts

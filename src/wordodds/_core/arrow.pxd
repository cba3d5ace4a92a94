# Columns of text that Arrow's producers own, for every binding that takes documents.
from libc.stdint cimport int64_t
from libcpp cimport bool as cpp_bool
from libcpp.vector cimport vector

from wordodds._core.common cimport Execution
from wordodds._core.text cimport Document

cdef extern from "wordodds/arrow/abi.hpp" namespace "wordodds" nogil:
    cdef cppclass ArrowSchema:
        pass
    cdef cppclass ArrowArray:
        pass
    cdef cppclass ArrowArrayStream:
        pass
    cdef cppclass ArrowOwned[Struct]:
        ArrowOwned()
        ArrowOwned(Struct*)

cdef extern from "wordodds/arrow/text_column.hpp" namespace "wordodds" nogil:
    cdef cppclass CTextColumn "wordodds::TextColumn":
        vector[Document] documents
        vector[int64_t] null_rows
        int64_t n_bytes
    cpp_bool text_column_read_array(
        ArrowOwned[ArrowSchema], ArrowOwned[ArrowArray], const Execution&, CTextColumn&) except +
    cpp_bool text_column_read_stream(
        ArrowOwned[ArrowArrayStream], const Execution&, CTextColumn&) except +


cdef class TextColumn:
    cdef CTextColumn engine

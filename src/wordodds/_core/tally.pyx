# distutils: language = c++
"""In how many documents each term occurs: Python's strings in, a tally that adds up out."""
from cpython.object cimport PyObject
from libc.stdint cimport int32_t, int64_t
from libcpp.memory cimport unique_ptr, make_unique

from wordodds._core.common cimport Call, Execution, span, span_of
from wordodds._core.text cimport (
    AnalyzerOptions, Borrowed, CAnalyzerOptions, CVocabulary, Document, HashKey, StopToken, Vocabulary,
    borrow, copied_numbers, hash_key, views_of,
)

cdef extern from "wordodds/tally/terms.hpp" namespace "wordodds" nogil:
    cdef cppclass CTermTally "wordodds::TermTally":
        CTermTally(HashKey) except +
        CTermTally(
            const CVocabulary&, span[const int64_t], span[const int64_t], int64_t, int64_t) except +
        const CVocabulary& vocabulary() const
        span[const int64_t] n_documents_with() const
        span[const int64_t] n_occurrences() const
        int64_t n_documents() const
        int64_t undercount() const
        void merge(const CTermTally&, StopToken&) except +
        void release_vocabulary(CVocabulary&)
        void prune(int64_t) except +
        void sort(const Execution&) except +
    unique_ptr[CTermTally] tally_copy(const CTermTally&) except +
    void c_documents_tally "wordodds::documents_tally"(
        span[Document], span[const CAnalyzerOptions], int64_t, const Execution&, CTermTally&) except +


cdef object of_span(span[const int64_t] numbers):
    return copied_numbers(numbers.data(), numbers.size())


cdef class TermTally:
    """Terms with their numbers of documents and of occurrences."""

    cdef unique_ptr[CTermTally] engine

    def __cinit__(self, tuple key not None):
        self.engine = make_unique[CTermTally](hash_key(key))

    def __len__(self):
        return self.engine.get().vocabulary().size()

    @property
    def n_documents(self):
        return self.engine.get().n_documents()

    def add(
        self, object documents, AnalyzerOptions options not None, int32_t n_jobs,
        int32_t instruction_set, *, int64_t max_terms, object advance,
    ):
        cdef Borrowed borrowed = borrow(documents)
        cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set, <PyObject*> advance)
        cdef span[const CAnalyzerOptions] views = views_of(options)
        with nogil:  # `borrowed` pins the text
            c_documents_tally(
                borrowed.view, views, max_terms, call.get().execution,
                self.engine.get()[0])
        call.get().tell()

    def add_tally(self, TermTally other not None):
        # With the interpreter lock and without a stop: whole, and nobody else sees half of it.
        cdef StopToken never
        self.engine.get().merge(other.engine.get()[0], never)

    def prune(self, int64_t max_terms):
        self.engine.get().prune(max_terms)

    def packed(self):
        cdef CTermTally* engine = self.engine.get()
        return (
            engine.vocabulary().arena().data()[:engine.vocabulary().arena().size()],
            of_span(engine.vocabulary().offsets()), of_span(engine.n_documents_with()),
            of_span(engine.n_occurrences()), engine.n_documents(), engine.undercount())

    @staticmethod
    def unpacked(
        const unsigned char[::1] arena, const int64_t[::1] offsets, const int64_t[::1] n_documents_with,
        const int64_t[::1] n_occurrences, int64_t n_documents, int64_t undercount, tuple key,
    ):
        cdef TermTally tally = TermTally(key)
        cdef Vocabulary vocabulary = Vocabulary(arena, offsets, key)
        if n_documents_with.shape[0] != len(vocabulary) or n_occurrences.shape[0] != len(vocabulary):
            raise ValueError("a tally has one number of documents and of occurrences per term")
        tally.engine = make_unique[CTermTally](
            vocabulary.engine.get()[0],
            span_of(&n_documents_with[0] if n_documents_with.shape[0] else NULL, n_documents_with.shape[0]),
            span_of(&n_occurrences[0] if n_occurrences.shape[0] else NULL, n_occurrences.shape[0]),
            n_documents, undercount)
        return tally

    def sorted_terms(self, int64_t max_terms, int32_t n_jobs, int32_t instruction_set):
        cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
        cdef unique_ptr[CTermTally] ordered = tally_copy(self.engine.get()[0])
        cdef Vocabulary vocabulary = Vocabulary.__new__(Vocabulary)
        with nogil:  # `ordered` is nobody else's
            if max_terms > 0:
                ordered.get().prune(max_terms)
            ordered.get().sort(call.get().execution)
        ordered.get().release_vocabulary(vocabulary.engine.get()[0])
        return (
            vocabulary, of_span(ordered.get().n_documents_with()),
            of_span(ordered.get().n_occurrences()), ordered.get().undercount())

# distutils: language = c++
"""Counting words: Python's strings in, NumPy arrays out."""
from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memcpy
from libcpp.memory cimport unique_ptr, make_unique
from libcpp.string cimport string
from libcpp.utility cimport move
from libcpp.vector cimport vector

import numpy as np

from wordodds._core.common cimport (
    Call, CsrStructure, Execution, StopToken, number_t, span, span_of, value_t,
)
from wordodds._core.sparse cimport BorrowedCsr, borrow_csr
from wordodds._core.arrow cimport TextColumn

cdef extern from "Python.h":
    bint PyUnicode_Check(object)
    bint PyUnicode_IS_ASCII(object)
    int PyUnicode_KIND(object)
    const void* PyUnicode_DATA(object)
    Py_ssize_t PyUnicode_GET_LENGTH(object)

cdef extern from "wordodds/text/count.hpp" namespace "wordodds" nogil:
    cdef cppclass CountedRows:
        int64_t n_rows
        int64_t nnz
    CountedRows c_documents_count_growing "wordodds::documents_count_growing"(
        span[Document], span[const CAnalyzerOptions], const Execution&, CVocabulary&) except +
    CountedRows c_documents_count_frozen "wordodds::documents_count_frozen"(
        span[Document], span[const CAnalyzerOptions], const CVocabulary&, int64_t,
        const Execution&) except +
    CountedRows c_documents_count_hashed "wordodds::documents_count_hashed"(
        span[Document], span[const CAnalyzerOptions], HashingOptions, const Execution&) except +
    void vocabulary_hash_columns(const CVocabulary&, int64_t, span[int64_t]) except +

cdef extern from "wordodds/text/write_rows.hpp" namespace "wordodds" nogil:
    void counted_rows_write[Value](
        const CountedRows&, bint, const Execution&, span[int64_t], span[int32_t], span[Value]) except +

cdef extern from "wordodds/text/analyze.hpp" namespace "wordodds" nogil:
    vector[string] document_features(
        const Document&, span[const CAnalyzerOptions], const Execution&) except +

cdef extern from "wordodds/text/feature_counter.hpp" namespace "wordodds" nogil:
    cdef cppclass CFeatureCounter "wordodds::FeatureCounter":
        CFeatureCounter(HashKey, size_t n_views) except +
        CFeatureCounter(const CVocabulary&, int64_t, size_t n_views) except +
        CFeatureCounter(HashingOptions, size_t n_views) except +
        void add(const Document&) except +
        void end_view() except +
        CountedRows finish(const Execution&, CVocabulary&) except +

cdef extern from "wordodds/text/tfidf.hpp" namespace "wordodds" nogil:
    cdef cppclass TfidfOptions:
        bint sublinear
        RowNorm norm
        span[const int32_t] view_begins

cdef extern from * namespace "wordodds::binding" nogil:
    """
    namespace wordodds::binding {
    // In place.
    template <class Value>
    void csr_weigh_terms(const CsrStructure& rows, std::span<const Value> idf, TfidfOptions options,
                         const Execution& execution, std::span<Value> data_in_out) {
        wordodds::csr_weigh_terms(CsrView<Value>{rows, data_in_out}, idf, options, execution,
                                  data_in_out);
    }
    }
    """
    void c_csr_weigh_terms "wordodds::binding::csr_weigh_terms"[Value](
        const CsrStructure&, span[const Value], TfidfOptions, const Execution&,
        span[Value]) except +

cdef object empty = np.empty
cdef object INT32 = np.dtype(np.int32)
cdef object INT64 = np.dtype(np.int64)
cdef object FLOAT32 = np.dtype(np.float32)


cdef HashKey hash_key(tuple key):
    cdef HashKey result
    result.a, result.b = key
    return result


cdef object copied_numbers(const int64_t* numbers, size_t n):
    cdef const char* bytes_ = <const char*> numbers
    # A copy of the copy: arrays over bytes cannot be written to.
    return np.frombuffer(bytes_[:n * sizeof(int64_t)], dtype=np.int64).copy()


cdef class Vocabulary:
    """The terms of a fitted vectorizer, packed, in column order."""

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
        return arena.data()[:arena.size()], copied_numbers(
            self.engine.get().offsets().data(), self.engine.get().offsets().size())

    def terms(self):
        # One conversion a term; surrogates pass, as they came in.
        cdef int64_t i
        cdef string_view term
        names = []
        for i in range(self.engine.get().size()):
            term = self.engine.get().term(i)
            names.append(PyUnicode_DecodeUTF8(term.data(), term.size(), "surrogatepass"))
        return names

    def view_begins(self, int64_t n_views):
        # The first term of view v, counted from 1, begins with the character v + 1, or a later one.
        begins = np.zeros(n_views - 1, dtype=np.int32)
        cdef int64_t view, low, high, middle
        cdef string_view term
        for view in range(1, n_views):
            low, high = 0, self.engine.get().size()
            while low < high:
                middle = (low + high) // 2
                term = self.engine.get().term(middle)
                if term.data()[0] <= view:
                    low = middle + 1
                else:
                    high = middle
            begins[view - 1] = low
        return begins

    def hashed_columns(self, int64_t n_columns):
        columns = np.empty(len(self), dtype=np.int64)
        cdef int64_t[::1] out = columns
        if out.shape[0]:
            vocabulary_hash_columns(
                self.engine.get()[0], n_columns, span_of(&out[0], out.shape[0]))
        return columns

    def locate(self, Vocabulary other not None):
        columns = np.empty(len(other), dtype=np.int64)
        cdef int64_t[::1] out = columns
        cdef StopToken never
        self.prepare_lookups()
        with nogil:  # vocabularies that Python sees no longer change
            self.engine.get().locate(
                other.engine.get()[0], never, span_of(&out[0] if out.shape[0] else NULL, out.shape[0]))
        return columns

    cdef int prepare_lookups(self) except -1:
        # While the GIL is held no other thread can fork: its child would inherit a locked lock and
        # an unfinished table.
        self.engine.get().prepare_lookups()
        return 0

    def subset(self, const unsigned char[::1] keep):
        if keep.shape[0] != len(self):
            raise ValueError("keep and vocabulary differ in length")
        cdef Vocabulary kept = Vocabulary.__new__(Vocabulary)
        if keep.shape[0]:
            self.engine.get().subset(span_of(&keep[0], keep.shape[0]), kept.engine.get()[0])
        return kept


cdef class WordMap:
    """Words and what stands for each of them."""

    def __init__(
        self, Vocabulary words not None, const unsigned char[::1] arena,
        const int64_t[::1] offsets,
    ):
        cdef const char* bytes_ = <const char*> &arena[0] if arena.shape[0] else NULL
        cdef const int64_t* borders = &offsets[0] if offsets.shape[0] else NULL
        self.engine = make_unique[CWordMap](
            words.engine.get()[0], span_of(bytes_, arena.shape[0]),
            span_of(borders, offsets.shape[0]))


cdef class AnalyzerOptions:
    """What the compiled analyzers are to do, one or several side by side; keeps stop words and
    stems alive."""

    def __init__(
        self, str analyzer, *, bint lowercase, str strip_accents, int32_t word_min_length,
        int32_t ngram_min, int32_t ngram_max, Vocabulary stop_words,
    ):
        cdef CAnalyzerOptions engine
        engine.kind = {
            "word": AnalyzerKind.word,
            "word_or_mark": AnalyzerKind.word_or_mark,
            "char": AnalyzerKind.chars,
            "char_wb": AnalyzerKind.chars_in_words,
            "unicode_word": AnalyzerKind.unicode_word,
            "fasttext": AnalyzerKind.separated,
        }[analyzer]
        engine.accents = {
            None: Accents.keep, "unicode": Accents.strip, "ascii": Accents.strip_ascii,
        }[strip_accents]
        engine.lowercase = lowercase
        engine.word_min_length = word_min_length
        engine.ngram_min = ngram_min
        engine.ngram_max = ngram_max
        self.stop_words = stop_words
        if stop_words is not None:
            stop_words.prepare_lookups()
            engine.stop_words = stop_words.engine.get()
        self.views.push_back(engine)

    @staticmethod
    def beside(tuple parts, *, bint shares_vocabulary):
        cdef AnalyzerOptions together = AnalyzerOptions.__new__(AnalyzerOptions)
        cdef AnalyzerOptions part
        cdef CAnalyzerOptions engine
        together.parts = parts
        for view, part in enumerate(parts):
            engine = part.views.at(0)
            if shares_vocabulary:
                engine.name_space = view_name_space(view)
            together.views.push_back(engine)
        return together

    @property
    def n_views(self):
        return self.views.size()

    def with_stems(self, WordMap stems not None):
        cdef AnalyzerOptions stemmed = AnalyzerOptions.__new__(AnalyzerOptions)
        cdef CAnalyzerOptions engine = self.views.at(0)
        engine.stems = stems.engine.get()
        stemmed.views.push_back(engine)
        stemmed.stop_words = self.stop_words
        stemmed.stems = stems
        return stemmed

    def single_words(self):
        cdef AnalyzerOptions single = AnalyzerOptions.__new__(AnalyzerOptions)
        cdef CAnalyzerOptions engine = self.views.at(0)
        engine.ngram_min = engine.ngram_max = 1
        single.views.push_back(engine)
        single.stop_words = self.stop_words
        single.stems = self.stems
        return single

    def features(self, str document not None, int32_t n_jobs, int32_t instruction_set):
        cdef Borrowed borrowed = borrow((document,))
        cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
        cdef vector[string] found
        cdef span[const CAnalyzerOptions] views = views_of(self)
        with nogil:  # `borrowed` pins the string
            found = document_features(
                borrowed.view.data()[0], views, call.get().execution)
        return [feature.decode("utf-8", "surrogatepass") for feature in found]


cdef span[const CAnalyzerOptions] views_of(AnalyzerOptions options) noexcept:
    return span_of(<const CAnalyzerOptions*> options.views.data(), options.views.size())


cdef int borrow_one(object text, Document* document_out) except -1:
    # The caller keeps the string alive, and strings never change: its buffer stays valid without
    # the interpreter lock.
    cdef int kind = PyUnicode_KIND(text)
    document_out.data = PyUnicode_DATA(text)
    document_out.length = PyUnicode_GET_LENGTH(text)
    if kind == 1:
        document_out.kind = TextKind.ascii if PyUnicode_IS_ASCII(text) else TextKind.latin1
    else:
        document_out.kind = TextKind.ucs2 if kind == 2 else TextKind.ucs4
    return 0


cdef Borrowed borrow(object documents):
    # `documents`: a tuple of str, or a column of text.
    cdef Borrowed borrowed = Borrowed.__new__(Borrowed)
    cdef Document document
    borrowed.owner = documents
    if isinstance(documents, TextColumn):
        borrowed.view = span_of(
            (<TextColumn> documents).engine.documents.data(),
            (<TextColumn> documents).engine.documents.size())
        return borrowed
    borrowed.own.reserve(len(documents))
    for row, text in enumerate(<tuple?> documents):
        if not PyUnicode_Check(text):
            raise TypeError(f"document {row} is {type(text).__name__}, expected str")
        borrow_one(text, &document)
        if document.length > document_max_length:
            raise ValueError(f"document {row} has 2**30 characters or more; split it")
        borrowed.own.push_back(document)
    borrowed.view = span_of(borrowed.own.data(), borrowed.own.size())
    return borrowed


cdef HashingOptions hashing_options(int32_t n_features, bint alternate_sign):
    cdef HashingOptions hashing
    hashing.n_features = n_features
    hashing.alternate_sign = alternate_sign
    return hashing


cdef object write_rows(const CountedRows& rows, object dtype, bint binary, Call* call):
    # `dtype`: one of NumPy's own, so that `is` compares them.
    indptr = empty(rows.n_rows + 1, INT64)
    indices = empty(rows.nnz, INT32)
    data = empty(rows.nnz, dtype)
    if dtype is INT64:
        write_values[int64_t](rows, binary, call, indptr, indices, data)
    elif dtype is FLOAT32:
        write_values[float](rows, binary, call, indptr, indices, data)
    else:
        write_values[double](rows, binary, call, indptr, indices, data)
    return indptr, indices, data


cdef int write_values(
    const CountedRows& rows, bint binary, Call* call,
    int64_t[::1] indptr, int32_t[::1] indices, number_t[::1] data,
) except -1:
    cdef int32_t* indices_out = &indices[0] if indices.shape[0] else NULL
    cdef number_t* data_out = &data[0] if data.shape[0] else NULL
    with nogil:  # the memoryviews pin the arrays
        counted_rows_write(
            rows, binary, call.execution,
            span_of(&indptr[0], indptr.shape[0]),
            span_of(indices_out, indices.shape[0]),
            span_of(data_out, data.shape[0]))
    return 0


def documents_count_growing(
    object documents, AnalyzerOptions options, tuple key, int32_t n_jobs,
    int32_t instruction_set, *, object dtype, bint binary, object advance,
):
    cdef span[const CAnalyzerOptions] views = views_of(options)
    cdef Borrowed borrowed = borrow(documents)
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set, <PyObject*> advance)
    cdef Vocabulary vocabulary = Vocabulary.__new__(Vocabulary)
    cdef CountedRows rows
    vocabulary.engine = make_unique[CVocabulary](hash_key(key))
    with nogil:  # `borrowed` pins the text
        rows = move(c_documents_count_growing(
            borrowed.view, views, call.get().execution, vocabulary.engine.get()[0]))
    call.get().tell()
    return vocabulary, *write_rows(rows, dtype, binary, call.get())


def documents_count_frozen(
    object documents, AnalyzerOptions options, Vocabulary vocabulary, int64_t n_unknown,
    int32_t n_jobs, int32_t instruction_set, *, object dtype, bint binary, object advance,
):
    cdef span[const CAnalyzerOptions] views = views_of(options)
    cdef Borrowed borrowed = borrow(documents)
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set, <PyObject*> advance)
    cdef CountedRows rows
    vocabulary.prepare_lookups()
    with nogil:  # `borrowed` pins the text, `vocabulary` its engine
        rows = move(c_documents_count_frozen(
            borrowed.view, views, vocabulary.engine.get()[0], n_unknown,
            call.get().execution))
    call.get().tell()
    return write_rows(rows, dtype, binary, call.get())


def documents_count_hashed(
    object documents, AnalyzerOptions options, int32_t n_features, int32_t n_jobs,
    int32_t instruction_set, *, bint alternate_sign, object dtype, bint binary, object advance,
):
    cdef span[const CAnalyzerOptions] views = views_of(options)
    cdef Borrowed borrowed = borrow(documents)
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set, <PyObject*> advance)
    cdef HashingOptions hashing = hashing_options(n_features, alternate_sign)
    cdef CountedRows rows
    with nogil:  # `borrowed` pins the text
        rows = move(c_documents_count_hashed(
            borrowed.view, views, hashing, call.get().execution))
    call.get().tell()
    return write_rows(rows, dtype, binary, call.get())


cdef class FeatureCounter:
    """Counts features that Python found, one document after the other."""

    cdef unique_ptr[CFeatureCounter] engine
    cdef Vocabulary vocabulary

    def __cinit__(self):
        cdef HashKey key
        key.a = key.b = 0
        self.engine = make_unique[CFeatureCounter](key, <size_t> 1)

    @staticmethod
    def growing(tuple key, size_t n_views):
        cdef FeatureCounter counter = FeatureCounter()
        counter.vocabulary = Vocabulary.__new__(Vocabulary)
        counter.engine = make_unique[CFeatureCounter](hash_key(key), n_views)
        return counter

    @staticmethod
    def frozen(Vocabulary vocabulary, int64_t n_unknown, size_t n_views):
        cdef FeatureCounter counter = FeatureCounter()
        counter.vocabulary = vocabulary
        counter.engine = make_unique[CFeatureCounter](
            vocabulary.engine.get()[0], n_unknown, n_views)
        return counter

    @staticmethod
    def hashed(int32_t n_features, size_t n_views, *, bint alternate_sign):
        cdef FeatureCounter counter = FeatureCounter()
        counter.vocabulary = Vocabulary.__new__(Vocabulary)
        counter.engine = make_unique[CFeatureCounter](
            hashing_options(n_features, alternate_sign), n_views)
        return counter

    def add_view(self, features):
        cdef Document document
        for feature in features:
            if not PyUnicode_Check(feature):
                raise TypeError(
                    f"an analyzer gave {type(feature).__name__} ({feature!r:.80}), expected str")
            borrow_one(feature, &document)
            self.engine.get().add(document)
        self.engine.get().end_view()

    def finish(self, int32_t n_jobs, int32_t instruction_set, *, object dtype, bint binary):
        cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
        cdef CountedRows rows
        with nogil:  # the counter owns what it reads
            rows = move(self.engine.get().finish(
                call.get().execution, self.vocabulary.engine.get()[0]))
        return self.vocabulary, *write_rows(rows, dtype, binary, call.get())


def csr_weigh_terms(
    idf, int32_t n_jobs, int32_t instruction_set, *, bint sublinear, str norm,
    const int32_t[::1] view_begins, matrix_in_out,
):
    cdef BorrowedCsr rows = borrow_csr(matrix_in_out)
    cdef unique_ptr[Call] call = make_unique[Call](n_jobs, instruction_set)
    cdef TfidfOptions options
    options.sublinear = sublinear
    options.norm = {"none": RowNorm.none, "l1": RowNorm.l1, "l2": RowNorm.l2}[norm]
    if view_begins is not None and view_begins.shape[0]:
        options.view_begins = span_of(&view_begins[0], view_begins.shape[0])
    if rows.data.dtype.char == "f":
        weigh_terms[float](rows, rows.data, idf, options, call.get())
    else:
        weigh_terms[double](rows, rows.data, idf, options, call.get())


cdef int weigh_terms(
    BorrowedCsr rows, value_t[::1] data, object idf, TfidfOptions options, Call* call,
) except -1:
    cdef const value_t[::1] idf_view
    cdef span[const value_t] idf_
    if idf is not None:
        idf_view = idf
        if idf_view.shape[0] != rows.n_cols:
            raise ValueError("idf must have one number for each column")
        idf_ = span_of(&idf_view[0] if rows.n_cols else <const value_t*> NULL, rows.n_cols)
    cdef value_t* data_ = &data[0] if rows.nnz else NULL
    with nogil:  # `rows` and the memoryviews pin the arrays
        c_csr_weigh_terms(
            rows.structure, idf_, options, call.execution, span_of(data_, rows.nnz))
    return 0


include "text_frozen.pxi"
include "text_fasttext.pxi"

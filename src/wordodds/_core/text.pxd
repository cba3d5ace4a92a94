# The text engine's types and the Python objects that own them, for every binding that takes documents.
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libcpp.memory cimport unique_ptr
from libcpp.vector cimport vector

from wordodds._core.common cimport StopToken, span

cdef extern from "wordodds/text/document.hpp" namespace "wordodds" nogil:
    cdef enum class TextKind(int32_t):
        ascii
        latin1
        ucs2
        ucs4
        utf8
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

cdef extern from "wordodds/text/term_table.hpp" namespace "wordodds" nogil:
    cdef cppclass TermSlot:
        pass
    cdef cppclass CFrozenTerms "wordodds::FrozenTerms":
        HashKey key
        span[const char] arena
        span[const int64_t] offsets
        span[const TermSlot] slots
        int64_t size() const
        void check() except +
    int64_t c_frozen_slots "wordodds::frozen_slots"(int64_t)

cdef extern from "wordodds/text/vocabulary.hpp" namespace "wordodds" nogil:
    cdef cppclass CVocabulary "wordodds::Vocabulary":
        CVocabulary(HashKey) except +
        CVocabulary(HashKey, span[const char], span[const int64_t]) except +
        int64_t size() const
        HashKey key() const
        void prepare_lookups() except +
        string_view term(int64_t) const
        span[const char] arena() const
        span[const int64_t] offsets() const
        void subset(span[const unsigned char], CVocabulary&) except +
        void freeze(HashKey, span[TermSlot]) except +
        void locate(const CVocabulary&, StopToken&, span[int64_t]) except +

cdef extern from "wordodds/text/word_map.hpp" namespace "wordodds" nogil:
    cdef cppclass CWordMap "wordodds::WordMap":
        CWordMap(const CVocabulary&, span[const char], span[const int64_t]) except +

cdef extern from "wordodds/text/lower.hpp" namespace "wordodds" nogil:
    cdef enum class Accents(int32_t):
        keep
        strip
        strip_ascii

cdef extern from "wordodds/text/analyze.hpp" namespace "wordodds" nogil:
    cdef enum class AnalyzerKind(int32_t):
        word
        word_or_mark
        chars
        chars_in_words
        unicode_word
        separated
    cdef cppclass CAnalyzerOptions "wordodds::AnalyzerOptions":
        AnalyzerKind kind
        bint lowercase
        Accents accents
        int32_t word_min_length
        int32_t ngram_min
        int32_t ngram_max
        const CVocabulary* stop_words
        const CWordMap* stems
        char name_space
    char view_name_space(size_t)

cdef extern from "wordodds/text/fasttext.hpp" namespace "wordodds" nogil:
    cdef cppclass FastTextOptions:
        int32_t word_ngrams
        int32_t subword_min
        int32_t subword_max
        int32_t n_buckets
        bint absent_counts
    cdef cppclass FastTextWord:
        pass
    cdef cppclass CFastTextRows "wordodds::FastTextRows":
        CFrozenTerms terms
        span[const FastTextWord] words
        FastTextOptions options
        span[const uint64_t] marks
        span[const uint32_t] ranks
        int64_t n_bucket_rows
        int64_t size() const
        void check() except +

cdef extern from "wordodds/text/count.hpp" namespace "wordodds" nogil:
    cdef cppclass HashingOptions:
        int32_t n_features
        bint alternate_sign

cdef extern from "wordodds/text/tfidf.hpp" namespace "wordodds" nogil:
    cdef enum class RowNorm(int32_t):
        none
        l1
        l2


cdef class Vocabulary:
    cdef unique_ptr[CVocabulary] engine
    cdef int prepare_lookups(self) except -1


cdef class FrozenTerms:
    cdef CFrozenTerms engine
    cdef readonly object arena
    cdef readonly object offsets
    cdef readonly object slots
    cdef readonly tuple key


cdef class FastTextRows:
    cdef CFastTextRows engine
    cdef readonly FrozenTerms terms
    cdef readonly object words
    cdef readonly object marks
    cdef readonly object ranks


cdef class WordMap:
    cdef unique_ptr[CWordMap] engine


cdef class AnalyzerOptions:
    cdef vector[CAnalyzerOptions] views
    cdef Vocabulary stop_words
    cdef WordMap stems
    cdef tuple parts


cdef class Borrowed:
    # Documents as the engine reads them, with what keeps their memory alive.
    cdef object owner
    cdef vector[Document] own
    cdef span[Document] view


cdef HashKey hash_key(tuple key)
cdef object copied_numbers(const int64_t* numbers, size_t n)
cdef Borrowed borrow(object documents)
cdef span[const CAnalyzerOptions] views_of(AnalyzerOptions options) noexcept

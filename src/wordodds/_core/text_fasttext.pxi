# Text as fastText reads it; part of text.pyx.

cdef extern from "wordodds/base/buffer.hpp" namespace "wordodds" nogil:
    cdef cppclass Buffer[T]:
        T* data()
        int64_t size()

cdef extern from "wordodds/text/fasttext.hpp" namespace "wordodds" nogil:
    void c_fasttext_hash_terms "wordodds::fasttext_hash_terms"(
        span[const char], span[const int64_t], span[uint32_t])
    void c_fasttext_find_subwords "wordodds::fasttext_find_subwords"(
        span[const char], span[const int64_t], const FastTextOptions&, StopToken&,
        Buffer[uint32_t]&, Buffer[int64_t]&) except +


cdef FastTextOptions fasttext_options(
    int32_t word_ngrams, int32_t subword_min, int32_t subword_max, int32_t n_buckets,
    bint absent_counts,
):
    cdef FastTextOptions options
    options.word_ngrams = word_ngrams
    options.subword_min = subword_min
    options.subword_max = subword_max
    options.n_buckets = n_buckets
    options.absent_counts = absent_counts
    return options


cdef class FastTextRows:
    """Which rows of weights fastText's reading of a text belongs to; keeps all arrays alive."""

    def __init__(
        self, FrozenTerms terms not None, const uint32_t[:, ::1] words not None,
        const uint64_t[::1] marks, const uint32_t[::1] ranks, *, int32_t word_ngrams,
        int32_t subword_min, int32_t subword_max, int32_t n_buckets, bint absent_counts,
        int64_t n_bucket_rows,
    ):
        if words.shape[1] != 2:
            raise ValueError("words must have a hash and a number of features each")
        self.terms, self.words = terms, words
        self.marks, self.ranks = marks, ranks
        self.engine.terms = terms.engine
        self.engine.words = span_of(
            <const FastTextWord*> &words[0, 0] if words.shape[0] else NULL, words.shape[0])
        self.engine.options = fasttext_options(
            word_ngrams, subword_min, subword_max, n_buckets, absent_counts)
        if marks is not None and ranks is not None:
            self.engine.marks = span_of(
                &marks[0] if marks.shape[0] else <const uint64_t*> NULL, marks.shape[0])
            self.engine.ranks = span_of(
                &ranks[0] if ranks.shape[0] else <const uint32_t*> NULL, ranks.shape[0])
        self.engine.n_bucket_rows = n_bucket_rows
        with nogil:  # the memoryviews pin the arrays
            self.engine.check()

    def __len__(self):
        return self.engine.size()


def fasttext_hash_terms(const unsigned char[::1] arena, const int64_t[::1] offsets):
    hashes = np.empty(max(offsets.shape[0] - 1, 0), dtype=np.uint32)
    cdef uint32_t[::1] out = hashes
    if out.shape[0] and offsets[offsets.shape[0] - 1] > arena.shape[0]:
        raise ValueError("offsets lead out of the arena")
    if out.shape[0]:
        with nogil:  # the memoryviews pin the arrays
            c_fasttext_hash_terms(
                span_of(<const char*> &arena[0] if arena.shape[0] else NULL, arena.shape[0]),
                span_of(&offsets[0], offsets.shape[0]), span_of(&out[0], out.shape[0]))
    return hashes


def fasttext_find_subwords(
    const unsigned char[::1] arena, const int64_t[::1] offsets, int32_t subword_min,
    int32_t subword_max, int32_t n_buckets,
):
    if n_buckets < 1 or offsets.shape[0] < 1 or offsets[offsets.shape[0] - 1] > arena.shape[0]:
        raise ValueError("subwords need buckets, and offsets within the arena")
    cdef FastTextOptions options = fasttext_options(1, subword_min, subword_max, n_buckets, False)
    cdef unique_ptr[Call] call = make_unique[Call](1, 0)
    cdef Buffer[uint32_t] buckets
    cdef Buffer[int64_t] ends
    with nogil:  # the memoryviews pin the arrays
        c_fasttext_find_subwords(
            span_of(<const char*> &arena[0] if arena.shape[0] else NULL, arena.shape[0]),
            span_of(&offsets[0], offsets.shape[0]), options, call.get().stop, buckets, ends)
    found = np.empty(buckets.size(), dtype=np.uint32)
    cdef uint32_t[::1] out = found
    if buckets.size():
        memcpy(&out[0], buckets.data(), buckets.size() * sizeof(uint32_t))
    return found, copied_numbers(ends.data(), ends.size())

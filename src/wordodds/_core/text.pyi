from collections.abc import Callable, Iterable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from wordodds._core.arrow import TextColumn
from wordodds._core.sparse import Csr

Documents: TypeAlias = tuple[str, ...] | TextColumn
Advance: TypeAlias = Callable[[int], None] | None
Rows: TypeAlias = tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[Any]]

class Vocabulary:
    """The terms of a fitted vectorizer, packed as UTF-8, in column order."""

    def __init__(
        self,
        arena: bytes | npt.NDArray[np.uint8],
        offsets: npt.NDArray[np.int64],
        key: tuple[int, int],
    ) -> None:
        """Term i is arena[offsets[i]:offsets[i + 1]]; key is the secret of the hash."""

    def __len__(self) -> int: ...
    def packed(self) -> tuple[bytes, npt.NDArray[np.int64]]:
        """Return arena and offsets, which make an equal vocabulary."""

    def terms(self) -> list[str]:
        """Return the terms in column order."""

    def view_begins(self, n_views: int) -> npt.NDArray[np.int32]:
        """Return the first columns of the views but the first; terms lie view by view."""

    def hashed_columns(self, n_columns: int) -> npt.NDArray[np.int64]:
        """Return MurmurHash3 mod n_columns of each term."""

    def locate(self, other: Vocabulary) -> npt.NDArray[np.int64]:
        """Return the column here of each term of another vocabulary, -1 where there is none."""

    def subset(self, keep: npt.NDArray[np.uint8]) -> Vocabulary:
        """Return the terms i with keep[i] != 0, in their order."""

class FrozenTerms:
    """A vocabulary that no longer changes, over arrays of its own or of a mapped file."""

    arena: Any
    offsets: Any
    slots: Any
    key: tuple[int, int]

    def __init__(
        self,
        arena: npt.NDArray[np.uint8],
        offsets: npt.NDArray[np.int64],
        slots: npt.NDArray[np.uint8],
        key: tuple[int, int],
    ) -> None:
        """Check and borrow a vocabulary's terms and the bytes of its table."""

    @staticmethod
    def of(vocabulary: Vocabulary, key: tuple[int, int]) -> FrozenTerms:
        """Copy a vocabulary, with a table under this key."""

    @staticmethod
    def aligned(slots: bytes | npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
        """Copy a table to where one may lie."""

    def __len__(self) -> int: ...
    def terms(self) -> list[str]:
        """Return the terms in column order."""

    def term(self, i: int) -> str:
        """Return one term."""

    def thawed(self) -> Vocabulary:
        """Return the same terms as a vocabulary."""

class WordMap:
    """Words and what stands for each of them."""

    def __init__(self, words: Vocabulary, arena: bytes, offsets: npt.NDArray[np.int64]) -> None:
        """Word i becomes arena[offsets[i]:offsets[i + 1]]."""

class AnalyzerOptions:
    """What the compiled analyzers are to do."""

    def __init__(
        self,
        analyzer: str,
        *,
        lowercase: bool,
        strip_accents: str | None,
        word_min_length: int,
        ngram_min: int,
        ngram_max: int,
        stop_words: Vocabulary | None,
    ) -> None:
        """Take "word", "char", "char_wb" or "unicode_word" and its options."""

    @staticmethod
    def beside(parts: tuple[AnalyzerOptions, ...], *, shares_vocabulary: bool) -> AnalyzerOptions:
        """Return several views of a text, with name spaces if they share a vocabulary."""

    @property
    def n_views(self) -> int:
        """The number of views."""

    def with_stems(self, stems: WordMap) -> AnalyzerOptions:
        """Return the same with other words in the place of words."""

    def single_words(self) -> AnalyzerOptions:
        """Return the same without n-grams."""

    def features(self, document: str, n_jobs: int, instruction_set: int) -> list[str]:
        """Return the features of one document."""

def documents_count_growing(
    documents: Documents,
    options: AnalyzerOptions,
    key: tuple[int, int],
    n_jobs: int,
    instruction_set: int,
    *,
    dtype: np.dtype[Any],
    binary: bool,
    advance: Advance,
) -> tuple[Vocabulary, npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[Any]]:
    """Count all features; return their vocabulary and the rows as (indptr, indices, data)."""

def documents_count_frozen(
    documents: Documents,
    options: AnalyzerOptions,
    vocabulary: Vocabulary,
    n_unknown: int,
    n_jobs: int,
    instruction_set: int,
    *,
    dtype: np.dtype[Any],
    binary: bool,
    advance: Advance,
) -> Rows:
    """Count the features of the vocabulary, others in n_unknown more columns; return the rows."""

def documents_count_hashed(
    documents: Documents,
    options: AnalyzerOptions,
    n_features: int,
    n_jobs: int,
    instruction_set: int,
    *,
    alternate_sign: bool,
    dtype: np.dtype[Any],
    binary: bool,
    advance: Advance,
) -> Rows:
    """Sum the features by hashed column; return the rows as (indptr, indices, data)."""

class FeatureCounter:
    """Counts features that Python found, one document after the other."""

    @staticmethod
    def growing(key: tuple[int, int], n_views: int) -> FeatureCounter:
        """Collect all features."""

    @staticmethod
    def frozen(vocabulary: Vocabulary, n_unknown: int, n_views: int) -> FeatureCounter:
        """Count the features of a vocabulary, and others in n_unknown more columns."""

    @staticmethod
    def hashed(n_features: int, n_views: int, *, alternate_sign: bool) -> FeatureCounter:
        """Sum the features by hashed column."""

    def add_view(self, features: Iterable[str]) -> None:
        """Take the features of the next view; with the last one a document ends."""

    def finish(
        self, n_jobs: int, instruction_set: int, *, dtype: np.dtype[Any], binary: bool
    ) -> tuple[Vocabulary, npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[Any]]:
        """Return vocabulary and rows."""

def csr_weigh_terms(
    idf: npt.NDArray[np.floating[Any]] | None,
    n_jobs: int,
    instruction_set: int,
    *,
    sublinear: bool,
    norm: str,
    view_begins: npt.NDArray[np.int32] | None,
    matrix_in_out: Csr,
) -> None:
    """Turn the values of a matrix, counts, into tf-idf; norm is "none", "l1" or "l2".

    Each view, from its first column on, has a norm of its own.
    """

class FastTextRows:
    """Which rows of weights fastText's reading of a text belongs to."""

    terms: FrozenTerms
    words: npt.NDArray[np.uint32]
    marks: npt.NDArray[np.uint64] | None
    ranks: npt.NDArray[np.uint32] | None

    def __init__(
        self,
        terms: FrozenTerms,
        words: npt.NDArray[np.uint32],
        marks: npt.NDArray[np.uint64] | None,
        ranks: npt.NDArray[np.uint32] | None,
        *,
        word_ngrams: int,
        subword_min: int,
        subword_max: int,
        n_buckets: int,
        absent_counts: bool,
        n_bucket_rows: int,
    ) -> None:
        """Take hash and number of features of each word, and the buckets that have rows."""

    def __len__(self) -> int: ...

def fasttext_hash_terms(
    arena: npt.NDArray[np.uint8], offsets: npt.NDArray[np.int64]
) -> npt.NDArray[np.uint32]:
    """Return fastText's hash of each term."""

def fasttext_find_subwords(
    arena: npt.NDArray[np.uint8],
    offsets: npt.NDArray[np.int64],
    subword_min: int,
    subword_max: int,
    n_buckets: int,
) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.int64]]:
    """Return the buckets of all subwords, and where those of each term end."""

"""Text as fastText reads it: which words, subwords and n-grams of words have which weights.

A line is cut at six characters of ASCII's white space and at NUL, and ends with the word
``</s>``; after a ``</s>`` in the text nothing counts. Case stays. Labels count for nothing, nor
does any unknown word that begins with ``__label__``. With w a word, H fastText's hash of its bytes
and B the number of buckets, the features of a line are

- each known w, and of each w but ``</s>`` its subwords: the stretches of minn to maxn characters
  of ``<w>``, in bucket H(stretch) mod B;
- each n-gram of words, in bucket (... (H(w1) * 116049371 + H(w2)) * 116049371 + ...) mod B.

The weights of a known word and of all its subwords are one row here: their sum.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from wordodds._border.cached_property import cached_property
from wordodds._border.terms import pack_vocabulary
from wordodds._core import text as core
from wordodds.typing import AnyArray, Ints

__all__ = ["FastTextReading", "ReadWord"]

_SENTENCE_END = "</s>"
_LABEL_PREFIX = "__label__"
_WORDS = re.compile("[^ \t\n\v\f\r\0]+")
_LONGEST = 255  # of n-grams and subwords: the work for a text grows with it


class ReadWord(NamedTuple):
    """A word of a text, its row of weights (-1: it is unknown) and where it stands."""

    text: str
    row: int
    begin: int
    end: int

    @property
    def is_end(self) -> bool:
        """Whether it stands for the end of the line."""
        return self.text == _SENTENCE_END


@dataclass(frozen=True, eq=False)
class FastTextReading:
    """Which rows of weights a text has. Never changes.

    ``terms`` are the words, then labels that a text may hold; ``words`` (n_words, 2) the hash of
    each word, and how many features its row is the sum of. ``subwords`` are the characters of the
    shortest and the longest; (0, 0): there are none. Bit b of ``marks``: bucket b has a row; None:
    each has one. ``absent_counts``: whether a feature whose bucket has no row counts in the mean.
    """

    terms: core.FrozenTerms
    words: npt.NDArray[np.uint32]
    word_ngrams: int
    subwords: tuple[int, int]
    n_buckets: int
    marks: npt.NDArray[np.uint64] | None = None
    absent_counts: bool = False

    def __getstate__(self) -> dict[str, Any]:
        # Without what is made of these when it is first needed.
        return {part.name: getattr(self, part.name) for part in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)

    @cached_property
    def rows(self) -> core.FastTextRows:
        """What the compiled scorer takes."""
        ranks = None
        n_bucket_rows = self.n_buckets
        if self.marks is not None:
            n_bucket_rows = int(np.bitwise_count(self.marks).sum(dtype=np.int64))
            ranks = self._ranks.astype(np.uint32)
        shortest, longest = self.subwords
        return core.FastTextRows(
            self.terms,
            self.words,
            self.marks,
            ranks,
            word_ngrams=self.word_ngrams,
            subword_min=shortest,
            subword_max=longest,
            n_buckets=self.n_buckets,
            absent_counts=self.absent_counts,
            n_bucket_rows=n_bucket_rows,
        )

    @property
    def n_features(self) -> int:
        """How many rows of weights there must be."""
        return len(self.rows)

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, AnyArray]]:
        """Return plain options and arrays that hold all but the terms."""
        options = {
            "word_ngrams": self.word_ngrams,
            "subwords": list(self.subwords),
            "n_buckets": self.n_buckets,
            "absent_counts": self.absent_counts,
        }
        arrays: dict[str, AnyArray] = {"words": self.words}
        if self.marks is not None:
            arrays["marks"] = self.marks
        return options, arrays

    @classmethod
    def from_arrays(
        cls,
        terms: core.FrozenTerms,
        options: Mapping[str, Any],
        arrays: Mapping[str, AnyArray],
    ) -> "FastTextReading":
        """Return what `to_arrays` took apart, or raise ValueError if it makes no sense."""
        word_ngrams, subwords = options["word_ngrams"], options["subwords"]
        n_buckets, absent_counts = options["n_buckets"], options["absent_counts"]
        plausible = isinstance(subwords, list) and len(subwords) == 2
        plausible = plausible and all(type(n) is int for n in (word_ngrams, n_buckets, *subwords))
        if not plausible or type(absent_counts) is not bool:
            raise ValueError("options of fastText's reading must be whole numbers")
        if not (1 <= word_ngrams <= _LONGEST and all(0 <= n <= _LONGEST for n in subwords)):
            raise ValueError(f"n-grams of {word_ngrams} words and {subwords} characters")
        if not 0 <= n_buckets < 2**31:
            raise ValueError(f"it has {n_buckets} buckets")
        words, marks = arrays["words"], arrays.get("marks")
        if words.dtype != np.uint32 or words.ndim != 2:
            raise ValueError("words must be a table of uint32")
        if marks is not None and (marks.dtype != np.uint64 or marks.ndim != 1):
            raise ValueError("marks must be a row of uint64")
        first, last = subwords
        reading = cls(terms, words, word_ngrams, (first, last), n_buckets, marks, absent_counts)
        _ = reading.rows  # which checks that they fit each other
        return reading

    def read(self, text: str) -> list[ReadWord]:
        """Return the words of one text that count, in order, the end of the line last."""
        places = [match.span() for match in _WORDS.finditer(text)]
        words = [text[slice(*place)] for place in places]
        if _SENTENCE_END in words:
            del places[words.index(_SENTENCE_END) + 1 :], words[words.index(_SENTENCE_END) + 1 :]
        else:
            places.append((len(text), len(text)))
            words.append(_SENTENCE_END)
        ids = self._ids_of(words)
        found = []
        for word, place in zip(words, places, strict=True):
            row = ids[word]
            if row >= len(self.words) or (row < 0 and word.startswith(_LABEL_PREFIX)):
                continue
            found.append(ReadWord(word, row, *place))
        return found

    def row_of(self, word: str) -> int:
        """Return the row of a known word, -1 if it has none."""
        row = self._ids_of([word])[word]
        return row if row < len(self.words) else -1

    def _ids_of(self, words: list[str]) -> dict[str, int]:
        distinct = sorted(set(words))
        ids = self._vocabulary.locate(pack_vocabulary(distinct))
        return dict(zip(distinct, ids.tolist(), strict=True))

    @cached_property
    def _vocabulary(self) -> core.Vocabulary:
        return self.terms.thawed()

    def rows_of_buckets(self, buckets: AnyArray) -> Ints:
        """Return the row of weights of each bucket, -1 where it has none."""
        numbers = buckets.astype(np.int64)
        if self.marks is None:
            return len(self.words) + numbers
        marks, bits = self.marks[numbers // 64], (numbers % 64).astype(np.uint64)
        below = marks & ((np.uint64(1) << bits) - np.uint64(1))
        ranks = self._ranks[numbers // 64] + np.bitwise_count(below)
        is_marked = marks >> bits & np.uint64(1) == 1
        return np.where(is_marked, len(self.words) + ranks, -1)

    @cached_property
    def _ranks(self) -> Ints:
        """How many buckets have rows before each block of 64."""
        assert self.marks is not None
        counts = np.bitwise_count(self.marks)
        return np.cumsum(counts, dtype=np.int64) - counts

    def name_of(self, row: int) -> str:
        """Return what to call a row of the weights."""
        if row < len(self.words):
            return self.terms.term(row)
        bucket = row - len(self.words)
        if self.marks is not None:
            ends = np.cumsum(np.bitwise_count(self.marks), dtype=np.int64)
            block = int(np.searchsorted(ends, bucket, side="right"))
            bits = np.unpackbits(self.marks[block : block + 1].view(np.uint8), bitorder="little")
            rank = bucket - int(ends[block]) + int(bits.sum())
            bucket = 64 * block + int(np.flatnonzero(bits)[rank])
        return f"<bucket {bucket}>"

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
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from wordodds._core import text as core
from wordodds.text.terms import pack_vocabulary

__all__ = ["FastTextReading", "FoundFeature"]

_SENTENCE_END = "</s>"
_LABEL_PREFIX = "__label__"
_WORDS = re.compile("[^ \t\n\v\f\r\0]+")
_NGRAM_FACTOR = 116049371
_LONGEST = 255  # of n-grams and subwords: the work for a text grows with it


class FoundFeature(NamedTuple):
    """A feature of a text, with its row of weights (None: it only counts) and where it stands."""

    name: str
    row: int | None
    n_features: int
    places: list[tuple[int, int]]


@dataclass(frozen=True, eq=False)
class FastTextReading:
    """Which rows of weights a text has. Never changes.

    Parameters
    ----------
    terms : FrozenTerms
        The words, then labels that a text may hold.
    words : ndarray of uint32 of shape (n_words, 2)
        Hash of each word, and how many features its row is the sum of.
    word_ngrams : int
        Words of the longest n-grams.
    subwords : (int, int)
        Characters of the shortest and the longest subwords; (0, 0): there are none.
    n_buckets : int
        What n-grams and subwords are hashed to.
    marks : ndarray of uint64 or None
        Bit b: bucket b has a row; None: each has one.
    absent_counts : bool
        Whether a feature whose bucket has no row counts in the mean.
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
            ends = np.cumsum(np.bitwise_count(self.marks), dtype=np.int64)
            n_bucket_rows = int(ends[-1]) if len(ends) else 0
            ranks = np.concatenate([[0], ends[:-1]]).astype(np.uint32)[: len(ends)]
        return core.FastTextRows(
            self.terms,
            self.words,
            self.marks,
            ranks,
            self.word_ngrams,
            *self.subwords,
            self.n_buckets,
            self.absent_counts,
            n_bucket_rows,
        )

    @property
    def n_features(self) -> int:
        """How many rows of weights there must be."""
        return len(self.rows)

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        """Return plain options and arrays that hold all but the terms."""
        options = {
            "word_ngrams": self.word_ngrams,
            "subwords": list(self.subwords),
            "n_buckets": self.n_buckets,
            "absent_counts": self.absent_counts,
        }
        arrays: dict[str, npt.NDArray[Any]] = {"words": self.words}
        if self.marks is not None:
            arrays["marks"] = self.marks
        return options, arrays

    @classmethod
    def from_arrays(
        cls,
        terms: core.FrozenTerms,
        options: Mapping[str, Any],
        arrays: Mapping[str, npt.NDArray[Any]],
    ) -> "FastTextReading":
        """Return what `to_arrays` took apart, whoever wrote it.

        Parameters
        ----------
        terms : FrozenTerms
            Of the same file.
        options : mapping
            Plain values.
        arrays : mapping of str to ndarray
            By name.

        Raises
        ------
        ValueError
            If they make no sense.
        """
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

    def found_in(self, text: str) -> list[FoundFeature]:
        """Return the features of one text, for people: the compiled scorer makes no such list.

        Parameters
        ----------
        text : str
            One document.
        """
        places = [match.span() for match in _WORDS.finditer(text)]
        ends = [place for place in places if text[slice(*place)] == _SENTENCE_END]
        if ends:
            places = places[: places.index(ends[0])]
        places.append(ends[0] if ends else (len(text), len(text)))
        words = [text[slice(*place)] for place in places[:-1]] + [_SENTENCE_END]
        ids = self._ids_of(words)
        found: list[FoundFeature] = []
        read: list[tuple[str, tuple[int, int], int]] = []  # the words that n-grams are made of
        for word, place in zip(words, places, strict=True):
            row = ids[word]
            if row >= len(self.words) or (row < 0 and word.startswith(_LABEL_PREFIX)):
                continue
            if row >= 0:
                found.append(FoundFeature(word, row, int(self.words[row, 1]), [place]))
            elif word != _SENTENCE_END:
                found += self._subwords_of(word, place)
            read.append((word, place, _hash(word.encode("utf-8", "surrogatepass"))))
        for first in range(len(read)):
            number = _signed(read[first][2])
            for last in range(first + 1, min(first + self.word_ngrams, len(read))):
                number = (number * _NGRAM_FACTOR + _signed(read[last][2])) % 2**64
                some = read[first : last + 1]
                name = " ".join(word for word, _, _ in some)
                found += self._in_bucket(name, number, [place for _, place, _ in some])
        return found

    def _ids_of(self, words: list[str]) -> dict[str, int]:
        distinct = sorted(set(words))
        ids = self._vocabulary.locate(pack_vocabulary(distinct))
        return dict(zip(distinct, ids.tolist(), strict=True))

    @cached_property
    def _vocabulary(self) -> core.Vocabulary:
        return self.terms.thawed()

    def _subwords_of(self, word: str, place: tuple[int, int]) -> list[FoundFeature]:
        shortest, longest = self.subwords
        padded = f"<{word}>"
        found: list[FoundFeature] = []
        for begin in range(len(padded)):
            for end in range(begin + max(shortest, 1), min(begin + longest, len(padded)) + 1):
                if end - begin == 1 and (begin == 0 or end == len(padded)):
                    continue
                piece = padded[begin:end]
                within = (max(begin - 1, 0), min(end - 1, len(word)))
                where = [(place[0] + within[0], place[0] + within[1])]
                number = _hash(piece.encode("utf-8", "surrogatepass"))
                found += self._in_bucket(piece, number, where)
        return found

    def _in_bucket(
        self, name: str, number: int, places: list[tuple[int, int]]
    ) -> list[FoundFeature]:
        bucket = number % self.n_buckets
        if self.marks is None:
            return [FoundFeature(name, len(self.words) + bucket, 1, places)]
        marks = int(self.marks[bucket // 64])
        if not marks >> bucket % 64 & 1:
            return [FoundFeature(name, None, 1, places)] if self.absent_counts else []
        before = int(np.bitwise_count(self.marks[: bucket // 64]).sum())
        rank = before + (marks & ((1 << bucket % 64) - 1)).bit_count()
        return [FoundFeature(name, len(self.words) + rank, 1, places)]

    def name_of(self, row: int) -> str:
        """Return what to call a row of the weights.

        Parameters
        ----------
        row : int
            Its number.
        """
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


def _hash(raw: bytes) -> int:
    number = 2166136261
    for byte in raw:
        number = (number ^ (byte - 256 if byte > 127 else byte) % 2**32) * 16777619 % 2**32
    return number


def _signed(number: int) -> int:
    return (number - 2**32 if number >= 2**31 else number) % 2**64

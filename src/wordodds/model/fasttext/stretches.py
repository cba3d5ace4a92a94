"""The hashed features of fastText's reading, length by length, in arrays instead of loops.

A text of n characters has up to 255 n subwords, and each is hashed from its first byte on. Here the
hash of a stretch of characters is made from that of the stretch one shorter, for all of a length
at once, so that the work grows with the number of subwords and the memory with the text. N-grams of
words are found in the same way.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from wordodds.typing import AnyArray, Ints

__all__ = ["Stretches", "ngrams_by_length", "subwords_by_length"]

_NGRAM_FACTOR = np.uint64(116049371)
_HASH_START, _HASH_FACTOR = np.uint32(2166136261), np.uint32(16777619)
# Odd and arbitrary: equal stretches have equal keys, and others practically never.
_KEY_FACTOR, _UNIT_FACTOR = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD1342543DE82EF95)


class Stretches(NamedTuple):
    """Consecutive characters or words, all of one length."""

    length: int
    begin: Ints
    number: AnyArray
    """Hash, of which the remainder is the bucket."""
    key: npt.NDArray[np.uint64]
    """Equal for equal stretches."""


def subwords_by_length(padded: str, ends: Ints, shortest: int, longest: int) -> Iterator[Stretches]:
    """Yield all stretches of characters, those of one length at a time; ``<`` and ``>`` are none.

    ``padded`` has words in ``<`` and ``>``, one after the other, ``ends`` where the word of each
    character ends.

    Examples
    --------
    >>> [s.begin.tolist() for s in subwords_by_length("<ab>", np.full(4, 4), 3, 9)]
    [[0, 1], [0]]
    """
    codes = np.frombuffer(padded.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    units = _utf8_of(codes)
    border = np.zeros(len(codes), dtype=bool)
    border[ends - 1] = True
    border[1:] |= border[:-1]  # what follows an end begins a word
    border[:1] = True
    begin = np.arange(len(codes), dtype=np.int64)
    number = np.full(len(codes), _HASH_START)
    key = np.zeros(len(codes), dtype=np.uint64)
    for length in range(1, longest + 1):
        inside = begin + length <= ends[begin]
        if not inside.all():
            begin, number, key = begin[inside], number[inside], key[inside]
        if len(begin) == 0:
            return
        last = begin + (length - 1)
        number = _hashed(number, last, units)
        key = key * _KEY_FACTOR + (codes[last].astype(np.uint64) + np.uint64(1)) * _UNIT_FACTOR
        if length == 1 and shortest <= 1:
            inner = ~border[begin]
            yield Stretches(length, begin[inner], number[inner], key[inner])
        elif length >= shortest:
            yield Stretches(length, begin, number, key)


def ngrams_by_length(
    hashes: npt.NDArray[np.uint32], identities: Ints, longest: int
) -> Iterator[Stretches]:
    """Yield all n-grams of two words or more, those of one length at a time."""
    # Hashes count as signed numbers of 32 bits.
    signed = hashes.view(np.int32).astype(np.int64).view(np.uint64)
    units = (identities.astype(np.uint64) + np.uint64(1)) * _UNIT_FACTOR
    number, key = signed, units
    for length in range(2, min(longest, len(hashes)) + 1):
        number = number[:-1] * _NGRAM_FACTOR + signed[length - 1 :]
        key = key[:-1] * _KEY_FACTOR + units[length - 1 :]
        yield Stretches(length, np.arange(len(number), dtype=np.int64), number, key)


def _utf8_of(codes: npt.NDArray[np.uint32]) -> list[tuple[npt.NDArray[np.uint32], Any]]:
    """Return byte 0, 1, ... of each character as a signed number, and which characters have it."""
    limits = [0x80, 0x800, 0x10000]
    size = 1 + np.searchsorted(limits, codes, side="right")
    lead = np.array([0, 0, 0xC0, 0xE0, 0xF0], dtype=np.uint32)[size]
    units = []
    for k in range(int(size.max(initial=1))):
        shift = (6 * np.maximum(size - 1 - k, 0)).astype(np.uint32)
        byte = lead | codes >> shift if k == 0 else 0x80 | codes >> shift & 0x3F
        has_it = None if k == 0 else size > k
        units.append((byte.astype(np.uint8).view(np.int8).astype(np.int32).view(np.uint32), has_it))
    return units


def _hashed(
    number: npt.NDArray[np.uint32],
    at: Ints,
    units: list[tuple[npt.NDArray[np.uint32], Any]],
) -> npt.NDArray[np.uint32]:
    """Return the hashes with one more character each."""
    for byte, has_it in units:
        longer = (number ^ byte[at]) * _HASH_FACTOR
        number = longer if has_it is None else np.where(has_it[at], longer, number)
    return number

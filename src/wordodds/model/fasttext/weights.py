"""The matrices of fastText's file as weights of ours: from E and A to one row a feature."""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from wordodds._border.terms import frozen_terms, new_hash_key
from wordodds._core import text as core
from wordodds._core.base import lane_stride
from wordodds._files.progress import Advance
from wordodds.model.errors import ModelFileError, damaged
from wordodds.model.fasttext.file import FastTextFile
from wordodds.model.fasttext.reading import FastTextReading
from wordodds.model.linear_model import LinearModel
from wordodds.typing import AnyArray, AnyFloats, Booleans, Floats, Floats32, Ints

__all__ = [
    "feature_rows",
    "is_small",
    "n_feature_rows",
    "output_columns",
    "reading_of",
    "rounded",
    "without",
]


_LABEL_PREFIX = b"__label__"
_BLOCK = 1 << 22  # numbers that are handled at once
_LARGEST_GROWTH = 64  # times the size of the file that a quantised one may grow to
_ALWAYS_FINE = 1 << 28  # bytes


def output_columns(name: str, file: FastTextFile) -> Floats:
    """Return A as columns, (dim, n_columns): one for two classes of softmax."""
    n_bytes = 8 * file.output.n_rows * file.dim
    if n_bytes > max(_ALWAYS_FINE, _LARGEST_GROWTH * file.n_bytes):
        raise damaged(name, f"its output would take {n_bytes} bytes")
    table = file.output.rows(0, file.output.n_rows)
    _check_finite(name, table)
    if file.loss == "softmax" and len(table) == 2:
        table = table[1:] - table[:1]
    elif file.loss == "hierarchical softmax":
        table = table[:-1]  # a node less than there are leaves
    return table.T.copy()


def feature_rows(
    name: str, file: FastTextFile, outputs: Floats, rank: str, advance: Advance
) -> tuple[Floats32, Floats | None]:
    """Return the rows that features have, and the second factor where both are kept."""
    n_rows, n_columns = n_feature_rows(file), outputs.shape[1]
    kept = 4 * n_rows * lane_stride(file.dim) + 8 * file.dim * n_columns
    collapsed = 4 * n_rows * lane_stride(n_columns)
    keep = kept < collapsed if rank == "auto" else rank == "keep"
    size = kept if keep else collapsed
    if rank == "auto" and size > max(_ALWAYS_FINE, _LARGEST_GROWTH * file.n_bytes):
        raise ModelFileError(f"{name}: {file.n_bytes} bytes would become {size} bytes of weights")
    weights = np.zeros((n_rows, lane_stride(file.dim if keep else n_columns)), dtype=np.float32)
    step = max(1, _BLOCK // max(file.dim, n_columns))
    for begin in range(0, n_rows, step):
        rows = file.input.rows(begin, min(begin + step, n_rows))
        _check_finite(name, rows)
        with np.errstate(over="ignore"):  # seen below
            product = (rows if keep else rows @ outputs).astype(np.float32)
        if not keep:
            _check_finite(name, product)
        weights[begin : begin + len(rows), : product.shape[1]] = product
        advance(len(rows))
    return weights, outputs if keep else None


def n_feature_rows(file: FastTextFile) -> int:
    """Return how many rows of the input matrix text can reach."""
    n_of_buckets = file.n_buckets if file.pruned is None else len(file.pruned)
    return len(file.words) + n_of_buckets


def _check_finite(name: str, numbers: AnyArray) -> None:
    if not np.isfinite(numbers).all():
        raise damaged(name, "not all of its numbers are finite")


def reading_of(
    name: str, file: FastTextFile, weights: Floats32
) -> tuple[FastTextReading, Floats32]:
    """Return how text is read, and weights where rows of words have those of their subwords.

    Words that are no UTF-8 are left out: no str has them. The weights may be written to.
    """
    n_words = len(file.words)
    marks = None
    if file.pruned is not None:
        if file.n_buckets // 8 > max(_ALWAYS_FINE // 16, _LARGEST_GROWTH * file.n_bytes):
            raise damaged(name, f"{file.n_buckets} buckets")
        by_bucket = file.pruned[np.argsort(file.pruned[:, 0])]
        marks = _bits(by_bucket[:, 0], file.n_buckets)
        weights[n_words:] = weights[n_words:][by_bucket[:, 1]]
    readable = np.array([_is_text(word) for word in file.words], dtype=bool)
    words = [word for word, kept in zip(file.words, readable, strict=True) if kept]
    # Others are recognised by their prefix.
    other_labels = [x for x in file.labels if _is_text(x) and not x.startswith(_LABEL_PREFIX)]
    arena, offsets = _packed(words)
    hashes = core.fasttext_hash_terms(arena, offsets)
    counts = np.ones(len(words), dtype=np.uint32)
    if not readable.all():
        weights = np.concatenate([weights[:n_words][readable], weights[n_words:]])
    if file.subwords[1] > 0:
        _add_subwords(name, file, arena, offsets, weights, counts)
    all_arena, all_offsets = _packed(words + other_labels)
    terms = frozen_terms(core.Vocabulary(all_arena, all_offsets, new_hash_key()))
    reading = FastTextReading(
        terms,
        np.stack([hashes, counts], axis=1),
        file.word_ngrams,
        file.subwords,
        file.n_buckets,
        marks,
    )
    return reading, weights


def _is_text(raw: bytes) -> bool:
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _packed(words: list[bytes]) -> tuple[npt.NDArray[np.uint8], Ints]:
    offsets = np.zeros(len(words) + 1, dtype=np.int64)
    np.cumsum([len(word) for word in words], out=offsets[1:])
    return np.frombuffer(b"".join(words), dtype=np.uint8), offsets


def _bits(buckets: AnyArray, n_buckets: int) -> npt.NDArray[np.uint64]:
    bits = np.zeros(-(-n_buckets // 64), dtype=np.uint64)
    wide = buckets.astype(np.uint64)
    np.bitwise_or.at(bits, (wide >> 6).astype(np.intp), np.uint64(1) << (wide & 63))
    return bits


def _add_subwords(
    name: str,
    file: FastTextFile,
    arena: npt.NDArray[np.uint8],
    offsets: Ints,
    weights: Floats32,
    counts: npt.NDArray[np.uint32],
) -> None:
    """Add to each word's row those of its subwords, and to its count how many there are."""
    n_words, first = len(counts), 0
    of_buckets = weights[n_words:]
    kept = None if file.pruned is None else np.sort(file.pruned[:, 0])
    at_once = _BLOCK // file.subwords[1]  # bytes of words
    if n_words and int(np.diff(offsets).max()) > 4 * at_once:
        raise damaged(name, f"a word of {int(np.diff(offsets).max())} bytes")
    while first < n_words:
        last = int(np.searchsorted(offsets, offsets[first] + at_once, side="right")) - 1
        last = min(max(last, first + 1), n_words)
        borders = offsets[first : last + 1]
        found, ends = core.fasttext_find_subwords(
            arena[borders[0] : borders[-1]], borders - borders[0], *file.subwords, file.n_buckets
        )
        word_of = np.repeat(np.arange(last - first), np.diff(ends, prepend=0))
        rows = found.astype(np.intp)
        if kept is not None:
            places = np.searchsorted(kept, rows)
            is_kept = kept[np.minimum(places, len(kept) - 1)] == rows if len(kept) else rows < 0
            word_of, rows = word_of[is_kept], places[is_kept]
        counts[first:last] += np.bincount(word_of, minlength=last - first).astype(np.uint32)
        sums = weights[first:last].astype(np.float64)
        step = max(1, _BLOCK // weights.shape[1])
        for begin in range(0, len(rows), step):
            some = slice(begin, begin + step)
            np.add.at(sums, word_of[some], of_buckets[rows[some]].astype(np.float64))
        with np.errstate(over="ignore"):  # seen below
            weights[first:last] = sums
        _check_finite(name, weights[first:last])
        first = last


def is_small(model: LinearModel, loss: str, tolerance: float) -> Booleans:
    """Return which rows of buckets cannot move any log-odds by more than the tolerance.

    A score is a mean over features: rows that are left out, all of them together, move it by no
    more than the largest alone could. Log-odds are those between two labels, or of each label where
    they are questions of their own.
    """
    assert model.features.fasttext is not None
    first, n_columns = len(model.features.fasttext.words), len(model.bias)
    small = np.empty(model.n_features - first, dtype=bool)
    step = max(1, _BLOCK // max(n_columns, model._weights.table.shape[1]))
    for begin in range(0, len(small), step):
        rows = slice(first + begin, min(first + begin + step, model.n_features))
        weights = model._weights.rows(rows)
        # What is added to all scores of a softmax alike changes nothing.
        alike = loss == "softmax" and n_columns > 1
        reach = np.ptp(weights, axis=1) if alike else np.abs(weights).max(axis=1)
        small[begin : begin + len(reach)] = reach <= tolerance
    return small


def without(
    name: str,
    reading: FastTextReading,
    weights: Floats32,
    small: Booleans,
) -> tuple[FastTextReading, Floats32]:
    """Leave out rows of buckets, which count as features all the same."""
    if reading.marks is not None:
        raise ValueError(f"{name} was pruned by fastText: tolerance is for models that were not")
    kept = np.flatnonzero(~small)
    marks = _bits(kept, reading.n_buckets) if reading.n_buckets else None
    n_words = len(reading.words)
    return (
        replace(reading, marks=marks, absent_counts=True),
        np.concatenate([weights[:n_words], weights[n_words:][kept]]),
    )


def rounded(name: str, weights: Floats32, dtype: str) -> AnyFloats:
    """Return the weights in the dtype of the file to come."""
    if dtype == "float32":
        return weights
    with np.errstate(over="ignore", under="ignore"):
        rounded = weights.astype(np.float16)
    if not np.isfinite(rounded).all():
        raise ValueError(f'{name} has weights above 65504: dtype="float16" cannot hold them')
    return rounded

"""fastText's model files, ``.bin`` and ``.ftz``: their parts, checked before they are believed.

Layout of versions 11 and 12, little-endian, one part after the other
----------------------------------------------------------------------
=============  ====================================================================================
signature      int32 793712314, int32 version
arguments      12 of int32: dim, ws, epoch, minCount, neg, wordNgrams, loss, model, bucket, minn,
               maxn, lrUpdateRate; float64 t
dictionary     int32 size, nwords, nlabels; int64 ntokens, pruneidx_size (-1: all buckets have rows)
entries        size times: the word, a NUL, int64 count, int8 type (0 word, 1 label)
pruned         pruneidx_size times: int32 bucket, int32 row after those of the words
input          bool quantised; a matrix of nwords + bucket rows (or the pruned ones) and dim columns
output         bool quantised; a matrix of nlabels rows and dim columns
matrix         int64 rows, int64 columns, float32 numbers
quantised      bool with norms; int64 rows, columns; int32 length of codes; uint8 codes; a
               quantiser; with norms: uint8 codes of the norms, a quantiser of one dimension
quantiser      int32 dim, parts, width, width of the last; float32 centroids, 256 a part
=============  ====================================================================================

Sizes are compared with what is left of the file before anything is made of their size.
"""

import mmap
import os
import stat
import struct
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from wordodds.model.errors import ModelFileError, damaged
from wordodds.typing import AnyArray, Codes, Floats, Floats32

__all__ = ["MAGIC", "FastTextFile", "Matrix", "read_fasttext"]

MAGIC = struct.pack("<i", 793712314)
LOSSES = {1: "hierarchical softmax", 2: "negative sampling", 3: "softmax", 4: "one-vs-all"}
_MODELS = {1: "cbow", 2: "skipgram"}
_SUPERVISED = 3
_VERSIONS = (11, 12)
_LONGEST = 255  # of n-grams: more would only serve to make a reader slow
_CENTROIDS = 256
_LEAST_ENTRY = 1 + 8 + 1  # bytes of an entry without a word


class Matrix(Protocol):
    """Rows of numbers, wherever they come from."""

    n_rows: int
    n_columns: int

    def rows(self, begin: int, end: int) -> Floats:
        """Return rows begin to end."""


@dataclass(frozen=True)
class FastTextFile:
    """What a file holds. The matrices are views of it."""

    version: int
    loss: str
    dim: int
    word_ngrams: int
    subwords: tuple[int, int]
    n_buckets: int
    words: list[bytes]
    labels: list[bytes]
    label_counts: list[int]
    pruned: Codes | None
    """Buckets that are left, and their rows after those of the words; None: all are."""
    input: Matrix
    output: Matrix
    is_quantised: bool
    n_bytes: int


def read_fasttext(path: str | os.PathLike[str]) -> FastTextFile:
    """Read a supervised model of fastText, or raise ModelFileError."""
    name = os.fsdecode(path)
    content = _content(name)
    if content[:4] != MAGIC:
        raise ModelFileError(
            f"{name} is not a fastText model: it does not begin with fastText's signature. Pass "
            "the .bin or .ftz file of a supervised model (files from before May 2017 have no "
            "signature: load and save them with a newer fastText first)"
        )
    try:
        return _parsed(name, _Reader(content))
    except _Defect as defect:
        raise damaged(name, str(defect)) from None


class _Defect(Exception):  # noqa: N818 - never leaves this file
    """What is wrong with the bytes; the caller knows whose they are."""


def _content(name: str) -> memoryview:
    # Without waiting for the other end of a pipe.
    descriptor = os.open(name, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise ModelFileError(f"{name} is not a regular file: pass fastText's .bin or .ftz file")
        if status.st_size == 0:
            raise ModelFileError(f"{name} is empty: pass fastText's .bin or .ftz file")
        return memoryview(mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ))
    finally:
        os.close(descriptor)


class _Reader:
    """A place in the file, that moves on with what is read."""

    def __init__(self, content: memoryview) -> None:
        self.content = content
        self.position = 0

    @property
    def left(self) -> int:
        return len(self.content) - self.position

    def skip(self, n_bytes: int, what: str) -> int:
        """Move past n_bytes, which are there, and return where they begin."""
        if not 0 <= n_bytes <= self.left:
            raise _Defect(f"{what} would take {n_bytes} bytes of the {self.left} that are left")
        begin = self.position
        self.position += n_bytes
        return begin

    def numbers(self, layout: str, what: str) -> tuple[Any, ...]:
        size = struct.calcsize(f"<{layout}")
        return struct.unpack_from(f"<{layout}", self.content, self.skip(size, what))

    def flag(self, what: str) -> bool:
        (value,) = self.numbers("B", what)
        if value > 1:
            raise _Defect(f"{what} is {value}, neither yes nor no")
        return bool(value)

    def array(self, dtype: str, length: int, what: str) -> AnyArray:
        size = np.dtype(dtype).itemsize
        begin = self.skip(length * size, what)
        return np.frombuffer(self.content, dtype=np.uint8)[begin : self.position].view(dtype)


class _Entries(NamedTuple):
    words: list[bytes]
    labels: list[bytes]
    label_counts: list[int]
    pruned: Codes | None


def _parsed(name: str, reader: _Reader) -> FastTextFile:
    _, version = reader.numbers("2i", "the signature")
    if version not in _VERSIONS:
        raise ModelFileError(
            f"{name} is of version {version} of fastText's format; versions 11 and 12 can be read"
        )
    arguments = reader.numbers("12id", "the arguments")
    dim, _, _, _, _, word_ngrams, loss, model, n_buckets, minn, maxn, _, _ = arguments
    if model in _MODELS:
        raise ModelFileError(
            f"{name} holds word vectors ({_MODELS[model]}), which label nothing: pass a model that "
            "`fasttext supervised` or `train_supervised` made"
        )
    if model != _SUPERVISED or loss not in LOSSES:
        raise _Defect(f"it is of model {model} and loss {loss}, which fastText does not have")
    subwords = (0, 0) if maxn == 0 or version == 11 else (minn, maxn)  # version 11 had none yet
    if not (minn >= 0 and maxn >= 0 and max(subwords) <= _LONGEST and n_buckets >= 0):
        raise _Defect(f"subwords of {minn} to {maxn} characters in {n_buckets} buckets")
    if word_ngrams > _LONGEST or dim < 1:
        raise _Defect(f"n-grams of {word_ngrams} words in {dim} dimensions")
    word_ngrams = max(word_ngrams, 1)
    hashes = word_ngrams > 1 or subwords[1] > 0
    if hashes and n_buckets == 0:
        raise _Defect("n-grams without buckets")
    entries = _entries(reader, n_buckets)
    n_words, n_labels = len(entries.words), len(entries.labels)

    is_quantised = reader.flag("whether the input is quantised")
    rows = _matrix(reader, is_quantised, dim, "the input")
    if entries.pruned is not None and not is_quantised:
        raise _Defect("only a quantised model is pruned")
    n_needed = n_words
    if entries.pruned is not None:
        n_needed += len(entries.pruned)
    elif hashes:
        n_needed += n_buckets
    if rows.n_rows < n_needed:
        raise _Defect(f"the input has {rows.n_rows} rows, not {n_needed}")
    output_quantised = reader.flag("whether the output is quantised")
    outputs = _matrix(reader, is_quantised and output_quantised, dim, "the output")
    if outputs.n_rows != n_labels:
        raise _Defect(f"the output has {outputs.n_rows} rows for {n_labels} labels")
    if reader.left:
        raise _Defect(f"{reader.left} bytes are left behind its end")
    return FastTextFile(
        version=version,
        loss=LOSSES[loss],
        dim=dim,
        word_ngrams=word_ngrams,
        subwords=subwords,
        n_buckets=n_buckets if hashes else 0,
        words=entries.words,
        labels=entries.labels,
        label_counts=entries.label_counts,
        pruned=entries.pruned if hashes else None,
        input=rows,
        output=outputs,
        is_quantised=is_quantised,
        n_bytes=len(reader.content),
    )


def _entries(reader: _Reader, n_buckets: int) -> _Entries:
    size, n_words, n_labels, _, n_pruned = reader.numbers("3i2q", "the dictionary")
    if min(n_words, n_labels) < 0 or n_words + n_labels != size or n_pruned < -1:
        raise _Defect(f"{size} entries cannot be {n_words} words and {n_labels} labels")
    if size * _LEAST_ENTRY > reader.left:
        raise _Defect(f"{size} entries do not fit into the {reader.left} bytes that are left")
    found, counts = _words_and_counts(reader, size, n_words)
    words, labels = found[:n_words], found[n_words:]
    if len(set(found)) != size:
        raise _Defect("a word stands twice in the dictionary")
    if n_pruned < 0:
        return _Entries(words, labels, counts[n_words:], None)
    if n_pruned * 8 > reader.left:
        raise _Defect(f"{n_pruned} buckets do not fit into the {reader.left} bytes that are left")
    pruned = reader.array("<i4", 2 * n_pruned, "the buckets").reshape(-1, 2)
    for column, end, what in ((0, n_buckets, "bucket"), (1, n_pruned, "row")):
        numbers = np.sort(pruned[:, column])
        if len(numbers) and (numbers[0] < 0 or numbers[-1] >= end or (np.diff(numbers) == 0).any()):
            raise _Defect(f"a {what} of the pruned dictionary is out of range or stands twice")
    return _Entries(words, labels, counts[n_words:], pruned)


def _words_and_counts(reader: _Reader, size: int, n_words: int) -> tuple[list[bytes], list[int]]:
    source = reader.content.obj
    assert isinstance(source, mmap.mmap)
    find, unpack = source.find, struct.Struct("<qb").unpack_from
    position, last = reader.position, len(reader.content) - 9
    words: list[bytes] = []
    counts: list[int] = []
    for number in range(size):
        end = find(b"\0", position, last)
        if end < 0:
            raise _Defect(f"entry {number} of the dictionary does not end")
        words.append(source[position:end])
        count, kind = unpack(source, end + 1)
        if kind != (number >= n_words):
            raise _Defect(f"entry {number} of the dictionary is of type {kind}")
        counts.append(count)
        position = end + 10
    reader.position = position
    return words, counts


def _matrix(reader: _Reader, is_quantised: bool, dim: int, what: str) -> Matrix:
    if is_quantised:
        return _Quantised(reader, dim, what)
    n_rows, n_columns = reader.numbers("2q", what)
    _check_shape(n_rows, n_columns, dim, what)
    return _Dense(reader.array("<f4", n_rows * n_columns, what).reshape(n_rows, n_columns))


def _check_shape(n_rows: int, n_columns: int, dim: int, what: str) -> None:
    if n_rows < 0 or n_columns != dim:
        raise _Defect(f"{what} has {n_rows} rows of {n_columns}, not of {dim}")


class _Dense:
    """Numbers as they lie in the file."""

    def __init__(self, table: Floats32) -> None:
        self.n_rows, self.n_columns = table.shape
        self._table = table

    def rows(self, begin: int, end: int) -> Floats:
        with np.errstate(invalid="ignore"):  # NaN that signals; the caller checks
            return self._table[begin:end].astype(np.float64)


class _Quantised:
    """Rows by product quantisation: each part of a row is one of 256 centroids."""

    def __init__(self, reader: _Reader, dim: int, what: str) -> None:
        with_norms = reader.flag(f"whether {what} has norms")
        self.n_rows, self.n_columns, n_codes = reader.numbers("2qi", what)
        _check_shape(self.n_rows, self.n_columns, dim, what)
        codes = reader.array("u1", n_codes, f"the codes of {what}")
        self._parts = _parts(reader, self.n_columns, what)
        if n_codes != self.n_rows * len(self._parts):
            raise _Defect(f"{what} has {n_codes} codes for {self.n_rows} rows")
        self._codes = codes.reshape(self.n_rows, len(self._parts))
        self._norms: AnyArray | None = None
        if with_norms:
            self._norm_codes = reader.array("u1", self.n_rows, f"the norms of {what}")
            (self._norms,) = _parts(reader, 1, f"the norms of {what}")

    def rows(self, begin: int, end: int) -> Floats:
        codes = self._codes[begin:end]
        parts = [part[codes[:, m]] for m, part in enumerate(self._parts)]
        with np.errstate(invalid="ignore", over="ignore"):  # the caller checks
            table = np.concatenate(parts, axis=1).astype(np.float64)
            if self._norms is not None:
                table *= self._norms[self._norm_codes[begin:end]]
        return table


def _parts(reader: _Reader, n_columns: int, what: str) -> list[Floats32]:
    """Return the centroids of each part of a row, (256, width)."""
    dim, n_parts, width, last = reader.numbers("4i", f"the quantiser of {what}")
    if dim != n_columns or min(n_parts, width, last) < 1 or (n_parts - 1) * width + last != dim:
        raise _Defect(f"{n_parts} parts of {width} and {last} do not make {n_columns} columns")
    numbers = reader.array("<f4", dim * _CENTROIDS, f"the centroids of {what}")
    ends = [m * width * _CENTROIDS for m in range(1, n_parts)]
    return [part.reshape(_CENTROIDS, -1) for part in np.split(numbers, ends)]

"""A sample of the documents of a stream, to choose settings on."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from wordodds._labels import encode_labels
from wordodds._row_weights import row_weights
from wordodds.classifier.choose import Documents
from wordodds.classifier.sample import SAMPLE_LEAST, held_back, position_hash
from wordodds.classifier.stream_parts import Part, Stream

__all__ = ["StreamSample", "read_sample"]


class StreamSample(NamedTuple):
    """Some documents of a stream."""

    documents: Documents
    positions: npt.NDArray[np.int64]  # in the stream
    is_whole: bool

    def held_back(self) -> npt.NDArray[np.int64]:
        """Return which of these documents to leave out of the fit, as `sample.held_back`."""
        return held_back(self.documents.codes, is_whole=self.is_whole)


def read_sample(stream: Stream, class_weight: Any, limit: int) -> StreamSample:
    """Go through a stream and keep the documents that `sampled` would take of it.

    Of a stream that can be gone through only once, the first documents are taken, and come again.

    Parameters
    ----------
    stream : Stream
        All documents.
    class_weight : dict, "balanced" or None
        Weights of the classes.
    limit : int
        Characters in all.
    """
    kept = _Kept(limit)
    is_whole = True
    if stream.can_repeat:
        for part in stream.parts("choosing"):
            kept.add(part)
        is_whole = len(kept.positions) == kept.n_seen
    else:
        is_whole = stream.peek(limit, kept.add)
    classes, codes = encode_labels(kept.labels, len(kept.labels))
    weights = row_weights(None, class_weight, classes, codes)
    weights = np.ones(len(codes)) if weights is None else weights
    documents = Documents(kept.texts, codes, weights, classes, kept.sizes)
    return StreamSample(documents, kept.positions, is_whole)


class _Kept:
    """The documents of the least hashes that fit, by position."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.n_seen = 0
        self.texts: list[str] = []
        self.labels: list[Any] = []
        self.positions = np.empty(0, dtype=np.int64)
        self.sizes = np.empty(0, dtype=np.int64)
        self._largest = np.uint64(2**64 - 1)  # hash that may still enter

    def add(self, part: Part) -> None:
        """Look at some more documents."""
        n = len(part.codes)
        positions = np.arange(self.n_seen, self.n_seen + n)
        self.n_seen += n
        rows = np.flatnonzero(position_hash(positions) <= self._largest)
        texts = part.texts
        if hasattr(texts, "type"):  # of Arrow
            new = [text or "" for text in texts.take(rows).to_pylist()]
        else:
            new = [texts[i] for i in rows.tolist()]
        self.texts += new
        self.labels += part.labels[rows].tolist()
        self.positions = np.concatenate([self.positions, positions[rows]])
        sizes = np.fromiter(map(len, new), dtype=np.int64, count=len(new))
        self.sizes = np.concatenate([self.sizes, sizes])
        if self.sizes.sum() > self._limit:
            self._prune()

    def _prune(self) -> None:
        hashes = position_hash(self.positions)
        order = np.argsort(hashes, kind="stable")
        fits = int(np.searchsorted(np.cumsum(self.sizes[order]), self._limit, side="right"))
        n_kept = max(fits, min(SAMPLE_LEAST, len(order)))
        if n_kept == len(order):
            return
        rows = np.sort(order[:n_kept])
        self._largest = hashes[order[n_kept - 1]]
        self.texts = [self.texts[i] for i in rows.tolist()]
        self.labels = [self.labels[i] for i in rows.tolist()]
        self.positions, self.sizes = self.positions[rows], self.sizes[rows]

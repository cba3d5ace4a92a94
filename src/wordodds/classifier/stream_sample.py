"""A sample of the documents of a stream, to choose settings on."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from wordodds._border.labels import encode_labels
from wordodds._border.row_weights import row_weights
from wordodds.classifier.documents import Documents, documents_most
from wordodds.classifier.sample import held_back, n_fitting, position_hash
from wordodds.classifier.stream_parts import Part, Stream
from wordodds.typing import ClassWeight, Ints, Label

__all__ = ["StreamSample", "read_sample", "sample_documents"]


class StreamSample(NamedTuple):
    """Some documents of a stream."""

    documents: Documents
    positions: Ints  # in the stream
    n_documents: int | None  # of the stream; None: more than these

    @property
    def is_whole(self) -> bool:
        """Whether these are all documents of the stream."""
        return self.n_documents == len(self.positions)

    def held_back(self) -> Ints:
        """Return which of these documents to leave out of the fit, as `sample.held_back`."""
        # An unknown length counts as twenty times the sample.
        n = 20 * len(self.positions) if self.n_documents is None else self.n_documents
        return held_back(self.documents.codes, self.documents.weights, n)


def read_sample(stream: Stream, class_weight: ClassWeight, limit: int) -> StreamSample:
    """Go through a stream and keep the documents that `sampled` would take of it.

    Of a stream that can be iterated only once, the first documents are taken, and come again.
    """
    kept = _Kept(limit)
    n_documents: int | None = None
    if stream.can_repeat:
        for part in stream.parts("choosing"):
            kept.add(part)
        n_documents = kept.n_seen
    elif stream.peek(limit, kept.add):
        n_documents = kept.n_seen
    kept.prune(documents_most(len(set(kept.labels))))
    documents = sample_documents(kept.texts, kept.labels, kept.sizes, class_weight)
    return StreamSample(documents, kept.positions, n_documents)


def sample_documents(
    texts: list[str], labels: list[Label], sizes: Ints, class_weight: ClassWeight
) -> Documents:
    """Return some documents with the weights of their classes, of which they may lack some."""
    classes, codes = encode_labels(labels, len(labels))
    if isinstance(class_weight, Mapping):
        class_weight = {name: class_weight.get(name, 1.0) for name in classes.tolist()}
    weights = row_weights(None, class_weight, classes, codes)
    weights = np.ones(len(codes)) if weights is None else weights
    return Documents(texts, codes, weights, classes, sizes)


class _Kept:
    """The documents of the least hashes that fit, by position."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.n_seen = 0
        self.texts: list[str] = []
        self.labels: list[Label] = []
        self.positions = np.empty(0, dtype=np.int64)
        self.sizes = np.empty(0, dtype=np.int64)
        self._bound = np.uint64(2**64 - 1)  # hashes from here on do not fit

    def add(self, part: Part) -> None:
        """Take those of some more documents that fit."""
        n = len(part.codes)
        positions = np.arange(self.n_seen, self.n_seen + n)
        self.n_seen += n
        rows = np.flatnonzero(position_hash(positions) < self._bound)
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
            self.prune()

    def prune(self, n_most: int | None = None) -> None:
        """Drop what does not fit, and all but a number of documents."""
        hashes = position_hash(self.positions)
        order = np.argsort(hashes, kind="stable")
        n_kept = n_fitting(self.sizes[order], self._limit, n_most)
        if n_kept >= len(order):
            return
        rows = np.sort(order[:n_kept])
        self._bound = hashes[order[n_kept]]
        self.texts = [self.texts[i] for i in rows.tolist()]
        self.labels = [self.labels[i] for i in rows.tolist()]
        self.positions, self.sizes = self.positions[rows], self.sizes[rows]

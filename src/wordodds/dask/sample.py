"""A sample of the documents of a collection, to choose settings on."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from wordodds._border.labels import encode_labels
from wordodds.classifier.documents import SAMPLE_LARGE, Documents, documents_most
from wordodds.classifier.sample import held_back, n_fitting, position_hash
from wordodds.classifier.stream_sample import sample_documents
from wordodds.dask.partitions import columns_of, located
from wordodds.typing import ClassWeight, Ints

if TYPE_CHECKING:
    from wordodds.dask.partitions import Partition

__all__ = ["Columns", "Sample", "look", "merge_samples"]


class Columns(NamedTuple):
    """Which columns hold texts and labels, and how text is read."""

    text: str
    label: str
    decode: Any
    missing: str


class Sample(NamedTuple):
    """Some documents of some partitions, in order."""

    texts: list[str]
    labels: list[Any]
    places: list[tuple[str, int]]  # name of the partition, row in it
    hashes: npt.NDArray[np.uint64]
    sizes: Ints
    n_seen: int

    @property
    def is_whole(self) -> bool:
        """Whether these are all documents."""
        return len(self.texts) == self.n_seen

    def documents(self, class_weight: ClassWeight) -> Documents:
        """Return what settings are chosen on."""
        return sample_documents(self.texts, self.labels, self.sizes, class_weight)

    def held_back(self, documents: Documents) -> Ints:
        """Return which of these documents to leave out of the fit."""
        return held_back(documents.codes, documents.weights, self.n_seen)


def look(partition: Partition, name: str, columns: Columns) -> Sample:
    """Return the documents of a partition that may be sampled, by its name and their rows."""
    from wordodds._border.documents import as_documents, as_strings

    with located(name):
        texts, labels = columns_of(partition, columns.text, columns.label)
        strings = as_strings(as_documents(texts, columns.decode, "content", columns.missing))
        classes, codes = encode_labels(labels, len(strings))
    n = len(strings)
    positions = np.arange(n) + (zlib.crc32(name.encode()) << 31)
    sizes = np.fromiter(map(len, strings), dtype=np.int64, count=n)
    plain = classes[codes].tolist() if n else []
    places = [(name, row) for row in range(n)]
    return _pruned(Sample(list(strings), plain, places, position_hash(positions), sizes, n))


def merge_samples(samples: list[Sample]) -> Sample:
    """Return the sample of several groups of partitions, in their order."""
    return _pruned(
        Sample(
            [text for sample in samples for text in sample.texts],
            [label for sample in samples for label in sample.labels],
            [place for sample in samples for place in sample.places],
            np.concatenate([sample.hashes for sample in samples]),
            np.concatenate([sample.sizes for sample in samples]),
            sum(sample.n_seen for sample in samples),
        )
    )


def _pruned(sample: Sample) -> Sample:
    n_most = documents_most(len(set(sample.labels)))
    order = np.argsort(sample.hashes, kind="stable")
    n_kept = n_fitting(sample.sizes[order], SAMPLE_LARGE, n_most)
    if n_kept >= len(order):
        return sample
    rows = np.sort(order[:n_kept])
    texts, labels, places = (
        [column[i] for i in rows.tolist()]
        for column in (sample.texts, sample.labels, sample.places)
    )
    return Sample(texts, labels, places, sample.hashes[rows], sample.sizes[rows], sample.n_seen)

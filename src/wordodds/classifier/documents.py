"""Texts with their classes and weights, and how many of them settings are chosen on."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from wordodds.classifier.cross_validation import Counts
from wordodds.classifier.reading import Reading
from wordodds.typing import AnyArray, Codes, Floats, Ints, RawDocuments

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "SAMPLE_LARGE",
    "SAMPLE_SMALL",
    "Count",
    "Documents",
    "Strings",
    "as_list",
    "can_hold_out",
    "documents_most",
]

# Characters of text that are enough to choose a way of reading, and to choose a penalty.
SAMPLE_SMALL, SAMPLE_LARGE = 1 << 20, 1 << 25
# Documents times classes of a sample: the log-odds of each take 24 bytes.
CELLS_MAX = 1 << 24

# Texts that can be taken by position; documents of a user's function may be anything.
Strings: TypeAlias = "list[Any] | tuple[Any, ...] | pa.Array | pa.ChunkedArray"


Count: TypeAlias = Callable[[RawDocuments, Reading], Counts]
"""Returns counts of texts by a reading, or raises ValueError if there is no term."""


def as_list(texts: Strings) -> "list[Any] | tuple[Any, ...]":
    """Return texts as Python's."""
    return texts if isinstance(texts, list | tuple) else texts.to_pylist()


class Documents(NamedTuple):
    """Texts with their classes and weights."""

    texts: Strings
    codes: Codes
    weights: Floats
    classes: AnyArray
    sizes: Ints  # characters of each

    def __len__(self) -> int:
        return len(self.codes)

    def taken(self, rows: Ints) -> "Documents":
        """Return some of the documents, by ascending position."""
        if len(rows) == len(self):
            return self
        texts = self.texts
        if not isinstance(texts, list | tuple):  # of Arrow
            texts = texts.take(rows).to_pylist()
        else:
            texts = [texts[i] for i in rows.tolist()]
        return Documents(
            texts, self.codes[rows], self.weights[rows], self.classes, self.sizes[rows]
        )


def documents_most(n_classes: int) -> int:
    """Return the largest number of documents to choose settings on."""
    return CELLS_MAX // max(1, n_classes)


def can_hold_out(documents: Documents) -> bool:
    """Return whether at least two classes have two documents each, which weigh something."""
    weighs = documents.codes[documents.weights > 0.0]
    return int((np.bincount(weighs) >= 2).sum()) >= 2

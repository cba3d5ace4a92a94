"""The two forms of a labelled corpus: texts, or a bag of words."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["BagOfWords", "Corpus"]


# eq=False: comparing arrays field by field would raise; two corpora are equal when they are one.
@dataclass(frozen=True, eq=False)
class Corpus:
    """Texts with one label each.

    Parameters
    ----------
    texts : list of str
        The documents.
    labels : ndarray of str, shape (n_documents,)
        The label of each document.
    label_names : list of str
        Every label that may occur, in sorted order.
    name : str
        Name of the corpus, with its part.
    source : str
        Origin of this copy, in words.

    Examples
    --------
    >>> import numpy as np
    >>> corpus = Corpus(["good", "bad"], np.array(["pos", "neg"]), ["neg", "pos"], "tiny", "typed")
    >>> len(corpus)
    2
    >>> corpus
    <Corpus 'tiny': 2 documents, 2 labels, source: typed>
    """

    texts: list[str] = field(repr=False)
    labels: NDArray[np.str_]
    label_names: list[str]
    name: str
    source: str

    def __post_init__(self) -> None:
        if len(self.texts) != len(self.labels):
            raise ValueError(
                f"labels must have one entry per text: {len(self.texts)} texts, "
                f"{len(self.labels)} labels"
            )

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.texts)

    def __repr__(self) -> str:
        """Return one line; the texts themselves may be megabytes."""
        return (
            f"<{type(self).__name__} {self.name!r}: {len(self)} documents, "
            f"{len(self.label_names)} labels, source: {self.source}>"
        )


@dataclass(frozen=True, eq=False)
class BagOfWords:
    """Word counts with one label per row.

    Parameters
    ----------
    counts : csr_array of int64, shape (n_documents, n_words)
        Number of occurrences of each word in each document; indices are sorted, without duplicates.
    labels : ndarray of str, shape (n_documents,)
        The label of each document.
    label_names : list of str
        Every label that may occur, in sorted order.
    words : list of str
        The word of each column.
    name : str
        Name of the corpus, with its part.
    source : str
        Origin of this copy, in words.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> counts = csr_array(np.array([[2, 0], [0, 1]]))
    >>> labels = np.array(["pos", "neg"])
    >>> BagOfWords(counts, labels, ["neg", "pos"], ["good", "bad"], "tiny", "typed")
    <BagOfWords 'tiny': 2 documents, 2 words, 2 labels, source: typed>
    """

    counts: csr_array
    labels: NDArray[np.str_]
    label_names: list[str]
    words: list[str]
    name: str
    source: str

    def __post_init__(self) -> None:
        expected = (len(self.labels), len(self.words))
        if self.counts.shape != expected:
            raise ValueError(
                f"counts must have shape (labels, words) = {expected}, got {self.counts.shape}"
            )

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.labels)

    def __repr__(self) -> str:
        """Return one line."""
        return (
            f"<{type(self).__name__} {self.name!r}: {len(self)} documents, {len(self.words)} "
            f"words, {len(self.label_names)} labels, source: {self.source}>"
        )

"""From the vocabulary of a part of the documents to that of all: terms, frequencies, columns."""

import numpy as np
from sklearn.base import clone

from wordodds._border.terms import new_hash_key
from wordodds._core.tally import TermTally
from wordodds.text.count import CountVectorizer
from wordodds.text.vectorizer import CsrMatrix
from wordodds.typing import Ints

__all__ = ["columns_in", "tally_of_fitted"]


def columns_in(vectorizer: CountVectorizer, other: CountVectorizer) -> Ints:
    """Return the column in another vectorizer of each term of a vectorizer, -1 where it has none.

    Examples
    --------
    >>> from wordodds import CountVectorizer
    >>> part = CountVectorizer().fit(["the cat sat"])
    >>> columns_in(part, CountVectorizer().fit(["a cat and the dog"]))
    array([ 1, -1,  3])
    """
    return other._engine_vocabulary().locate(vectorizer._engine_vocabulary())


def tally_of_fitted(vectorizer: CountVectorizer, counts: CsrMatrix) -> CountVectorizer:
    """Return a vectorizer that knows document frequencies, as `partial_fit` would have made it.

    The text is not read again; `merge` adds the frequencies up. The vectorizer has no ``min_df``,
    ``max_df`` and ``max_features``, and the counts are what its ``fit_transform`` gave.

    Examples
    --------
    >>> from wordodds import CountVectorizer
    >>> part = CountVectorizer()
    >>> counts = part.fit_transform(["the cat sat", "the cat"])
    >>> tally_of_fitted(part, counts).document_frequency_
    array([2, 1, 2])
    """
    vocabulary = vectorizer._engine_vocabulary()
    frequency = np.bincount(counts.indices, minlength=len(vocabulary)).astype(np.int64)
    totals = np.bincount(counts.indices, weights=counts.data, minlength=len(vocabulary))
    key = new_hash_key()
    tally = TermTally.unpacked(
        *vocabulary.packed(), frequency, totals.astype(np.int64), counts.shape[0], 0, key
    )
    grown: CountVectorizer = clone(vectorizer)
    grown._start_from(tally)
    return grown

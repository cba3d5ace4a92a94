"""CountVectorizer: documents into a matrix of word counts."""

import secrets
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn import get_config
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import NotFittedError

from wordodds._core import text as core
from wordodds._execution import execution
from wordodds.text.documents import as_documents

__all__ = ["CountVectorizer"]


class CountVectorizer(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    r"""Count the words of each document.

    A word is a run of two or more word characters (``\w``) of the lower-cased text. Vocabulary and
    matrix equal those of scikit-learn's ``CountVectorizer()`` with its default options, on every
    Unicode string; the order of the entries within a row too.

    Parameters
    ----------
    n_jobs : int or None, default=None
        Threads. None: the usable cores, at most ``OMP_NUM_THREADS``; negative: counted back from
        the usable cores, -1 meaning all. The result does not depend on it.

    Attributes
    ----------
    vocabulary_ : dict of str to int
        The column of each word; built when first asked for.

    Examples
    --------
    >>> from wordodds import CountVectorizer
    >>> vectorizer = CountVectorizer()
    >>> vectorizer.fit_transform(["a cat sat", "The cat, the hat"]).toarray()
    array([[1, 0, 1, 0],
           [1, 1, 0, 2]])
    >>> vectorizer.get_feature_names_out()
    array(['cat', 'hat', 'sat', 'the'], dtype=object)
    """

    def __init__(self, *, n_jobs: int | None = None) -> None:
        self.n_jobs = n_jobs

    def fit(self, raw_documents: Any, y: Any = None) -> Self:
        """Learn the vocabulary of the documents.

        Parameters
        ----------
        raw_documents : iterable of str or bytes
            The documents.
        y : ignored
            So that the vectorizer fits into pipelines.
        """
        self.fit_transform(raw_documents)
        return self

    def fit_transform(self, raw_documents: Any, y: Any = None) -> Any:
        """Learn the vocabulary and count its words, in one pass over the text.

        Parameters
        ----------
        raw_documents : iterable of str or bytes
            The documents.
        y : ignored
            So that the vectorizer fits into pipelines.

        Returns
        -------
        csr_matrix of int64, (n_documents, n_words)
            Or csr_array, as scikit-learn's ``sparse_interface`` setting says.
        """
        documents = as_documents(raw_documents)
        vocabulary, *rows = core.documents_count_growing(
            documents, _new_hash_key(), *execution(self.n_jobs)
        )
        if not len(vocabulary):
            raise ValueError(
                "empty vocabulary; perhaps the documents hold no word of two or more characters"
            )
        # Only now: a failed fit leaves the vectorizer as it was.
        self._vocabulary = vocabulary
        self._vocabulary_dict: dict[str, int] | None = None
        return _as_matrix(rows, (len(documents), len(vocabulary)))

    def transform(self, raw_documents: Any) -> Any:
        """Count the words of the vocabulary; other words are dropped.

        Parameters
        ----------
        raw_documents : iterable of str or bytes
            The documents.

        Returns
        -------
        csr_matrix of int64, (n_documents, n_words)
            Or csr_array, as scikit-learn's ``sparse_interface`` setting says.
        """
        vocabulary = self._fitted_vocabulary()
        documents = as_documents(raw_documents)
        rows = core.documents_count_frozen(documents, vocabulary, *execution(self.n_jobs))
        return _as_matrix(rows, (len(documents), len(vocabulary)))

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[np.object_]:
        """Return the words in column order.

        Parameters
        ----------
        input_features : ignored
            So that the vectorizer fits into pipelines.
        """
        return np.array(self._fitted_vocabulary().terms(), dtype=object)

    @property
    def vocabulary_(self) -> dict[str, int]:
        """The column of each word."""
        if not self.__sklearn_is_fitted__():
            # AttributeError, so that hasattr answers as for any fitted attribute.
            raise AttributeError("vocabulary_ exists after fit")
        if self._vocabulary_dict is None:
            self._vocabulary_dict = {
                term: column for column, term in enumerate(self._vocabulary.terms())
            }
        return self._vocabulary_dict

    def _fitted_vocabulary(self) -> core.Vocabulary:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError("Vocabulary not fitted or provided; call fit or fit_transform")
        return self._vocabulary

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_vocabulary")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = True
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__().copy()
        if "_vocabulary" in state:
            state["_vocabulary"] = state["_vocabulary"].packed()
            state["_vocabulary_dict"] = None
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "_vocabulary" in state:
            arena, offsets = state["_vocabulary"]
            state = state | {"_vocabulary": core.Vocabulary(arena, offsets, _new_hash_key())}
        super().__setstate__(state)


def _new_hash_key() -> tuple[int, int]:
    """Draw the secret of a vocabulary's hash, so that no text can be made to collide under it."""
    return secrets.randbits(64), secrets.randbits(64)


def _as_matrix(rows: Any, shape: tuple[int, int]) -> Any:
    indptr, indices, data = rows
    matrix = sp.csr_array if get_config().get("sparse_interface") == "sparray" else sp.csr_matrix
    return matrix((data, indices, indptr), shape=shape)

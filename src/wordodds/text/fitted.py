"""What a vectorizer knows after its fit: terms and their columns."""

from typing import Any, NamedTuple

import numpy as np

from wordodds._border.execution import execution
from wordodds._border.terms import new_hash_key, pack_vocabulary
from wordodds._border.views import shown_name, stored_name, view_of
from wordodds._core import text as core
from wordodds._core.tally import TermTally
from wordodds.text.errors import EmptyVocabularyError
from wordodds.text.prune import kept_terms
from wordodds.text.vectorizer import EngineVectorizer
from wordodds.typing import Codes, DocumentLimit, Ints

__all__ = ["FittedVocabulary", "Frequencies"]


class Frequencies(NamedTuple):
    """What a tally knows of the terms of a vocabulary."""

    document_frequency: Ints
    undercount: int


class FittedVocabulary(EngineVectorizer):
    """The base of the vectorizers that have a vocabulary.

    One of three is there after a fit, and the others are made from it when they are needed: the
    engine's packed vocabulary, the dict that users know, or the tally that the vocabulary is
    chosen from.
    """

    max_df: DocumentLimit
    min_df: DocumentLimit
    max_features: int | None
    max_terms: int | None
    _vocabulary: core.Vocabulary | None
    _vocabulary_dict: dict[str, int] | None
    _tally: TermTally | None
    _frequencies: Frequencies | None
    _grown_with: dict[str, Any] | None
    _fitted_views: tuple[str, ...] | None = None

    @property
    def vocabulary_(self) -> dict[str, int]:
        """The column of each word."""
        # AttributeError before fit, so that hasattr answers as for any fitted attribute.
        if self._vocabulary_dict is None:
            try:
                terms = self._terms()
            except ValueError as error:
                raise AttributeError(f"there is no vocabulary: {error}") from error
            self._vocabulary_dict = {term: column for column, term in enumerate(terms)}
        return self._vocabulary_dict

    @vocabulary_.setter
    def vocabulary_(self, vocabulary: dict[str, int]) -> None:
        fixed = getattr(self, "fixed_vocabulary_", False)
        self._forget_vocabulary()
        self.fixed_vocabulary_ = fixed
        self._vocabulary_dict = vocabulary

    def _forget_vocabulary(self) -> None:
        self._fitted_views = self.view_names
        self.fixed_vocabulary_ = False
        self._vocabulary = None
        self._vocabulary_dict = None
        self._tally = None
        self._frequencies = None
        self._grown_with = None

    def _adopt(self, vocabulary: core.Vocabulary, frequencies: Frequencies) -> None:
        self._frequencies = frequencies
        self._vocabulary = vocabulary

    def _check_views(self) -> None:
        """Raise if the views are others than those of the vocabulary."""
        if self._fitted_views != self.view_names:
            fitted = self._fitted_views or "a single one"
            raise ValueError(
                f"the vocabulary is that of other analyzers ({fitted}) than {self.analyzer!r}: "
                "fit again"
            )

    def _engine_vocabulary(self) -> core.Vocabulary:
        # Most have one analyzer, as ever, and are spared a call.
        if self._fitted_views is not None or type(self.analyzer) is not str:
            self._check_views()
        if self._vocabulary is None:
            if self._tally is not None:
                self._adopt(*self._choose(self._tally))
            else:
                assert self._vocabulary_dict is not None
                terms = sorted(self._vocabulary_dict, key=self._vocabulary_dict.__getitem__)
                self._vocabulary = pack_vocabulary(self._stored_terms(terms))
        assert self._vocabulary is not None
        return self._vocabulary

    def _terms(self) -> list[str]:
        """Return the terms as people see them, in column order."""
        terms = self._engine_vocabulary().terms()
        names = self.view_names
        return terms if names is None else [shown_name(term, names) for term in terms]

    def _stored_terms(self, terms: list[str]) -> list[str]:
        """Return the terms of a given vocabulary as the engine knows them."""
        names = self.view_names
        if names is None:
            return terms
        stored = [stored_name(term, names) for term in terms]
        views = [view_of(term) for term in stored]
        if views != sorted(views):
            raise ValueError(
                "a given vocabulary of several analyzers must number all features of "
                f"{names[0]!r} first, and so on"
            )
        return stored

    @property
    def _n_views(self) -> int:
        names = self.view_names
        return 1 if names is None else len(names)

    def _view_begins(self) -> Codes | None:
        """Return the first columns of the views but the first; None for a single one."""
        if self.view_names is None:
            return None
        return self._engine_vocabulary().view_begins(self._n_views)

    def _choose(self, tally: TermTally) -> tuple[core.Vocabulary, Frequencies]:
        """Sort the terms of a tally and apply the limits to them."""
        how = execution(self.n_jobs)
        vocabulary, frequency, totals, undercount = tally.sorted_terms(self.max_terms or 0, *how)
        if not len(vocabulary) and len(tally):
            raise ValueError(
                f"max_terms={self.max_terms} leaves no term: those in equally many documents go "
                "together. Raise it"
            )
        if not len(vocabulary):
            raise EmptyVocabularyError
        keep = kept_terms(frequency, totals, tally.n_documents, vocabulary, self)
        if keep is not None:
            vocabulary, frequency = vocabulary.subset(keep.astype(np.uint8)), frequency[keep]
        return vocabulary, Frequencies(frequency, undercount)

    def _check_vocabulary(self) -> None:
        # Without building the dict, unless scikit-learn's way with a given vocabulary needs it.
        if not self.__sklearn_is_fitted__():
            super()._check_vocabulary()
        elif not len(self._engine_vocabulary()):
            raise ValueError("Vocabulary is empty")

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_vocabulary")

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = dict(super().__getstate__())
        if state.get("_vocabulary") is not None:
            state["_vocabulary"] = state["_vocabulary"].packed()
            state["_vocabulary_dict"] = None
        if state.get("_tally") is not None:
            state["_tally"] = state["_tally"].packed()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        if state.get("_vocabulary") is not None:
            arena, offsets = state["_vocabulary"]
            state = state | {"_vocabulary": core.Vocabulary(arena, offsets, new_hash_key())}
        if state.get("_tally") is not None:
            packed = (*state["_tally"], new_hash_key())
            state = state | {"_tally": TermTally.unpacked(*packed)}
        super().__setstate__(state)

"""A vocabulary that grows batch by batch: partial_fit, merge and max_terms."""

from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from wordodds._border.checks import whole_number
from wordodds._border.execution import Execution, execution
from wordodds._border.terms import new_hash_key
from wordodds._core import text as core
from wordodds._core.tally import TermTally
from wordodds.text.errors import EmptyVocabularyError
from wordodds.text.prune import kept_terms
from wordodds.typing import Ints

__all__ = ["Frequencies", "GrowingVocabulary"]

_GROWING = Lock()


class Frequencies(NamedTuple):
    """What a tally knows of the terms of a vocabulary."""

    document_frequency: Ints
    undercount: int


class GrowingVocabulary:
    """A part of the vectorizers that have a vocabulary.

    Holds a tally of terms and their document frequencies, to which batches and other tallies
    are added; the vocabulary is chosen from it when it is next needed.
    """

    _tally: TermTally | None
    _grown_with: dict[str, Any] | None

    def partial_fit(self: Any, raw_documents: Any, y: Any = None) -> Any:
        """Add documents to those that the vocabulary was learned from.

        Columns are sorted by word, so they move as the vocabulary grows: transform after the last
        batch. ``min_df``, ``max_df`` and ``max_features`` are applied to all documents so far.

        Parameters
        ----------
        raw_documents : iterable of str or bytes, of file names or files
            The next documents; see the parameter ``input``.
        y : ignored
            So that the vectorizer fits into pipelines.
        """
        self._check_before_fit(raw_documents)
        self._check_can_grow()
        how = execution(self.n_jobs)
        self._add_tally(self._tally_of(*self._analyze(raw_documents, how), how))
        return self

    def merge(self: Any, other: Any) -> Any:
        """Add the documents that another vectorizer has seen by `partial_fit`.

        The result is that of one vectorizer which saw the documents of both.

        Parameters
        ----------
        other : CountVectorizer or TfidfVectorizer
            One that finds the same features; its other parameters do not matter.
        """
        if not isinstance(other, GrowingVocabulary):
            raise TypeError(f"other must be a vectorizer, got {type(other).__name__}")
        self._check_can_grow()
        theirs = getattr(other, "_tally", None)
        if theirs is None:
            raise ValueError("other has no document frequencies: fit it by partial_fit, then merge")
        self._check_same_text(other._grown_with)
        self._add_tally(theirs)
        return self

    @property
    def n_documents_(self) -> int:
        """Documents seen by `partial_fit`, or by a fit with ``max_terms``."""
        return int(self._tally_for("n_documents_").n_documents)

    @property
    def document_frequency_(self: Any) -> Ints:
        """How many documents hold each word of the vocabulary."""
        frequencies: Frequencies = self._frequencies_for("document_frequency_")
        return frequencies.document_frequency

    @property
    def undercount_(self: Any) -> int:
        """How many documents a document frequency may have missed."""
        frequencies: Frequencies = self._frequencies_for("undercount_")
        return frequencies.undercount

    def _tally_for(self, name: str) -> TermTally:
        tally: TermTally | None = getattr(self, "_tally", None)
        if tally is None:
            raise AttributeError(f"{name} is known after partial_fit, or a fit with max_terms")
        return tally

    def _frequencies_for(self: Any, name: str) -> Frequencies:
        self._tally_for(name)
        try:
            self._engine_vocabulary()
        except ValueError as error:  # so that hasattr answers
            raise AttributeError(f"{name} is not known: {error}") from error
        frequencies: Frequencies = self._frequencies
        return frequencies

    def _tally_of(
        self: Any, documents: Any, options: core.AnalyzerOptions | None, how: Execution
    ) -> TermTally:
        """Return the tally of these documents alone, which nobody else knows yet."""
        tally = TermTally(new_hash_key())
        self._add_documents(tally, documents, options, how)
        return tally

    def _add_documents(
        self: Any,
        tally: TermTally,
        documents: Any,
        options: core.AnalyzerOptions | None,
        how: Execution,
    ) -> None:
        if options is None:
            raise ValueError(
                "a vocabulary that grows by batches, or with max_terms, needs a compiled analyzer: "
                "analyzer='word', 'char', 'char_wb' or 'unicode_word' without tokenizer, and a "
                "token_pattern such as \\w+"
            )
        with self._progress(len(documents)) as advance:
            tally.add(documents, options, self.max_terms or 0, advance, *how)

    def _add_tally(self: Any, batch: TermTally) -> None:
        # Threads may feed one vectorizer: each batch is added whole, and none is lost.
        with _GROWING:
            tally = getattr(self, "_tally", None)
            if tally is None:
                tally = TermTally(new_hash_key())
            tally.add_tally(batch)
            if self.max_terms is not None and len(tally) > 2 * self.max_terms:
                tally.prune(self.max_terms)
            self._start_from(tally)

    def _check_same_text(self: Any, others: dict[str, Any]) -> None:
        mine = getattr(self, "_grown_with", None) or _text_parameters(self)
        for name, value in mine.items():
            if value != others[name]:
                raise ValueError(
                    f"document frequencies only add up for the same features: {name} was "
                    f"{value!r:.80}, now it is {others[name]!r:.80}"
                )

    def _choose(self: Any, tally: TermTally) -> tuple[core.Vocabulary, Frequencies]:
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
        keep = kept_terms(frequency, totals, tally.n_documents, self)
        if keep is not None:
            vocabulary, frequency = vocabulary.subset(keep.astype(np.uint8)), frequency[keep]
        return vocabulary, Frequencies(frequency, undercount)

    def _start_from(self: Any, tally: TermTally) -> None:
        """Take a tally over, in the place of what was learnt before."""
        self._forget_vocabulary()
        self._tally = tally
        self._grown_with = _text_parameters(self)

    def _check_can_grow(self: Any) -> None:
        if self.vocabulary is not None:
            raise ValueError("a given vocabulary does not grow: pass vocabulary=None")
        if hasattr(self, "_vocabulary") and self._tally is None:
            raise ValueError(
                "fit keeps no document frequencies to add to: start with partial_fit on a new "
                "vectorizer"
            )
        self._check_same_text(_text_parameters(self))

    def _check_max_terms(self: Any) -> None:
        if self.max_terms is not None:
            wanted = "None or an int from 1 to 2**31 - 1"
            whole_number(
                self.max_terms, "max_terms", 1, 2**31 - 1, wanted=wanted, wrong_type=ValueError
            )


def _text_parameters(vectorizer: Any) -> dict[str, Any]:
    """Return what decides which features a document has."""
    names = "analyzer lowercase strip_accents preprocessor token_pattern ngram_range stemmer"
    parameters = {name: getattr(vectorizer, name) for name in names.split()}
    words = vectorizer.stop_words
    parameters["stop_words"] = (
        words if words is None or isinstance(words, str) else frozenset(words)
    )
    return parameters

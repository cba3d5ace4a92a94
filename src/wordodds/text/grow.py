"""A vocabulary that grows batch by batch: partial_fit, merge and max_terms."""

from collections.abc import Mapping
from typing import Any, Self

from wordodds._border.checks import whole_number
from wordodds._border.documents import Documents
from wordodds._border.execution import Execution, execution
from wordodds._border.fork import ForkSafeLock
from wordodds._border.terms import new_hash_key
from wordodds._core import text as core
from wordodds._core.tally import TermTally
from wordodds.text.fitted import FittedVocabulary, Frequencies
from wordodds.text.vectorizer import EngineVectorizer
from wordodds.typing import Ints, RawDocuments

__all__ = ["GrowingVocabulary"]

_GROWING = ForkSafeLock()


class GrowingVocabulary(FittedVocabulary):
    """Adds batches and other tallies to a tally of terms and their document frequencies.

    The vocabulary is chosen from it when it is next needed.
    """

    def partial_fit(self, raw_documents: RawDocuments, y: object = None) -> Self:
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

    def merge(self, other: "GrowingVocabulary") -> Self:
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
        assert other._grown_with is not None  # a tally never comes without it
        self._check_same_text(other._grown_with)
        self._add_tally(theirs)
        return self

    @property
    def n_documents_(self) -> int:
        """Documents seen by `partial_fit`, or by a fit with ``max_terms``."""
        return int(self._tally_for("n_documents_").n_documents)

    @property
    def document_frequency_(self) -> Ints:
        """How many documents hold each word of the vocabulary."""
        return self._frequencies_for("document_frequency_").document_frequency

    @property
    def undercount_(self) -> int:
        """How many documents a document frequency may have missed."""
        return self._frequencies_for("undercount_").undercount

    def _tally_for(self, name: str) -> TermTally:
        tally: TermTally | None = getattr(self, "_tally", None)
        if tally is None:
            raise AttributeError(f"{name} is known after partial_fit, or a fit with max_terms")
        return tally

    def _frequencies_for(self, name: str) -> Frequencies:
        self._tally_for(name)
        try:
            self._engine_vocabulary()
        except ValueError as error:  # so that hasattr answers
            raise AttributeError(f"{name} is not known: {error}") from error
        assert self._frequencies is not None
        return self._frequencies

    def _tally_of(
        self, documents: Documents, options: core.AnalyzerOptions | None, how: Execution
    ) -> TermTally:
        """Return the tally of these documents alone."""
        tally = TermTally(new_hash_key())
        self._add_documents(tally, documents, options, how)
        return tally

    def _add_documents(
        self,
        tally: TermTally,
        documents: Documents,
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
            tally.add(documents, options, *how, max_terms=self.max_terms or 0, advance=advance)

    def _add_tally(self, batch: TermTally) -> None:
        # Threads may feed one vectorizer: each batch is added whole, and none is lost.
        with _GROWING:
            tally = getattr(self, "_tally", None)
            if tally is None:
                tally = TermTally(new_hash_key())
            tally.add_tally(batch)
            if self.max_terms is not None and len(tally) > 2 * self.max_terms:
                tally.prune(self.max_terms)
            self._start_from(tally)

    def _check_same_text(self, others: dict[str, Any]) -> None:
        mine = getattr(self, "_grown_with", None) or _text_parameters(self)
        for name, value in mine.items():
            if value != others[name]:
                raise ValueError(
                    f"document frequencies only add up for the same features: {name} was "
                    f"{value!r:.80}, now it is {others[name]!r:.80}"
                )

    def _start_from(self, tally: TermTally) -> None:
        """Take a tally over, in the place of what was learnt before."""
        self._forget_vocabulary()
        self._tally = tally
        self._grown_with = _text_parameters(self)

    def _check_can_grow(self) -> None:
        if self.vocabulary is not None:
            raise ValueError("a given vocabulary does not grow: pass vocabulary=None")
        if hasattr(self, "_vocabulary") and self._tally is None:
            raise ValueError(
                "fit keeps no document frequencies to add to: start with partial_fit on a new "
                "vectorizer"
            )
        self._check_same_text(_text_parameters(self))

    def _check_max_terms(self) -> None:
        if self.max_terms is not None:
            wanted = "None or an int from 1 to 2**31 - 1"
            whole_number(
                self.max_terms, "max_terms", 1, 2**31 - 1, wanted=wanted, wrong_type=ValueError
            )


def _text_parameters(vectorizer: EngineVectorizer) -> dict[str, Any]:
    """Return what decides which features a document has."""
    names = "analyzer lowercase strip_accents preprocessor token_pattern ngram_range stemmer"
    parameters = {name: getattr(vectorizer, name) for name in names.split()}
    for name, value in parameters.items():
        if isinstance(value, Mapping):  # which may be changed in place
            parameters[name] = dict(value)
    parameters["analyzer"] = vectorizer.view_names or vectorizer.analyzer  # a list is a tuple
    words = vectorizer.stop_words
    parameters["stop_words"] = (
        words if words is None or isinstance(words, str | Mapping) else frozenset(words)
    )
    return parameters

"""How text becomes the features that a finished model has weights for."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, cast

import numpy as np

from wordodds._border.analyzer import AnalyzerSpec, compiled_options, stemmed
from wordodds._border.cached_property import cached_property
from wordodds._border.documents import Documents, as_documents, as_strings
from wordodds._border.execution import execution
from wordodds._border.views import shown_name, stored_name, view_of
from wordodds._core import text as core
from wordodds.model.fasttext.reading import FastTextReading
from wordodds.model.python_analysis import preprocessor_of, python_analyzer
from wordodds.typing import Codes, Floats, Ints, Texts

__all__ = ["CALLABLES", "SHARED", "TextFeatures"]

# What a user may have written in Python; a model file holds their names alone.
CALLABLES = ("preprocessor", "strip_accents", "tokenizer", "analyzer")

# Options that all views of a text have in common.
SHARED = ("n_unknown", "n_hashed", "alternate_sign", "encoding", "decode_error", "missing")


@dataclass(frozen=True, eq=False)
class TextFeatures:
    """What stands between raw text and rows of weights; immutable.

    The names are those of the vectorizers. ``callables`` holds the functions of a user in the place
    of the options of their names. A text may be read in several ways at once: this object is then
    the first view, and has what all views share.
    """

    terms: core.FrozenTerms | None = None
    """Feature i has row i of the weights; None: features are hashed."""
    n_unknown: int = 0
    """Rows after those of the terms, for features that are none of them."""
    n_hashed: int = 0
    alternate_sign: bool = False
    analyzer: str = "word"
    lowercase: bool = True
    strip_accents: str | None = None
    token_pattern: str = r"(?u)\b\w\w+\b"
    ngram_range: tuple[int, int] = (1, 1)
    stop_words: tuple[str, ...] | None = None
    stemmer: str | None = None
    binary: bool = False
    sublinear: bool = False
    norm: str | None = None
    norm_weights: Floats | None = None
    """What each feature weighs in the norm; None: one."""
    encoding: str = "utf-8"
    decode_error: str = "strict"
    missing: str = "error"
    callables: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    fasttext: FastTextReading | None = None
    """With analyzer "fasttext", what its words become; the terms are there, and not above."""
    view: str = ""
    """What the names of this view's features begin with, if there are several."""
    beside: tuple["TextFeatures", ...] = ()
    """The other views: how each reads text, weighs counts and normalises. They have rows of the
    same weights, one view after the other."""

    def __getstate__(self) -> dict[str, Any]:
        # Without what is made of these when it is first needed.
        return {part.name: getattr(self, part.name) for part in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)

    @property
    def n_features(self) -> int:
        """How many rows of weights there must be."""
        if self.fasttext is not None:
            return self.fasttext.n_features
        if self.terms is None:
            return self.n_hashed * len(self.views)
        return len(self.terms) + self.n_unknown

    @property
    def views(self) -> tuple["TextFeatures", ...]:
        """All views, this one first."""
        return (self, *self.beside)

    @cached_property
    def view_begins(self) -> Codes:
        """The first rows of the views but the first."""
        if not self.beside:
            return np.empty(0, dtype=np.int32)
        if self.terms is None:
            return np.arange(1, len(self.views), dtype=np.int32) * np.int32(self.n_hashed)
        return self._vocabulary.view_begins(len(self.views))

    @property
    def has_stems(self) -> bool:
        """Whether words become stems in any view."""
        return any(view.stemmer is not None for view in self.views)

    @cached_property
    def options(self) -> core.AnalyzerOptions | None:
        """What the compiled analyzer is to do, before stems; None if Python must find features."""
        parts = tuple(view.own_options for view in self.views)
        first, *others = (view._preparation for view in self.views)
        if None in parts or any(other != first for other in others):
            return None
        return self._together(cast("tuple[core.AnalyzerOptions, ...]", parts))

    def _together(self, parts: tuple[core.AnalyzerOptions, ...]) -> core.AnalyzerOptions:
        if len(parts) == 1:
            return parts[0]
        return core.AnalyzerOptions.beside(parts, shares_vocabulary=self.terms is not None)

    @property
    def _preparation(self) -> tuple[object, ...]:
        """What is done to a text before it is analyzed, by functions of the user."""
        if self._preprocess is None:
            return ()
        found = tuple(self.callables.get(name) for name in ("preprocessor", "strip_accents"))
        return (*found, self.lowercase)

    @cached_property
    def own_options(self) -> core.AnalyzerOptions | None:
        """What the compiled analyzer is to do for this view alone, before stems."""
        if "analyzer" in self.callables or "tokenizer" in self.callables:
            return None
        spec = AnalyzerSpec(
            self.analyzer,
            self.lowercase,
            self.strip_accents,
            self.token_pattern,
            self.ngram_range,
            None if self.stop_words is None else frozenset(self.stop_words),
        )
        return compiled_options(spec if self._preprocess is None else spec.of_prepared_text())

    @cached_property
    def _preprocess(self) -> Callable[[str], str] | None:
        return preprocessor_of(self.callables, self.lowercase)

    def documents(self, texts: Texts, n_jobs: int | None) -> Documents:
        """Check texts at the public border and do what a user's preprocessor does to them."""
        how = None if type(texts) is list else execution(n_jobs)  # threads check columns alone
        documents = as_documents(texts, self._decode, "content", self.missing, how)
        if self._preprocess is not None and self.options is not None:
            documents = tuple(map(self._preprocess, as_strings(documents)))
        return documents

    def stemmed_options(self, documents: Documents, n_jobs: int | None) -> core.AnalyzerOptions:
        """Return the compiled analyzer's options with the stems of these documents' words."""
        parts = []
        for view in self.views:
            assert view.own_options is not None
            parts.append(stemmed(view.own_options, documents, view.stemmer, execution(n_jobs)))
        return self._together(tuple(parts))

    def found_in(self, text: str) -> list[list[str]]:
        """Return the features of one text, in order, known and unknown ones: a list a view.

        The text is as `documents` returns it.
        """
        is_prepared = self.options is not None
        return [view._own_features(text, is_prepared) for view in self.views]

    def _own_features(self, text: str, is_prepared: bool) -> list[str]:
        if self.own_options is None:
            return self._analyze(text)
        if self._preprocess is not None and not is_prepared:
            text = self._preprocess(text)
        options = stemmed(self.own_options, (text,), self.stemmer, execution(1))
        return options.features(text, *execution(1))

    @cached_property
    def _analyze(self) -> Callable[[str], list[str]]:
        return python_analyzer(self)

    def rows_of(self, documents: Iterable[Iterable[Iterable[str]]]) -> tuple[Ints, Codes, Floats]:
        """Count features that Python found, by view; return (indptr, indices, counts)."""
        n_views = len(self.views)
        if self.terms is None:
            counter = core.FeatureCounter.hashed(
                self.n_hashed, n_views, alternate_sign=self.alternate_sign
            )
        else:
            counter = core.FeatureCounter.frozen(self._vocabulary, self.n_unknown, n_views)
        for views in documents:
            for features in views:
                counter.add_view(features)
        _, indptr, indices, counts = counter.finish(
            *execution(1), dtype=np.dtype(np.float64), binary=False
        )
        return indptr, indices, counts

    @cached_property
    def _vocabulary(self) -> core.Vocabulary:
        assert self.terms is not None
        return self.terms.thawed()

    def weighed(self, indptr: Ints, indices: Codes, counts: Floats) -> Floats:
        """Return what counts become: their values, divided by the norms of documents and views.

        A count of zero, as of hashed features whose signs cancel, stays zero if it is not binary.
        """
        values = np.empty_like(counts)
        place = np.searchsorted(self.view_begins, indices, side="right")
        documents = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
        for number, view in enumerate(self.views):
            of_view = place == number if len(self.views) > 1 else slice(None)
            own = view._own_values(counts[of_view])
            weights = None if self.norm_weights is None else self.norm_weights[indices[of_view]]
            rows = documents[of_view]
            values[of_view] = own / view._own_norms(own, weights, rows, len(indptr) - 1)[rows]
        return values

    def _own_values(self, counts: Floats) -> Floats:
        if self.binary:
            return np.ones_like(counts)
        if not self.sublinear:
            return counts
        occurs = counts != 0.0
        values = np.log(counts, where=occurs, out=np.zeros_like(counts))
        return np.asarray(values + occurs)

    def _own_norms(
        self, values: Floats, weights: Floats | None, documents: Ints, n_documents: int
    ) -> Floats:
        if self.norm is None:
            return np.ones(n_documents)
        parts = values if weights is None else values * weights
        powers = np.abs(parts) if self.norm == "l1" else parts * parts
        sums = np.bincount(documents, weights=powers, minlength=n_documents)
        norms = sums if self.norm == "l1" else np.sqrt(sums)
        return np.where(norms == 0.0, 1.0, norms)

    def name_of(self, row: int) -> str:
        """Return what to call a row of the weights."""
        if self.fasttext is not None:
            return self.fasttext.name_of(row)
        if self.terms is None:
            return f"<column {row}>"
        if row < len(self.terms):
            term = self.terms.term(row)
            return term if not self.beside else shown_name(term, self.view_names)
        return "<unknown>" if self.n_unknown == 1 else f"<unknown {row - len(self.terms)}>"

    @property
    def view_names(self) -> list[str]:
        """What the names of features begin with, for each view; of several views."""
        return [view.view for view in self.views]

    def by_name(self, name: str) -> list[list[str]]:
        """Return the feature of a name as `found_in` would, alone in its view."""
        if not self.beside:
            return [[name]]
        term = stored_name(name, self.view_names)
        return [[term[1:]] if i == view_of(term) else [] for i in range(len(self.views))]

    def _decode(self, raw: bytes) -> str:
        return raw.decode(self.encoding, self.decode_error)

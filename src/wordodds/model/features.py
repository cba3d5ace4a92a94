"""How text becomes the features that a finished model has weights for."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np

from wordodds._border.analyzer import AnalyzerSpec, compiled_options, stemmed
from wordodds._border.documents import Documents, as_documents, as_strings
from wordodds._border.execution import execution
from wordodds._core import text as core
from wordodds.model.fasttext.reading import FastTextReading
from wordodds.model.python_analysis import preprocessor_of, python_analyzer
from wordodds.typing import Codes, Floats, Ints, Texts

__all__ = ["CALLABLES", "TextFeatures"]

# What a user may have written in Python; a model file holds their names alone.
CALLABLES = ("preprocessor", "strip_accents", "tokenizer", "analyzer")


@dataclass(frozen=True, eq=False)
class TextFeatures:
    """What stands between raw text and rows of weights; immutable.

    The names are those of the vectorizers. ``callables`` holds the functions of a user in the place
    of the options of their names.
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
        return self.n_hashed if self.terms is None else len(self.terms) + self.n_unknown

    @cached_property
    def options(self) -> core.AnalyzerOptions | None:
        """What the compiled analyzer is to do, before stems; None if Python must find features."""
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
        assert self.options is not None
        return stemmed(self.options, documents, self.stemmer, execution(n_jobs))

    def found_in(self, text: str) -> list[str]:
        """Return the features of one text, in order, known and unknown ones."""
        if self.options is None:
            return self._analyze(text)
        return self.stemmed_options((text,), 1).features(text, *execution(1))

    @cached_property
    def _analyze(self) -> Callable[[str], list[str]]:
        return python_analyzer(self)

    def rows_of(self, documents: Iterable[Iterable[str]]) -> tuple[Ints, Codes, Floats]:
        """Count features that Python found; return them as (indptr, indices, counts)."""
        if self.terms is None:
            counter = core.FeatureCounter.hashed(self.n_hashed, alternate_sign=self.alternate_sign)
        else:
            counter = core.FeatureCounter.frozen(self._vocabulary, self.n_unknown)
        for features in documents:
            counter.add_row(features)
        _, indptr, indices, counts = counter.finish(
            *execution(1), dtype=np.dtype(np.float64), binary=False
        )
        return indptr, indices, counts

    @cached_property
    def _vocabulary(self) -> core.Vocabulary:
        assert self.terms is not None
        return self.terms.thawed()

    def weighed(self, counts: Floats) -> Floats:
        """Return what the counts of features that occur become, before any norm."""
        if self.binary:
            return np.ones_like(counts)
        return np.log(counts) + 1.0 if self.sublinear else counts

    def norms(self, indptr: Ints, indices: Codes, values: Floats) -> Floats:
        """Return what each row of `weighed` values is divided by: its norm, or one."""
        if self.norm is None:
            return np.ones(len(indptr) - 1)
        parts = values if self.norm_weights is None else values * self.norm_weights[indices]
        powers = np.abs(parts) if self.norm == "l1" else parts * parts
        documents = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
        sums = np.bincount(documents, weights=powers, minlength=len(indptr) - 1)
        norms = sums if self.norm == "l1" else np.sqrt(sums)
        return np.where(norms == 0.0, 1.0, norms)

    def name_of(self, row: int) -> str:
        """Return what to call a row of the weights."""
        if self.fasttext is not None:
            return self.fasttext.name_of(row)
        if self.terms is None:
            return f"<column {row}>"
        if row < len(self.terms):
            return self.terms.term(row)
        return "<unknown>" if self.n_unknown == 1 else f"<unknown {row - len(self.terms)}>"

    def _decode(self, raw: bytes) -> str:
        return raw.decode(self.encoding, self.decode_error)

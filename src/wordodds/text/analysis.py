"""How documents become features: by the compiled analyzers, or by Python where they cannot.

scikit-learn's own methods say what an analyzer is to do and carry out what the engine does not know
(callables, other token patterns); the engine counts in either case.
"""

from functools import lru_cache
from numbers import Integral
from typing import TYPE_CHECKING, cast

from sklearn.feature_extraction.text import CountVectorizer as SklearnCountVectorizer

from wordodds._border.analyzer import WORD_ANALYZERS, AnalyzerSpec, compiled_options, stemmed
from wordodds._border.documents import Documents, as_documents, as_strings, without_missing
from wordodds._border.execution import Execution
from wordodds._core import text as core
from wordodds._estimator.inherited import own_methods
from wordodds.text.views import views_of
from wordodds.typing import RawDocuments

if TYPE_CHECKING:
    from wordodds.text.vectorizer import EngineVectorizer

__all__ = ["analyzed"]

# Methods of scikit-learn's that the compiled analyzers stand for.
_METHODS = {
    "word": ("build_analyzer", "build_tokenizer", "get_stop_words", "_word_ngrams"),
    "char": ("build_analyzer", "_char_ngrams"),
    "char_wb": ("build_analyzer", "_char_wb_ngrams"),
    "unicode_word": ("build_analyzer", "get_stop_words"),
}
_ALL_METHODS = frozenset({"build_preprocessor", "decode"}.union(*_METHODS.values()))


def analyzed(
    vectorizer: "EngineVectorizer", raw_documents: RawDocuments, how: Execution
) -> tuple[Documents, core.AnalyzerOptions | None]:
    """Return documents, checked, and how the engine is to read them; None if Python must."""
    own = own_methods(vectorizer, _ALL_METHODS)
    # What is done to the text is done in Python then; the rest may still run compiled.
    prepares = (
        vectorizer.preprocessor is not None
        or callable(vectorizer.strip_accents)
        or (bool(own) and not own.isdisjoint(("build_preprocessor", "decode")))
    )
    prepare = _preprocessed if prepares else _checked
    # The first is most usual, and spares a call: a short document takes microseconds.
    if type(vectorizer.analyzer) is str or vectorizer.view_names is None:
        options = _options_of(vectorizer, own, prepares)
        if options is not None:
            documents = prepare(vectorizer, raw_documents, how)
            return documents, stemmed(options, documents, vectorizer.stemmer, how)
    else:
        views = views_of(vectorizer)
        parts = [_options_of(view, own, prepares) for view in views]
        compiled = [part for part in parts if part is not None]
        if len(compiled) == len(views):
            documents = prepare(vectorizer, raw_documents, how)
            stems = tuple(
                stemmed(part, documents, view.stemmer, how)
                for part, view in zip(compiled, views, strict=True)
            )
            shares = vectorizer.views_share_vocabulary
            return documents, core.AnalyzerOptions.beside(stems, shares_vocabulary=shares)
    # A callable of the user may take documents of any kind.
    takes_any = prepares or callable(vectorizer.analyzer) or "build_analyzer" in own
    if takes_any or vectorizer.input != "content":
        return cast("Documents", without_missing(raw_documents, vectorizer.missing)), None
    return as_strings(_checked(vectorizer, raw_documents, how)), None


def _checked(
    vectorizer: "EngineVectorizer", raw_documents: RawDocuments, how: Execution
) -> Documents:
    return as_documents(raw_documents, vectorizer.decode, vectorizer.input, vectorizer.missing, how)


def _preprocessed(
    vectorizer: "EngineVectorizer", raw_documents: RawDocuments, how: Execution
) -> Documents:
    # A preprocessor may take documents of any kind; what it gives must be text.
    preprocess = vectorizer.build_preprocessor()
    documents = [
        preprocess(vectorizer.decode(document))
        for document in without_missing(raw_documents, vectorizer.missing)
    ]
    return as_documents(documents, vectorizer.decode, how=how)


def _options_of(
    vectorizer: "EngineVectorizer", own: frozenset[str], is_prepared: bool
) -> core.AnalyzerOptions | None:
    """Return the options of the compiled analyzer; None if it cannot do what is asked."""
    analyzer = vectorizer.analyzer
    if callable(analyzer) or (analyzer == "word" and vectorizer.tokenizer is not None):
        return None
    if own and not own.isdisjoint(_METHODS[analyzer]):
        return None
    ngram_min, ngram_max = vectorizer.ngram_range
    if not (isinstance(ngram_min, int) and isinstance(ngram_max, int)):
        if not (isinstance(ngram_min, Integral) and isinstance(ngram_max, Integral)):
            return None  # scikit-learn has the error for it
        ngram_min, ngram_max = int(ngram_min), int(ngram_max)
    stop_words = vectorizer.stop_words
    if stop_words is not None:
        if not isinstance(stop_words, str):
            stop_words = frozenset(stop_words)
        # Warns, once for each set of stop words, if the tokens of these are not among them.
        vectorizer.build_analyzer()
    spec = AnalyzerSpec(
        analyzer,
        bool(vectorizer.lowercase),
        cast("str | None", vectorizer.strip_accents),  # a function has prepared the text
        vectorizer.token_pattern if analyzer == "word" else None,
        (ngram_min, ngram_max),
    )
    return _options_for(spec.of_prepared_text() if is_prepared else spec, stop_words)


# Keyed by all that matters: most of the time of counting a short document would go into this.
@lru_cache(maxsize=64)
def _options_for(
    spec: AnalyzerSpec, stop_words: str | frozenset[object] | None
) -> core.AnalyzerOptions | None:
    # Also where the engine takes over: this is where wrong parameters get their errors.
    model = SklearnCountVectorizer(
        analyzer="word" if spec.analyzer in WORD_ANALYZERS else spec.analyzer,
        lowercase=spec.lowercase,
        strip_accents=spec.strip_accents,
        token_pattern=spec.token_pattern if spec.analyzer == "word" else r"\w+",
        ngram_range=spec.ngram_range,
        stop_words=None if isinstance(stop_words, frozenset) else stop_words,
    )
    model.build_analyzer()
    words = None
    if spec.analyzer in WORD_ANALYZERS and stop_words is not None:
        listed = model.get_stop_words() if isinstance(stop_words, str) else stop_words
        words = frozenset(word for word in listed if isinstance(word, str))
    return compiled_options(spec._replace(stop_words=words))

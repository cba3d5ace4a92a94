"""Stems: each distinct word is stemmed once, whatever the length of the corpus."""

from functools import lru_cache
from typing import Any

from wordodds._border.documents import Documents
from wordodds._border.execution import Execution
from wordodds._border.terms import is_encodable, new_hash_key, pack_terms
from wordodds._core import tally as tally_core
from wordodds._core import text as core

__all__ = ["check_stemmer", "stem", "with_stems"]

_WORDS_AT_ONCE = 50_000  # between them Python looks for Ctrl-C
_LONGEST = 1000  # characters
# The languages of PyStemmer 3.1. Without PyStemmer, these names raise ImportError and any other
# name is an error.
_LANGUAGES = frozenset(
    [
        *("arabic", "armenian", "basque", "catalan", "czech", "danish", "dutch", "dutch_porter"),
        *("english", "esperanto", "estonian", "finnish", "french", "german", "greek", "hindi"),
        *("hungarian", "indonesian", "irish", "italian", "lithuanian", "nepali", "norwegian"),
        *("persian", "polish", "porter", "portuguese", "romanian", "russian", "serbian", "sesotho"),
        *("spanish", "swedish", "tamil", "turkish", "yiddish"),
    ]
)


def check_stemmer(language: str) -> None:
    """Raise ValueError for an unknown language, ImportError for a known one without PyStemmer."""
    try:
        import Stemmer

        known = Stemmer.algorithms(aliases=True)
        is_installed = True
    except ImportError:
        known, is_installed = _LANGUAGES, False
    if language not in known:
        raise ValueError(
            f"stemmer must be None or one of {', '.join(sorted(known))}; got {language!r:.80}"
        )
    if not is_installed:
        raise ImportError(f"stemmer={language!r} needs PyStemmer: pip install 'wordodds[stem]'")


@lru_cache(maxsize=1 << 16)
def stem(language: str, word: str) -> str:
    """Return the stem of one word, lower-cased as the algorithms expect."""
    return _stem_all(language, [word])[0]


def with_stems(
    options: core.AnalyzerOptions, documents: Documents, language: str, how: Execution
) -> core.AnalyzerOptions:
    """Return analyzer options that put the stem of each word of the documents in its place."""
    tally = tally_core.TermTally(new_hash_key())
    tally.add(documents, options.single_words(), *how, max_terms=0, advance=None)
    words, *_ = tally.sorted_terms(0, *how)
    return options.with_stems(core.WordMap(words, *pack_terms(_stem_all(language, words.terms()))))


def _stem_all(language: str, words: list[str]) -> list[str]:
    import Stemmer

    stems: Any = Stemmer.Stemmer(language)
    stems.maxCacheSize = 0  # every word comes once
    # Snowball works on UTF-8, which has no lone surrogates, and some languages take quadratic time
    # on words that no language has: such a word is its own stem.
    sound = [word for word in words if len(word) <= _LONGEST and is_encodable(word)]
    stemmed: list[str] = []
    for first in range(0, len(sound), _WORDS_AT_ONCE):
        stemmed += stems.stemWords(sound[first : first + _WORDS_AT_ONCE])
    if len(sound) == len(words):
        return stemmed
    stem_of = dict(zip(sound, stemmed, strict=True))
    return [stem_of.get(word, word) for word in words]

"""Text into counts.

The vectorizers load when they are first used: what reads text for a finished model needs neither
them nor scikit-learn.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wordodds.text.count import CountVectorizer as CountVectorizer
    from wordodds.text.hashing import HashingVectorizer as HashingVectorizer
    from wordodds.text.tfidf import TfidfTransformer as TfidfTransformer
    from wordodds.text.tfidf import TfidfVectorizer as TfidfVectorizer

_HOMES = {
    "CountVectorizer": "wordodds.text.count",
    "HashingVectorizer": "wordodds.text.hashing",
    "TfidfTransformer": "wordodds.text.tfidf",
    "TfidfVectorizer": "wordodds.text.tfidf",
}

__all__ = ["CountVectorizer", "HashingVectorizer", "TfidfTransformer", "TfidfVectorizer"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'wordodds.text' has no attribute {name!r}")
    globals()[name] = value = getattr(import_module(_HOMES[name]), name)
    return value

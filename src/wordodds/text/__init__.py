"""Text into counts."""

from wordodds.text.count import CountVectorizer
from wordodds.text.errors import EmptyVocabularyError
from wordodds.text.hashing import HashingVectorizer
from wordodds.text.tfidf import TfidfTransformer, TfidfVectorizer

__all__ = [
    "CountVectorizer",
    "EmptyVocabularyError",
    "HashingVectorizer",
    "TfidfTransformer",
    "TfidfVectorizer",
]

"""Text into counts."""

from wordodds.text.count import CountVectorizer

__all__ = ["CountVectorizer"]

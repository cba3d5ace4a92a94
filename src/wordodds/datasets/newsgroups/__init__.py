"""20 Newsgroups in three variants: whole messages, letters only, and a bag of words."""

from wordodds.datasets.newsgroups.load import load_newsgroups

__all__ = ["load_newsgroups"]

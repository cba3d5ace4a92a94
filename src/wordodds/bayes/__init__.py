"""Naive Bayes: class tallies into weights."""

from wordodds.bayes.multinomial import MultinomialNB

__all__ = ["MultinomialNB"]

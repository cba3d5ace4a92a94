"""Corpora to learn and to measure with: 20 Newsgroups, and synthetic ones of known difficulty."""

from wordodds.datasets._corpus import BagOfWords, Corpus
from wordodds.datasets.download import DatasetUnavailable
from wordodds.datasets.first import newsgroups_or_synthetic
from wordodds.datasets.newsgroups import load_newsgroups
from wordodds.datasets.synthetic import SyntheticCorpus, make_corpus

__all__ = [
    "BagOfWords",
    "Corpus",
    "DatasetUnavailable",
    "SyntheticCorpus",
    "load_newsgroups",
    "make_corpus",
    "newsgroups_or_synthetic",
]

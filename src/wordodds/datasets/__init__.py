"""Data to learn and to measure with: 20 Newsgroups, small corpora, synthetic ones, UCI."""

from wordodds.datasets.corpus import BagOfWords, Corpus
from wordodds.datasets.download import DatasetUnavailable
from wordodds.datasets.fallback import newsgroups_or_synthetic
from wordodds.datasets.newsgroups import load_newsgroups
from wordodds.datasets.synthetic import SyntheticCorpus, make_corpus
from wordodds.datasets.texts import load_texts
from wordodds.datasets.uci import UciTable, load_uci

__all__ = [
    "BagOfWords",
    "Corpus",
    "DatasetUnavailable",
    "SyntheticCorpus",
    "UciTable",
    "load_newsgroups",
    "load_texts",
    "load_uci",
    "make_corpus",
    "newsgroups_or_synthetic",
]

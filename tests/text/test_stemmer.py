"""stemmer: what PyStemmer gives word by word, with each word stemmed once."""

import pickle
import re
import sys

import numpy as np
import pytest
import sklearn.feature_extraction.text as peer
import Stemmer
from sklearn.base import clone

import wordodds
from wordodds import CountVectorizer, HashingVectorizer, TfidfVectorizer
from wordodds._border import stem

ENGLISH = [
    "Running runners ran; the runner's running shoes were running out",
    "generalizations generalized the general generously, happily and happiest",
    "The flies and the fly were flying: dying, tying, lying",
    "naïve naïveté Σigmas \u0130stanbul's fishes 12345s _under_scores_",
]
FRENCH = ["Les chevaux mangeaient l'herbe été étés", "continuellement continuer CONTINUÂMES"]
STOP = ["the", "running", "and"]
KINDS = ["CountVectorizer", "TfidfVectorizer", "HashingVectorizer"]


def tokenizer(language, pattern=r"(?u)\b\w\w+\b", stop_words=()):
    """Stem each token that is no stop word, one call a token."""
    stems = Stemmer.Stemmer(language)
    return lambda text: [
        stems.stemWord(word) for word in re.findall(pattern, text) if word not in stop_words
    ]


def assert_same(ours, theirs, texts):
    for mine, other in (
        (ours.fit_transform(texts), theirs.fit_transform(texts)),
        (ours.transform(texts[::-1]), theirs.transform(texts[::-1])),
    ):
        np.testing.assert_array_equal(mine.indptr, other.indptr)
        np.testing.assert_array_equal(mine.indices, other.indices)
        np.testing.assert_allclose(mine.data, other.data, rtol=1e-14)
    if hasattr(theirs, "vocabulary_"):
        assert ours.vocabulary_ == theirs.vocabulary_
    analyze, expected = ours.build_analyzer(), theirs.build_analyzer()
    assert [analyze(text) for text in texts] == [expected(text) for text in texts]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ngram_range", [(1, 1), (1, 3), (2, 2)])
@pytest.mark.parametrize(
    ("language", "texts"), [("english", ENGLISH), ("porter", ENGLISH), ("french", FRENCH)]
)
def test_words_and_ngrams(kind, ngram_range, language, texts):
    assert_same(
        getattr(wordodds, kind)(stemmer=language, ngram_range=ngram_range),
        getattr(peer, kind)(
            tokenizer=tokenizer(language), token_pattern=None, ngram_range=ngram_range
        ),
        texts,
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "way",
    [
        {},
        {"token_pattern": r"(\w\w+)"},  # Python finds the words
        {"tokenizer": re.compile(r"\b\w\w+\b").findall, "token_pattern": None},
        {"preprocessor": str.lower},
    ],
    ids=["compiled", "pattern", "tokenizer", "preprocessor"],
)
def test_stop_words_go_before_stems(kind, way):
    # "runners" becomes "runner", "running" would become "run", as "run" itself.
    texts = [*ENGLISH, "run runs running"]
    ours = getattr(wordodds, kind)(stemmer="english", stop_words=STOP, ngram_range=(1, 2), **way)
    theirs = getattr(peer, kind)(
        tokenizer=tokenizer("english", stop_words=STOP), token_pattern=None, ngram_range=(1, 2)
    )
    assert_same(ours, theirs, texts)
    assert "run" in ours.build_analyzer()("run runs running")


def test_unicode_words():
    plain = CountVectorizer(analyzer="unicode_word").build_analyzer()
    stems = Stemmer.Stemmer("english")
    theirs = peer.CountVectorizer(analyzer=lambda text: [stems.stemWord(w) for w in plain(text)])
    assert_same(CountVectorizer(analyzer="unicode_word", stemmer="english"), theirs, ENGLISH)


def test_accents_go_before_stems():
    theirs = peer.CountVectorizer(
        strip_accents="unicode", tokenizer=tokenizer("french"), token_pattern=None
    )
    assert_same(CountVectorizer(strip_accents="unicode", stemmer="french"), theirs, FRENCH)


def test_lone_surrogates_are_their_own_stems():
    vectorizer = CountVectorizer(stemmer="english", token_pattern=r"\S+").fit(["\ud800ings cats"])
    assert list(vectorizer.vocabulary_) == ["cat", "\ud800ings"]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_each_distinct_word_is_stemmed_once(monkeypatch, n_jobs):
    seen = []

    class Counting:
        def __init__(self, language):
            self.stems = REAL(language)
            self.maxCacheSize = 0

        def stemWords(self, words):
            seen.extend(words)
            return self.stems.stemWords(words)

    REAL = Stemmer.Stemmer
    monkeypatch.setattr(Stemmer, "Stemmer", Counting)
    texts = [f"running word{i % 50} cats" for i in range(5000)]
    matrix = CountVectorizer(stemmer="english", ngram_range=(1, 2), n_jobs=n_jobs).fit_transform(
        texts
    )
    assert sorted(seen) == sorted({word for text in texts for word in text.split()})
    assert matrix.sum() == 5 * len(texts)


@pytest.mark.parametrize("kind", KINDS)
def test_without_pystemmer(monkeypatch, kind):
    monkeypatch.setitem(sys.modules, "Stemmer", None)
    with pytest.raises(ImportError, match=r"needs PyStemmer: pip install 'wordodds\[stem\]'"):
        getattr(wordodds, kind)(stemmer="english").fit_transform(ENGLISH)
    getattr(wordodds, kind)().fit_transform(ENGLISH)


@pytest.mark.parametrize("kind", [CountVectorizer, TfidfVectorizer, HashingVectorizer])
def test_wrong_values(kind):
    with pytest.raises(ValueError, match=r"one of .*english.*; got 'klingon'"):
        kind(stemmer="klingon").fit_transform(ENGLISH)
    with pytest.raises(ValueError, match="'stemmer' parameter"):
        kind(stemmer=7).fit_transform(ENGLISH)
    for analyzer in ("char", "char_wb", str.split):
        with pytest.raises(ValueError, match="stemmer needs words"):
            kind(stemmer="english", analyzer=analyzer).fit_transform(ENGLISH)


@pytest.mark.parametrize("kind", [CountVectorizer, TfidfVectorizer, HashingVectorizer])
def test_clone_and_pickle(kind):
    fitted = kind(stemmer="english").fit(ENGLISH)
    copy = pickle.loads(pickle.dumps(fitted))
    assert (copy.transform(FRENCH) != fitted.transform(FRENCH)).nnz == 0
    again = clone(fitted).fit(ENGLISH)
    assert (again.transform(ENGLISH) != fitted.transform(ENGLISH)).nnz == 0
    assert again.get_params()["stemmer"] == "english"


def test_growing_vocabularies():
    grown = CountVectorizer(stemmer="english").partial_fit(ENGLISH[:2]).partial_fit(ENGLISH[2:])
    assert grown.vocabulary_ == CountVectorizer(stemmer="english").fit(ENGLISH).vocabulary_


@pytest.mark.needs("PyStemmer>=3.1")  # our list of languages is that of this version
def test_a_language_that_is_none_is_named_with_and_without_pystemmer(monkeypatch):
    assert set(Stemmer.algorithms()) >= stem._LANGUAGES
    for installed in (True, False):
        if not installed:
            monkeypatch.setitem(sys.modules, "Stemmer", None)
        with pytest.raises(ValueError, match=r"one of .*english.*; got 'klingon'"):
            CountVectorizer(stemmer="klingon").fit_transform(ENGLISH)

"""The vectorizers beside scikit-learn's: python -m pytest benchmarks/suites/bench_text.py.

Raw 20 Newsgroups train part: 11,314 documents, 22 MB. Every job asserts that both give the same
matrix; where the peer did not run, that its size is the one that the peer is known to give.
"""

import numpy as np
import pytest
import sklearn.feature_extraction.text as peer
from sklearn.pipeline import FeatureUnion

import wordodds

from ..setup.contenders import PEER, QUICK_OURS, threads_of
from ..setup.views import VIEWS

# Latin letters to Greek and Cyrillic, capitals to capitals; reversible: words stay distinct.
LATIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
GREEK_AND_CYRILLIC = "αβγδεζηθικλμνбгджзилпфцчшыΑΒΓΔΕΖΗΘΙΚΛΜΝБГДЖЗИЛПФЦЧШЫ"


# Columns and entries of scikit-learn's matrices.
SIZES = {
    "count": (130_107, 1_787_565),
    "transform": (130_107, 1_787_565),
    "bigrams": (1_181_803, 4_696_188),
    "char_wb": (821_469, 19_460_366),
    "hashing": (1 << 20, 1_787_304),
    "tfidf": (130_107, 1_787_565),
    "count_greek_and_cyrillic": (130_107, 1_787_565),
    "transform_greek_and_cyrillic": (130_107, 1_787_565),
    "strip_accents": (130_107, 1_787_565),
    "views": (2_938_380, 27_590_486),
    "one_short_document": (130_107, 9),
}


def make(name, contender, **options):
    if contender == PEER:
        return getattr(peer, name)(**options)
    return getattr(wordodds, name)(n_jobs=threads_of(contender), **options)


def assert_same(matrix, expected):
    np.testing.assert_array_equal(matrix.indptr, expected.indptr)
    np.testing.assert_array_equal(matrix.indices, expected.indices)
    np.testing.assert_allclose(matrix.data, expected.data, rtol=2e-15, atol=0)


@pytest.fixture(scope="session")
def texts(newsgroups):
    return newsgroups[0].texts


@pytest.fixture(scope="session")
def foreign_texts(texts):
    table = str.maketrans(LATIN, GREEK_AND_CYRILLIC)
    return [text.translate(table) for text in texts]


@pytest.fixture(scope="session")
def expected():
    """Remember what the peer gave for a job, so that ours can be held against it."""
    return {}


@pytest.fixture
def race(contender, measure, expected, benchmark):
    """Time one contender at a job; the peer runs first, its answer is the others'."""

    def run(job, *, peer_rounds=3, rounds=15):
        name = benchmark.group
        result = measure(job, rounds=peer_rounds if contender == PEER else rounds)
        assert (result.shape[1], result.nnz) == SIZES[name]
        if contender == PEER:
            expected[name] = result
        elif name in expected:
            assert_same(result, expected[name])

    return run


@pytest.mark.quick
def test_count(texts, contender, race):
    vectorizer = make("CountVectorizer", contender)
    race(lambda: vectorizer.fit_transform(texts))


@pytest.mark.quick
def test_transform(texts, contender, race):
    vectorizer = make("CountVectorizer", contender).fit(texts)
    race(lambda: vectorizer.transform(texts))


def test_bigrams(texts, contender, race):
    vectorizer = make("CountVectorizer", contender, ngram_range=(1, 2))
    race(lambda: vectorizer.fit_transform(texts), peer_rounds=1, rounds=5)


def test_char_wb(texts, contender, race):
    vectorizer = make("CountVectorizer", contender, analyzer="char_wb", ngram_range=(2, 4))
    race(lambda: vectorizer.fit_transform(texts), peer_rounds=1, rounds=3)


@pytest.mark.parametrize("contender", [PEER, *QUICK_OURS], indirect=True)
def test_hashing(texts, contender, race):
    vectorizer = make("HashingVectorizer", contender)
    race(lambda: vectorizer.transform(texts))


def test_tfidf(texts, contender, race):
    vectorizer = make("TfidfVectorizer", contender)
    race(lambda: vectorizer.fit_transform(texts))


def test_count_greek_and_cyrillic(foreign_texts, contender, race):
    vectorizer = make("CountVectorizer", contender)
    race(lambda: vectorizer.fit_transform(foreign_texts))


def test_transform_greek_and_cyrillic(foreign_texts, contender, race):
    vectorizer = make("CountVectorizer", contender).fit(foreign_texts)
    race(lambda: vectorizer.transform(foreign_texts))


def test_strip_accents(foreign_texts, contender, race):
    vectorizer = make("CountVectorizer", contender, strip_accents="unicode")
    race(lambda: vectorizer.fit_transform(foreign_texts), peer_rounds=1, rounds=5)


def test_views(texts, contender, race):
    """Words and pairs of them beside characters within words, each with its own tf-idf."""
    if contender == PEER:
        parts = [
            (view, make("TfidfVectorizer", contender, analyzer=view, ngram_range=ngrams))
            for view, ngrams in VIEWS.items()
        ]
        vectorizer = FeatureUnion(parts)
    else:
        options = {"analyzer": tuple(VIEWS), "ngram_range": VIEWS}
        vectorizer = make("TfidfVectorizer", contender, **options)
    race(lambda: vectorizer.fit_transform(texts), peer_rounds=1, rounds=3)


@pytest.mark.quick
def test_one_short_document(texts, contender, race):
    vectorizer = make("CountVectorizer", contender).fit(texts)
    document = ["Which graphics card should I buy for under 300 dollars?"]
    race(lambda: vectorizer.transform(document), peer_rounds=200, rounds=200)

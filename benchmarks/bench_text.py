"""The vectorizers beside scikit-learn's: python -m pytest benchmarks/bench_text.py.

Raw 20 Newsgroups train part: 11,314 documents, 22 MB. Every job asserts that both give the same
matrix.
"""

import numpy as np
import pytest
import sklearn.feature_extraction.text as peer

import wordodds

from .conftest import PEER, threads_of

# Latin letters to Greek and Cyrillic, capitals to capitals; reversible: words stay distinct.
LATIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
GREEK_AND_CYRILLIC = "αβγδεζηθικλμνбгджзилпфцчшыΑΒΓΔΕΖΗΘΙΚΛΜΝБГДЖЗИЛПФЦЧШЫ"


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
def race(contender, measure, expected, request):
    """Time one contender at a job; the peer runs first, its answer is the others'."""

    def run(job, *, peer_rounds=4, rounds=15):
        name = request.function.__name__
        result = measure(job, rounds=peer_rounds if contender == PEER else rounds)
        if contender == PEER:
            expected[name] = result
        elif name in expected:
            assert_same(result, expected[name])
        else:
            pytest.skip("the peer did not run, so there is nothing to compare with")

    return run


def test_count(texts, contender, race):
    vectorizer = make("CountVectorizer", contender)
    race(lambda: vectorizer.fit_transform(texts))


def test_transform(texts, contender, race):
    vectorizer = make("CountVectorizer", contender).fit(texts)
    race(lambda: vectorizer.transform(texts))


def test_bigrams(texts, contender, race):
    vectorizer = make("CountVectorizer", contender, ngram_range=(1, 2))
    race(lambda: vectorizer.fit_transform(texts), peer_rounds=2, rounds=5)


def test_char_wb(texts, contender, race):
    vectorizer = make("CountVectorizer", contender, analyzer="char_wb", ngram_range=(2, 4))
    race(lambda: vectorizer.fit_transform(texts), peer_rounds=2, rounds=3)


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
    race(lambda: vectorizer.fit_transform(foreign_texts), peer_rounds=2, rounds=5)


def test_one_short_document(texts, contender, race):
    vectorizer = make("CountVectorizer", contender).fit(texts)
    document = ["Which graphics card should I buy for under 300 dollars?"]
    race(lambda: vectorizer.transform(document), peer_rounds=200, rounds=200)

"""The vectorizers beside scikit-learn's: python -m pytest benchmarks/bench_text.py.

Raw 20 Newsgroups train part: 11,314 documents, 22 MB. Every job asserts that both give the same
matrix. Peak memory is printed with -s.
"""

import subprocess
import sys

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

    def run(job, *, peer_rounds=2, rounds=9):
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
    race(lambda: vectorizer.fit_transform(texts), peer_rounds=1, rounds=5)


def test_char_wb(texts, contender, race):
    vectorizer = make("CountVectorizer", contender, analyzer="char_wb", ngram_range=(2, 4))
    race(lambda: vectorizer.fit_transform(texts), peer_rounds=1, rounds=3)


def test_hashing(texts, contender, race):
    vectorizer = make("HashingVectorizer", contender)
    race(lambda: vectorizer.transform(texts))


def test_tfidf(texts, contender, race):
    vectorizer = make("TfidfVectorizer", contender)
    race(lambda: vectorizer.fit_transform(texts))


def test_count_greek_and_cyrillic(foreign_texts, contender, race):
    vectorizer = make("CountVectorizer", contender)
    race(lambda: vectorizer.fit_transform(foreign_texts))


def test_count_eight_copies(texts, contender, race):
    vectorizer = make("CountVectorizer", contender)
    race(lambda: vectorizer.fit_transform(texts * 8), peer_rounds=1, rounds=3)


def test_one_short_document(texts, contender, race):
    vectorizer = make("CountVectorizer", contender).fit(texts)
    document = ["Which graphics card should I buy for under 300 dollars?"]
    race(lambda: vectorizer.transform(document), peer_rounds=200, rounds=200)


MEMORY = """
from wordodds.datasets import load_newsgroups
from {module} import CountVectorizer
texts = load_newsgroups("bydate", "train").texts
def peak():
    with open("/proc/self/status") as status:
        return int(next(line for line in status if line.startswith("VmHWM")).split()[1]) / 1024
CountVectorizer().fit_transform(texts[:10])
with open("/proc/self/clear_refs", "w") as reset:  # the peak starts anew from here
    reset.write("5")
before = peak()
CountVectorizer(ngram_range=(1, 2){options}).fit_transform(texts)
print(peak() - before)
"""


def test_memory_of_bigrams(newsgroups):
    peaks = {}
    for contender, module, options in (
        (PEER, "sklearn.feature_extraction.text", ""),
        ("wordodds, 1 thread", "wordodds", ", n_jobs=1"),
        ("wordodds, 2 threads", "wordodds", ", n_jobs=2"),
    ):
        program = MEMORY.format(module=module, options=options)
        result = subprocess.run(
            [sys.executable, "-c", program], check=True, capture_output=True, text=True
        )
        peaks[contender] = float(result.stdout)
        print(f"\npeak extra memory, bigrams, {contender}: {peaks[contender]:.0f} MB", end="")
    assert peaks["wordodds, 1 thread"] < peaks[PEER]

"""Large and long texts: the right counts, and the same bits on every way through the engine."""

import re
from collections import Counter

import numpy as np
import pytest
import sklearn.feature_extraction.text as peer

import wordodds
from wordodds import CountVectorizer, HashingVectorizer, TfidfVectorizer

WAYS = {
    "bigrams": (CountVectorizer, {"ngram_range": (1, 2)}),
    "char_wb": (CountVectorizer, {"analyzer": "char_wb", "ngram_range": (2, 3)}),
    "hashed": (HashingVectorizer, {"ngram_range": (1, 2)}),
    "hashed char_wb": (HashingVectorizer, {"analyzer": "char_wb", "n_features": 1000}),
    "accents": (CountVectorizer, {"strip_accents": "unicode", "analyzer": "char_wb"}),
    "ascii": (CountVectorizer, {"strip_accents": "ascii", "ngram_range": (1, 2)}),
    "tf-idf": (TfidfVectorizer, {"sublinear_tf": True, "strip_accents": "unicode"}),
    "unicode words": (CountVectorizer, {"analyzer": "unicode_word", "unknown": 7, "min_df": 2}),
}
ALPHABETS = [
    "abcdefAB",
    "äöüßéèÉ\u0130",
    "αβγΣσςΆ",
    "абвЖй",
    "𝐀𝐁𐐀𐐁",
    "漢字かガ",
    "हिन्दी",
    "한국\u1112\u1161",
]


@pytest.fixture(scope="module")
def corpus():
    rng = np.random.default_rng(17)
    texts = []
    for i in range(3000):
        letters = [*ALPHABETS[i % len(ALPHABETS)], *" .'a"]
        texts.append("".join(rng.choice(letters, size=250)))
    assert sum(len(text.encode()) for text in texts) > 1_000_000
    return texts


def bits(matrix):
    return [getattr(matrix, field).tobytes() for field in ("indptr", "indices", "data")]


def run(way, corpus, n_jobs):
    kind, options = WAYS[way]
    vectorizer = kind(n_jobs=n_jobs, **options)
    return bits(vectorizer.fit_transform(corpus)) + bits(vectorizer.transform(corpus[::3]))


@pytest.fixture(scope="module")
def expected(corpus):
    # One thread on the instruction set of this machine.
    return {way: run(way, corpus, 1) for way in WAYS}


@pytest.mark.parametrize("way", list(WAYS))
def test_same_bits_everywhere(corpus, expected, instruction_set, way):
    for n_jobs in (1, 2, 5):
        assert run(way, corpus, n_jobs) == expected[way]


@pytest.mark.parametrize("way", [way for way in WAYS if way != "unicode words"])
def test_scikit_learn_agrees(corpus, way):
    kind, options = WAYS[way]
    texts = corpus[:400]
    theirs = getattr(peer, kind.__name__)(**options).fit_transform(texts)
    ours = getattr(wordodds, kind.__name__)(n_jobs=2, **options).fit_transform(texts)
    np.testing.assert_array_equal(ours.indptr, theirs.indptr)
    np.testing.assert_array_equal(ours.indices, theirs.indices)
    np.testing.assert_allclose(ours.data, theirs.data, rtol=2e-15)


TOKEN = "Xé" * 500_000
DOCUMENT = "Alpha βήτα can't 3.14 γάμΜΑΣ. " * 700_000


def counts_of(vectorizer, document):
    row = vectorizer.fit_transform([document])
    names = vectorizer.get_feature_names_out()
    return dict(zip(names[row.indices], row.data.tolist(), strict=True))


@pytest.mark.parametrize("analyzer", ["word", "unicode_word"])
def test_a_token_of_a_million_characters(analyzer):
    document = f"one {TOKEN} two {TOKEN}s {TOKEN}"
    found = counts_of(CountVectorizer(analyzer=analyzer), document)
    assert found == {"one": 1, "two": 1, TOKEN.lower(): 2, f"{TOKEN.lower()}s": 1}


def test_characters_in_a_token_of_a_million():
    found = counts_of(CountVectorizer(analyzer="char_wb", ngram_range=(3, 3)), TOKEN)
    assert found == {" xé": 1, "xéx": 499_999, "éxé": 499_999, "xé ": 1}


def test_hashing_a_token_of_a_million():
    ours, theirs = HashingVectorizer(norm=None), peer.HashingVectorizer(norm=None)
    texts = [f"one {TOKEN} two {TOKEN}s {TOKEN}"]
    assert (ours.transform(texts) != theirs.transform(texts)).nnz == 0


def test_a_document_of_20_megabytes():
    assert len(DOCUMENT) > 20_000_000
    words = Counter(re.findall(r"(?u)\b\w\w+\b", DOCUMENT[:30].lower()))
    many = {word: count * 700_000 for word, count in words.items()}
    assert counts_of(CountVectorizer(), DOCUMENT) == many
    # One repetition tells them all.
    for options in ({"analyzer": "unicode_word"}, {"analyzer": "char_wb"}):
        vectorizer = CountVectorizer(**options)
        few = Counter(vectorizer.build_analyzer()(DOCUMENT[:30]))
        assert counts_of(vectorizer, DOCUMENT) == {k: n * 700_000 for k, n in few.items()}
    hashed = HashingVectorizer(norm=None, alternate_sign=False).transform([DOCUMENT])
    few = peer.HashingVectorizer(norm=None, alternate_sign=False).transform([DOCUMENT[:30]])
    assert (hashed != few * 700_000).nnz == 0

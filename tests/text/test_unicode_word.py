"""analyzer="unicode_word": words by the boundaries of Unicode (UAX #29)."""

import pickle
import sys
from collections import Counter

import numpy as np
import pytest
import regex
import sklearn.feature_extraction.text as peer

import wordodds
from wordodds import CountVectorizer, HashingVectorizer, TfidfVectorizer

KNOWN = {
    "I can't": ["i", "can't"],
    "it’s l’été": ["it’s", "l’été"],
    "pi is 3.14, or 3,141.59!": ["pi", "is", "3.14", "or", "3,141.59"],
    "हिन्दी में": ["हिन्दी", "में"],
    "中文": ["中", "文"],
    "カタカナ ひら": ["カタカナ", "ひ", "ら"],
    "a_b __init__ _": ["a_b", "__init__"],
    "😀 👩‍👩‍👧 ok 👍🏽": ["ok"],
    "e\u0301te\u0301 été": ["e\u0301te\u0301", "été"],
    "a.b e.g. a:b": ["a.b", "e.g", "a:b"],
    "3a 4.b": ["3a", "4", "b"],
    "ab\u200dcd x\u00ady": ["ab\u200dcd", "x\u00ady"],
    "한국어 단어": ["한국어", "단어"],
    'צה"ל': ['צה"ל'],
    "x² ½ Ⅷ": ["x", "ⅷ"],
    "": [],
    " ... '' ": [],
}
TEXTS = [*KNOWN, "The cat can't sit, can't sit", "THE ΟΔΥΣΣΕΥΣ \u0130stanbul été"]


def joined(words, low, high):
    """Join neighbours, in plain Python."""
    return [
        " ".join(words[i : i + n])
        for n in range(low, min(high, len(words)) + 1)
        for i in range(len(words) - n + 1)
    ]


def analyze(text, **options):
    return CountVectorizer(analyzer="unicode_word", **options).build_analyzer()(text)


@pytest.mark.parametrize(("text", "words"), KNOWN.items())
def test_known_words(text, words):
    assert [word for word in analyze(text) if word not in "²½"] == words


def test_scripts_without_spaces_come_as_the_rules_say():
    words = analyze("ไทย")
    assert "".join(words) == "ไทย"


def with_letters(pieces):
    return [piece for piece in pieces if any(map(str.isalnum, piece))]


@pytest.mark.parametrize("text", TEXTS)
def test_an_independent_segmentation(text):
    pieces = regex.split(r"(?w)\b", text, flags=regex.VERSION1)
    assert analyze(text, lowercase=False) == with_letters(pieces)


@pytest.mark.parametrize("kind", ["CountVectorizer", "TfidfVectorizer", "HashingVectorizer"])
@pytest.mark.parametrize("ngram_range", [(1, 1), (1, 3), (2, 2)])
@pytest.mark.parametrize("stop_words", [None, ["the", "can't"], "english"], ids=str)
@pytest.mark.parametrize("strip_accents", [None, "unicode", "ascii"])
def test_matrices(kind, ngram_range, stop_words, strip_accents):
    low, high = ngram_range
    listed = peer.ENGLISH_STOP_WORDS if stop_words == "english" else stop_words or ()
    strip = {None: str, "unicode": peer.strip_accents_unicode, "ascii": peer.strip_accents_ascii}

    def features(text):
        words = analyze(strip[strip_accents](text.lower()), lowercase=False)
        return joined([word for word in words if word not in listed], low, high)

    options = {"ngram_range": ngram_range, "stop_words": stop_words, "strip_accents": strip_accents}
    ours = getattr(wordodds, kind)(analyzer="unicode_word", **options)
    theirs = getattr(peer, kind)(analyzer=features)
    for mine, other in (
        (ours.fit_transform(TEXTS), theirs.fit_transform(TEXTS)),
        (ours.transform(TEXTS[::-1]), theirs.transform(TEXTS[::-1])),
    ):
        np.testing.assert_array_equal(mine.indptr, other.indptr)
        np.testing.assert_array_equal(mine.indices, other.indices)
        np.testing.assert_allclose(mine.data, other.data, rtol=1e-14)
    build = ours.build_analyzer()
    for text in TEXTS:
        assert Counter(build(text)) == Counter(features(text))


def test_every_code_point_once():
    # Whatever Python's version of Unicode knows, letters stay and nothing is made up.
    texts = [
        "".join(f"{chr(code)} a{chr(code)}b " for code in range(start, start + 1024))
        for start in range(0, sys.maxunicode + 1, 1024)
    ]
    vectorizer = CountVectorizer(analyzer="unicode_word", lowercase=False)
    totals = np.asarray(vectorizer.fit_transform(texts).sum(axis=1)).ravel()
    build = vectorizer.build_analyzer()
    for row in range(0, len(texts), 37):
        words = build(texts[row])
        assert len(words) == totals[row]
        place = 0
        for word in words:  # in order, without overlap
            place = texts[row].index(word, place) + len(word)
    assert {"a", "b", "aéb", "a1b", "中"} <= vectorizer.vocabulary_.keys()
    assert not any(word.isspace() for word in vectorizer.vocabulary_)


@pytest.mark.parametrize("kind", [CountVectorizer, TfidfVectorizer, HashingVectorizer])
def test_analyzers_pickle(kind):
    build = kind(analyzer="unicode_word", ngram_range=(1, 2)).build_analyzer()
    again = pickle.loads(pickle.dumps(build))
    assert again("can't stop") == build("can't stop")
    assert Counter(build("can't stop")) == Counter(["can't", "stop", "can't stop"])
    assert again(b"bytes") == ["bytes"]


@pytest.mark.parametrize(
    ("name", "value"), [("tokenizer", str.split), ("token_pattern", r"[a-z]+")]
)
@pytest.mark.parametrize("kind", [CountVectorizer, TfidfVectorizer, HashingVectorizer])
def test_unused_parameters(kind, name, value):
    with pytest.warns(UserWarning, match=f"'{name}' will not be used since 'analyzer' != 'word'"):
        kind(analyzer="unicode_word", **{name: value}).fit(["one can't"])


def test_long_words_and_windows():
    for n_padding in range(8185, 8197):
        text = "x" * n_padding + "'y 3" + ".1" * 50 + " ok"
        assert analyze(text) == ["x" * n_padding + "'y", "3" + ".1" * 50, "ok"]

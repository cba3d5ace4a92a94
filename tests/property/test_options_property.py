"""Every option of the vectorizers against scikit-learn's, over all of Unicode."""

import sys
import unicodedata

import numpy as np
import pytest
import sklearn.feature_extraction.text as peer
from hypothesis import given, settings
from hypothesis import strategies as st

import wordodds

from ..code_points import BLOCK, STARTS

TRICKY = (
    "Σσς\u0130\u0307\u00ad'._٠ǅß\u2028\u2029\x1c\x85\xa0\u3000\ud800\U0001e900\x00\ufeff"
    " \t\n\r aAbB1é"
)
characters = st.one_of(st.sampled_from(TRICKY), st.characters(exclude_categories=()))
documents = st.lists(st.text(characters, max_size=30), min_size=1, max_size=5)
WORDS = ["ab", "ba", "the", "aa", "11", "éa", "bab"]
wordy = st.lists(
    st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join), min_size=1, max_size=6
)

analyzers = st.fixed_dictionaries(
    {
        "analyzer": st.sampled_from(["word", "char", "char_wb"]),
        "lowercase": st.booleans(),
        "ngram_range": st.sampled_from([(1, 1), (1, 2), (2, 2), (1, 4), (3, 5)]),
        "strip_accents": st.sampled_from([None, "unicode", "ascii"]),
    }
)
words_only = st.fixed_dictionaries(
    {
        "token_pattern": st.sampled_from(
            [
                r"(?u)\w+|[^\w\s]",
                r"\b\w\w+\b|[^\s\w]",
                r"(?u)\b\w\w+\b",
                r"(?u)\b\w+\b",
                r"\w{3,}",
                r"\b\w\w\w+\b",
                r"[a-z]+",
                r"(\w)\w",
            ]
        ),
        "stop_words": st.sampled_from([None, ["ab", "the"], "english"]),
        "ngram_range": st.sampled_from([(1, 1), (1, 3), (2, 2)]),
        "strip_accents": st.sampled_from([None, "unicode", "ascii"]),
        "binary": st.booleans(),
        "dtype": st.sampled_from([np.int64, np.float32, np.float64, np.int32]),
    }
)
limits = st.fixed_dictionaries(
    {
        "min_df": st.sampled_from([1, 2, 0.3]),
        "max_df": st.sampled_from([1.0, 0.7, 3]),
        "max_features": st.sampled_from([None, 1, 3]),
        "ngram_range": st.sampled_from([(1, 1), (1, 2)]),
    }
)


def outcome(call):
    """Return the result of a call, or the error it raised."""
    try:
        return call()
    except ValueError as error:
        return error


def assert_same(ours, theirs, rtol=0.0):
    if isinstance(theirs, ValueError):
        assert isinstance(ours, type(theirs)), f"scikit-learn raised {theirs!r}, this is {ours!r}"
        return
    assert not isinstance(ours, ValueError), ours
    assert ours.shape == theirs.shape
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours.indptr, theirs.indptr)
    np.testing.assert_array_equal(ours.indices, theirs.indices)
    np.testing.assert_allclose(ours.data, theirs.data, rtol=rtol, atol=0)


def assert_same_vectorizer(name, options, corpus, unseen, rtol=0.0):
    ours, theirs = getattr(wordodds, name)(**options), getattr(peer, name)(**options)
    fitted = outcome(lambda: theirs.fit_transform(corpus))
    assert_same(outcome(lambda: ours.fit_transform(corpus)), fitted, rtol)
    if isinstance(fitted, ValueError):
        return
    counted = outcome(lambda: theirs.transform(unseen))
    assert_same(outcome(lambda: ours.transform(unseen)), counted, rtol)
    if isinstance(counted, ValueError):
        return
    if name != "HashingVectorizer":
        assert ours.vocabulary_ == theirs.vocabulary_
        np.testing.assert_array_equal(ours.get_feature_names_out(), theirs.get_feature_names_out())
        for mine, other in zip(
            ours.inverse_transform(ours.transform(unseen)),
            theirs.inverse_transform(theirs.transform(unseen)),
            strict=True,
        ):
            np.testing.assert_array_equal(mine, other)


@given(documents, documents, analyzers)
def test_analyzers(corpus, unseen, options):
    assert_same_vectorizer("CountVectorizer", options, corpus, unseen)


@pytest.mark.filterwarnings("ignore:Your stop_words may be inconsistent")
@given(st.one_of(documents, wordy), wordy, words_only)
def test_word_options(corpus, unseen, options):
    assert_same_vectorizer("CountVectorizer", options, corpus, unseen)


@given(documents, documents, st.sampled_from(["count", 1, 5]), analyzers)
def test_unknown_columns_hold_the_rest(corpus, unseen, unknown, options):
    ours = wordodds.CountVectorizer(unknown=unknown, max_features=2, **options)
    fitted = outcome(lambda: ours.fit_transform(corpus))
    if isinstance(fitted, ValueError):
        return
    assert_same(ours.transform(corpus).sorted_indices(), fitted.sorted_indices())
    analyze = ours.build_analyzer()
    totals = np.asarray(ours.transform(unseen).sum(axis=1)).ravel()
    assert totals.tolist() == [len(analyze(text)) for text in unseen]


@given(documents, st.integers(0, 5), analyzers)
def test_two_batches_are_one_fit(corpus, cut, options):
    whole = outcome(lambda: wordodds.CountVectorizer(**options).fit(corpus).vocabulary_)
    grown = wordodds.CountVectorizer(**options)
    grown.partial_fit(corpus[:cut]).partial_fit(corpus[cut:])
    if isinstance(whole, ValueError):
        assert isinstance(outcome(lambda: grown.transform(corpus)), ValueError)
    else:
        assert grown.vocabulary_ == whole


@given(wordy, wordy, limits)
def test_limits(corpus, unseen, options):
    assert_same_vectorizer("CountVectorizer", options, corpus, unseen)


@given(
    wordy,
    wordy,
    limits,
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["l1", "l2", None]),
)
def test_tfidf(corpus, unseen, options, use_idf, smooth_idf, sublinear_tf, norm):
    options |= {
        "use_idf": use_idf,
        "smooth_idf": smooth_idf,
        "sublinear_tf": sublinear_tf,
        "norm": norm,
    }
    assert_same_vectorizer("TfidfVectorizer", options, corpus, unseen, rtol=2e-15)


@given(
    wordy,
    wordy,
    st.fixed_dictionaries(
        {
            "n_features": st.sampled_from([1, 2, 7, 1024, 2**20, 2**31 - 1]),
            "alternate_sign": st.booleans(),
            "binary": st.booleans(),
            "norm": st.sampled_from(["l1", "l2", None]),
            "ngram_range": st.sampled_from([(1, 1), (1, 2)]),
            "analyzer": st.sampled_from(["word", "char", "char_wb", str.split]),
            "dtype": st.sampled_from([np.float64, np.float32]),
        }
    ),
)
@pytest.mark.filterwarnings("ignore:The parameter")
def test_hashing(corpus, unseen, options):
    rtol = 2e-7 if options["dtype"] is np.float32 else 2e-15
    assert_same_vectorizer("HashingVectorizer", options, corpus, unseen, rtol=rtol)


@settings(max_examples=50)
@given(documents, documents, analyzers, st.sampled_from(["l1", "l2", None]), st.booleans())
def test_hashing_of_any_characters(corpus, unseen, options, norm, alternate_sign):
    options |= {"norm": norm, "alternate_sign": alternate_sign, "n_features": 1024}
    assert_same_vectorizer("HashingVectorizer", options, corpus, unseen, rtol=2e-15)


@settings(max_examples=50)
@given(documents, documents, analyzers, st.booleans())
def test_tfidf_of_any_characters(corpus, unseen, options, sublinear_tf):
    options |= {"sublinear_tf": sublinear_tf}
    assert_same_vectorizer("TfidfVectorizer", options, corpus, unseen, rtol=2e-15)


@given(documents, documents, st.sampled_from([str.split, list, lambda text: text.lower().split()]))
@pytest.mark.filterwarnings("ignore:The parameter")
def test_callable_analyzers(corpus, unseen, analyzer):
    assert_same_vectorizer("CountVectorizer", {"analyzer": analyzer}, corpus, unseen)


# Each way to find features and each way with cases; all six pairs would only take longer.
@pytest.mark.parametrize(
    ("analyzer", "lowercase"),
    [("word", True), ("word", False), ("char", False), ("char_wb", True)],
)
def test_every_code_point_once(analyzer, lowercase):
    # Spaced out, so that each is a word, a space or a separator between letters; where characters
    # are counted, fewer of the others.
    around = "ab{0}Σ{0} " if analyzer == "word" else "{0}Σ "
    corpus = [
        "".join(around.format(chr(code)) for code in range(start, start + BLOCK))
        for start in STARTS
    ]
    options = {"analyzer": analyzer, "lowercase": lowercase}
    assert_same_vectorizer("CountVectorizer", options, corpus, corpus[:50])


@settings(max_examples=25)
@given(
    st.integers(8000, 8400),
    st.sampled_from(["char", "char_wb", "word"]),
    st.sampled_from([" ", "\u3000", "é", "x"]),
)
def test_windows_leave_no_seam(length, analyzer, filler):
    corpus = ["ab " * (length // 3) + filler * 5 + "Σ end" * 700]
    options = {"analyzer": analyzer, "ngram_range": (1, 3)}
    assert_same_vectorizer("CountVectorizer", options, corpus, corpus)


def test_no_code_point_that_is_assigned_is_left_out():
    starts = set(STARTS)
    for code in range(sys.maxunicode + 1):
        if unicodedata.category(chr(code)) not in ("Cn", "Co"):
            assert code - code % BLOCK in starts, hex(code)

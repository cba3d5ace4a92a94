"""unknown: words outside the vocabulary in columns of their own."""

import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
import sklearn.feature_extraction.text as peer
from sklearn.base import clone
from sklearn.utils import murmurhash3_32

from wordodds import CountVectorizer, TfidfVectorizer

RNG = np.random.default_rng(5)
WORDS = [f"w{i}é" if i % 3 else f"w{i}" for i in range(60)]
TEXTS = [" ".join(RNG.choice(WORDS, size=30, p=np.arange(60, 0, -1) / 1830)) for _ in range(40)]
UNSEEN = [*TEXTS[:5], "w1 never seen before before", "", "nothing known"]
OPTIONS = {
    "plain": {},
    "min_df": {"min_df": 5},
    "max_df": {"max_df": 0.5},
    "max_features": {"max_features": 7},
    "all": {"min_df": 2, "max_df": 0.8, "max_features": 20},
    "binary": {"min_df": 5, "binary": True},
    "float32": {"min_df": 5, "dtype": np.float32},
    "bigrams": {"min_df": 3, "ngram_range": (1, 2)},
    "char_wb": {"min_df": 10, "analyzer": "char_wb", "ngram_range": (2, 3)},
    "tokenizer": {"min_df": 5, "tokenizer": str.split, "token_pattern": None},
    "callable": {"max_features": 9, "analyzer": str.split},
    "vocabulary": {"vocabulary": WORDS[::7]},
}
ALL = pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)


def by_hand(options, n_unknown, texts):
    """Count with scikit-learn's analyzer and vocabulary, in plain Python."""
    model = peer.CountVectorizer(**options).fit(TEXTS)
    analyze = model.build_analyzer()
    width = len(model.vocabulary_)
    counts = np.zeros((len(texts), width + n_unknown), dtype=model.dtype)
    for row, text in enumerate(texts):
        for term, count in Counter(analyze(text)).items():
            column = model.vocabulary_.get(term)
            if column is None:
                column = width + murmurhash3_32(term, positive=True) % n_unknown
            counts[row, column] += count
    return (counts > 0).astype(counts.dtype) if model.binary else counts


@ALL
@pytest.mark.parametrize("unknown", ["count", 1, 4, 1000])
def test_counts(options, unknown):
    ours = CountVectorizer(unknown=unknown, **options)
    n_unknown = 1 if unknown == "count" else unknown
    fitted = ours.fit_transform(TEXTS)
    assert fitted.dtype == options.get("dtype", np.int64)
    # Where MurmurHash3 puts a word is the same in every process and on every machine.
    np.testing.assert_array_equal(fitted.toarray(), by_hand(options, n_unknown, TEXTS))
    np.testing.assert_array_equal(
        ours.transform(UNSEEN).toarray(), by_hand(options, n_unknown, UNSEEN)
    )
    again = clone(ours).fit(TEXTS).transform(TEXTS)
    np.testing.assert_array_equal(again.toarray(), fitted.toarray())
    assert again.has_canonical_format
    if not options.get("binary"):
        analyze = ours.build_analyzer()
        for matrix, texts in ((fitted, TEXTS), (ours.transform(UNSEEN), UNSEEN)):
            totals = [len(analyze(text)) for text in texts]
            np.testing.assert_array_equal(np.asarray(matrix.sum(axis=1)).ravel(), totals)


@ALL
@pytest.mark.parametrize("unknown", ["count", 3])
def test_tfidf(options, unknown):
    options = {"dtype": np.float64} | options
    ours = TfidfVectorizer(unknown=unknown, **options)
    fitted = ours.fit_transform(TEXTS)
    n_unknown = 1 if unknown == "count" else unknown
    weigh = peer.TfidfTransformer().fit(by_hand(options, n_unknown, TEXTS))
    rtol = 1e-6 if options["dtype"] is np.float32 else 1e-14
    for matrix, texts in ((fitted, TEXTS), (ours.transform(UNSEEN), UNSEEN)):
        expected = weigh.transform(by_hand(options, n_unknown, texts)).toarray()
        np.testing.assert_allclose(matrix.toarray(), expected, rtol=rtol)
    np.testing.assert_allclose(ours.transform(TEXTS).toarray(), fitted.toarray(), rtol=rtol, atol=0)


def test_another_process_finds_the_same_columns():
    program = (
        "from wordodds import CountVectorizer\n"
        "v = CountVectorizer(unknown=50).fit(['known words'])\n"
        "print(v.transform(['some more words é']).indices.tolist())"
    )
    run = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    here = CountVectorizer(unknown=50).fit(["known words"]).transform(["some more words é"])
    assert run.stdout.strip() == str(here.indices.tolist())


def test_names():
    fitted = CountVectorizer(unknown="count").fit(["one two"])
    assert list(fitted.get_feature_names_out()) == ["one", "two", "<unknown>"]
    assert fitted.vocabulary_ == {"one": 0, "two": 1}
    fitted = TfidfVectorizer(unknown=2).fit(["one"])
    assert list(fitted.get_feature_names_out()) == ["one", "<unknown 0>", "<unknown 1>"]
    assert fitted.transform(["x y"]).shape == (1, 3)
    assert list(CountVectorizer().fit(["one"]).get_feature_names_out()) == ["one"]


@pytest.mark.parametrize("unknown", ["count", 3])
def test_inverse_transform_leaves_them_out(unknown):
    fitted = CountVectorizer(unknown=unknown).fit(["one two"])
    matrix = fitted.transform(["two four", "five", "two one"])
    assert matrix.nnz == 5
    for given in (matrix, matrix.toarray()):
        found = fitted.inverse_transform(given)
        assert [list(words) for words in found] == [["two"], [], ["one", "two"]]


@pytest.mark.parametrize("unknown", [0, -1, True, False, 1.0, "hash", None, 2**31, "Count"])
@pytest.mark.parametrize("vectorizer", [CountVectorizer, TfidfVectorizer])
def test_wrong_values(vectorizer, unknown):
    with pytest.raises(ValueError, match=r"unknown must be .* got"):
        vectorizer(unknown=unknown).fit(["one two"])


def test_limits_of_unknown_columns_with_growing_vocabularies():
    grown = CountVectorizer(unknown="count", min_df=2).partial_fit(TEXTS[:9]).partial_fit(TEXTS[9:])
    whole = CountVectorizer(unknown="count", min_df=2).fit(TEXTS)
    assert (grown.transform(UNSEEN) != whole.transform(UNSEEN)).nnz == 0
    with pytest.raises(ValueError, match='unknown="ignore" or use_idf=False'):
        TfidfVectorizer(unknown="count").partial_fit(TEXTS)
    with pytest.raises(ValueError, match='unknown="ignore" or use_idf=False'):
        TfidfVectorizer(unknown="count").merge(TfidfVectorizer().partial_fit(TEXTS))
    weighed = TfidfVectorizer(unknown="count", use_idf=False, norm=None).partial_fit(TEXTS)
    assert weighed.transform(["w1 strange"]).sum() == 2

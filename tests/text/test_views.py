"""Several analyzers side by side: what scikit-learn's FeatureUnion of them gives."""

import io
import pickle
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.feature_extraction import text as sklearn_text
from sklearn.pipeline import FeatureUnion, make_pipeline

from wordodds import (
    CountVectorizer,
    HashingVectorizer,
    MultinomialNB,
    TfidfVectorizer,
    from_sklearn,
)

TEXTS = [
    "The cat sat on the mat. The mat was flat!",
    "A dog's life: eat, sleep, repeat",
    "",
    "I can't believe it's not butter, said the cat",
    "ΟΔΟΣ Straße naïve CAT",
    "eat eat eat the flat cat",
]
OTHERS = ["the unseen cat eats", "", "Ωmega mat, mat? mat!", "dog"]
NGRAMS = {"word": (1, 2), "char_wb": (3, 5), "char": (2, 2), "unicode_word": (1, 1)}


def union_of(kind, views, **options):
    """Return scikit-learn's union of a vectorizer for each view."""

    def own(option, view):
        value = options[option]
        if isinstance(value, dict):
            return value[view]
        return None if option == "stop_words" and view != "word" else value

    return FeatureUnion(
        [
            (
                view,
                kind(
                    analyzer=view,
                    ngram_range=NGRAMS[view],
                    **{option: own(option, view) for option in options},
                ),
            )
            for view in views
        ]
    )


def ours_of(kind, views, **options):
    ngrams = {view: NGRAMS[view] for view in views}
    return kind(analyzer=views, ngram_range=ngrams, **options)


def assert_identical(ours, theirs):
    assert ours.shape == theirs.shape
    assert ours.dtype == theirs.dtype
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name), err_msg=name)


@pytest.fixture(scope="module")
def messages(newsgroups):
    """Return some messages, and what scikit-learn makes of them."""
    texts = newsgroups[0].texts[:500]
    theirs = union_of(sklearn_text.TfidfVectorizer, VIEWS, min_df=2)
    return texts, theirs.fit_transform(texts), theirs.transform(texts[:200])


OPTIONS = [
    {},
    {"min_df": 2},
    {"max_df": 0.6},
    {"max_features": 7},
    {"min_df": {"word": 1, "char_wb": 2}, "max_features": {"word": 5, "char_wb": 40}},
    {"stop_words": "english"},
    {"strip_accents": "unicode", "lowercase": False},
    {"lowercase": {"word": True, "char_wb": False}},
    {"binary": True},
]
VIEWS = ("word", "char_wb")


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("name", ["CountVectorizer", "TfidfVectorizer"])
def test_blocks_of_columns_are_those_of_feature_union(name, options):
    ours = ours_of(globals()[name], VIEWS, **options)
    theirs = union_of(getattr(sklearn_text, name), VIEWS, **options)
    assert_identical(ours.fit_transform(TEXTS), theirs.fit_transform(TEXTS))
    assert_identical(ours.transform(OTHERS), theirs.transform(OTHERS))
    np.testing.assert_array_equal(ours.get_feature_names_out(), theirs.get_feature_names_out())


@pytest.mark.parametrize(
    "options",
    [
        {"sublinear_tf": True},
        {"norm": "l1", "use_idf": False},
        {"norm": None},
        {"smooth_idf": False},
    ],
    ids=str,
)
def test_each_view_is_weighed_and_normalized_alone(options):
    ours = ours_of(TfidfVectorizer, VIEWS, **options)
    theirs = union_of(sklearn_text.TfidfVectorizer, VIEWS, **options)
    assert_identical(ours.fit_transform(TEXTS), theirs.fit_transform(TEXTS))
    assert_identical(ours.transform(OTHERS), theirs.transform(OTHERS))


def test_single_precision_has_the_bits_of_single_views():
    whole = ours_of(TfidfVectorizer, VIEWS, dtype=np.float32).fit_transform(TEXTS)
    blocks = [
        TfidfVectorizer(analyzer=view, ngram_range=NGRAMS[view], dtype=np.float32) for view in VIEWS
    ]
    expected = np.hstack([block.fit_transform(TEXTS).toarray() for block in blocks])
    assert whole.dtype == np.float32
    np.testing.assert_array_equal(whole.toarray(), expected)


@pytest.mark.parametrize("views", [("char_wb", "word"), ("char", "word", "char_wb")])
def test_columns_come_in_the_order_of_the_analyzers(views):
    ours = ours_of(TfidfVectorizer, views)
    theirs = union_of(sklearn_text.TfidfVectorizer, views)
    assert_identical(ours.fit_transform(TEXTS), theirs.fit_transform(TEXTS))
    np.testing.assert_array_equal(ours.get_feature_names_out(), theirs.get_feature_names_out())


@pytest.mark.parametrize("options", [{}, {"norm": None, "alternate_sign": False}], ids=str)
def test_hashed_views_have_columns_of_their_own(options):
    ours = ours_of(HashingVectorizer, VIEWS, n_features=1 << 10, **options)
    theirs = union_of(sklearn_text.HashingVectorizer, VIEWS, n_features=1 << 10, **options)
    assert_identical(ours.transform(TEXTS), theirs.transform(TEXTS))
    in_python = ours.set_params(tokenizer=re.compile(r"(?u)\b\w\w+\b").findall, token_pattern=None)
    assert_identical(in_python.transform(TEXTS), theirs.transform(TEXTS))


@pytest.mark.parametrize("n_jobs", [1, 2, 5])
def test_newsgroups_identical_for_any_thread_count(messages, n_jobs):
    texts, fitted, transformed = messages
    assert sum(map(len, texts)) > 5 << 17  # five jobs make five parts
    ours = ours_of(TfidfVectorizer, VIEWS, min_df=2, n_jobs=n_jobs)
    assert_identical(ours.fit_transform(texts), fitted)
    assert_identical(ours.transform(texts[:200]), transformed)


@given(st.lists(st.text(), min_size=1, max_size=6), st.lists(st.text(), max_size=3))
def test_any_text(texts, others):
    ours, theirs = (
        ours_of(CountVectorizer, ("char", "word")),
        union_of(sklearn_text.CountVectorizer, ("char", "word")),
    )
    try:
        expected = theirs.fit_transform(texts)
    except ValueError:  # one of the views has no term: ours needs them in any view
        return
    assert_identical(ours.fit_transform(texts), expected)
    assert_identical(ours.transform(others), theirs.transform(others))


def test_what_python_must_find_is_found_by_the_same_rules():
    compiled = ours_of(CountVectorizer, VIEWS)
    in_python = ours_of(CountVectorizer, VIEWS, token_pattern="(?u)\\b\\w{2,}?\\b")
    assert_identical(in_python.fit_transform(TEXTS), compiled.fit_transform(TEXTS))
    assert_identical(in_python.transform(OTHERS), compiled.transform(OTHERS))
    assert in_python.vocabulary_ == compiled.vocabulary_


def test_a_preprocessor_and_stems():
    pytest.importorskip("Stemmer")
    ours = ours_of(CountVectorizer, VIEWS, preprocessor=str.swapcase, stemmer="english")
    blocks = [
        CountVectorizer(
            analyzer=view,
            ngram_range=NGRAMS[view],
            preprocessor=str.swapcase,
            stemmer="english" if view == "word" else None,
        ).fit_transform(TEXTS)
        for view in VIEWS
    ]
    counts = ours.fit_transform(TEXTS).toarray()
    np.testing.assert_array_equal(counts, np.hstack([block.toarray() for block in blocks]))


def test_names_lead_back_to_features():
    vectorizer = ours_of(CountVectorizer, VIEWS).fit(["a cat", "cats"])
    names = vectorizer.get_feature_names_out().tolist()
    assert names[:2] == ["word__cat", "word__cats"]
    assert "char_wb__ ca" in names
    assert vectorizer.vocabulary_ == {name: column for column, name in enumerate(names)}
    assert set(vectorizer.build_analyzer()("cat")) <= set(names)
    (found,) = vectorizer.inverse_transform(vectorizer.transform(["cats"]))
    assert set(found) == {name for name in vectorizer.build_analyzer()("cats") if name in names}


def test_a_given_vocabulary_has_the_names_of_features():
    vocabulary = ["word__cat", "word__the cat", "char_wb__ ca"]
    vectorizer = ours_of(CountVectorizer, VIEWS, vocabulary=vocabulary)
    assert vectorizer.transform(["the cat, a cat"]).toarray().tolist() == [[2, 1, 2]]
    with pytest.raises(ValueError, match="number all features of 'word' first"):
        ours_of(CountVectorizer, VIEWS, vocabulary=vocabulary[::-1]).transform(["cat"])
    with pytest.raises(ValueError, match="begins with 'word__' or 'char_wb__', got 'cat'"):
        ours_of(CountVectorizer, VIEWS, vocabulary=["cat"]).transform(["cat"])


@pytest.mark.parametrize("kind", [CountVectorizer, TfidfVectorizer])
def test_batches_pickles_and_clones_know_the_same(kind):
    whole = ours_of(kind, VIEWS, min_df=2)
    expected = whole.fit(TEXTS).transform(OTHERS)
    grown = clone(whole).partial_fit(TEXTS[:2]).partial_fit(TEXTS[2:4])
    grown.merge(clone(whole).partial_fit(TEXTS[4:]))
    assert_identical(grown.transform(OTHERS), expected)
    for one in (whole, grown):
        again = pickle.loads(pickle.dumps(one))
        assert_identical(again.transform(OTHERS), expected)
        assert again.vocabulary_ == whole.vocabulary_


def test_the_order_of_analyzers_matters_not_whether_they_are_a_list():
    grown = CountVectorizer(analyzer=("word", "char")).partial_fit(TEXTS[:3])
    grown.merge(CountVectorizer(analyzer=["word", "char"]).partial_fit(TEXTS[3:]))
    assert grown.vocabulary_ == CountVectorizer(analyzer=["word", "char"]).fit(TEXTS).vocabulary_
    with pytest.raises(ValueError, match="analyzer was"):
        grown.merge(CountVectorizer(analyzer=("char", "word")).partial_fit(TEXTS))


def test_a_surrogate_is_named_with_its_document():
    options = {"n_features": 64, "tokenizer": str.split, "token_pattern": None}
    vectorizer = HashingVectorizer(analyzer=("word", "char"), **options)
    with pytest.raises(UnicodeEncodeError, match="in a feature of document 2"):
        vectorizer.transform(["one", "two", "a \ud800 b"])


def test_a_document_is_read_once_for_all_views():
    options = {"token_pattern": "[a-z]+"}  # found in Python
    expected = ours_of(CountVectorizer, VIEWS, **options).fit_transform(TEXTS)
    files = ours_of(CountVectorizer, VIEWS, input="file", **options)
    assert_identical(files.fit_transform([io.StringIO(text) for text in TEXTS]), expected)
    found = files.build_analyzer()(io.StringIO("cat"))
    assert {name.partition("__")[0] for name in found} == set(VIEWS)
    words = [text.lower().split() for text in TEXTS]
    joined = ours_of(CountVectorizer, VIEWS, preprocessor=" ".join, **options)
    plain = ours_of(CountVectorizer, VIEWS, **options)
    assert_identical(
        joined.fit_transform([iter(each) for each in words]),
        plain.fit_transform([" ".join(each) for each in words]),
    )


def test_functions_and_methods_of_ones_own():
    with pytest.raises(ValueError, match="a function for all analyzers, not for one of them"):
        ours_of(CountVectorizer, VIEWS, strip_accents={"word": str.lower}).fit(TEXTS)
    options = {"strip_accents": str.lower, "lowercase": {"word": False}}
    with pytest.raises(ValueError, match="needs one value of lowercase"):
        ours_of(CountVectorizer, VIEWS, **options).fit(TEXTS)
    vectorizer = CountVectorizer(analyzer=VIEWS)
    vectorizer.build_tokenizer = lambda: str.split
    assert "word__b-c" in vectorizer.fit(["a b-c"]).vocabulary_

    class Own(CountVectorizer):
        def __init__(self, min_df=1):
            super().__init__(analyzer=VIEWS, min_df=min_df)

    expected = CountVectorizer(analyzer=VIEWS).fit(["a cat"]).vocabulary_
    assert Own().fit(["a cat"]).vocabulary_ == expected


@pytest.mark.parametrize("before", ["word", VIEWS])
@pytest.mark.parametrize("after", ["word", ("word", "char"), ("char_wb", "word")])
def test_other_analyzers_need_another_fit(before, after):
    vectorizer = CountVectorizer(analyzer=before).fit(TEXTS)
    classifier = MultinomialNB().fit(vectorizer.transform(TEXTS), [0, 1] * 3)
    vectorizer.set_params(analyzer=after)
    if before == after:
        vectorizer.transform(OTHERS)
        return
    for ask in (
        lambda: vectorizer.transform(OTHERS),
        vectorizer.get_feature_names_out,
        lambda: from_sklearn(make_pipeline(vectorizer, classifier)),
    ):
        with pytest.raises(ValueError, match="the vocabulary is that of other analyzers"):
            ask()
    vectorizer.fit(TEXTS).transform(OTHERS)


def test_options_changed_in_place_are_noticed():
    ngrams = {"word": (1, 1)}
    vectorizer = CountVectorizer(analyzer=VIEWS, ngram_range=ngrams).partial_fit(TEXTS[:2])
    ngrams["word"] = (1, 2)
    with pytest.raises(ValueError, match="ngram_range was"):
        vectorizer.partial_fit(TEXTS[2:])


def test_max_terms_counts_the_terms_of_all_views():
    pruned = ours_of(CountVectorizer, VIEWS, max_terms=10).fit(TEXTS)
    assert len(pruned.vocabulary_) <= 10
    assert (pruned.document_frequency_ > pruned.undercount_).all()


def test_documents_of_any_kind():
    pa = pytest.importorskip("pyarrow")
    expected = ours_of(CountVectorizer, VIEWS).fit_transform(TEXTS)
    for documents in (iter(TEXTS), pa.array(TEXTS), [text.encode() for text in TEXTS]):
        assert_identical(ours_of(CountVectorizer, VIEWS).fit_transform(documents), expected)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"analyzer": ("word", "words")}, "must be some of 'word', 'char', 'char_wb'"),
        ({"analyzer": ("word", str.split)}, "must be some of"),
        ({"analyzer": ("word", "word")}, "must differ from each other"),
        ({"analyzer": ("word",)}, "two or more"),
        ({"analyzer": VIEWS, "ngram_range": {"char": (1, 2)}}, "entry for 'char', which is no"),
        ({"analyzer": VIEWS, "min_df": {"word": -1}}, "min_df"),
        ({"analyzer": VIEWS, "ngram_range": {"char_wb": (2, 1)}}, "ngram_range"),
        ({"analyzer": VIEWS, "unknown": "count"}, "only choice with several analyzers"),
        ({"analyzer": "word", "min_df": {"word": 1}}, "min_df"),
    ],
)
def test_wrong_options_are_named(parameters, message):
    with pytest.raises(ValueError, match=message):
        CountVectorizer(**parameters).fit(TEXTS)


def test_a_failed_fit_changes_nothing():
    vectorizer = ours_of(TfidfVectorizer, VIEWS).fit(TEXTS)
    before = vectorizer.transform(OTHERS)
    with pytest.raises(ValueError, match="After pruning"):
        vectorizer.set_params(min_df=6).fit(TEXTS)
    assert_identical(vectorizer.set_params(min_df=1).transform(OTHERS), before)


def test_a_view_without_features_has_no_columns():
    vectorizer = ours_of(TfidfVectorizer, VIEWS)
    matrix = vectorizer.fit_transform(["? !", "!"])
    assert all(name.startswith("char_wb__") for name in vectorizer.get_feature_names_out())
    assert matrix.shape[1] > 0

"""What a hostile or unlucky caller gets: parameters, objects and threads that do not play along."""

import io
import threading
from decimal import Decimal

import numpy as np
import pandas
import pyarrow
import pytest
import sklearn.feature_extraction.text as peer
from sklearn.pipeline import make_pipeline

import wordodds
from wordodds import CountVectorizer, HashingVectorizer, TfidfVectorizer

TEXTS = ["the cat sat", "a dog ate the the", "the dog"]


def test_threads_that_feed_one_vectorizer_lose_nothing():
    for options in ({}, {"max_terms": 1000}):
        vectorizer = CountVectorizer(**options)
        batches = [[f"word{i} shared"] * 50 for i in range(8)]
        threads = [threading.Thread(target=vectorizer.partial_fit, args=(b,)) for b in batches]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert vectorizer.n_documents_ == 400
        assert vectorizer.document_frequency_.max() == 400


@pytest.mark.parametrize("kind", [CountVectorizer, TfidfVectorizer])
def test_a_failed_fit_with_another_vocabulary_changes_nothing(kind):
    vectorizer = kind(vocabulary=["the", "cat"]).fit(TEXTS)
    before = vectorizer.transform(TEXTS)
    vectorizer.set_params(vocabulary=["dog", "the", "ate"])
    with pytest.raises(TypeError, match="document 1"):
        vectorizer.fit(["ok", None])
    assert (vectorizer.transform(TEXTS) != before).nnz == 0


@pytest.mark.parametrize(
    ("method", "analyzer", "replacement"),
    [
        ("get_stop_words", "word", lambda self: frozenset(["the"])),
        ("_word_ngrams", "word", lambda self, tokens, stop_words=None: ["fixed"]),
        ("_char_ngrams", "char", lambda self, text: ["fixed"]),
        ("_char_wb_ngrams", "char_wb", lambda self, text: ["fixed"]),
        ("build_tokenizer", "word", lambda self: str.split),
        ("decode", "word", lambda self, document: "decoded"),
    ],
)
def test_overridden_methods_are_obeyed(method, analyzer, replacement):
    ours, theirs = (
        type("Own", (kind,), {method: replacement})(analyzer=analyzer).fit(TEXTS)
        for kind in (CountVectorizer, peer.CountVectorizer)
    )
    assert ours.vocabulary_ == theirs.vocabulary_
    # The same of one object alone.
    mine = CountVectorizer(analyzer=analyzer)
    setattr(mine, method, replacement.__get__(mine))
    assert mine.fit(TEXTS).vocabulary_ == theirs.vocabulary_


def test_a_tokenizer_of_a_subclass_does_not_concern_unicode_words():
    own = type("Own", (CountVectorizer,), {"build_tokenizer": lambda self: str.split})
    assert own(analyzer="unicode_word").fit(["can't"]).vocabulary_ == {"can't": 0}


def test_unknown_words_cannot_weigh_infinitely():
    with pytest.raises(ValueError, match="weigh infinitely"):
        TfidfVectorizer(unknown="count", smooth_idf=False).fit(TEXTS)


@pytest.mark.parametrize(
    "other", [{"analyzer": "char"}, {"lowercase": False}, {"stop_words": ["the"]}]
)
def test_other_features_do_not_add_up(other):
    name = next(iter(other))
    with pytest.raises(ValueError, match=f"same features: {name}"):
        CountVectorizer().partial_fit(TEXTS).merge(CountVectorizer(**other).partial_fit(TEXTS))
    with pytest.raises(ValueError, match=f"same features: {name}"):
        CountVectorizer().partial_fit(TEXTS).set_params(**other).partial_fit(TEXTS)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint16, np.float32])
def test_max_features_counts_values_as_they_come_out(dtype):
    corpus = ["often " * 100, "two words", "two more", "two often"]
    options = {"dtype": dtype, "max_features": 1}
    ours = CountVectorizer(**options).fit(corpus)
    assert ours.vocabulary_ == peer.CountVectorizer(**options).fit(corpus).vocabulary_


@pytest.mark.parametrize("dtype", [object, np.float16, "U5", "M8[s]"])
def test_types_that_sparse_matrices_do_not_hold(dtype):
    with pytest.raises(ValueError, match="dtype"):
        peer.CountVectorizer(dtype=dtype).fit_transform(TEXTS)
    with pytest.raises(ValueError, match="dtype"):
        CountVectorizer(dtype=dtype).fit_transform(TEXTS)


@pytest.mark.filterwarnings("ignore:Only")  # scikit-learn's, for any name of a type
@pytest.mark.parametrize("dtype", ["float32", np.dtype("float64"), "f8"])
def test_names_of_types_are_types(dtype):
    grown = TfidfVectorizer(dtype=dtype).partial_fit(TEXTS)
    fitted = TfidfVectorizer(dtype=dtype).fit(TEXTS)
    assert (grown.transform(TEXTS) != fitted.transform(TEXTS)).nnz == 0


def test_unicode_words_need_no_pattern():
    assert CountVectorizer(analyzer="unicode_word", token_pattern=None).fit(TEXTS).vocabulary_


def test_labels_of_a_column_are_not_its_methods():
    labels = ["columns", "to_pylist", "dtype"]
    for dtype in (object, "str"):
        column = pandas.Series(TEXTS, index=labels, dtype=dtype)
        assert CountVectorizer().fit(column).vocabulary_ == CountVectorizer().fit(TEXTS).vocabulary_


def test_an_empty_tally_can_be_looked_at():
    vectorizer = CountVectorizer().partial_fit([""])
    assert not hasattr(vectorizer, "vocabulary_")
    assert vectorizer._repr_html_()
    with pytest.raises(ValueError, match="empty vocabulary"):
        vectorizer.transform(TEXTS)


class Broken(io.StringIO):
    """A terminal that fails at everything."""

    def isatty(self):
        return True

    def write(self, text):
        raise RuntimeError("no")


@pytest.mark.parametrize("stream", [Broken(), object(), None], ids=["broken", "object", "none"])
def test_a_bad_terminal_does_not_end_the_job(monkeypatch, stream):
    monkeypatch.setattr("sys.stderr", stream)
    assert CountVectorizer(verbose=True).fit_transform(TEXTS).shape == (3, 5)
    closed = io.StringIO()
    closed.close()
    monkeypatch.setattr("sys.stderr", closed)
    assert CountVectorizer(verbose=True).fit_transform(TEXTS).shape == (3, 5)


@pytest.mark.parametrize(
    "null",
    [np.float32("nan"), np.datetime64("NaT"), Decimal("NaN"), np.ma.masked, pyarrow.scalar(None)],
    ids=lambda null: type(null).__name__,
)
def test_every_kind_of_null(null):
    counts = CountVectorizer(missing="empty").fit_transform([*TEXTS, null])
    assert counts.shape == (4, 5)
    with pytest.raises(TypeError, match="document 3 is missing"):
        CountVectorizer().fit([*TEXTS, null])


def test_null_file_names():
    for source in ("filename", "file"):
        vectorizer = CountVectorizer(input=source, missing="empty", vocabulary=["a"])
        assert vectorizer.transform([None]).nnz == 0


class Sequence:
    def __len__(self):
        return len(TEXTS)

    def __getitem__(self, i):
        return TEXTS[i]


class Stream:
    def __arrow_c_stream__(self, requested_schema=None):
        return pyarrow.chunked_array([TEXTS]).__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize("documents", [Sequence(), Stream()], ids=["sequence", "stream"])
def test_collections_by_their_protocol_alone(documents):
    assert CountVectorizer().fit(documents).vocabulary_ == CountVectorizer().fit(TEXTS).vocabulary_


def test_ties_that_leave_nothing():
    with pytest.raises(ValueError, match="max_terms=1 leaves no term"):
        CountVectorizer(max_terms=1).fit(["the cat", "the cat"])


def test_too_many_columns():
    for options in ({}, {"min_df": 2}):
        with pytest.raises(ValueError, match=r"2\*\*31 - 1|2\^31 - 1"):
            CountVectorizer(unknown=2**31 - 1, **options).fit_transform(TEXTS)


@pytest.mark.parametrize("kind", [CountVectorizer, HashingVectorizer])
def test_a_stemmer_that_turns_bad_after_the_fit(kind):
    vectorizer = kind(stemmer="english").fit(TEXTS).set_params(stemmer="klingon")
    with pytest.raises(ValueError, match="stemmer must be None or one of"):
        vectorizer.transform(TEXTS)


def test_a_word_that_nobody_speaks_is_its_own_stem():
    # Snowball's German would take time that grows with the square of it.
    word = "aeiouy" * 200
    assert CountVectorizer(stemmer="german").fit([f"{word} hunde"]).vocabulary_ == {
        word: 0,
        "hund": 1,
    }


def test_a_given_vocabulary_leaves_nothing_to_choose():
    with pytest.raises(ValueError, match="nothing to choose"):
        CountVectorizer(vocabulary=["the"], max_terms=5).fit(TEXTS)


def test_terms_of_a_vocabulary_are_text():
    with pytest.raises(TypeError, match="terms of a vocabulary must be str, got tuple"):
        CountVectorizer(vocabulary={("a",): 0}).fit_transform(TEXTS)


def test_no_dict_is_built_before_someone_asks(monkeypatch):
    vectorizer = CountVectorizer().fit(TEXTS)
    vectorizer.transform(TEXTS)
    assert vectorizer._vocabulary_dict is None
    assert wordodds.TfidfVectorizer().fit(TEXTS)._vocabulary_dict is None


@pytest.mark.parametrize(
    "options",
    [
        {"analyzer": "char"},
        {"analyzer": "char_wb", "ngram_range": (2, 3)},
        {"analyzer": str.split},
        {"token_pattern": r"\S+"},
        {"analyzer": "char", "preprocessor": str.upper, "strip_accents": "ascii"},
    ],
)
@pytest.mark.filterwarnings("ignore:The parameter")
def test_a_lone_surrogate_that_would_be_hashed_is_named_with_its_row(options):
    texts = [
        "the cat",
        "\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16"),
        "\udcffa",
    ]
    with pytest.raises(UnicodeEncodeError):
        peer.HashingVectorizer(**options).transform(texts)
    ours = HashingVectorizer(**options)
    with pytest.raises(UnicodeEncodeError, match=r"in a feature of document 2\. Replace them"):
        ours.transform(texts)
    replaced = [text.encode("utf-8", "replace").decode() for text in texts]
    assert (
        ours.transform(replaced) != peer.HashingVectorizer(**options).transform(replaced)
    ).nnz == 0


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"analyzer": "char", "strip_accents": "ascii"},
        {"analyzer": "char", "ngram_range": (9, 9)},  # longer than the text
    ],
)
def test_a_lone_surrogate_in_no_feature_is_no_error(options):
    texts = ["the cat sat", "\ud800 sat"]
    expected = peer.HashingVectorizer(**options).transform(texts)
    assert (HashingVectorizer(**options).transform(texts) != expected).nnz == 0


def test_scoring_goes_on_where_hashing_for_training_would_not():
    pipeline = make_pipeline(
        HashingVectorizer(analyzer="char", n_features=64), wordodds.LogisticRegression()
    )
    model = wordodds.from_sklearn(pipeline.fit(TEXTS, [0, 1, 1]))
    texts = ["the cat", "\ud800", "a dog"]
    assert len(model.predict(texts)) == 3
    np.testing.assert_array_equal(
        model.decision_function(texts)[[0, 2]], model.decision_function([texts[0], texts[2]])
    )


@pytest.mark.filterwarnings("ignore:The parameter")
def test_an_analyzer_that_returns_one_string_is_refused_as_in_scikit_learn():
    for kind in (HashingVectorizer, peer.HashingVectorizer):
        with pytest.raises(ValueError, match="single string"):
            kind(analyzer=str.casefold).transform(TEXTS)


def test_texts_of_numpy_are_hashed_as_others():
    texts = [np.str_("the cat"), np.str_("\ud800 at")]
    options = {"analyzer": "char", "strip_accents": "ascii", "n_features": 64}
    expected = peer.HashingVectorizer(**options).transform(texts)
    assert (HashingVectorizer(**options).transform(texts) != expected).nnz == 0

"""partial_fit and merge: batches in any split give what one fit gives."""

import copy
import pickle
import re
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from itertools import pairwise

import numpy as np
import pytest
import sklearn.feature_extraction.text as peer
from hypothesis import given, settings
from hypothesis import strategies as st

from wordodds import CountVectorizer, HashingVectorizer, TfidfTransformer, TfidfVectorizer

RNG = np.random.default_rng(11)
WORDS = np.array([f"w{i}" if i % 4 else f"Wé{i}Σ" for i in range(80)])
TEXTS = [" ".join(WORDS[RNG.geometric(0.06, 20) % 80]) for _ in range(60)]
LIMITS = {
    "none": {},
    "min_df": {"min_df": 3},
    "shares": {"min_df": 0.05, "max_df": 0.5},
    "max_features": {"max_features": 10},
    "binary": {"max_features": 10, "binary": True},
    "bigrams": {"ngram_range": (1, 2), "min_df": 2},
    "char_wb": {"analyzer": "char_wb", "ngram_range": (2, 3), "max_df": 30},
    "unicode_word": {"analyzer": "unicode_word", "stop_words": ["w1"]},
    "float32": {"dtype": np.float32},
}
any_limits = pytest.mark.parametrize("limits", LIMITS.values(), ids=LIMITS)
splits = st.lists(st.integers(0, len(TEXTS)), max_size=5).map(lambda cuts: [0, *sorted(cuts), None])


def batches(cuts):
    return [TEXTS[begin:end] for begin, end in pairwise(cuts)]


def assert_as_one_fit(grown, limits):
    whole = type(grown)(**limits).fit(TEXTS)
    assert grown.vocabulary_ == whole.vocabulary_
    assert grown.n_documents_ == len(TEXTS)
    assert grown.undercount_ == 0
    analyze = whole.build_analyzer()
    frequency = Counter(term for text in TEXTS for term in set(analyze(text)))
    expected = [frequency[term] for term in grown.get_feature_names_out()]
    assert grown.document_frequency_.tolist() == expected
    mine, other = grown.transform(TEXTS), whole.transform(TEXTS)
    for field in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(mine, field), getattr(other, field))
    if isinstance(grown, TfidfVectorizer):
        np.testing.assert_array_equal(grown.idf_, whole.idf_)


@any_limits
@pytest.mark.parametrize("kind", [CountVectorizer, TfidfVectorizer])
@settings(max_examples=10)
@given(cuts=splits)
def test_any_split(kind, limits, cuts):
    grown = kind(**limits)
    for batch in batches(cuts):
        assert grown.partial_fit(batch) is grown
    assert_as_one_fit(grown, limits)


@any_limits
@pytest.mark.parametrize("kind", [CountVectorizer, TfidfVectorizer])
@settings(max_examples=5)
@given(cuts=splits)
def test_merged(kind, limits, cuts):
    parts = [kind(**limits).partial_fit(batch) for batch in batches(cuts)]
    assert_as_one_fit(reduce(kind.merge, parts, kind(**limits)), limits)


def test_scikit_learn_agrees():
    grown, theirs = TfidfVectorizer(min_df=2), peer.TfidfVectorizer(min_df=2).fit(TEXTS)
    for text in TEXTS:
        grown.partial_fit([text])
    assert grown.vocabulary_ == theirs.vocabulary_
    np.testing.assert_array_equal(grown.idf_, theirs.idf_)


def test_merge_leaves_the_other_as_it_was_and_takes_itself():
    one = CountVectorizer().partial_fit(["a1 b1", "b1"])
    other = CountVectorizer().partial_fit(["b1 c1"])
    assert one.merge(other) is one
    assert (one.n_documents_, other.n_documents_) == (3, 1)
    assert other.vocabulary_ == {"b1": 0, "c1": 1}
    one.merge(one)
    assert one.n_documents_ == 6
    assert one.document_frequency_.tolist() == [2, 6, 2]
    assert one.transform(["a1 c1"]).toarray().tolist() == [[1, 0, 1]]


@pytest.mark.parametrize("kind", [CountVectorizer, TfidfVectorizer])
@pytest.mark.parametrize("again", [lambda v: pickle.loads(pickle.dumps(v)), copy.copy])
@pytest.mark.parametrize("look", [False, True])
def test_pickled_in_between(kind, again, look):
    first = kind(min_df=2).partial_fit(TEXTS[:20])
    if look:  # the vocabulary is chosen, and must be chosen anew
        first.get_feature_names_out()
    second = again(first)
    assert_as_one_fit(second.partial_fit(TEXTS[20:]), {"min_df": 2})
    assert first.n_documents_ == 20


def test_pickle_keeps_what_was_chosen():
    # "late" is dropped once and comes again: its number of documents is short by one.
    # Terms are dropped at the end of a block of 2**25 characters.
    texts = [*TEXTS, "late", " " * 2**25, *["late"] * 500]
    fitted = TfidfVectorizer(max_terms=12, unknown=2).fit(texts)
    assert fitted.document_frequency_[fitted.vocabulary_["late"]] == 500
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.idf_, fitted.idf_)
    assert (again.transform(TEXTS) != fitted.transform(TEXTS)).nnz == 0
    np.testing.assert_array_equal(again.document_frequency_, fitted.document_frequency_)
    assert again.undercount_ == fitted.undercount_


def test_errors():
    with pytest.raises(ValueError, match="fit keeps no document frequencies"):
        CountVectorizer().fit(TEXTS).partial_fit(TEXTS)
    with pytest.raises(ValueError, match="a given vocabulary does not grow"):
        CountVectorizer(vocabulary=["w1"]).partial_fit(TEXTS)
    for options in ({"analyzer": str.split}, {"token_pattern": "[a-z]+"}):
        with pytest.raises(ValueError, match="compiled analyzer"):
            CountVectorizer(**options).partial_fit(TEXTS)
    grown = CountVectorizer().partial_fit(TEXTS)
    for other in (CountVectorizer(), CountVectorizer().fit(TEXTS)):
        with pytest.raises(ValueError, match="other has no document frequencies"):
            grown.merge(other)
    for other in (HashingVectorizer(), peer.CountVectorizer(), None):
        with pytest.raises(TypeError, match="other must be a vectorizer, got"):
            grown.merge(other)
    with pytest.raises(ValueError, match="fit keeps no document frequencies"):
        CountVectorizer().fit(TEXTS).merge(grown)
    with pytest.raises(ValueError, match="string object received"):
        grown.partial_fit("one text")
    assert grown.n_documents_ == len(TEXTS)
    for name in ("n_documents_", "document_frequency_", "undercount_"):
        assert not hasattr(CountVectorizer().fit(TEXTS), name)
        assert not hasattr(CountVectorizer(), name)


def test_fit_starts_anew():
    assert CountVectorizer().partial_fit(TEXTS).fit(["one"]).vocabulary_ == {"one": 0}


def broken():
    yield "new words"
    raise RuntimeError("half-way")


@pytest.mark.parametrize("kind", [CountVectorizer, TfidfVectorizer])
@pytest.mark.parametrize("max_terms", [None, 30])
@pytest.mark.parametrize(
    ("batch", "error"),
    [(broken, RuntimeError), (lambda: ["new", None, "words"], TypeError), (lambda: 7, ValueError)],
)
def test_a_failed_batch_changes_nothing(kind, max_terms, batch, error):
    vectorizer = kind(max_terms=max_terms)
    with pytest.raises(error):
        vectorizer.partial_fit(batch())
    assert not hasattr(vectorizer, "vocabulary_")
    vectorizer.partial_fit(TEXTS)
    before = vectorizer.document_frequency_.copy(), dict(vectorizer.vocabulary_)
    with pytest.raises(error):
        vectorizer.partial_fit(batch())
    np.testing.assert_array_equal(vectorizer.document_frequency_, before[0])
    assert (vectorizer.vocabulary_, vectorizer.n_documents_) == (before[1], len(TEXTS))


def test_limits_that_leave_nothing_are_told_when_asked():
    vectorizer = CountVectorizer(min_df=2).partial_fit(["one", "two"])
    with pytest.raises(ValueError, match="no terms remain"):
        vectorizer.transform(["one"])
    assert vectorizer.partial_fit(["two"]).vocabulary_ == {"two": 0}
    with pytest.raises(ValueError, match="empty vocabulary"):
        CountVectorizer().partial_fit(["", "!"]).get_feature_names_out()


def test_threads():
    texts = [re.sub(r"\bw", f"v{i % 7}", text) for i, text in enumerate(TEXTS * 5)]
    whole = TfidfVectorizer().fit(texts)
    expected = whole.transform(texts).toarray()
    shared = TfidfVectorizer(n_jobs=2).partial_fit(texts)

    def work(number):
        # The shared one chooses its vocabulary while all ask for it.
        counted = shared.transform(texts).toarray()
        own = TfidfVectorizer(n_jobs=2)
        for begin in range(0, len(texts), 50):
            own.partial_fit(texts[begin : begin + 50])
        return counted, own.transform(texts).toarray()

    with ThreadPoolExecutor(8) as pool:
        for counted, own in pool.map(work, range(16)):
            np.testing.assert_array_equal(counted, expected)
            np.testing.assert_array_equal(own, expected)


def test_the_first_to_ask_chooses_for_all(monkeypatch):
    # While one thread works out the weights, no other may find a vocabulary without them.
    real = TfidfTransformer._fit_frequencies

    def slow(self, *args):
        time.sleep(0.05)
        return real(self, *args)

    monkeypatch.setattr(TfidfTransformer, "_fit_frequencies", slow)
    shared = TfidfVectorizer().partial_fit(TEXTS)
    starts = [0.0, 0.01, 0.02, 0.03]

    def ask(start):
        time.sleep(start)
        return shared.transform(TEXTS).toarray()

    expected = TfidfVectorizer().fit(TEXTS).transform(TEXTS).toarray()
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(ask, starts):
            np.testing.assert_array_equal(found, expected)

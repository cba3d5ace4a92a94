"""CountVectorizer: its contract beyond parity."""

import pickle
import threading

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.utils.validation import check_is_fitted

from wordodds import CountVectorizer, MultinomialNB
from wordodds.text import EmptyVocabularyError

TEXTS = ["the cat sat on the mat", "a dog", "The CAT"]


def test_vocabulary_is_sorted_by_code_point():
    vectorizer = CountVectorizer().fit(["zz Ab éa 10 _x ab"])
    assert list(vectorizer.vocabulary_.items()) == [
        ("10", 0),
        ("_x", 1),
        ("ab", 2),
        ("zz", 3),
        ("éa", 4),
    ]


def test_unfitted():
    vectorizer = CountVectorizer()
    assert not hasattr(vectorizer, "vocabulary_")
    for call in (lambda: vectorizer.transform(TEXTS), vectorizer.get_feature_names_out):
        with pytest.raises(NotFittedError, match="not fitted"):
            call()
    with pytest.raises(NotFittedError):
        check_is_fitted(vectorizer)
    check_is_fitted(vectorizer.fit(TEXTS))


def test_works_in_a_pipeline_and_clones():
    pipeline = make_pipeline(CountVectorizer(n_jobs=2), MultinomialNB())
    pipeline.fit(TEXTS, ["cat", "dog", "cat"])
    assert list(pipeline.predict(["cat mat", "dog dog"])) == ["cat", "dog"]
    copy = clone(pipeline)
    assert copy[0].n_jobs == 2
    assert not hasattr(copy[0], "vocabulary_")


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle_keeps_the_vocabulary(protocol):
    vectorizer = CountVectorizer().fit([*TEXTS, "ΣΑΣ \ud800ab", "x" * 100])
    copy = pickle.loads(pickle.dumps(vectorizer, protocol))
    assert copy.vocabulary_ == vectorizer.vocabulary_
    assert (copy.transform(TEXTS) != vectorizer.transform(TEXTS)).nnz == 0
    assert not hasattr(pickle.loads(pickle.dumps(CountVectorizer(), protocol)), "vocabulary_")


def test_no_documents_after_fit_gives_an_empty_matrix():
    assert CountVectorizer().fit(TEXTS).transform([]).shape == (0, 6)


@pytest.mark.parametrize("documents", [[], [""], ["a b c", "!?"]])
def test_empty_vocabulary(documents):
    with pytest.raises(ValueError, match="empty vocabulary"):
        CountVectorizer().fit(documents)


@pytest.mark.parametrize("fit", ["fit_transform", "partial_fit"])
def test_an_empty_vocabulary_has_its_own_error_which_travels(fit):
    with pytest.raises(EmptyVocabularyError) as caught:  # as from a worker of Dask
        getattr(CountVectorizer(), fit)(["!?"]).transform([])
    copy = pickle.loads(pickle.dumps(caught.value))
    assert type(copy) is EmptyVocabularyError
    assert str(copy) == str(caught.value)


def test_failed_fit_leaves_the_vectorizer_as_it_was():
    def broken():
        yield "one text"
        raise RuntimeError("half-way")

    vectorizer = CountVectorizer()
    with pytest.raises(RuntimeError, match="half-way"):
        vectorizer.fit(broken())
    assert not hasattr(vectorizer, "vocabulary_")
    vectorizer.fit(TEXTS)
    with pytest.raises(RuntimeError, match="half-way"):
        vectorizer.fit(broken())
    assert "cat" in vectorizer.vocabulary_


def test_long_words_and_long_documents():
    word = "x" * 1_000_000
    document = f"{word} " + "ab cd " * 500_000 + word[:-1]
    vectorizer = CountVectorizer()
    matrix = vectorizer.fit_transform([document, word])
    assert vectorizer.vocabulary_ == {"ab": 0, "cd": 1, word[:-1]: 2, word: 3}
    np.testing.assert_array_equal(matrix.toarray(), [[500_000, 500_000, 1, 1], [0, 0, 0, 1]])


def test_many_threads_share_one_vectorizer():
    vectorizer = CountVectorizer(n_jobs=2)
    texts = [f"word{i} word{i + 1} " * 200 for i in range(300)]
    expected = vectorizer.fit_transform(texts).toarray()
    results = [None] * 16

    def work(slot):
        results[slot] = vectorizer.transform(texts).toarray()

    threads = [threading.Thread(target=work, args=(slot,)) for slot in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for result in results:
        np.testing.assert_array_equal(result, expected)

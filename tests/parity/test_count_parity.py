"""CountVectorizer gives what scikit-learn's gives: vocabulary, rows and their order."""

import numpy as np
import pytest
import sklearn
from sklearn.feature_extraction.text import CountVectorizer as Peer

from wordodds import CountVectorizer


def assert_same_matrix(ours, peer):
    assert type(ours) is type(peer)
    assert ours.shape == peer.shape
    for field in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(ours, field), getattr(peer, field), err_msg=field)
        assert getattr(ours, field).dtype == getattr(peer, field).dtype


@pytest.fixture(scope="module")
def peer(newsgroups):
    train, test = newsgroups
    vectorizer = Peer()
    return vectorizer, vectorizer.fit_transform(train.texts), vectorizer.transform(test.texts)


@pytest.mark.parametrize("n_jobs", [1, 2, 5])
def test_newsgroups_identical_for_any_thread_count(newsgroups, peer, n_jobs):
    train, test = newsgroups
    vectorizer, train_counts, test_counts = peer
    ours = CountVectorizer(n_jobs=n_jobs)
    assert_same_matrix(ours.fit_transform(train.texts), train_counts)
    assert_same_matrix(ours.transform(test.texts), test_counts)
    assert ours.vocabulary_ == vectorizer.vocabulary_
    np.testing.assert_array_equal(ours.get_feature_names_out(), vectorizer.get_feature_names_out())


def test_newsgroups_identical_on_every_instruction_set(newsgroups, peer, instruction_set):
    train, test = newsgroups
    vectorizer, train_counts, test_counts = peer
    ours = CountVectorizer()
    assert_same_matrix(ours.fit_transform(train.texts), train_counts)
    assert_same_matrix(ours.transform(test.texts), test_counts)
    assert ours.vocabulary_ == vectorizer.vocabulary_


def test_fit_then_transform_sorts_the_entries_of_a_row():
    texts = ["zebra apple", "mango zebra apple apple"]
    assert_same_matrix(
        CountVectorizer().fit(texts).transform(texts), Peer().fit(texts).transform(texts)
    )


@pytest.mark.needs("scikit-learn>=1.9")
@pytest.mark.parametrize("interface", ["spmatrix", "sparray"])
def test_sparse_interface_setting_is_obeyed(interface):
    texts = ["to be or not", "to be"]
    with sklearn.config_context(sparse_interface=interface):
        assert_same_matrix(CountVectorizer().fit_transform(texts), Peer().fit_transform(texts))


def test_non_ascii_corpus_over_many_threads():
    # Large enough for several stretches, in every width that Python stores strings in.
    alphabets = ["abcdef", "äöüßéè", "αβγδΣσ", "абвгдЖ", "𝐀𝐁𝐂𐐀𐐁", "漢字かなカナ"]
    rng = np.random.default_rng(7)
    texts = []
    for i in range(6000):
        letters = [*alphabets[i % len(alphabets)], " ", " "]
        texts.append("".join(rng.choice(letters, size=300)))
    peer = Peer()
    expected = peer.fit_transform(texts)
    for n_jobs in (1, 2, 5):
        ours = CountVectorizer(n_jobs=n_jobs)
        assert_same_matrix(ours.fit_transform(texts), expected)
        assert ours.vocabulary_ == peer.vocabulary_

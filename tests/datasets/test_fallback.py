"""The first way that works is taken, and each one that does not is told once."""

import numpy as np
import pytest

from wordodds.datasets import Corpus, DatasetUnavailable, fallback, newsgroups_or_synthetic


def answering(name):
    def read(parts, *, download):
        assert download
        return [Corpus(["text"], np.array(["x"]), ["x"], f"{name} {p}", name) for p in parts]

    return read


def failing(error):
    def read(parts, *, download):
        raise error

    return read


def test_the_messages_come_first_and_nothing_is_announced(monkeypatch):
    monkeypatch.setattr(fallback, "read_bydate", answering("bydate"))
    monkeypatch.setattr(fallback, "read_letters", failing(AssertionError("not asked")))
    said = []
    train, test = newsgroups_or_synthetic(announce=said.append)
    assert (train.name, test.name) == ("bydate train", "bydate test")
    assert said == []


def test_letters_come_second(monkeypatch):
    monkeypatch.setattr(
        fallback, "read_bydate", failing(DatasetUnavailable("two\nlines. Do this."))
    )
    monkeypatch.setattr(fallback, "read_letters", answering("letters"))
    said = []
    train, _ = newsgroups_or_synthetic(announce=said.append)
    assert train.source == "letters"
    assert said == ["20 Newsgroups (bydate) is not available (two lines); trying the next way"]


def test_the_synthetic_corpus_always_works(monkeypatch):
    monkeypatch.setattr(fallback, "read_bydate", failing(DatasetUnavailable("no network")))
    monkeypatch.setattr(fallback, "read_letters", failing(PermissionError("no entry")))
    said = []
    train, test = newsgroups_or_synthetic(announce=said.append)
    assert [line.split("(")[-1].split(")")[0] for line in said] == ["no network", "no entry"]
    assert (len(train), len(test)) == (11_314, 7_532)
    assert train.source == test.source == "synthetic (make_corpus)"
    assert len(train.label_names) == 20
    assert train.label_names == test.label_names
    # One language, other documents: what is learnt on the one can be tested on the other.
    np.testing.assert_array_equal(train.word_probabilities, test.word_probabilities)
    assert not set(train.texts) & set(test.texts)
    assert train.labels[: len(test)].tolist() != test.labels.tolist()
    assert 0.01 < train.bayes_error < 0.1


def test_a_mistake_of_ours_is_not_taken_for_a_missing_network(monkeypatch):
    monkeypatch.setattr(fallback, "read_bydate", failing(ZeroDivisionError()))
    with pytest.raises(ZeroDivisionError):
        newsgroups_or_synthetic(announce=print)

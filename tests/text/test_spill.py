"""A vocabulary larger than the memory: the runs on disk add up to what a fit in memory finds."""

import os
import tempfile

import numpy as np
import pytest

from wordodds import CountVectorizer, TfidfVectorizer
from wordodds.text import spill
from wordodds.text.spill import BYTES_PER_TERM, learn_vocabulary

N_TERMS = 40  # that the memory holds


@pytest.fixture(autouse=True)
def few_terms_are_many(monkeypatch):
    monkeypatch.setattr(spill, "TERMS_MIN", N_TERMS)


@pytest.fixture
def folder(tmp_path):
    yield os.fspath(tmp_path)
    assert os.listdir(tmp_path) == []


def some_batches(seed=0, n_batches=12):
    """Return batches of documents that share some words; later ones bring new words."""
    rng = np.random.default_rng(seed)
    words = np.array([f"{chr(97 + i % 26)}{'é' * (i % 3)}x{i}" for i in range(400)])
    return [
        [
            " ".join(words[rng.integers(0, 40 + 30 * batch, rng.integers(0, 30)) % len(words)])
            for _ in range(9)
        ]
        for batch in range(n_batches)
    ]


def learnt(vectorizer, batches, folder, n_terms=N_TERMS):
    learn_vocabulary(vectorizer, batches, n_terms * BYTES_PER_TERM, folder)
    return vectorizer


def assert_same(found, expected, texts):
    assert found.vocabulary_ == expected.vocabulary_
    np.testing.assert_array_equal(
        found.transform(texts).toarray(), expected.transform(texts).toarray()
    )


@pytest.mark.parametrize("kind", [CountVectorizer, TfidfVectorizer])
@pytest.mark.parametrize(
    "limits",
    [
        {"min_df": 12},
        {"min_df": 0.1, "max_df": 0.2},
        {"min_df": 11, "max_features": 7},
        {"min_df": 12, "max_features": 9, "binary": True},
    ],
)
def test_the_vocabulary_is_that_of_a_fit_in_memory(kind, limits, folder, monkeypatch):
    batches = some_batches()
    texts = [text for batch in batches for text in batch]
    runs = []
    written = spill._written
    monkeypatch.setattr(spill, "_written", lambda *a: runs.append(written(*a)) or runs[-1])
    found = learnt(kind(**limits), batches, folder)
    assert len(runs) > 3  # else this has tested nothing
    assert_same(found, kind(**limits).fit(texts), texts)


def test_nothing_is_written_where_all_terms_fit(folder, monkeypatch):
    monkeypatch.setattr(tempfile, "TemporaryFile", None)
    batches = some_batches(n_batches=3)
    texts = [text for batch in batches for text in batch]
    assert_same(
        learnt(CountVectorizer(), batches, folder, 4000), CountVectorizer().fit(texts), texts
    )


def test_more_terms_than_fit_are_named(folder):
    vectorizer = CountVectorizer()
    with pytest.raises(MemoryError, match=r"more than 40 terms .* raise min_df or memory"):
        learnt(vectorizer, some_batches(), folder)
    assert not hasattr(vectorizer, "vocabulary_")


def test_empty_batches_and_terms_of_one_letter_in_common(folder):
    batches = [[], ["a b", ""], [], [" ".join(f"a{'b' * n}" for n in range(90))], ["", "b a"]]
    options = {"token_pattern": r"\b\w+\b", "min_df": 2}
    texts = [text for batch in batches for text in batch]
    found = learnt(CountVectorizer(**options), batches, folder)
    assert_same(found, CountVectorizer(**options).fit(texts), texts)


def test_a_failure_closes_the_runs_and_leaves_the_vectorizer(folder):
    def broken():
        yield from some_batches()[:6]
        raise OSError("the disk is gone")

    vectorizer = CountVectorizer()
    with pytest.raises(OSError, match="the disk is gone"):
        learnt(vectorizer, broken(), folder)
    assert not hasattr(vectorizer, "vocabulary_")


def test_a_python_analyzer_is_refused(folder):
    with pytest.raises(ValueError, match="compiled analyzer"):
        learnt(CountVectorizer(tokenizer=str.split, token_pattern=None), [["a b"]], folder)

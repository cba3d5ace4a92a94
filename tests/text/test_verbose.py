"""verbose: a bar on a terminal, silence elsewhere, and the same result."""

import os
import pty
import subprocess
import sys

import numpy as np
import pytest

from wordodds import CountVectorizer, HashingVectorizer, TfidfVectorizer
from wordodds._files import progress as _progress

TEXTS = [f"word{i % 97} and word{i % 89} été" for i in range(3000)]
KINDS = pytest.mark.parametrize("kind", [CountVectorizer, TfidfVectorizer, HashingVectorizer])
WAYS = pytest.mark.parametrize(
    "options",
    [{}, {"tokenizer": str.split, "token_pattern": None}, {"analyzer": "char_wb"}],
    ids=["compiled", "python", "char_wb"],
)


def assert_equal(ours, expected):
    for field in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(ours, field), getattr(expected, field))


@KINDS
@WAYS
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_a_bar_on_a_terminal(terminal, kind, options, n_jobs):
    quiet, loud = kind(**options), kind(verbose=True, n_jobs=n_jobs, **options)
    expected = quiet.fit_transform(TEXTS), quiet.transform(TEXTS)
    assert terminal.getvalue() == ""
    for method, matrix in zip(("fit_transform", "transform"), expected, strict=True):
        terminal.truncate(0)
        assert_equal(getattr(loud, method)(TEXTS), matrix)
        assert f"{kind.__name__}: [" in terminal.getvalue()
        assert "100% 3,000/3,000 documents\n" in terminal.getvalue()


def test_partial_fit_and_max_terms_show_it_too(terminal):
    CountVectorizer(verbose=True).partial_fit(TEXTS)
    assert terminal.getvalue().endswith("100% 3,000/3,000 documents\n")
    CountVectorizer(verbose=True, max_terms=20).fit_transform(TEXTS)
    assert terminal.getvalue().count("100% 3,000/3,000 documents\n") == 3


def test_a_generator_read_by_python_has_no_known_end(terminal):
    loud = CountVectorizer(verbose=True, analyzer=str.split)
    loud.fit(text for text in TEXTS)
    assert terminal.getvalue().endswith("CountVectorizer: 3,000 documents\n")


@KINDS
@WAYS
def test_nothing_is_written_elsewhere(capfd, kind, options):
    kind(verbose=True, **options).fit_transform(TEXTS)
    assert capfd.readouterr() == ("", "")


PROGRAM = """
from wordodds import CountVectorizer
texts = [f"word{i % 97} and word{i % 89}" for i in range(3000)]
print(CountVectorizer(verbose=True).fit_transform(texts).sum())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_on_a_pseudo_terminal():
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, stderr=theirs, text=True
    ) as child:
        os.close(theirs)
        out = child.stdout.read()
        shown = os.read(ours, 100_000).decode()
    os.close(ours)
    assert child.returncode == 0
    assert out == "9000\n"
    assert "CountVectorizer: [" in shown
    assert "100% 3,000/3,000 documents" in shown


class Stop(Exception):
    pass


@pytest.mark.parametrize("error", [Stop, KeyboardInterrupt])
@pytest.mark.parametrize("n_jobs", [1, 3])
@KINDS
@WAYS
def test_an_exception_from_the_bar_ends_the_call_alone(
    terminal, monkeypatch, kind, options, n_jobs, error
):
    old = ["old words"]
    vectorizer = kind(n_jobs=n_jobs, **options).fit(old)
    expected = vectorizer.transform(old)

    def advance(self, n):
        raise error("from the bar")

    monkeypatch.setattr(_progress._Line, "advance", advance)
    vectorizer.set_params(verbose=True)
    for call in (vectorizer.fit_transform, vectorizer.transform):
        with pytest.raises(error, match="from the bar"):
            call(TEXTS)
    vectorizer.set_params(verbose=False)
    assert_equal(vectorizer.transform(old), expected)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_exception_from_the_bar_stops_the_engine(terminal, monkeypatch, n_jobs):
    seen = []

    def advance(self, n):
        seen.append(n)
        raise Stop

    monkeypatch.setattr(_progress._Line, "advance", advance)
    vectorizer = CountVectorizer(verbose=True, n_jobs=n_jobs)
    with pytest.raises(Stop):
        vectorizer.fit([" ".join(TEXTS)] * 4000)
    assert len(seen) == 1
    assert seen[0] < 4000  # long before the end
    assert not hasattr(vectorizer, "vocabulary_")


@pytest.mark.parametrize("max_terms", [None, 5])
def test_an_exception_from_the_bar_leaves_a_tally_as_it_was(terminal, monkeypatch, max_terms):
    vectorizer = CountVectorizer(verbose=True, max_terms=max_terms).partial_fit(["old words"])
    done = []

    def advance(self, n):
        done.append(n)
        if sum(done) >= 3:  # with max_terms, the first block of 2**25 characters was added
            raise Stop

    monkeypatch.setattr(_progress._Line, "advance", advance)
    with pytest.raises(Stop):
        vectorizer.partial_fit(["new words", *[" " * 2**25] * 5])
    assert (vectorizer.n_documents_, list(vectorizer.vocabulary_)) == (1, ["old", "words"])


@KINDS
def test_wrong_values(kind):
    with pytest.raises(ValueError, match="'verbose' parameter"):
        kind(verbose="yes").fit_transform(TEXTS)

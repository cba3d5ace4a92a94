"""Whole corpora through the vectorizers: what scikit-learn gives, for any number of threads."""

import gzip

import numpy as np
import pytest
import sklearn.feature_extraction.text as peer

import wordodds
from wordodds._border import execution as _execution

JOBS = {
    "bigrams": ("CountVectorizer", {"ngram_range": (1, 2)}),
    "pruned bigrams": ("CountVectorizer", {"ngram_range": (1, 2), "min_df": 2, "max_df": 0.5}),
    "stop words": ("CountVectorizer", {"stop_words": "english", "max_features": 5000}),
    "characters": ("CountVectorizer", {"analyzer": "char", "ngram_range": (1, 3)}),
    "characters in words": ("CountVectorizer", {"analyzer": "char_wb", "ngram_range": (2, 4)}),
    "accents": ("CountVectorizer", {"strip_accents": "unicode", "lowercase": False}),
    "hashed": ("HashingVectorizer", {"ngram_range": (1, 2)}),
    "tf-idf": ("TfidfVectorizer", {"sublinear_tf": True}),
}


def sms_spam(folder):
    lines = (folder / "text" / "sms-spam.tsv").read_text("utf-8").splitlines()
    return [line.partition("\t")[2] for line in lines]


def reuters(folder):
    with gzip.open(folder / "text" / "reuters-r8-train.tab.gz", "rt", encoding="utf-8") as file:
        # Every third: letters only, and long; scikit-learn takes its time.
        return [line.rstrip("\n").partition("\t")[2] for line in list(file)[4::3]]


@pytest.fixture(scope="module", params=[sms_spam, reuters])
def corpus(request, newsgroups_data):
    try:
        return request.param(newsgroups_data)
    except FileNotFoundError as error:
        pytest.skip(f"needs a corpus: {error.filename} is not there")


@pytest.mark.exhaustive
@pytest.mark.parametrize("job", list(JOBS))
def test_corpora(corpus, job):
    name, options = JOBS[job]
    theirs = getattr(peer, name)(**options)
    expected = theirs.fit_transform(corpus), theirs.transform(corpus[:200])
    for n_jobs in (1, 2, 5):
        ours = getattr(wordodds, name)(n_jobs=n_jobs, **options)
        for matrix, other in zip(
            (ours.fit_transform(corpus), ours.transform(corpus[:200])), expected, strict=True
        ):
            np.testing.assert_array_equal(matrix.indptr, other.indptr)
            np.testing.assert_array_equal(matrix.indices, other.indices)
            np.testing.assert_allclose(matrix.data, other.data, rtol=2e-15, atol=0)


def test_same_bits_on_every_instruction_set(instruction_set, corpus, monkeypatch):
    options = {"ngram_range": (1, 2), "n_jobs": 2}
    matrix = wordodds.TfidfVectorizer(**options).fit_transform(corpus)
    monkeypatch.setenv("WORDODDS_INSTRUCTION_SET", "baseline")
    _execution.ask_again()
    baseline = wordodds.TfidfVectorizer(**options).fit_transform(corpus)
    for field in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(matrix, field), getattr(baseline, field))


def test_newsgroups_bigrams(newsgroups):
    texts = newsgroups[0].texts[:3000]
    ours = wordodds.CountVectorizer(ngram_range=(1, 2), n_jobs=2).fit_transform(texts)
    theirs = peer.CountVectorizer(ngram_range=(1, 2)).fit_transform(texts)
    for field in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(ours, field), getattr(theirs, field))

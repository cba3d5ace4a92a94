"""Naive Bayes on held-out documents, beside vectorizers and models fitted to each training part."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.naive_bayes import ComplementNB, MultinomialNB

import wordodds
from wordodds._border.execution import execution
from wordodds.classifier.cross_validation import Examples
from wordodds.classifier.sample import stratified_folds
from wordodds.classifier.tuning.held_out_bayes import HeldOutBayes
from wordodds.datasets import make_corpus


@pytest.mark.parametrize("min_df", [1, 3])
@pytest.mark.parametrize(
    ("ours", "peer"),
    [(wordodds.ComplementNB, ComplementNB), (wordodds.MultinomialNB, MultinomialNB)],
)
def test_a_part_is_the_fit_of_its_training_documents(ours, peer, min_df):
    corpus = make_corpus(150, n_words=60, random_state=4)
    texts, codes = list(corpus.texts), np.unique(corpus.labels, return_inverse=True)[1]
    codes = codes.astype(np.int32)
    weights = np.random.default_rng(5).choice([0.0, 1.0, 2.5], len(codes))
    counts = wordodds.CountVectorizer().fit_transform(texts)
    examples = Examples(counts, codes, weights, int(codes.max()) + 1, "sublinear_tfidf", True)
    masks = [stratified_folds(codes, 3) == fold for fold in (0, 2)]
    parts = HeldOutBayes(examples, min_df, masks, execution(1))
    found = parts.fit(ours(alpha=0.3))
    at = 0
    for mask in masks:
        train, test = np.flatnonzero(~mask), np.flatnonzero(mask & (weights > 0))
        vectorizer = TfidfVectorizer(sublinear_tf=True, min_df=min_df)
        X = vectorizer.fit_transform([texts[i] for i in train])
        model = peer(alpha=0.3).fit(X, codes[train], sample_weight=weights[train])
        log_p = model.predict_log_proba(vectorizer.transform([texts[i] for i in test]))
        part = slice(at, at + len(test))
        assert_array_equal(parts.documents[part], test)
        assert_array_equal(found.codes[part], codes[test])
        assert_array_equal(found.weights[part], weights[test])
        assert_array_equal(found.predicted[part], log_p.argmax(axis=1))
        assert_allclose(found.losses[part], -log_p[np.arange(len(test)), codes[test]], rtol=1e-9)
        at += len(test)
    assert at == len(found.codes)
    assert found.temperature == 1.0
    assert min(found.losses) >= 0.0


def test_a_class_without_training_documents_is_not_judged():
    codes = np.array([0, 1, 0, 1, 2, 2], dtype=np.int32)
    examples = Examples(
        wordodds.CountVectorizer().fit_transform(["aa bb", "cc dd", "aa", "cc", "ee", "ee"]),
        codes, np.ones(6), 3, "counts", True,
    )  # fmt: skip
    held = HeldOutBayes(examples, 1, [codes >= 1], execution(1))
    assert len(held.documents) == 0
    held = HeldOutBayes(examples, 1, [np.arange(6) >= 3], execution(1))
    outcome = held.fit(wordodds.MultinomialNB())
    assert_array_equal(outcome.codes, [1])
    assert_array_equal(outcome.predicted, [1])

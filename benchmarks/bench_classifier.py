"""From raw text to labels, and to a model: python -m pytest benchmarks/bench_classifier.py.

Raw 20 Newsgroups: 11,314 train documents, 22 MB; 7,532 test documents, 13.8 MB. Every job asserts
its answers: the labels of the pipeline, or at least its accuracy.
"""

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import wordodds
from wordodds import TextClassifier, from_sklearn

from .conftest import PEER, threads_of

SHORT = ["Which graphics card should I buy for under 300 dollars?"]


@pytest.fixture(scope="module")
def naive_bayes(newsgroups):
    train, _ = newsgroups
    pipeline = make_pipeline(CountVectorizer(), MultinomialNB(alpha=0.01))
    classifier = TextClassifier(wordodds.MultinomialNB(alpha=0.01))
    return pipeline.fit(*texts_of(train)), classifier.fit(*texts_of(train)).linear_model_


@pytest.fixture(scope="module")
def logistic(newsgroups):
    """Return both with the same weights, which scikit-learn would take minutes to find."""
    train, _ = newsgroups
    classifier = TextClassifier(
        wordodds.LogisticRegression(C=10.0),
        weighting="tfidf",
        token_pattern=r"(?u)\b\w\w+\b",
        min_df=1,
    ).fit(*texts_of(train))
    vectorizer = TfidfVectorizer(ngram_range=(1, 2)).fit(train.texts)
    peer = LogisticRegression()
    peer.coef_ = (classifier.linear_model_.weights / vectorizer.idf_[:, None]).T.copy()
    peer.intercept_, peer.classes_ = classifier.linear_model_.bias, classifier.classes_
    return make_pipeline(vectorizer, peer), classifier.linear_model_


@pytest.fixture(scope="module")
def converted(newsgroups):
    train, _ = newsgroups
    pipeline = make_pipeline(TfidfVectorizer(), LinearSVC()).fit(*texts_of(train))
    return pipeline, from_sklearn(pipeline)


def texts_of(part):
    return part.texts, part.labels


def race(pair, texts, contender, measure, *, peer_rounds=2, rounds=10):
    """Time one contender at labelling texts; ours must give the pipeline's labels."""
    pipeline, model = pair
    if contender == PEER:
        measure(lambda: pipeline.predict(texts), rounds=peer_rounds)
        return
    model.n_jobs = threads_of(contender)
    labels = measure(lambda: model.predict(texts), rounds=rounds)
    assert (labels == pipeline.predict(texts)).mean() >= 0.9999  # but for the last digit of a tie


def test_label_naive_bayes(newsgroups, naive_bayes, contender, measure):
    race(naive_bayes, newsgroups[1].texts, contender, measure)


def test_label_tfidf_bigrams_logistic(newsgroups, logistic, contender, measure):
    race(logistic, newsgroups[1].texts, contender, measure, rounds=6)


def test_label_from_sklearn(newsgroups, converted, contender, measure):
    race(converted, newsgroups[1].texts, contender, measure)


def test_label_one_short_text(naive_bayes, contender, measure):
    race(naive_bayes, SHORT, contender, measure, peer_rounds=300, rounds=2000)


def test_train_default(newsgroups, contender, measure, benchmark):
    train, test = newsgroups
    if contender == PEER:
        model = make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), LinearSVC(random_state=0))
        measure(lambda: model.fit(*texts_of(train)), rounds=1)
    else:
        model = TextClassifier(n_jobs=threads_of(contender))
        measure(lambda: model.fit(*texts_of(train)), rounds=3)
    accuracy = np.mean(model.predict(test.texts) == test.labels)
    benchmark.extra_info["accuracy"] = round(float(accuracy), 4)
    assert accuracy >= (0.85 if contender == PEER else 0.87)

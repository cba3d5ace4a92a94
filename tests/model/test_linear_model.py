"""LinearModel: what is left after training."""

import math
import os
import pickle
import threading

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.pipeline import make_pipeline

from wordodds import (
    CountVectorizer,
    HashingVectorizer,
    MultinomialNB,
    NBLogisticRegression,
    SGDClassifier,
    TextClassifier,
    TfidfVectorizer,
    from_sklearn,
)
from wordodds.model.links import NoProbabilitiesError

TEXTS = [
    "Free prize, claim your free money now",
    "cheap pills, free shipping",
    "win money: reply to claim",
    "are we still on for lunch?",
    "see you at the meeting after lunch",
    "thanks for the notes from the meeting",
]
LABELS = ["spam", "spam", "spam", "ham", "ham", "ham"]
NEW = ["Claim your FREE money at the meeting: free money!", "lunch", "", "unknown words only"]


def model_of(vectorizer, classifier, labels=LABELS):
    return from_sklearn(make_pipeline(vectorizer, classifier).fit(TEXTS, labels))


@pytest.fixture(scope="module")
def spam():
    return TextClassifier().fit(TEXTS, LABELS).linear_model_


@pytest.fixture(scope="module")
def three():
    labels = ["spam", "spam", "money", "lunch", "meeting", "meeting"]
    return model_of(CountVectorizer(), MultinomialNB(), labels)


def test_every_kind_of_column_gives_the_same(spam):
    expected = spam.decision_function(NEW)
    for column in (
        tuple(NEW),
        (text for text in NEW),
        np.array(NEW),
        np.array(NEW, dtype=object),
        [text.encode() for text in NEW],
        pd.Series(NEW),
        pl.Series(NEW),
        pa.array(NEW),
        pa.chunked_array([NEW[:1], NEW[1:]]),
    ):
        np.testing.assert_array_equal(spam.decision_function(column), expected)
    assert spam.decision_function([]).shape == (0,)
    assert spam.predict([]).shape == (0,)
    assert spam.predict_proba([]).shape == (0, 2)


def test_arrow_in_and_out(spam, three):
    for model in (spam, three):
        result = model.predict_arrow(pa.array(NEW))
        assert pa.types.is_struct(result.type)
        assert result.field("label").to_pylist() == model.predict(NEW).tolist()
        np.testing.assert_array_equal(
            result.field("score").to_numpy(), model.predict_proba(NEW).max(axis=1)
        )
    margins = model_of(TfidfVectorizer(), SGDClassifier(random_state=0))
    scores = margins.predict_arrow(NEW).field("score").to_numpy()
    np.testing.assert_array_equal(scores, np.abs(margins.decision_function(NEW)))


def test_margins_have_no_probabilities_before_calibration():
    model = model_of(TfidfVectorizer(), SGDClassifier(random_state=0))
    assert not model.has_probabilities
    with pytest.raises(NoProbabilitiesError, match="calibrate"):
        model.predict_proba(NEW)
    labels, scores = model.predict_top(NEW, 1)
    np.testing.assert_array_equal(labels[:, 0], model.predict(NEW))
    assert (scores[:, 0] >= 0).all()
    assert model.evaluate(TEXTS, LABELS).log_loss is None
    calibrated = model.calibrate(TEXTS, LABELS, "platt")
    assert calibrated.predict_proba(NEW).shape == (4, 2)
    assert not model.has_probabilities  # itself unchanged


VECTORIZERS = {
    "counts": CountVectorizer(),
    "tfidf": TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True),
    "binary": CountVectorizer(binary=True),
    "unknown": CountVectorizer(min_df=2, unknown=3),
    "hashed": HashingVectorizer(n_features=8),
    "characters": TfidfVectorizer(analyzer="char", ngram_range=(1, 3)),
    "characters of words": TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4), norm="l1"),
    "Unicode words": CountVectorizer(analyzer="unicode_word", ngram_range=(2, 2)),
    "stems": TfidfVectorizer(stemmer="english", stop_words=["the"]),
    "pattern": TfidfVectorizer(token_pattern="[a-z]+"),
    "tokenizer": CountVectorizer(tokenizer=str.split, token_pattern=None),
}


@pytest.mark.parametrize("vectorizer", VECTORIZERS.values(), ids=VECTORIZERS)
@pytest.mark.parametrize("n_labels", [2, 3])
def test_explanations_add_up_to_the_score(vectorizer, n_labels):
    labels = LABELS if n_labels == 2 else ["a", "a", "b", "b", "c", "c"]
    model = model_of(vectorizer, SGDClassifier(loss="log_loss", random_state=0), labels)
    for text in NEW:
        scores = np.atleast_1d(model.decision_function([text])[0])
        for label in model.labels:
            explained = model.explain(text, label)
            parts = [part.contribution for part in explained.contributions]
            assert explained.score == math.fsum([explained.bias, *parts])
            sign = -1 if n_labels == 2 and label == model.labels[0] else 1
            own = scores[0] if n_labels == 2 else scores[model.code_of(label)]
            assert explained.score == pytest.approx(sign * own, abs=1e-12)
    assert model.explain(NEW[0]).label == model.predict(NEW[:1])[0]


def test_explanations_of_a_softmax_compare_labels(three):
    scores = three.decision_function(NEW[:1])[0]
    code = {label: i for i, label in enumerate(three.labels.tolist())}
    between = three.explain(NEW[0], "spam", against="lunch")
    assert between.score == pytest.approx(scores[code["spam"]] - scores[code["lunch"]], abs=1e-12)
    others = np.delete(scores, code["spam"]).mean()
    assert three.explain(NEW[0], "spam").score == pytest.approx(scores[code["spam"]] - others)
    with pytest.raises(ValueError, match="there is no label 'fish'"):
        three.explain("text", "fish")
    with pytest.raises(TypeError, match="one str, got list"):
        three.explain(["text"])


def test_words_are_marked_where_they_stand(spam):
    explained = spam.explain(NEW[0])
    assert explained.text == NEW[0]
    marked = {explained.text[s.begin : s.end]: s.contribution for s in explained.spans}
    assert {"Claim", "your", "FREE", "money", "free", "meeting"} <= set(marked)
    assert marked["FREE"] > 0 > marked["meeting"]
    total = sum(span.contribution for span in explained.spans)
    assert total == pytest.approx(explained.score - explained.bias, abs=1e-12)
    # Lower-casing the dotted I makes two characters of it: the text is shown as it was read.
    assert spam.explain("FREE İ money").contributions


def test_top_features(spam, three):
    assert {"free", "money"} < {name for name, _ in spam.top_features("spam", 3)}
    best = three.top_features(n=3)
    assert list(best) == three.labels.tolist()
    name, odds = best["lunch"][0]
    row = three.features.terms.terms().index(name)
    assert odds == pytest.approx(
        three.weights[row, 0] - np.delete(three.weights[row], 0).mean(), abs=1e-12
    )
    assert three.top_features("lunch", 10_000)[-1][1] < 0
    for wrong in (0, 1.5, True):
        with pytest.raises(ValueError, match="n must be"):
            spam.top_features("spam", wrong)


def test_thresholds_need_documents(spam):
    with pytest.raises(ValueError, match="pass texts and labels, or calibrate"):
        spam.threshold_for("spam", precision=0.9)
    threshold = spam.threshold_for("spam", precision=0.9, texts=TEXTS, labels=LABELS)
    assert 0 < threshold < 1
    assert spam.calibrate(TEXTS, LABELS).threshold_for("spam", precision=0.9) > 0


def test_what_it_says_of_itself(spam, three):
    assert "2 labels ('ham', 'spam')" in repr(spam)
    assert "calibrated by platt" in repr(spam.calibrate(TEXTS, LABELS, "platt"))
    described = three.describe()
    assert described["labels"] == three.labels.tolist()
    assert described["text"]["ngram_range"] == [1, 1]


def test_pickled_and_copied(spam):
    again = pickle.loads(pickle.dumps(spam.calibrate(TEXTS, LABELS)))
    np.testing.assert_array_equal(again.decision_function(NEW), spam.decision_function(NEW))
    assert again.calibration.method == "temperature"


def test_what_does_not_fit_together_is_refused(spam):
    rest = {"features": spam.features, "link": "softmax", "name": "test"}
    good = (spam.labels, spam.weights, spam.bias)
    kind = type(spam)
    for labels, weights, bias in (
        (good[0][:1], good[1], good[2]),
        (np.array(["a", "b", "c"]), good[1], good[2]),
        (good[0], good[1][:-1], good[2]),
        (good[0], np.ones((len(good[1]), 3)), good[2]),
        (good[0], good[1], np.zeros(3)),
    ):
        with pytest.raises(ValueError, match=r"labels|columns|rows"):
            kind(labels, weights, bias, **rest)
    with pytest.raises(ValueError, match="link must be"):
        kind(*good, **(rest | {"link": "probit"}))


def test_threads_and_forks_share_one_model_with_equal_bits(tmp_path):
    texts = TEXTS * 300
    path = tmp_path / "model.wordodds"
    TextClassifier().fit(TEXTS, LABELS).save(path)
    from wordodds import load

    model = load(path)
    model.n_jobs = 2
    expected = model.decision_function(texts)
    results = [None] * 16

    def work(i):
        results[i] = model.decision_function(texts)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(result, expected) for result in results)
    children = []
    for _ in range(4):
        child = os.fork()
        if child == 0:
            same = np.array_equal(model.decision_function(texts), expected)
            os._exit(0 if same else 1)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4


def test_nb_logistic_in_a_model():
    model = model_of(TfidfVectorizer(), NBLogisticRegression())
    assert model.link == "one_vs_rest"
    assert model.score(TEXTS, LABELS) == 1.0
    with pytest.raises(ValueError, match="inconsistent numbers"):
        model.score(TEXTS, LABELS[:5])


def test_words_are_not_marked_inside_of_others():
    model = TextClassifier("naive_bayes", stop_words=["moneylunch"]).fit(TEXTS, LABELS)
    spans = model.explain("moneylunch MONEY lunch").spans
    assert [(span.begin, span.end) for span in spans] == [(11, 16), (17, 22)]


def test_labels_cannot_be_changed(spam):
    with pytest.raises(ValueError, match="read-only"):
        spam.classes_[0] = "other"

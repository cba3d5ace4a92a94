"""LinearModel: what is left after training."""

import inspect
import math
import os
import pickle
import re
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
    LinearModel,
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
OLD_CALL = r"write top_features\(n, labels=\[label\]\)\[label\]"
NEW = ["Claim your FREE money at the meeting: free money!", "lunch", "", "unknown words only"]


def model_of(vectorizer, classifier, labels=LABELS):
    return from_sklearn(make_pipeline(vectorizer, classifier).fit(TEXTS, labels))


@pytest.fixture(scope="module")
def spam():
    return TextClassifier(characters=False).fit(TEXTS, LABELS).linear_model_


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


def places_of_ngrams(text, analyzer, shortest, longest):
    """Yield each n-gram as scikit-learn makes it, with the characters of the text that it is of."""
    words = [(0, text)] if analyzer == "char" else [w.span() for w in re.finditer(r"\S+", text)]
    for begin, end in words:
        if analyzer == "char":
            begin, letters, places = 0, text, list(range(len(text)))
        else:
            letters = f" {text[begin:end]} "
            places = [None, *range(begin, end), None]
        for n in range(shortest, longest + 1):
            for i in range(len(letters) - n + 1):
                yield letters[i : i + n], [p for p in places[i : i + n] if p is not None]


@pytest.mark.parametrize("analyzer", ["char", "char_wb"])
def test_characters_are_marked_where_they_stand(analyzer):
    vectorizer = TfidfVectorizer(analyzer=analyzer, ngram_range=(2, 4))
    model = model_of(vectorizer, SGDClassifier(loss="log_loss", random_state=0), LABELS)
    text = "the moon and money\tand free monday free"  # "an", "mo" and "ee" in several words
    explained = model.explain(text)
    each = {part.feature: part.contribution / part.value for part in explained.contributions}
    expected = np.zeros(len(text))
    for ngram, places in places_of_ngrams(text, analyzer, 2, 4):
        expected[places] += each.get(ngram, 0.0) / len(places)
    assert explained.spans
    for begin, end, contribution in explained.spans:
        assert contribution == pytest.approx(expected[begin:end].sum(), abs=1e-12)
    assert sum(end - begin for begin, end, _ in explained.spans) >= len(text) - text.count(" ") - 1


def test_top_features(spam, three):
    best = spam.top_features(4, labels=["spam"])["spam"]
    assert {"free", "money"} < {name for name, _ in best}
    # "claim" and "money" weigh the same: equal ones keep the order of the rows.
    assert [name for name, _ in best] == ["free", ",", "claim", "money"]
    assert spam.top_features(3, labels=["spam"])["spam"] == best[:3]
    best = three.top_features(n=3)
    assert list(best) == three.labels.tolist()
    name, odds = best["lunch"][0]
    row = three.features.terms.terms().index(name)
    assert odds == pytest.approx(
        three.weights[row, 0] - np.delete(three.weights[row], 0).mean(), abs=1e-12
    )
    assert three.top_features(10_000)["lunch"][-1][1] < 0
    assert three.top_features(2, labels=np.array(["lunch"])).keys() == {"lunch"}
    for wrong in (0, 1.5, True):
        with pytest.raises(ValueError, match="n must be"):
            spam.top_features(wrong)
    for wrong in ("spam", 3, [["spam"]]):
        with pytest.raises(ValueError, match="labels must be a list"):
            spam.top_features(labels=wrong)
    with pytest.raises(ValueError, match="there is no label 'fish'"):
        spam.top_features(labels=["fish"])


def test_top_features_under_other_names(three):
    numbers = [f"row {row}" for row in range(three.n_features)]
    own = three.top_features(2)["lunch"]
    terms = three.features.terms.terms()
    expected = [(f"row {terms.index(name)}", odds) for name, odds in own]
    assert three.top_features(2, feature_names=numbers)["lunch"] == expected
    assert three.top_features(2, feature_names=pd.Series(numbers))["lunch"] == expected
    vectorizer = CountVectorizer().fit(TEXTS)
    assert three.top_features(2, feature_names=vectorizer)["lunch"] == own
    with pytest.raises(ValueError, match="one name for each of the"):
        three.top_features(feature_names=numbers[1:])


def test_log_odds_are_those_of_the_top_features(spam, three):
    for model in (spam, three):
        for label, best in model.top_features(5).items():
            for name, odds in best:
                assert model.log_odds(name, label) == pytest.approx(odds, rel=1e-12)
                row = model.features.terms.terms().index(name)
                assert model.log_odds(np.int64(row), label) == pytest.approx(odds, rel=1e-12)
    between = three.log_odds("lunch", "lunch", against="spam")
    row = three.features.terms.terms().index("lunch")
    codes = [three.code_of(label) for label in ("lunch", "spam")]
    assert between == pytest.approx(-np.subtract(*three.weights[row, codes[::-1]]), rel=1e-12)
    with pytest.raises(ValueError, match="there is no feature 'fish'"):
        spam.log_odds("fish", "spam")
    with pytest.raises(ValueError, match=r"feature must be in \[0, "):
        spam.log_odds(spam.n_features, "spam")
    with pytest.raises(TypeError, match="feature must be a column number or a name"):
        spam.log_odds(1.0, "spam")


def test_log_odds_of_hashed_words_have_the_sign_of_their_count():
    vectorizer = HashingVectorizer(n_features=64, norm=None)
    model = model_of(vectorizer, SGDClassifier(loss="log_loss", random_state=0))
    for word in ("free", "money", "lunch", "meeting"):
        added = model.decision_function([word])[0] - model.bias[0]
        assert model.log_odds(word, "spam") == pytest.approx(added, rel=1e-12)


def test_one_signature_in_estimators_classifiers_and_models():
    for name in ("top_features", "log_odds"):
        kinds = (MultinomialNB, TextClassifier, LinearModel)
        first, *others = [inspect.signature(getattr(kind, name)) for kind in kinds]
        for other in others:
            assert list(other.parameters.values()) == list(first.parameters.values())


@pytest.mark.parametrize("kind", ["model", "classifier"])
def test_labels_before_numbers_still_work_and_warn(kind):
    labels = ["a", "a", "b", "b", "c", "c"]
    model = TextClassifier("naive_bayes").fit(TEXTS, labels)
    model = model.linear_model_ if kind == "model" else model
    expected = model.top_features(3)
    with pytest.warns(DeprecationWarning, match=OLD_CALL):
        assert model.top_features("b", 3) == expected["b"]
    for call in (
        lambda: model.top_features("b", n=3),
        lambda: model.top_features(label="b", n=3),
        lambda: model.top_features(np.str_("b"), 3),
    ):
        with pytest.warns(DeprecationWarning, match=OLD_CALL):
            assert call() == expected["b"]
    with pytest.warns(DeprecationWarning, match=OLD_CALL):
        assert model.top_features("b") == model.top_features()["b"]
    with pytest.warns(DeprecationWarning, match=OLD_CALL):
        assert model.top_features(None, 3) == expected
    for wrong in (0, 1.5, True):
        with (
            pytest.warns(DeprecationWarning, match=OLD_CALL),
            pytest.raises(ValueError, match="n must be"),
        ):
            model.top_features("b", wrong)
    with pytest.raises(TypeError, match="positional"):
        model.top_features("b", 3, 4)
    with pytest.raises(TypeError, match="label"):
        model.top_features(3, label="b")


@pytest.mark.parametrize("labels", [[3, 3, 5, 5, 7, 7], [False, False, False, True, True, True]])
def test_a_number_is_how_many_whatever_the_labels_are(labels):
    model = TextClassifier("naive_bayes").fit(TEXTS, labels).linear_model_
    assert {len(best) for best in model.top_features(3).values()} == {3}
    with pytest.warns(DeprecationWarning, match=OLD_CALL):
        assert model.top_features(labels[-1], 2) == model.top_features(2)[labels[-1]]
    if labels[-1] is True:
        with pytest.warns(DeprecationWarning, match=OLD_CALL):
            assert model.top_features(True) == model.top_features()[True]


def test_log_odds_without_a_feature_still_work_and_warn(spam, three):
    for model, against in ((spam, None), (three, None), (three, "lunch")):
        expected = model.weights @ model.contrast("spam", against)
        for call in (
            lambda model=model, against=against: model.log_odds("spam", against=against),
            lambda model=model, against=against: model.log_odds(label="spam", against=against),
        ):
            with pytest.warns(DeprecationWarning, match=r"write log_odds\(feature, label\)"):
                np.testing.assert_array_equal(call(), expected)
    with pytest.raises(TypeError, match="missing"):
        three.log_odds()


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

"""weights_, bias_, log_odds and top_features: the posterior as a softmax of linear functions."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import log_softmax
from sklearn.exceptions import NotFittedError

from wordodds import CountVectorizer, MultinomialNB

from .problems import COUNTED, COUNTS, LABELS, random_counts


@pytest.mark.parametrize("Model", COUNTED)
def test_the_posterior_is_the_softmax_of_linear_functions(Model):
    counts, labels = random_counts()
    rows = (counts > 0).astype(float)
    model = Model().fit(counts, labels)
    linear = rows @ model.weights_.T + model.bias_
    np.testing.assert_allclose(
        model.predict_log_proba(rows), log_softmax(linear, axis=1), rtol=1e-11, atol=1e-11
    )
    assert model.weights_.shape == (7, 50)
    assert model.bias_.shape == (7,)


@pytest.mark.parametrize("Model", COUNTED)
def test_one_more_occurrence_adds_the_log_odds(Model):
    model = Model().fit(COUNTS, LABELS)
    before, after = model.predict_log_proba([[0, 0, 0], [0, 1, 0]])
    added = (after[1] - after[0]) - (before[1] - before[0])
    assert model.log_odds(1, "b", against="a") == pytest.approx(added, rel=1e-12)
    assert model.log_odds(1, "b") == pytest.approx(added, rel=1e-12)
    assert model.log_odds(1, "a") == pytest.approx(-added, rel=1e-12)


def test_log_odds_against_the_mean_of_the_others():
    counts, labels = random_counts()
    model = MultinomialNB().fit(counts, labels)
    against = [model.log_odds(4, 2, against=other) for other in (0, 1, 3, 4, 5, 6)]
    assert model.log_odds(4, 2) == pytest.approx(np.mean(against), rel=1e-12)
    best = model.top_features(5)
    assert list(best) == list(range(7))
    for label, features in best.items():
        odds = [model.log_odds(feature, label) for feature in range(50)]
        order = np.argsort(-np.array(odds), kind="stable")[:5]
        assert [feature for feature, _ in features] == order.tolist()
        np.testing.assert_allclose([value for _, value in features], np.array(odds)[order])


def test_names():
    frame = pd.DataFrame(COUNTS, columns=["free", "lunch", "money"])
    model = MultinomialNB().fit(frame, LABELS)
    assert model.log_odds("lunch", "b") == model.log_odds(1, "b")
    assert model.top_features(1)["b"][0][0] == "lunch"
    for names in (["x", "y", "z"], pd.Series(["x", "y", "z"], index=[2, 1, 0])):
        assert model.top_features(1, feature_names=names)["b"][0][0] == "y"
    vectorizer = CountVectorizer(vocabulary=["u", "v", "w"]).fit([])
    assert model.top_features(1, feature_names=vectorizer)["b"][0][0] == "v"
    assert list(model.top_features(1, labels=np.array(["b"]))) == ["b"]
    assert model.top_features(1, labels=["a"]).keys() == {"a"}
    with pytest.raises(ValueError, match="there is no feature 'dinner'"):
        model.log_odds("dinner", "a")


def test_impossible_words_say_nothing_where_all_classes_lack_them():
    model = MultinomialNB(alpha=0).fit([[1, 0, 2], [0, 0, 1]], ["a", "b"])
    assert model.log_odds(1, "a") == 0.0
    assert model.log_odds(0, "a") == np.inf
    assert model.log_odds(0, "b") == -np.inf
    assert model.top_features(2)["a"] == [(0, np.inf), (1, 0.0)]


def test_one_class():
    model = MultinomialNB().fit(COUNTS, ["a"] * 4)
    assert model.log_odds(0, "a") == 0.0
    assert model.top_features(2)["a"] == [(0, 0.0), (1, 0.0)]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((3, "a"), ValueError, r"feature must be in \[0, 3\), got 3"),
        ((-1, "a"), ValueError, "feature must be in"),
        ((1.0, "a"), TypeError, "feature must be a column number or a name"),
        (("word", "a"), ValueError, "the features have no names"),
        ((0, "z"), ValueError, "there is no class 'z'"),
        ((0, "a", "z"), ValueError, "there is no class 'z'"),
    ],
)
def test_bad_questions(arguments, error, message):
    with pytest.raises(error, match=message):
        MultinomialNB().fit(COUNTS, LABELS).log_odds(*arguments)


def test_bad_questions_about_top_features():
    model = MultinomialNB()
    with pytest.raises(NotFittedError):
        model.top_features(3)
    with pytest.raises(NotFittedError):
        model.log_odds(0, "a")
    assert not hasattr(model, "weights_")
    model.fit(COUNTS, LABELS)
    for n in (0, -1, 1.5, True):
        with pytest.raises(ValueError, match="n must be a whole number >= 1"):
            model.top_features(n)
    with pytest.raises(ValueError, match="one name for each of the 3 features"):
        model.top_features(1, feature_names=["a", "b"])
    with pytest.raises(ValueError, match="there is no class 'z'"):
        model.top_features(1, labels=["z"])
    for labels in ("a", 3, [["a"]]):
        with pytest.raises(ValueError, match="labels must be a list of labels or None"):
            model.top_features(1, labels=labels)

"""What from_sklearn must refuse instead of predicting something else."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.svm import LinearSVC

from wordodds import from_sklearn

TEXTS = ["free money now", "cheap money", "see you at lunch", "lunch with you"]
LABELS = ["spam", "spam", "ham", "ham"]


class _OwnProba(LogisticRegression):
    def predict_proba(self, X):
        return super().predict_proba(X)[:, ::-1]


class _OwnLikelihood(MultinomialNB):
    def _joint_log_likelihood(self, X):
        return -super()._joint_log_likelihood(X)


class _OwnTransform(CountVectorizer):
    def transform(self, raw_documents):
        return super().transform([text[:5] for text in raw_documents])


class _OwnWeights(TfidfTransformer):
    def transform(self, X, copy=True):
        return X


class _Same(LogisticRegression):
    pass


@pytest.mark.parametrize(
    "pipeline",
    [
        make_pipeline(CountVectorizer(), _OwnProba()),
        make_pipeline(CountVectorizer(), _OwnLikelihood()),
        make_pipeline(_OwnTransform(), MultinomialNB()),
        make_pipeline(CountVectorizer(), _OwnWeights(), MultinomialNB()),
        make_pipeline(
            CountVectorizer(analyzer=lambda text: [(w,) for w in text.split()]), LinearSVC()
        ),
    ],
)
def test_what_weights_cannot_carry_is_refused(pipeline):
    with pytest.raises(ValueError, match="cannot be carried over"):
        from_sklearn(pipeline.fit(TEXTS, LABELS))


@pytest.mark.needs("scikit-learn>=1.9")  # the parameter is new
def test_a_scaler_that_clips_is_refused():
    pipeline = make_pipeline(CountVectorizer(), MaxAbsScaler(clip=True), LinearSVC())
    with pytest.raises(ValueError, match="cannot be carried over"):
        from_sklearn(pipeline.fit(TEXTS, LABELS))


def test_several_labels_are_refused():
    several = np.array([[1, 0, 1], [1, 1, 0], [0, 0, 1], [0, 1, 0]])
    with pytest.raises(ValueError, match="one label"):
        from_sklearn(make_pipeline(CountVectorizer(), RidgeClassifier()).fit(TEXTS, several))


def test_intercepts_that_are_no_numbers_are_refused():
    pipeline = make_pipeline(CountVectorizer(), LinearSVC()).fit(TEXTS, LABELS)
    pipeline[-1].intercept_ = np.array([np.nan])
    with pytest.raises(ValueError, match="not numbers"):
        from_sklearn(pipeline)


def test_a_subclass_that_changes_nothing_is_carried_over():
    pipeline = make_pipeline(CountVectorizer(), _Same()).fit(TEXTS, LABELS)
    assert from_sklearn(pipeline).predict(TEXTS).tolist() == LABELS

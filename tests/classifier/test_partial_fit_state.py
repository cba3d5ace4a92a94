"""partial_fit after an interrupt, and after fit."""

import numpy as np
import pytest

import wordodds.classifier.estimators as module
from wordodds import TextClassifier

TEXTS = ["free money now", "cheap money", "see you at lunch", "lunch with you"]
LABELS = ["spam", "spam", "ham", "ham"]


def _started():
    return TextClassifier("naive_bayes", n_hashed=64).partial_fit(
        TEXTS, LABELS, classes=["ham", "spam"]
    )


def test_an_interrupted_batch_is_not_learnt_twice(monkeypatch):
    def interrupted(*steps):
        raise KeyboardInterrupt

    classifier = _started()
    with monkeypatch.context() as patch:
        patch.setattr(module, "linear_model_of", interrupted)
        with pytest.raises(KeyboardInterrupt):
            classifier.partial_fit(["money x"], ["ham"])
    expected = _started().partial_fit(["money x"], ["ham"])
    again = classifier.partial_fit(["money x"], ["ham"])
    assert np.array_equal(again.predict_proba(TEXTS), expected.predict_proba(TEXTS))


def test_partial_fit_goes_on_from_fit():
    whole = TextClassifier("naive_bayes", n_hashed=64).fit([*TEXTS, "money x"], [*LABELS, "ham"])
    parts = TextClassifier("naive_bayes", n_hashed=64).fit(TEXTS, LABELS)
    parts.partial_fit(["money x"], ["ham"])
    assert np.array_equal(parts.predict_proba(TEXTS), whole.predict_proba(TEXTS))

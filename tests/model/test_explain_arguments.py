"""explain refuses labels that are none, of two classes too."""

import numpy as np
import pytest

from wordodds import TextClassifier

TEXTS = ["free money now", "cheap money", "see you at lunch", "lunch with you"]


@pytest.mark.parametrize("against", ["zzz", 3, "ham"])
def test_against_must_be_another_label(against):
    classifier = TextClassifier().fit(TEXTS, ["spam", "spam", "ham", "ham"])
    with pytest.raises(ValueError, match="label"):
        classifier.explain("money", "ham", against)


def test_text_of_numpy():
    classifier = TextClassifier().fit(TEXTS, ["spam", "spam", "ham", "ham"])
    assert classifier.explain(np.str_("money")).score == classifier.explain("money").score


@pytest.mark.parametrize("analyzer", ["char", "word"])
def test_a_text_with_too_many_ngrams_is_refused_and_a_part_of_it_is_not(analyzer):
    classifier = TextClassifier(analyzer=analyzer, ngram_range=(1, 200))
    classifier.fit(TEXTS, ["spam", "spam", "ham", "ham"])
    text = "money " * 5_000
    with pytest.raises(ValueError, match=r"pass a part of text, up to 9,950 characters"):
        classifier.explain(text)
    assert classifier.explain(text[:300]).score == pytest.approx(
        abs(classifier.linear_model_.decision_function([text[:300]])[0]), rel=1e-9
    )

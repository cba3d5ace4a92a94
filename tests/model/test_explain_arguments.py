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

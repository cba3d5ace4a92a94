"""The published results on 20 Newsgroups, to the document."""

import numpy as np
import pytest

from wordodds import MultinomialNB
from wordodds.datasets import load_newsgroups


@pytest.fixture(scope="module")
def bag_of_words(newsgroups_data):
    return load_newsgroups("bydate-matlab", "train"), load_newsgroups("bydate-matlab", "test")


# Accuracies 0.78521, 0.78108 and 0.80373.
@pytest.mark.parametrize(("alpha", "right"), [(1 / 61_188, 5893), (1.0, 5862), (0.01, 6032)])
def test_rennies_bag_of_words(bag_of_words, alpha, right):
    train, test = bag_of_words
    model = MultinomialNB(alpha=alpha).fit(train.counts, train.labels)
    predicted = model.predict(test.counts)
    assert len(predicted) == 7505
    assert np.sum(predicted == test.labels) == right

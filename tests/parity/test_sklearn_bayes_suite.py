"""scikit-learn's own tests of naive Bayes, run against our classes."""

import numpy as np
import pytest
import sklearn.naive_bayes as peer

from wordodds.bayes.discrete import DiscreteNB
from wordodds.bayes.priors import checked_alpha

from .sklearn_suites import applicable_tests, assert_tests_our_classes, load_suite

NAMES = ["BernoulliNB", "CategoricalNB", "ComplementNB", "GaussianNB", "MultinomialNB"]

# Name of a test -> why it does not apply to us. Every other one must pass.
NOT_APPLICABLE = {
    "test_gnb_check_update_with_no_data": "tests a private function of theirs",
    "test_gnb_array_api_compliance": "we take NumPy arrays",
}

# Their tests warn on purpose and do not treat warnings as errors; those of an older version expect
# what that version computes.
pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.needs("scikit-learn>=1.9")]

suite = load_suite("sklearn.tests.test_naive_bayes", peer, NAMES)
globals().update(applicable_tests(suite, NOT_APPLICABLE))


@pytest.fixture(autouse=True)
def their_name_for_the_check_of_alpha(monkeypatch):
    """Two of their tests ask the estimator what it makes of alpha, by a private method."""

    def check(self):
        n_features = getattr(self, "n_features_in_", 1)
        return checked_alpha(self.alpha, 2, n_features, force_alpha=self.force_alpha)

    monkeypatch.setattr(DiscreteNB, "_check_alpha", check, raising=False)


@pytest.fixture
def global_random_seed():
    """Stand in for a fixture of theirs."""
    return 42


@pytest.fixture
def global_dtype():
    """Stand in for a fixture of theirs."""
    return np.float64


def test_the_suite_is_there_and_tests_our_classes():
    assert_tests_our_classes(suite, NAMES, NOT_APPLICABLE, at_least=30)

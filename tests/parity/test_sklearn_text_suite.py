"""scikit-learn's own tests of text feature extraction, run against our classes."""

import pytest
import sklearn.feature_extraction.text as peer

from .sklearn_suites import applicable_tests, assert_tests_our_classes, load_suite

NAMES = ["CountVectorizer", "HashingVectorizer", "TfidfTransformer", "TfidfVectorizer"]

# Name of a test -> why it does not apply to us. Every other one must pass.
NOT_APPLICABLE: dict[str, str] = {}

# Their tests warn on purpose and do not treat warnings as errors; those of an older version expect
# what that version computes.
pytestmark = [pytest.mark.filterwarnings("default"), pytest.mark.needs("scikit-learn>=1.9")]

suite = load_suite("sklearn.feature_extraction.tests.test_text", peer, NAMES)
globals().update(applicable_tests(suite, NOT_APPLICABLE))


def test_the_suite_is_there_and_tests_our_classes():
    assert_tests_our_classes(suite, NAMES, NOT_APPLICABLE, at_least=50)

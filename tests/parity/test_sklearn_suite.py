"""scikit-learn's own tests of text feature extraction, run against our classes."""

import importlib
import sys

import pytest
import sklearn.feature_extraction.text as peer

import wordodds

NAMES = ["CountVectorizer", "HashingVectorizer", "TfidfTransformer", "TfidfVectorizer"]
SUITE = "sklearn.feature_extraction.tests.test_text"

# Name of a test -> why it does not apply to us. Every other one must pass.
NOT_APPLICABLE: dict[str, str] = {}

# Their tests warn on purpose and do not treat warnings as errors.
pytestmark = pytest.mark.filterwarnings("default")


def load_suite():
    """Import their test module anew, with our classes where it looks for theirs."""
    with pytest.MonkeyPatch.context() as patch:
        for name in NAMES:
            patch.setattr(peer, name, getattr(wordodds, name))
        patch.delitem(sys.modules, SUITE, raising=False)
        return importlib.import_module(SUITE)


def with_listed_parameters(test):
    """Make the parameters of a test a list, which pytest wants and they leave an iterator."""
    test.pytestmark = [
        pytest.mark.parametrize(mark.args[0], list(mark.args[1]), **mark.kwargs).mark
        if mark.name == "parametrize"
        else mark
        for mark in getattr(test, "pytestmark", [])
    ]
    return test


suite = load_suite()
for name, value in vars(suite).items():
    if name.startswith("test_") and name not in NOT_APPLICABLE:
        globals()[name] = with_listed_parameters(value)


def test_the_suite_is_there_and_tests_our_classes():
    assert sum(name.startswith("test_") for name in vars(suite)) > 50
    for name in NAMES:
        assert getattr(suite, name) is getattr(wordodds, name)
    assert set(NOT_APPLICABLE) <= set(vars(suite))

"""scikit-learn's own tests, loaded so that they test our classes."""

import importlib
import sys

import pytest

import wordodds


def ours(classes):
    """Return our classes by their names; they may come as names, or as a dict that says it all."""
    return (
        classes
        if isinstance(classes, dict)
        else {each: getattr(wordodds, each) for each in classes}
    )


def load_suite(name, home, classes):
    """Import the test module ``name`` anew, with our classes where it looks for theirs."""
    with pytest.MonkeyPatch.context() as patch:
        for each, our_class in ours(classes).items():
            patch.setattr(home, each, our_class)
        patch.delitem(sys.modules, name, raising=False)
        return importlib.import_module(name)


def applicable_tests(suite, not_applicable):
    """Return the tests of a suite by name, without those that do not apply to us."""
    return {
        name: with_listed_parameters(value)
        for name, value in vars(suite).items()
        if name.startswith("test_") and name not in not_applicable
    }


def with_listed_parameters(test):
    """Make the parameters of a test a list, which pytest wants and they leave an iterator."""
    test.pytestmark = [
        pytest.mark.parametrize(mark.args[0], list(mark.args[1]), **mark.kwargs).mark
        if mark.name == "parametrize"
        else mark
        for mark in getattr(test, "pytestmark", [])
    ]
    return test


def assert_tests_our_classes(suite, classes, not_applicable, at_least):
    """Check that the suite is there, and that it is ours that it tests."""
    assert sum(name.startswith("test_") for name in vars(suite)) >= at_least
    for name, our_class in ours(classes).items():
        assert getattr(suite, name) is our_class
    assert set(not_applicable) <= set(vars(suite))

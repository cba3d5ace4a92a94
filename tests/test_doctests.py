"""The examples in docstrings run."""

import doctest
import importlib
import pkgutil

import pytest

import wordodds

MODULES = [
    module.name
    for module in pkgutil.walk_packages(wordodds.__path__, "wordodds.")
    if not module.name.endswith("__main__") and not module.name.startswith("wordodds._core.")
]


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


def test_public_classes_and_functions_have_examples():
    finder = doctest.DocTestFinder()
    for name in set(wordodds.__all__) - {
        "__version__",
        "corpora",
        "dask",
        "datasets",
        "experiments",
    }:
        examples = [test for test in finder.find(getattr(wordodds, name), name) if test.examples]
        assert examples, f"wordodds.{name} shows no example"

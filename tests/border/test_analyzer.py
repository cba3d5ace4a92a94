"""What an analyzer compiles to."""

import re

import pytest
from sklearn.base import OneToOneFeatureMixin

from wordodds import CountVectorizer
from wordodds._border.analyzer import AnalyzerSpec, compiled_options
from wordodds._border.execution import execution
from wordodds._estimator.inherited import own_methods
from wordodds.model.features import TextFeatures
from wordodds.text.analysis import analyzed

TEXT = "It's 3 o'clock -- (ça va?) naïve_x a bb ccc dddd"


@pytest.mark.parametrize(
    "pattern",
    [r"\w+", r"(?u)\b\w\w+\b", r"\w\w\w+", r"\b\w{3,}\b", r"\w+|[^\w\s]", r"(?u)\w{2,}|[^\s\w]"],
)
def test_known_patterns_find_what_they_match(pattern):
    options = compiled_options(AnalyzerSpec(lowercase=False, token_pattern=pattern))
    assert options.features(TEXT, *execution(1)) == re.findall(pattern, TEXT)


@pytest.mark.parametrize(
    "spec",
    [
        AnalyzerSpec(token_pattern="[a-z]+"),
        AnalyzerSpec(token_pattern=r"\w*"),
        AnalyzerSpec(token_pattern=r"\w{0,}"),
        AnalyzerSpec(token_pattern=None),
        AnalyzerSpec(token_pattern=re.compile(r"\w+")),
        AnalyzerSpec(ngram_range=(0, 1)),
        AnalyzerSpec(ngram_range=(2, 1)),
    ],
)
def test_what_is_left_to_python(spec):
    assert compiled_options(spec) is None


def test_stop_words_are_of_words():
    some = frozenset(["it", "a"])
    for analyzer in ("word", "unicode_word"):
        spec = AnalyzerSpec(analyzer, token_pattern=r"\w+", stop_words=some)
        assert "a" not in compiled_options(spec).features("a cat", *execution(1))
    spec = AnalyzerSpec("char", stop_words=some)
    assert compiled_options(spec).features("a c", *execution(1)) == ["a", " ", "c"]


@pytest.mark.parametrize(
    "options",
    [
        {"ngram_range": (1, 2), "stop_words": ["va", "a"]},
        {"analyzer": "char_wb", "ngram_range": (2, 3), "lowercase": False},
        {"analyzer": "unicode_word", "strip_accents": "unicode"},
        {"token_pattern": r"\w+|[^\w\s]", "strip_accents": "ascii"},
        {"token_pattern": "[a-z]+"},
    ],
)
def test_a_vectorizer_and_a_model_compile_alike(options):
    _, theirs = analyzed(CountVectorizer(**options), [TEXT], execution(1))
    words = options.get("stop_words")
    model = TextFeatures(**options | {"stop_words": words and tuple(words)})
    if model.options is None:
        assert theirs is None
    else:
        assert model.found_in(TEXT)[0] == theirs.features(TEXT, *execution(1))


def test_a_mixin_of_scikit_learn_before_our_class_overrides_what_it_defines():
    class Named(OneToOneFeatureMixin, CountVectorizer):
        pass

    class Own(Named):
        def decode(self, document):
            return document

    assert own_methods(Named(), ("build_analyzer", "transform", "no_such_method")) == frozenset()
    assert own_methods(Own(), ("decode", "transform")) == {"decode"}
    # Its feature names are another class's than ours.
    assert own_methods(Named(), ("get_feature_names_out",)) == {"get_feature_names_out"}

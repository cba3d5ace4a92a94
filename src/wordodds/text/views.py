"""Vectorizers that read a text in several ways at once: ``analyzer=("word", "char_wb")``.

Each view is what a vectorizer with that analyzer alone would find. Options may be given for each
view by name, as in ``ngram_range={"word": (1, 2), "char_wb": (3, 5)}``; any other value holds for
all views, and options of words for those that have words.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from wordodds._border.analyzer import WORD_ANALYZERS

if TYPE_CHECKING:
    from wordodds.text.vectorizer import EngineVectorizer

__all__ = ["ANALYZERS", "view_names", "views_of"]

ANALYZERS = ("word", "char", "char_wb", "unicode_word")
# Options that may be given for each view, with the value for views that are not named.
_DEFAULTS: dict[str, Any] = {
    "ngram_range": (1, 1),
    "lowercase": True,
    "strip_accents": None,
    "token_pattern": r"(?u)\b\w\w+\b",
    "stop_words": None,
    "stemmer": None,
    "min_df": 1,
    "max_df": 1.0,
    "max_features": None,
}
# Options that only words have.
_OF_WORDS = ("token_pattern", "tokenizer", "stop_words", "stemmer")


def view_names(analyzer: object) -> tuple[str, ...] | None:
    """Return the names of the views that an analyzer stands for; None for a single way of reading.

    Raises ValueError where they are not the names of different analyzers.
    """
    if not isinstance(analyzer, tuple | list):
        return None
    names = tuple(analyzer)
    known = ", ".join(map(repr, ANALYZERS))
    if any(name not in ANALYZERS for name in names):
        raise ValueError(f"several analyzers must be some of {known}, got analyzer={analyzer!r}")
    if len(names) < 2:
        raise ValueError(f"several analyzers must be two or more, got analyzer={analyzer!r}")
    if len(set(names)) != len(names):
        raise ValueError(f"several analyzers must differ from each other, got {analyzer!r}")
    return names


def views_of(vectorizer: "EngineVectorizer") -> list["EngineVectorizer"]:
    """Return an unfitted vectorizer for each view of one that has several.

    Raises ValueError where an option names a view that there is not.
    """
    names = view_names(vectorizer.analyzer)
    assert names is not None
    # What was learnt ends or begins with an underscore; methods of the object's own stay.
    parameters = {
        name: value
        for name, value in vars(vectorizer).items()
        if not name.startswith("_") and not name.endswith("_")
    }
    for option in _DEFAULTS.keys() & parameters.keys():
        given = parameters[option]
        if isinstance(given, Mapping) and (unknown := set(given) - set(names)):
            raise ValueError(
                f"{option} has an entry for {min(map(repr, unknown))}, which is no view: the "
                f"analyzers are {', '.join(map(repr, names))}"
            )
    accents = parameters["strip_accents"]
    if isinstance(accents, Mapping) and any(map(callable, accents.values())):
        raise ValueError("strip_accents may be a function for all analyzers, not for one of them")
    if callable(accents) and isinstance(parameters["lowercase"], Mapping):
        raise ValueError("a function as strip_accents needs one value of lowercase for all views")
    return [_view(vectorizer, parameters, name) for name in names]


def _view(
    vectorizer: "EngineVectorizer", parameters: Mapping[str, Any], name: str
) -> "EngineVectorizer":
    own = {**parameters, "analyzer": name, "input": "content"}
    for option, default in _DEFAULTS.items():
        given = parameters.get(option, default)
        if isinstance(given, Mapping):
            own[option] = given.get(name, default)
        elif option in _OF_WORDS and name not in WORD_ANALYZERS:
            own[option] = default
    if name not in WORD_ANALYZERS:
        own["tokenizer"] = None
    if name == "unicode_word":
        own["token_pattern"] = _DEFAULTS["token_pattern"]
    # Not by its constructor, which a subclass may have changed.
    view: EngineVectorizer = object.__new__(type(vectorizer))
    for option in parameters:
        setattr(view, option, own[option])
    return view

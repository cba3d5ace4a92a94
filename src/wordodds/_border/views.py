"""Names of features where a text is read in several ways at once.

In the engine each feature of view i begins with the character i + 1, so that one sorted vocabulary
holds the views one after the other. People see the view's name, as scikit-learn's FeatureUnion
shows it: "word__cat", "char_wb__ca".
"""

from collections.abc import Sequence

__all__ = [
    "VIEWS_MAX",
    "feature_name",
    "shown_name",
    "stored_name",
    "stored_term",
    "view_of",
]

VIEWS_MAX = 8
_BETWEEN = "__"


def feature_name(view: str, feature: str) -> str:
    """Return what people see of a feature of a view."""
    return view + _BETWEEN + feature


def stored_term(view: int, feature: str) -> str:
    """Return the term of a feature of a view, by the number of the view."""
    return chr(view + 1) + feature


def shown_name(term: str, views: Sequence[str]) -> str:
    r"""Return what people see of a term.

    Examples
    --------
    >>> shown_name("\x02ca", ["word", "char_wb"])
    'char_wb__ca'
    """
    return feature_name(views[view_of(term)], term[1:])


def stored_name(name: str, views: Sequence[str]) -> str:
    r"""Return the term that people see under a name.

    Examples
    --------
    >>> stored_name("char_wb__ca", ["word", "char_wb"])
    '\x02ca'
    """
    view, between, feature = name.partition(_BETWEEN)
    if not between or view not in views:
        named = " or ".join(repr(view + _BETWEEN) for view in views)
        raise ValueError(f"a feature of several views begins with {named}, got {name!r:.80}")
    return stored_term(views.index(view), feature)


def view_of(term: str) -> int:
    """Return the number of the view that a term belongs to."""
    return ord(term[0]) - 1

"""Questions about features: which column, by which name, and which ones weigh most."""

from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from wordodds._border.checks import whole_number
from wordodds.typing import AnyArray, Floats, Label, Labels

__all__ = [
    "FeatureNames",
    "asked_labels",
    "checked_count",
    "column_number",
    "given_names",
    "largest",
]


class _Vectorizer(Protocol):
    def get_feature_names_out(self) -> npt.ArrayLike: ...


FeatureNames: TypeAlias = npt.ArrayLike | _Vectorizer | None
"""Names of the columns, or a vectorizer that has them; None for the model's own."""


def checked_count(n: int) -> int:
    """Return how many features were asked for."""
    return whole_number(n, "n", 1, wrong_type=ValueError)


def asked_labels(labels: Labels | None, known: AnyArray) -> list[Label]:
    """Return the labels that were asked about, all of the known ones for None."""
    asked: Any = known if labels is None else labels
    if isinstance(asked, str | bytes) or np.ndim(asked) != 1:
        raise ValueError(f"labels must be a list of labels or None, got {labels!r}")
    # Not as an array: NumPy makes one kind of several, and drops NUL at the end of text.
    found = asked.tolist() if hasattr(asked, "tolist") else asked
    return [label.item() if isinstance(label, np.generic) else label for label in found]


def given_names(feature_names: FeatureNames, n_features: int) -> list[Any]:
    """Return names of columns that were passed as a list, a column or a vectorizer."""
    has_names: Any = feature_names
    if hasattr(has_names, "get_feature_names_out"):
        has_names = has_names.get_feature_names_out()
    names = np.asarray(has_names)  # by position, whatever index it may have
    if names.shape != (n_features,):
        raise ValueError(
            f"feature_names must hold one name for each of the {n_features} features, "
            f"got shape {names.shape}"
        )
    found: list[Any] = names.tolist()
    return found


def column_number(feature: object, n_features: int) -> int:
    """Return the number of a column, or raise if there is none."""
    column = whole_number(feature, "feature", wanted="a column number or a name")
    if not 0 <= column < n_features:
        raise ValueError(f"feature must be in [0, {n_features}), got {feature}")
    return column


def largest(values: Floats, n: int) -> list[int]:
    """Return the positions of the n largest values, the largest first, equal ones in order."""
    falling = -values
    candidates = np.arange(len(values))
    if n < len(values):
        # Not "at most": NaN, which comes last, may be the bound.
        candidates = np.flatnonzero(~(falling > np.partition(falling, n - 1)[n - 1]))
    best: list[int] = candidates[np.argsort(falling[candidates], kind="stable")][:n].tolist()
    return best

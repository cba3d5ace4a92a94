"""The weights of a linear model, as people look at them: by label and by feature."""

from typing import Any

import numpy as np

from wordodds.model.features import TextFeatures
from wordodds.model.links import base_link
from wordodds.typing import AnyArray, AnyFloats, Codes, Floats

__all__ = ["LabelWeights", "padded"]


class LabelWeights:
    """Labels, and what features weigh for each of them."""

    labels: AnyArray
    features: TextFeatures
    link: str
    tree: Codes | None
    _weights: AnyFloats
    _factor: Floats | None
    _bias: Floats

    @property
    def weights(self) -> AnyFloats:
        """Log-odds that one unit of a feature adds, (n_features, n_columns).

        Of low-rank weights it is made when it is asked for, and may be large.
        """
        return self.weights_of(slice(None))

    def weights_of(self, rows: Any) -> AnyFloats:
        """Return the weights of some features, (n_rows, n_columns).

        Parameters
        ----------
        rows : index
            Their rows.
        """
        if self._factor is not None:
            return np.asarray(self._weights[rows, : len(self._factor)] @ self._factor)
        return self._weights[rows, : len(self._bias)]

    @property
    def bias(self) -> Floats:
        """What the scores start from, (n_columns,)."""
        return self._bias

    @property
    def classes_(self) -> AnyArray:
        """The labels, under the name that scikit-learn gives them."""
        return self.labels

    @property
    def n_features(self) -> int:
        """How many features have weights."""
        return len(self._weights)

    @property
    def n_classes(self) -> int:
        """How many labels there are."""
        return len(self.labels)

    def top_features(self, label: Any = None, n: int = 10) -> Any:
        """Return the features that speak most for a label, with their weights.

        A weight is what one unit of the feature adds to the log-odds: one occurrence where counts
        are taken as they are; where documents are divided by their norm, a document of nothing
        else. What it adds to a text of yours, `explain` tells.

        Parameters
        ----------
        label : label or None
            None: a dict of the lists of all labels.
        n : int, default=10
            How many.
        """
        if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
            raise ValueError(f"n must be a whole number >= 1, got {n!r}")
        if label is None:
            return {name: self.top_features(name, n) for name in self.labels.tolist()}
        odds = self.log_odds(label)
        n = min(int(n), len(odds))
        best = np.argpartition(-odds, n - 1)[:n].tolist() if n else []
        best.sort(key=lambda row: (-odds[row], row))
        return [(self.features.name_of(row), float(odds[row])) for row in best]

    def log_odds(self, label: Any, against: Any = None) -> Floats:
        """Return what one unit of each feature adds to the log-odds of a label, (n_features,).

        Parameters
        ----------
        label : label
            Whose log-odds.
        against : label or None
            As in `explain`.
        """
        return self.added_by(slice(None), self.contrast(label, against))

    def added_by(self, rows: Any, contrast: Floats) -> Floats:
        """Return what one unit of each of these features adds along a contrast.

        Parameters
        ----------
        rows : index
            Their rows of weights.
        contrast : ndarray of shape (n_columns,)
            What `contrast` gave.
        """
        if self._factor is None:
            return np.asarray(self._weights[rows, : len(contrast)] @ contrast)
        return np.asarray(self._weights[rows, : len(self._factor)] @ (self._factor @ contrast))

    def contrast(self, label: Any, against: Any = None) -> Floats:
        """Return how the columns add up to the log-odds of a label, (n_columns,).

        Parameters
        ----------
        label : label
            Whose log-odds.
        against : label or None
            As in `explain`.
        """
        if self.tree is not None:
            raise ValueError(
                "the labels of a hierarchical softmax share decisions, and none has weights of its "
                "own: explain a model with the loss softmax or one-vs-all"
            )
        code = self.code_of(label)
        if against is not None and self.code_of(against) == code:
            raise ValueError(f"against must be another label than {label!r}")
        columns = np.zeros(len(self._bias))
        if len(columns) == 1:
            columns[0] = 1.0 if code == 1 else -1.0
            return columns
        if against is not None:
            columns[self.code_of(against)] -= 1.0
        elif base_link(self.link) == "softmax":
            columns[:] = -1.0 / (len(columns) - 1)
            columns[code] = 0.0
        columns[code] += 1.0
        return columns

    def code_of(self, label: Any) -> int:
        """Return the position of a label among `labels`.

        Parameters
        ----------
        label : label
            One of them.
        """
        found = [code for code, known in enumerate(self.labels.tolist()) if known == label]
        if not found:
            raise ValueError(f"there is no label {label!r}; the model knows {self._some_labels()}")
        return found[0]

    def _some_labels(self) -> str:
        shown = [repr(label) for label in self.labels[:5].tolist()]
        return ", ".join(shown) + (", ..." if len(self.labels) > 5 else "")


def padded(weights: AnyFloats, n_columns: int) -> AnyFloats:
    """Return weights as the kernel reads them: one column, or a multiple of four.

    Those of 16 or 32 bits are float32 then, all others float64.

    Parameters
    ----------
    weights : ndarray of shape (n_features, n_columns or more)
        Not copied if they fit; columns behind the last are padding.
    n_columns : int
        How many count.

    Examples
    --------
    >>> padded(np.ones((2, 3)), 3).shape
    (2, 4)
    """
    width = 1 if n_columns == 1 else -(-n_columns // 4) * 4
    if weights.ndim != 2 or weights.shape[1] not in (n_columns, width):
        raise ValueError(f"weights of shape {weights.shape} do not go with {n_columns} columns")
    fits = weights.shape[1] == width and weights.flags.c_contiguous
    dtype = np.float32 if weights.dtype in (np.float16, np.float32) else np.float64
    if fits and weights.dtype == dtype:
        return weights
    wide = np.zeros((len(weights), width), dtype=dtype)
    wide[:, :n_columns] = weights[:, :n_columns]
    return wide

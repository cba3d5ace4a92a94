"""Every label that is probable enough: for labels that do not exclude each other."""

from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from wordodds.model.links import FASTTEXT_FLOOR
from wordodds.typing import Floats

if TYPE_CHECKING:
    from wordodds.model.linear_model import LinearModel

__all__ = ["predict_above"]


def predict_above(
    self: "LinearModel", texts: Any, threshold: float = 0.5, k: int | None = None
) -> tuple[list[list[Any]], list[Floats]]:
    """Return the labels of each text that have at least this probability, the first ones first.

    What ``predict(texts, k, threshold)`` of fastText returns. For models whose labels exclude
    each other, and for those where several may be right.

    Parameters
    ----------
    texts : iterable of str or bytes, or a column of text
        The documents.
    threshold : float, default=0.5
        The least probability; fastText leaves its own 1e-5 out of the comparison.
    k : int or None
        At most so many; None: any number.

    Returns
    -------
    labels : list of lists
        Of each text; none where no label is probable enough, nor where fastText finds no
        feature at all.
    probabilities : list of ndarrays
        Theirs.

    Raises
    ------
    NoProbabilitiesError
        If the scores are margins and the model was not calibrated.

    Examples
    --------
    >>> from wordodds import TextClassifier
    >>> texts = ["free money now", "cheap money", "see you at lunch", "lunch with you"]
    >>> model = TextClassifier().fit(texts, ["spam", "spam", "ham", "ham"]).linear_model_
    >>> labels, probabilities = model.predict_above(["money money", "you"], threshold=0.6)
    >>> labels
    [['spam'], ['ham']]
    """
    if k is not None and (isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1):
        raise ValueError(f"k must be a whole number >= 1, or None, got {k!r}")
    is_number = isinstance(threshold, Real) and not isinstance(threshold, bool)
    if not is_number or not 0.0 <= threshold <= 1.0:
        raise ValueError(f"threshold must be within 0 and 1, got {threshold!r}")
    documents = self.features.documents(texts, self.n_jobs)
    n_features = np.ones(len(documents), dtype=np.int64)
    scores = self._scores_of(documents, None, n_features)
    values = self._probabilities(scores)
    enough = values >= threshold
    if self.calibration is None and self.link.startswith("fasttext"):
        # As it compares: what it will add is not there yet, and all is float32.
        enough = (values - FASTTEXT_FLOOR).astype(np.float32) >= np.float32(threshold)
    if self.features.fasttext is not None:
        enough[n_features == 0] = False
    best = self.ranked(values)
    names = self.labels.tolist()
    labels: list[list[Any]] = []
    probable: list[Floats] = []
    for row, order in enumerate(best):
        codes = order[enough[row, order]][:k]
        labels.append([names[code] for code in codes.tolist()])
        probable.append(values[row, codes])
    return labels, probable

"""Predictions in other forms: every label above a threshold, and Arrow's structs."""

from typing import TYPE_CHECKING

import numpy as np

from wordodds._border.checks import real_number, whole_number
from wordodds.typing import Floats, Label, Texts

if TYPE_CHECKING:
    import pyarrow

    from wordodds.model.linear_model import LinearModel

__all__ = ["arrow_structs", "labels_above"]


def labels_above(
    model: "LinearModel", texts: Texts, threshold: float, k: int | None
) -> tuple[list[list[Label]], list[Floats]]:
    """Return what `LinearModel.predict_above` promises."""
    if k is not None:
        k = whole_number(k, "k", 1, wanted="a whole number >= 1, or None", wrong_type=ValueError)
    wanted = "within 0 and 1"
    threshold = real_number(threshold, "threshold", 0, 1, wanted=wanted, wrong_type=ValueError)
    documents = model.features.documents(texts, model.n_jobs)
    n_features = np.ones(len(documents), dtype=np.int64)
    scores = model._scorer.scores(documents, model.n_jobs, n_features=n_features)
    values = model._probabilities(scores)
    enough = model._link.reached(values, threshold, model.calibration is not None)
    if model.features.fasttext is not None:
        enough[n_features == 0] = False
    names = model.labels.tolist()
    found = [order[enough[row, order]][:k] for row, order in enumerate(model.ranked(values))]
    labels = [[names[code] for code in codes.tolist()] for codes in found]
    return labels, [values[row, codes] for row, codes in enumerate(found)]


def arrow_structs(model: "LinearModel", texts: Texts) -> "pyarrow.StructArray":
    """Return what `LinearModel.predict_arrow` promises."""
    try:
        import pyarrow as pa
    except ImportError:
        raise ImportError("predict_arrow needs pyarrow: pip install 'wordodds[arrow]'") from None
    scores = model._scores(texts)
    codes = model._codes(scores)
    values = np.take_along_axis(model._values(scores), codes[:, None], axis=1)[:, 0]
    labels = pa.DictionaryArray.from_arrays(codes.astype(np.int32), model.labels.tolist())
    return pa.StructArray.from_arrays([labels.dictionary_decode(), values], ["label", "score"])

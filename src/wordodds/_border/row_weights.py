"""Row weights at the public border: sample_weight and class_weight become one array."""

from collections.abc import Mapping
from typing import Protocol

import numpy as np

from wordodds._border.classes import codes_by_label
from wordodds._border.csr import refuse_masked
from wordodds._border.labels import encode_known_labels, encode_labels
from wordodds.typing import AnyArray, ClassWeight, Codes, Floats, Label, Labels, WeightsLike

__all__ = ["class_weights", "row_weights", "rows_of_batch", "rows_of_fit", "sample_weights"]


class Weighing(Protocol):
    """A classifier that weighs classes."""

    @property
    def class_weight(self) -> ClassWeight:
        """Factors by label."""


def rows_of_fit(
    model: Weighing, y: Labels | None, n_rows: int, sample_weight: WeightsLike
) -> tuple[AnyArray, Codes, Floats | None]:
    """Return the classes of a fit, and the class and the weight of each row.

    Rows of weight zero are ignored: a class without any other row is dropped.
    """
    classes, codes = encode_labels(y, n_rows)
    weights = row_weights(sample_weight, model.class_weight, classes, codes)
    if weights is None or weights.all():
        return classes, codes, weights
    present = np.zeros(len(classes), dtype=bool)
    present[codes[weights > 0.0]] = True
    if not present.any():
        raise ValueError("the weight of every row is zero: there is nothing to learn from")
    # Where the rows of absent classes go does not matter: they weigh nothing.
    renumbered = np.maximum(np.cumsum(present) - 1, 0).astype(np.int32)
    return classes[present], renumbered[codes], weights


def rows_of_batch(
    model: Weighing,
    y: Labels | None,
    n_rows: int,
    classes: AnyArray,
    sample_weight: WeightsLike,
) -> tuple[Codes, Floats | None]:
    """Return the class and the weight of each row of a batch."""
    if isinstance(model.class_weight, str):
        raise ValueError(
            f"class_weight={model.class_weight!r} needs all documents at once; to learn or forget "
            "by batches, pass a dict or sample_weight"
        )
    codes = encode_known_labels(y, n_rows, classes)
    return codes, row_weights(sample_weight, model.class_weight, classes, codes)


def row_weights(
    sample_weight: WeightsLike,
    class_weight: ClassWeight,
    classes: AnyArray,
    codes: Codes,
) -> Floats | None:
    """Return the weight of each row, or None where all weigh 1.

    As in scikit-learn: ``class_weight`` has factors by label, 1 where a label is not named, or
    "balanced", which gives every class the same total. A dict that misses a class must not name
    others instead. Raises ValueError, naming the row, for a weight that is negative or not finite.
    """
    weights = _checked_sample_weight(sample_weight, len(codes))
    if class_weight is None:
        return weights
    factors = class_weights(class_weight, classes, codes, weights)[codes]
    if weights is None:
        return factors
    with np.errstate(over="ignore"):
        product = weights * factors
    if not np.isfinite(product).all():
        raise ValueError("sample_weight times class_weight is beyond 1e308: scale them down")
    return np.asarray(product)


def sample_weights(sample_weight: WeightsLike, n_rows: int) -> Floats:
    """Return the weight of each row, whatever its class."""
    weights = _checked_sample_weight(sample_weight, n_rows)
    return np.ones(n_rows) if weights is None else weights


def _checked_sample_weight(sample_weight: WeightsLike, n_rows: int) -> Floats | None:
    if sample_weight is None:
        return None
    refuse_masked(sample_weight, "sample_weight")
    weights = np.asarray(sample_weight)
    if weights.dtype.kind in "cmM":
        raise TypeError(f"sample_weight must hold numbers, got {weights.dtype}")
    if weights.dtype.kind not in "biuf":
        try:
            weights = weights.astype(np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise TypeError(f"sample_weight must hold numbers: {error}") from error
    weights = weights.astype(np.float64)
    if weights.ndim == 0:
        weights = np.full(n_rows, weights)
    if weights.ndim != 1:
        raise ValueError(f"Sample weights must be 1D array or scalar, got shape {weights.shape}")
    if len(weights) != n_rows:
        raise ValueError(
            f"sample_weight.shape == {weights.shape}, expected ({n_rows},): one weight per row"
        )
    wrong = np.flatnonzero(~((weights >= 0.0) & np.isfinite(weights)))
    if len(wrong):
        row = int(wrong[0])
        raise ValueError(f"sample_weight[{row}] must be finite and >= 0, got {weights[row]}")
    return weights


def class_weights(
    class_weight: ClassWeight,
    classes: AnyArray,
    codes: Codes,
    weights: Floats | None = None,
) -> Floats:
    """Return the factor of each class, where rows have ``weights`` of their own or weigh 1."""
    if isinstance(class_weight, str) and class_weight == "balanced":
        counts = np.bincount(codes, weights, minlength=len(classes)).astype(np.float64)
        present = counts > 0.0
        share = counts.sum() / max(1, np.count_nonzero(present))
        return np.asarray(np.divide(share, counts, out=np.ones(len(classes)), where=present))
    if not isinstance(class_weight, Mapping):
        raise ValueError(f'class_weight must be a dict, "balanced" or None, got {class_weight!r}')
    known = codes_by_label(classes)
    named = {_plain(label): factor for label, factor in class_weight.items()}
    # As in scikit-learn: one dict may serve any part of its labels, but not miss some by a typo.
    missing = [label for label in known if label not in named]
    if missing and not set(named) <= set(known):
        raise ValueError(
            f"The classes, {missing}, are not in class_weight, which names {list(named)}"
        )
    factors = np.ones(len(classes))
    for label, factor in named.items():
        try:
            value = float(factor)
        except (TypeError, ValueError, OverflowError) as error:
            raise TypeError(f"class_weight[{label!r}] must be a number, got {factor!r}") from error
        if not 0.0 <= value < np.inf:
            raise ValueError(f"class_weight[{label!r}] must be finite and >= 0, got {factor!r}")
        if label in known:
            factors[known[label]] = value
    return factors


def _plain(label: Label) -> Label:
    return label.item() if isinstance(label, np.generic) else label

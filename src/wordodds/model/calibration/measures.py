"""How well probabilities hold: the calibration error, and thresholds for a wanted precision."""

import numpy as np
import numpy.typing as npt

from wordodds.typing import Positions

__all__ = ["checked_codes", "expected_calibration_error", "threshold_for"]


def expected_calibration_error(
    probabilities: npt.ArrayLike, codes: npt.ArrayLike, n_bins: int = 15
) -> float:
    """Return how far the probability of the first class is from how often it is right.

    Documents are sorted into bins of equal width, (i / n_bins, (i + 1) / n_bins], by the
    probability of their most probable class; the error is the mean, over documents, of the distance
    in their bin between mean probability and share of right classes.

    Examples
    --------
    >>> expected_calibration_error([[0.9, 0.1], [0.9, 0.1]], [0, 1])
    0.4
    """
    table = np.asarray(probabilities, dtype=np.float64)
    if table.ndim != 2 or len(table) == 0:
        raise ValueError(
            f"probabilities must have shape (n_rows, n_classes) and rows, got {table.shape}"
        )
    if n_bins < 1:
        raise ValueError(f"n_bins must be at least 1, got {n_bins}")
    classes = checked_codes(codes, *table.shape)
    best = table.argmax(axis=1)
    chance = table[np.arange(len(table)), best]
    bins = np.searchsorted(np.arange(1, n_bins) / n_bins, chance, side="left")
    # A bin's share of rows times its distance: the difference of two sums, over the rows.
    gaps = np.bincount(bins, weights=chance - (best == classes), minlength=n_bins)
    return float(np.abs(gaps).sum() / len(table))


def threshold_for(probability: npt.ArrayLike, is_label: npt.ArrayLike, precision: float) -> float:
    """Return the smallest threshold at which predictions of a label reach a precision.

    ``probability`` is that of the label, (n_rows,), ``is_label`` whether it is right. Of the
    thresholds that are precise enough, it is the one that finds the most documents.

    Examples
    --------
    >>> threshold_for([0.9, 0.8, 0.7, 0.6], [True, True, False, True], precision=0.75)
    0.6
    """
    chance, right = np.asarray(probability, dtype=np.float64), np.asarray(is_label, dtype=bool)
    if not 0.0 < precision <= 1.0:
        raise ValueError(f"precision must be above 0 and at most 1, got {precision}")
    if chance.ndim != 1 or chance.shape != right.shape or len(chance) == 0:
        raise ValueError(
            "probability and is_label must be two columns of the same length with at least one "
            f"row, got shapes {chance.shape} and {right.shape}"
        )
    if np.isnan(chance).any():
        raise ValueError(f"probability {int(np.isnan(chance).argmax())} is NaN")
    order = np.argsort(-chance, kind="stable")
    chance, right = chance[order], right[order]
    # Documents of equal probability are above the threshold together or not at all.
    ends = np.append(chance[1:] != chance[:-1], True)
    shares = (np.cumsum(right) / np.arange(1, len(right) + 1))[ends]
    enough = np.flatnonzero(shares >= precision)
    if len(enough) == 0:
        best = int(shares.argmax())
        raise ValueError(
            f"no threshold has precision {precision}: the best is {shares[best]:.4f}, at "
            f"probability {chance[ends][best]:.6g}; ask for less or train a better model"
        )
    return float(chance[ends][enough[-1]])


def checked_codes(codes: npt.ArrayLike, n_rows: int, n_classes: int) -> Positions:
    """Return the class of each row, or raise if it is none of the classes."""
    found = np.asarray(codes)
    if found.shape != (n_rows,) or (n_rows and found.dtype.kind not in "biu"):
        raise ValueError(
            f"codes must be {n_rows} whole numbers, one for each row, got {found.dtype} of shape "
            f"{found.shape}"
        )
    if n_rows and not (found.min() >= 0 and found.max() < n_classes):
        raise ValueError(
            f"codes must be from 0 to {n_classes - 1}, got {found.min()} to {found.max()}"
        )
    return found.astype(np.intp)

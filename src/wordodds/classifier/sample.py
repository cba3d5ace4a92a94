"""Samples and folds that depend on the positions of documents alone, not on how they are read."""

import numpy as np
import numpy.typing as npt

from wordodds.typing import Codes, Floats, Ints

__all__ = ["SAMPLE_LEAST", "held_back", "n_fitting", "position_hash", "sampled", "stratified_folds"]

SAMPLE_LEAST = 200  # documents of a sample, however long
# Documents that are held back from a fit to find its temperature on them: one of this many of the
# sample, and this number at most.
HELD_BACK_PART, HELD_BACK_MAX = 4, 5000
HELD_BACK_SHARE = 0.05  # of all documents, at most


def position_hash(positions: Ints, seed: int = 0) -> npt.NDArray[np.uint64]:
    """Return the output of SplitMix64 (Steele, Lea and Flood, 2014) at each position.

    Examples
    --------
    >>> position_hash(np.arange(2), 1234567)
    array([6457827717110365317, 3203168211198807973], dtype=uint64)
    """
    with np.errstate(over="ignore"):
        z = (positions.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        z += np.uint64(seed % 2**64)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(z ^ (z >> np.uint64(31)))


def sampled(sizes: Ints, limit: int, n_most: int | None = None, seed: int = 0) -> Ints:
    """Return the positions of documents of about `limit` characters in all, ascending.

    Positions are taken in the order of their hashes, as long as the texts fit; a stream that keeps
    the documents of the least hashes comes to the same sample. `SAMPLE_LEAST` documents are taken
    even if they are longer than `limit`.

    Examples
    --------
    >>> len(sampled(np.full(1000, 10), 5000))
    500
    """
    order = np.argsort(position_hash(np.arange(len(sizes)), seed), kind="stable")
    return np.sort(order[: n_fitting(sizes[order], limit, n_most)])


def n_fitting(sizes: Ints, limit: int, n_most: int | None = None) -> int:
    """Return how many documents, in the order of their hashes, a sample holds.

    Examples
    --------
    >>> n_fitting(np.full(1000, 10), 5000), n_fitting(np.full(1000, 10), 5000, 300)
    (500, 300)
    """
    fits = int(np.searchsorted(np.cumsum(sizes), limit, side="right"))
    n_taken = max(fits, min(SAMPLE_LEAST, len(sizes)))
    return n_taken if n_most is None else min(n_taken, max(n_most, SAMPLE_LEAST))


def stratified_folds(codes: Codes, n_folds: int, seed: int = 0) -> Ints:
    """Return the fold of each document, such that each class is spread evenly over the folds.

    A document that is alone in its class belongs to no fold, -1.

    Examples
    --------
    >>> folds = stratified_folds(np.array([0, 1, 0, 0, 0, 2, 1], np.int32), 2)
    >>> np.bincount(folds[[0, 2, 3, 4]]), np.sort(folds[[1, 6]]), folds[5]
    (array([2, 2]), array([0, 1]), np.int64(-1))
    """
    shuffled = np.argsort(position_hash(np.arange(len(codes)), seed), kind="stable")
    order = shuffled[np.argsort(codes[shuffled], kind="stable")]
    of_class = codes[order]
    sizes = np.bincount(codes)
    begins = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    folds = np.empty(len(codes), dtype=np.int64)
    folds[order] = (np.arange(len(codes)) - begins[of_class]) * n_folds // sizes[of_class]
    folds[sizes[codes] < 2] = -1
    return folds


def held_back(codes: Codes, weights: Floats, n_documents: int) -> Ints:
    """Return which documents of a sample to leave out of the fit, to find its temperature on them.

    The temperature that was best for fits to parts of a sample is too low for a fit to many times
    as many documents. Where the sample is all there is, no document is left out.
    """
    if len(codes) == n_documents:
        return np.empty(0, dtype=np.int64)
    folds = stratified_folds(codes, HELD_BACK_PART)
    rows = np.flatnonzero((folds == 0) & (weights > 0.0))
    order = np.argsort(position_hash(rows), kind="stable")
    n_held = min(HELD_BACK_MAX, int(n_documents * HELD_BACK_SHARE))
    return np.sort(rows[order[:n_held]])

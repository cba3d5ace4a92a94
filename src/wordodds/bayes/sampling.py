"""Draws from fitted models: what only a generative classifier can give."""

from collections.abc import Callable, Iterator

import numpy as np
import scipy.sparse as sp

from wordodds._border.checks import whole_number
from wordodds.typing import Floats, Ints, Positions, RandomState

__all__ = ["draw_categories", "draw_classes", "draw_presence", "draw_words", "generator"]

# Uniform numbers held at once while presence is drawn: 32 MB.
BLOCK = 1 << 22


def generator(random_state: RandomState) -> np.random.Generator:
    """Return NumPy's generator for what scikit-learn calls a random state."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(1 << 32, size=4, dtype=np.uint64))
    return np.random.default_rng(random_state)


def draw_classes(log_prior: Floats, n: int, rng: np.random.Generator) -> Positions:
    """Return n classes drawn from their prior."""
    n = whole_number(n, "n", 0, wrong_type=ValueError)
    share = np.exp(log_prior - log_prior.max())
    return np.asarray(rng.choice(len(share), size=n, p=share / share.sum()))


def draw_words(
    codes: Positions,
    lengths: Ints,
    log_proba_of_classes: Callable[[list[int]], Iterator[Floats]],
    n_features: int,
    rng: np.random.Generator,
) -> sp.csr_array:
    """Return a CSR array of counts: row i has lengths[i] words of class codes[i]."""
    rows, words = [np.empty(0, dtype=np.intp)], [np.empty(0, dtype=np.intp)]
    drawn = np.unique(codes).tolist()
    for c, log_proba in zip(drawn, log_proba_of_classes(drawn), strict=True):
        members = np.flatnonzero(codes == c)
        rows.append(np.repeat(members, lengths[members]))
        words.append(draw_categories(np.exp(log_proba), len(rows[-1]), rng))
    row, word = np.concatenate(rows), np.concatenate(words)
    ones = np.ones(len(row), dtype=np.int64)
    # The conversion adds up what is drawn more than once.
    return sp.coo_array((ones, (row, word)), shape=(len(codes), n_features)).tocsr()


def draw_categories(probabilities: Floats, size: int, rng: np.random.Generator) -> Positions:
    """Return positions drawn in proportion to ``probabilities``."""
    cumulative = np.cumsum(probabilities)
    if size and not cumulative[-1] > 0.0:
        raise ValueError("a class without any document has nothing to draw from; raise alpha")
    positions = np.searchsorted(cumulative, rng.random(size) * cumulative[-1], side="right")
    # A draw beside the last step may round up to it.
    last = np.flatnonzero(probabilities)[-1] if size else 0
    return np.asarray(np.minimum(positions, last))


def draw_presence(
    codes: Positions,
    proba_of_class: Callable[[int], Floats],
    n_features: int,
    rng: np.random.Generator,
) -> sp.csr_array:
    """Return a CSR array of ones: row i has each feature with its probability in codes[i]."""
    rows, columns = [np.empty(0, dtype=np.intp)], [np.empty(0, dtype=np.intp)]
    for c in np.unique(codes):
        members = np.flatnonzero(codes == c)
        probabilities = proba_of_class(int(c))
        step = max(1, BLOCK // max(1, n_features))
        for begin in range(0, len(members), step):
            block = members[begin : begin + step]
            row, column = np.nonzero(rng.random((len(block), n_features)) < probabilities)
            rows.append(block[row])
            columns.append(column)
    row, column = np.concatenate(rows), np.concatenate(columns)
    ones = np.ones(len(row), dtype=np.int64)
    return sp.coo_array((ones, (row, column)), shape=(len(codes), n_features)).tocsr()

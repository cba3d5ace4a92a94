"""Random numbers of a fit, which repeat themselves unless the caller asks for others."""

import numpy as np
from sklearn.utils import check_random_state

from wordodds.typing import RandomState

__all__ = ["random_source"]

_DEFAULT_SEED = 0


def random_source(random_state: RandomState) -> np.random.RandomState:
    """Return the random numbers that a fit draws from: of a fixed seed for None.

    A Generator or RandomState is drawn from, so that every fit differs.

    Examples
    --------
    >>> random_source(None).randint(100) == random_source(None).randint(100)
    True
    """
    if random_state is None:
        return np.random.RandomState(_DEFAULT_SEED)
    if isinstance(random_state, np.random.Generator):
        return np.random.RandomState(random_state.integers(2**32, size=4, dtype=np.uint32))
    source: np.random.RandomState = check_random_state(random_state)
    return source

"""Which documents ``wordodds train`` learns from, calibrates on and holds out.

A document's part follows from the seed and its position among the documents that are read. So one
pass is enough, and a seed holds out the same documents whether they are read all at once or piece
by piece. The first document of each class is always learnt, so that every class has a model.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wordodds.typing import Booleans, Floats

__all__ = ["HoldOut", "uniform_draws"]

# Documents to calibrate on at most; more change nothing, and they are held in memory.
CALIBRATE_MOST = 50_000
_STREAM = int.from_bytes(b"hold-out", "big")


class HoldOut:
    """Divides the documents of one pass into train, calibrate and holdout, batch by batch.

    ``classes`` counts the labels so far, ``counts`` the documents of each part.
    """

    def __init__(self, options: argparse.Namespace) -> None:
        self._seed = options.seed
        self._holdout = options.holdout or 0.0
        self._calibrate = options.calibrate_on if options.calibrate else 0.0
        self.classes: Counter[Any] = Counter()
        self.counts: Counter[str] = Counter()

    def divide(self, labels: Sequence[Any]) -> dict[str, Booleans]:
        """Return which of the next documents belong to each part, given their labels."""
        import numpy as np

        draws = uniform_draws(self._seed, self.classes.total(), len(labels))
        first_of = dict(zip(reversed(labels), reversed(range(len(labels))), strict=True))
        draws[[row for label, row in first_of.items() if label not in self.classes]] = 1.0
        held = draws < self._holdout
        # --calibrate-on is a share of what --holdout leaves.
        tuned = ~held & (draws < self._holdout + (1 - self._holdout) * self._calibrate)
        tuned &= np.cumsum(tuned) + self.counts["calibrate"] <= CALIBRATE_MOST
        parts = {"train": ~held & ~tuned, "calibrate": tuned, "holdout": held}
        self.classes.update(labels)
        self.counts.update({name: int(rows.sum()) for name, rows in parts.items()})
        return parts

    def check(self) -> None:
        """Raise if a part that was asked for has no documents after the last batch."""
        asked = {"holdout": self._holdout, "calibrate": self._calibrate}
        for name, share in asked.items():
            if share and not self.counts[name]:
                raise ValueError(
                    f"{self.classes.total()} documents are too few for --{name}: with a share of "
                    f"{share:g} and this --seed none of them is held out (the first of each class "
                    "never is)"
                )


def uniform_draws(seed: int, first: int, n: int) -> Floats:
    """Return a number in [0, 1) for each of n positions, a function of seed and position alone.

    Examples
    --------
    >>> bool((uniform_draws(7, 3, 2) == uniform_draws(7, 0, 5)[3:]).all())
    True
    """
    import numpy as np

    from wordodds.classifier.sample import position_hash

    # The hash of the seed, or the documents held out at seed 0 would be the very first of those
    # that the default chooses its settings on, in the order of their hashes.
    start = int(position_hash(np.array([seed % 2**64], dtype=np.uint64), _STREAM)[0])
    bits = position_hash(np.arange(first, first + n), start)
    return np.ldexp((bits >> np.uint64(11)).astype(np.float64), -53)

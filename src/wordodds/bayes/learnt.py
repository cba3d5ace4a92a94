"""What a model on counts has learnt: tallies, and the weights that follow from them."""

from collections.abc import Callable
from copy import copy
from typing import Any

from wordodds._border.execution import Execution, execution
from wordodds.bayes.tally import ClassTally
from wordodds.bayes.weights import Weights
from wordodds.typing import Floats

__all__ = ["Learnt"]


class Learnt:
    """The tallies and how to weigh them; the weights are made when they are first asked for.

    So a stream of small batches pays for its weights once, before the first prediction.
    """

    def __init__(
        self,
        weigh: Callable[["Learnt"], Weights],
        tally: ClassTally,
        class_count: Floats,
        pseudo_counts: Floats,
        layout: Any,
        n_jobs: int | None,
    ) -> None:
        self.weigh = weigh
        self.tally = tally
        self.class_count = class_count
        self.pseudo_counts = pseudo_counts  # (1 or n_classes, 1 or n_features)
        self.layout = layout
        self.n_jobs = n_jobs
        self._weights: Weights | None = None

    @property
    def how(self) -> Execution:
        """Threads and instruction set of the machine at hand, not of the one that fitted."""
        return execution(self.n_jobs)

    @property
    def weights(self) -> Weights:
        """Weights and bias of each class."""
        # Two threads may both make them, the same ones; a lock could be held while a process forks.
        if self._weights is None:
            self._weights = self.weigh(self)
        return self._weights

    def prepare(self) -> None:
        """Make the weights now, not at the first prediction."""
        _ = self.weights

    def apart(self) -> "Learnt":
        """Return the same with a tally of its own."""
        copied = copy(self)
        copied.tally = self.tally.copy()
        return copied

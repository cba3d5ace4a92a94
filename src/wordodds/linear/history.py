"""What happened during a fit, iteration by iteration."""

import math
import sys
from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

import numpy as np

from wordodds.typing import Floats

__all__ = ["Callback", "History", "tell"]

Callback: TypeAlias = Callable[[dict[str, float]], Any]


class Recorded(Protocol):
    """What the history keeps of an iterate."""

    @property
    def value(self) -> float: ...
    @property
    def gradient_norm(self) -> float: ...
    @property
    def passes(self) -> float: ...


class History:
    """What happened at each iteration; the meaning of entry 0 depends on the solver."""

    KEYS = ("iteration", "objective", "gradient_norm", "time", "passes")

    def __init__(self) -> None:
        self._rows: list[tuple[float, ...]] = []

    def __len__(self) -> int:
        return len(self._rows)

    def record(self, iterate: Recorded, seconds: float) -> dict[str, float]:
        """Add an iterate, and return its entry."""
        row = (len(self._rows), iterate.value, iterate.gradient_norm, seconds, iterate.passes)
        self._rows.append(row)
        return dict(zip(self.KEYS, row, strict=True))

    def table(self) -> dict[str, Floats]:
        """Return the columns by name."""
        columns = np.array(self._rows, dtype=np.float64).reshape(-1, len(self.KEYS)).T
        return dict(zip(self.KEYS, columns, strict=True))


def tell(entry: dict[str, float]) -> None:
    """Write a line about an iteration to standard error."""
    if sys.stderr is None:
        return
    norm = entry["gradient_norm"]
    gradient = "" if math.isnan(norm) else f"gradient {norm:.2e}, "
    print(
        f"iteration {entry['iteration']:.0f}: objective {entry['objective']:.9g}, {gradient}"
        f"{entry['passes']:.0f} passes, {entry['time']:.2f} s",
        file=sys.stderr,
    )

from collections.abc import Callable
from typing import Self, TypeAlias

import numpy as np
import numpy.typing as npt

from wordodds._core.text import AnalyzerOptions, Documents, Vocabulary

_Packed: TypeAlias = tuple[
    bytes, npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64], int, int
]

class TermTally:
    """Terms with their numbers of documents and of occurrences."""

    def __new__(cls, key: tuple[int, int]) -> Self:
        """Start without a document; key is the secret of the hash."""

    def __len__(self) -> int: ...
    @property
    def n_documents(self) -> int:
        """How many documents were added."""

    def add(
        self,
        documents: Documents,
        options: AnalyzerOptions,
        n_jobs: int,
        instruction_set: int,
        *,
        max_terms: int,
        advance: Callable[[int], None] | None,
    ) -> None:
        """Add documents; with max_terms >= 1 the rarest terms are dropped on the way."""

    def add_tally(self, other: TermTally) -> None:
        """Add the documents of another tally."""

    def prune(self, max_terms: int) -> None:
        """Drop the rarest terms, if there are more."""

    def packed(self) -> _Packed:
        """Return what `unpacked` makes an equal tally of."""

    @staticmethod
    def unpacked(
        arena: bytes | npt.NDArray[np.uint8],
        offsets: npt.NDArray[np.int64],
        n_documents_with: npt.NDArray[np.int64],
        n_occurrences: npt.NDArray[np.int64],
        n_documents: int,
        undercount: int,
        key: tuple[int, int],
    ) -> TermTally:
        """Make a tally of what `packed` gave, and of a key."""

    def sorted_terms(
        self, max_terms: int, n_jobs: int, instruction_set: int
    ) -> tuple[Vocabulary, npt.NDArray[np.int64], npt.NDArray[np.int64], int]:
        """Return the terms in order, their documents, their occurrences and the undercount."""

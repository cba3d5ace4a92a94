from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Index: TypeAlias = npt.NDArray[np.int32] | npt.NDArray[np.int64]
Counts: TypeAlias = npt.NDArray[np.int64]

class Vocabulary:
    """The terms of a fitted vectorizer, packed as UTF-8, in column order."""

    def __init__(self, arena: bytes, offsets: npt.NDArray[np.int64], key: tuple[int, int]) -> None:
        """Term i is arena[offsets[i]:offsets[i + 1]]; key is the secret of the hash."""

    def __len__(self) -> int: ...
    def packed(self) -> tuple[bytes, npt.NDArray[np.int64]]:
        """Return arena and offsets, which make an equal vocabulary."""

    def terms(self) -> list[str]:
        """Return the terms in column order."""

def documents_count_growing(
    documents: tuple[str, ...], key: tuple[int, int], n_jobs: int, instruction_set: int
) -> tuple[Vocabulary, Index, Index, Counts]:
    """Count all words; return their vocabulary and the rows as (indptr, indices, data)."""

def documents_count_frozen(
    documents: tuple[str, ...], vocabulary: Vocabulary, n_jobs: int, instruction_set: int
) -> tuple[Index, Index, Counts]:
    """Count the words of the vocabulary; return the rows as (indptr, indices, data)."""

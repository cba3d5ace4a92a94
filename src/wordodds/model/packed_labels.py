"""Labels and lists of words as arrays that a model file can hold."""

from collections.abc import Iterable, Mapping

import numpy as np

from wordodds._border.terms import pack_terms
from wordodds.typing import AnyArray

__all__ = ["pack_labels", "pack_words", "unpack_labels", "unpack_words"]

Arrays = Mapping[str, AnyArray]

_NUMBERS = {"i": np.int64, "u": np.uint64, "f": np.float64, "b": np.uint8}


def pack_labels(labels: AnyArray) -> dict[str, AnyArray]:
    """Return arrays that hold labels: text, whole numbers or truth values."""
    if labels.dtype.kind in _NUMBERS:
        return {"labels": labels.astype(_NUMBERS[labels.dtype.kind])}
    values = labels.tolist()
    if all(isinstance(value, str) for value in values):
        return pack_words("labels", values)
    if all(isinstance(value, int) and abs(value) < 2**63 for value in values):
        return {"labels": np.array(values, dtype=np.int64)}
    kinds = ", ".join(sorted({type(value).__name__ for value in values}))
    raise ValueError(f"a model file holds labels that are str, int, float or bool, got {kinds}")


def unpack_labels(arrays: Arrays) -> AnyArray:
    """Return the labels that `pack_labels` packed."""
    words = unpack_words(arrays, "labels")
    if words is not None:
        labels = _as_array(words)
    else:
        labels = np.array(arrays["labels"])
        if labels.dtype not in _NUMBERS.values():
            raise ValueError(f"labels must not be {labels.dtype}")
        if labels.dtype == np.uint8:
            labels = labels.astype(bool)
    if labels.ndim != 1 or len(np.unique(labels, equal_nan=True)) != len(labels):
        raise ValueError("labels must be a row of distinct values")
    return labels


def _as_array(words: tuple[str, ...]) -> AnyArray:
    # NumPy gives each as much room as the longest has, and forgets a NUL at the end.
    longest, total = max(map(len, words), default=0), sum(map(len, words))
    if longest * len(words) > 4 * total + 4096 or any(word.endswith("\0") for word in words):
        return np.array(words, dtype=object)
    return np.array(words)


def pack_words(name: str, words: Iterable[str]) -> dict[str, AnyArray]:
    """Return arrays, of names that begin so, that hold words."""
    arena, offsets = pack_terms(words)
    return {f"{name}.arena": np.frombuffer(arena, dtype=np.uint8), f"{name}.offsets": offsets}


def unpack_words(arrays: Arrays, name: str) -> tuple[str, ...] | None:
    """Return the words that `pack_words` packed under a name; None if there are none."""
    if f"{name}.offsets" not in arrays:
        return None
    offsets, arena = arrays[f"{name}.offsets"], arrays[f"{name}.arena"]
    if offsets.dtype != np.int64 or arena.dtype != np.uint8 or offsets.ndim * arena.ndim != 1:
        raise ValueError(f"{name} must be text and where each piece of it ends")
    borders = offsets.tolist()
    if not borders or borders[0] != 0 or borders[-1] != len(arena) or borders != sorted(borders):
        raise ValueError(f"{name}: offsets must rise from 0 to the length of the text")
    packed = arena.tobytes()
    pieces = (packed[borders[i] : borders[i + 1]] for i in range(len(borders) - 1))
    return tuple(piece.decode("utf-8", "surrogatepass") for piece in pieces)

"""Sparse matrices by number: odd ones with the dense matrix that they mean, and damaged ones."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

__all__ = ["Case", "matrix_of"]

VALUE_TYPES = ["f8", "f4", "f2", "g", "i8", "i4", "i2", "i1", "u8", "u4", "u1", "?", ">f8", ">i4"]
INDEX_TYPES = ["i4", "i8", "i2", "u4", "u8", ">i4", ">i8"]


class Case(NamedTuple):
    """A matrix, the dense matrix that it means or None if it means nothing, and its story."""

    X: Any
    dense: np.ndarray | None
    story: str


def matrix_of(number: int) -> Case:
    """Return the matrix of a number: two in five are valid, the others have one defect."""
    rng = np.random.default_rng([1, number])
    dense, values = _dense(rng)
    X, form = _encoded(rng, dense)
    oddities = []
    if form == "csr":
        for odd in rng.permutation(len(ODDITIES))[: rng.integers(0, 4)]:
            oddities.append(ODDITIES[odd].__name__)
            X = ODDITIES[odd](rng, X)
    story = f"{values} {form} {X.shape} {', '.join(oddities)}"
    if rng.random() < 0.4:
        return Case(X, dense, story)
    damages = DAMAGES[form] if form in DAMAGES else DAMAGES["csr"]
    if form not in DAMAGES:
        X = sp.csr_array(dense)
    damage = damages[rng.integers(len(damages))]
    for _ in range(20):
        if damage(rng, X):
            return Case(X, None, f"{story} {damage.__name__}")
        damage = damages[rng.integers(len(damages))]
    return Case(X, dense, story)  # too small a matrix for the damage


def _dense(rng: np.random.Generator) -> tuple[np.ndarray, str]:
    n_rows, n_cols = rng.integers(1, 9, 2)
    kinds = ["counts", "fractions", "signed", "scales", "empty"]
    kind = str(rng.choice(kinds, p=[0.5, 0.2, 0.15, 0.1, 0.05]))
    present = rng.random((n_rows, n_cols)) < rng.choice([0.2, 0.5, 0.9])
    if kind == "counts":
        dense = rng.integers(1, rng.choice([2, 5, 100]) + 1, (n_rows, n_cols)).astype(np.float64)
    elif kind == "fractions":
        dense = rng.integers(1, 64, (n_rows, n_cols)) / 8.0  # exact in float16 too
    elif kind == "signed":
        dense = rng.integers(-8, 9, (n_rows, n_cols)).astype(np.float64)
    elif kind == "scales":
        dense = 2.0 ** rng.integers(-1000, 1000, (n_rows, n_cols))
    else:
        dense = np.zeros((n_rows, n_cols))
    return dense * present, kind


def _encoded(rng: np.random.Generator, dense: np.ndarray) -> tuple[Any, str]:
    """Return a sparse matrix of some format, in some value type that holds every value exactly."""
    form = rng.choice(["csr", "csc", "coo", "bsr", "dia", "lil", "dok"], p=[0.64] + [0.06] * 6)
    as_array = rng.random() < 0.7
    kinds = [kind for kind in VALUE_TYPES if np.array_equal(_cast(dense, kind), dense)]
    kind = "f8" if rng.random() < 0.5 or form != "csr" else rng.choice(kinds)
    X = getattr(sp, f"{form}_{'array' if as_array else 'matrix'}")(dense)
    if form == "csr":
        X.data = X.data.astype(kind)
    return X, str(form)


def _cast(dense: np.ndarray, kind: str) -> np.ndarray:
    with np.errstate(all="ignore"):
        return dense.astype(kind).astype(np.float64)


# --- valid, but odd -------------------------------------------------------------------------------


def _with(X: Any, **arrays: Any) -> Any:
    """Return a matrix with other arrays, exactly these: SciPy's constructor would convert them."""
    changed = type(X)(X.shape)
    for name in ("indptr", "indices", "data"):
        setattr(changed, name, arrays.get(name, getattr(X, name)))
    return changed


def repeats(rng: np.random.Generator, X: Any) -> Any:
    """Store entries in two parts: the value and a zero, or two halves where halves are exact."""
    if X.data.dtype.kind not in "fiu":
        return X
    indptr, indices, data = [0], [], []
    for begin, end in zip(X.indptr[:-1], X.indptr[1:], strict=True):
        for i in range(int(begin), int(end)):
            parts = [X.data[i]]
            if rng.random() < 0.5:
                half = X.data[i] // 2 if X.data.dtype.kind in "iu" else X.data[i] / 2
                parts = [half, X.data[i] - half] if rng.random() < 0.7 else [X.data[i], 0]
            indices += [X.indices[i]] * len(parts)
            data += parts
        indptr.append(len(indices))
    return _with(
        X,
        indptr=np.array(indptr, X.indptr.dtype),
        indices=np.array(indices, X.indices.dtype),
        data=np.array(data, X.data.dtype),
    )


def zeros(rng: np.random.Generator, X: Any) -> Any:
    """Store zeros beside the entries."""
    indptr, indices, data = [0], [], []
    for begin, end in zip(X.indptr[:-1], X.indptr[1:], strict=True):
        row = list(range(int(begin), int(end)))
        indices += [X.indices[i] for i in row]
        data += [X.data[i] for i in row]
        for _ in range(rng.integers(0, 3)):
            indices.append(rng.integers(X.shape[1]))
            data.append(0)
        indptr.append(len(indices))
    return _with(
        X,
        indptr=np.array(indptr, X.indptr.dtype),
        indices=np.array(indices, X.indices.dtype),
        data=np.array(data, X.data.dtype),
    )


def unsorted(rng: np.random.Generator, X: Any) -> Any:
    """Shuffle the entries of each row."""
    order = np.arange(int(X.indptr[-1]))
    for begin, end in zip(X.indptr[:-1], X.indptr[1:], strict=True):
        rng.shuffle(order[int(begin) : int(end)])
    rest = np.arange(int(X.indptr[-1]), len(X.indices))
    order = np.concatenate([order, rest])
    return _with(X, indices=X.indices[order], data=X.data[order])


def other_index_types(rng: np.random.Generator, X: Any) -> Any:
    """Give the two index arrays types of their own."""
    kinds = rng.choice(INDEX_TYPES, 2)
    return _with(X, indptr=X.indptr.astype(kinds[0]), indices=_index_cast(X.indices, kinds[1]))


def _index_cast(indices: np.ndarray, kind: str) -> np.ndarray:
    cast = indices.astype(kind)
    return cast if np.array_equal(cast, indices) else indices


def misaligned(rng: np.random.Generator, X: Any) -> Any:
    """Put the arrays at odd addresses."""
    return _with(X, **{name: _moved(getattr(X, name)) for name in ("indptr", "indices", "data")})


def _moved(array: np.ndarray) -> np.ndarray:
    room = np.empty(array.nbytes + 1, dtype=np.uint8)[1:].view(array.dtype)
    room[:] = array
    return room


def strided(rng: np.random.Generator, X: Any) -> Any:
    """Leave gaps between the numbers."""
    return _with(
        X, **{name: np.repeat(getattr(X, name), 2)[::2] for name in ("indptr", "indices", "data")}
    )


def read_only(rng: np.random.Generator, X: Any) -> Any:
    """Forbid to write to the arrays."""
    changed = _with(X, indptr=X.indptr.copy(), indices=X.indices.copy(), data=X.data.copy())
    for name in ("indptr", "indices", "data"):
        getattr(changed, name).flags.writeable = False
    return changed


def trailing(rng: np.random.Generator, X: Any) -> Any:
    """Store rubbish after the last row."""
    if X.indices.dtype.kind == "u":
        return X
    indices = np.append(X.indices, [10_000, -1]).astype(X.indices.dtype)
    rubbish = [np.nan, -1.0] if X.data.dtype.kind == "f" else [0, 1]
    return _with(X, indices=indices, data=np.append(X.data, rubbish).astype(X.data.dtype))


Oddity = Callable[[np.random.Generator, Any], Any]
ODDITIES: list[Oddity] = [
    repeats, zeros, unsorted, other_index_types, misaligned, strided, read_only, trailing,
]  # fmt: skip


# --- damaged --------------------------------------------------------------------------------------
# Each returns whether there was anything to damage.


def _writable(X: Any) -> None:
    for name in ("indptr", "indices", "data"):
        setattr(X, name, np.array(getattr(X, name)))


def index_too_large(rng: np.random.Generator, X: Any) -> bool:
    """Point to a column after the last."""
    if not X.indptr[-1]:
        return False
    _writable(X)
    n_minor = X.shape[0] if X.format == "csc" else X.shape[1]
    room = np.iinfo(X.indices.dtype).max - n_minor
    X.indices[rng.integers(int(X.indptr[-1]))] = n_minor + rng.integers(min(2**30, room))
    return True


def index_negative(rng: np.random.Generator, X: Any) -> bool:
    """Point to a column before the first."""
    if not X.indptr[-1] or X.indices.dtype.kind == "u":
        return False
    _writable(X)
    X.indices[rng.integers(int(X.indptr[-1]))] = -1 - rng.integers(100)
    return True


def indptr_jumps(rng: np.random.Generator, X: Any) -> bool:
    """Let a row end after the last entry, or before it begins."""
    if len(X.indptr) < 3:
        return False
    _writable(X)
    row = rng.integers(1, len(X.indptr) - 1)
    X.indptr[row] = X.indptr[-1] + 1 + rng.integers(100)
    return True


def indptr_negative(rng: np.random.Generator, X: Any) -> bool:
    """Let a row begin before the first entry."""
    if X.indptr.dtype.kind == "u":
        return False
    _writable(X)
    X.indptr[rng.integers(len(X.indptr))] = -1 - rng.integers(100)
    return True


def indptr_too_long(rng: np.random.Generator, X: Any) -> bool:
    """Let the last row end after the last entry."""
    _writable(X)
    X.indptr[-1] = len(X.indices) + 1 + rng.integers(min(2**30, np.iinfo(X.indptr.dtype).max - 999))
    return True


def indptr_of_other_length(rng: np.random.Generator, X: Any) -> bool:
    """Add or drop a row of indptr."""
    longer = rng.random() < 0.5
    X.indptr = np.append(X.indptr, X.indptr[-1]) if longer else np.array(X.indptr[:-1])
    return True


def indptr_starts_late(rng: np.random.Generator, X: Any) -> bool:
    """Begin with another entry than the first."""
    _writable(X)
    X.indptr[0] = 1
    return True


def lengths_differ(rng: np.random.Generator, X: Any) -> bool:
    """Store a value less, or a column less."""
    if not len(X.data):
        return False
    name = rng.choice(["data", "indices"])
    setattr(X, name, np.array(getattr(X, name)[:-1]))
    return True


def arrays_that_are_none(rng: np.random.Generator, X: Any) -> bool:
    """Put a list, floats, two dimensions or None in the place of an index array."""
    name = rng.choice(["indptr", "indices"])
    array = getattr(X, name)
    wrong = [array.tolist(), array.astype(np.float64), np.atleast_2d(array), None]
    setattr(X, name, wrong[rng.integers(len(wrong))])
    return True


def values_that_are_none(rng: np.random.Generator, X: Any) -> bool:
    """Put complex numbers, objects, text or two dimensions in the place of the values."""
    wrong = [
        X.data.astype(complex),
        X.data.astype(object),
        X.data.astype(str),
        np.atleast_2d(X.data),
        X.data.astype("datetime64[s]") if X.data.dtype.kind == "i" else X.data.astype(complex),
    ]
    X.data = wrong[rng.integers(len(wrong))]
    return True


def complex_and_malformed(rng: np.random.Generator, X: Any) -> bool:
    """Do both: a check of the values must not look at a matrix of wrong structure."""
    X.data = X.data.astype(rng.choice([complex, object]))
    return CSR_STRUCTURE[rng.integers(len(CSR_STRUCTURE))](rng, X)


def not_a_number(rng: np.random.Generator, X: Any) -> bool:
    """Store NaN or an infinity."""
    if not X.indptr[-1] or X.data.dtype.kind != "f":
        return False
    _writable(X)
    X.data[rng.integers(int(X.indptr[-1]))] = rng.choice([np.nan, np.inf, -np.inf])
    return True


def coordinate_outside(rng: np.random.Generator, X: Any) -> bool:
    """Point outside the shape."""
    if not len(X.data):
        return False
    axis = rng.integers(2)
    coordinates = [np.array(c) for c in X.coords]
    coordinates[axis][0] = rng.choice([-1, X.shape[axis], 2**30])
    X.coords = tuple(coordinates)
    return True


def coordinates_missing(rng: np.random.Generator, X: Any) -> bool:
    """Have other numbers of coordinates than of values."""
    if not len(X.data):
        return False
    X.coords = (np.array(X.coords[0]), np.array(X.coords[1][:-1]))
    return True


def diagonals_missing(rng: np.random.Generator, X: Any) -> bool:
    """Have other numbers of offsets than of diagonals, or an offset twice."""
    X.offsets = np.append(X.offsets, X.offsets[:1] if len(X.offsets) else [0])
    if rng.random() < 0.5 and len(X.data):
        X.data = np.concatenate([X.data, X.data[:1]])
    return True


def diagonal_outside(rng: np.random.Generator, X: Any) -> bool:
    """Have a diagonal far outside the shape."""
    if not len(X.offsets):
        return False
    X.offsets = np.array(X.offsets, dtype=np.int64)
    far = [2**62, -(2**63), -(2**40), X.shape[1], -X.shape[0]]
    X.offsets[rng.integers(len(X.offsets))] = far[rng.integers(len(far))]
    return True


def key_outside(rng: np.random.Generator, X: Any) -> bool:
    """Have a key that is no cell."""
    keys: list[Any] = [(X.shape[0], 0), (0, -1), (0.5, 0), (0, 2**40)]
    X._dict[keys[rng.integers(len(keys))]] = 1.0
    return True


def masked(rng: np.random.Generator, X: Any) -> bool:
    """Mask a value, which conversions would silently read."""
    if not X.nnz:
        return False
    mask = np.zeros(X.data.shape, dtype=bool)
    mask.flat[0] = True
    X.data = np.ma.array(X.data, mask=mask)
    return True


def shape_of_nothing(rng: np.random.Generator, X: Any) -> bool:
    """Have a shape that no matrix has."""
    shapes = [(3, 2**70), (2.0, 3.0), None, (-1, 3), (2, 3, 4), "ab"]
    X._shape = shapes[rng.integers(len(shapes))]
    return True


def lists_that_differ(rng: np.random.Generator, X: Any) -> bool:
    """Have a column outside the shape, or a value without a column."""
    row = rng.integers(X.shape[0])
    wrong = rng.integers(3)
    if wrong == 0:
        X.data[row] = [*X.data[row], 1.0]
    elif wrong == 1:
        X.rows[row], X.data[row] = [*X.rows[row], X.shape[1]], [*X.data[row], 1.0]
    else:
        X.rows[row], X.data[row] = [-1, *X.rows[row]], [1.0, *X.data[row]]
    return True


Damage = Callable[[np.random.Generator, Any], bool]
CSR_STRUCTURE: list[Damage] = [
    index_too_large, index_negative, indptr_jumps, indptr_negative, indptr_too_long,
    indptr_of_other_length, indptr_starts_late, lengths_differ, arrays_that_are_none,
]  # fmt: skip
DAMAGES: dict[str, list[Damage]] = {
    "csr": [
        *CSR_STRUCTURE,
        *(values_that_are_none, complex_and_malformed, not_a_number, masked, shape_of_nothing),
    ],
    "csc": [*CSR_STRUCTURE, complex_and_malformed, masked, shape_of_nothing],
    "coo": [coordinate_outside, coordinates_missing, masked, shape_of_nothing],
    "dia": [diagonals_missing, diagonal_outside, masked, shape_of_nothing],
    "lil": [lists_that_differ, shape_of_nothing],
    "dok": [key_outside, shape_of_nothing],
}

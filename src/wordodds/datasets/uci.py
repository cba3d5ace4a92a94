"""Small tables from the UCI repository: those that Ng and Jordan compared two classifiers on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np

from wordodds.datasets.download import DamagedFileError
from wordodds.datasets.stored import read_stored
from wordodds.typing import AnyArray

__all__ = ["UciName", "UciTable", "load_uci"]

FOLDER = "uci"
# File names without what says how they are packed. Table files have headers, number files none.
_FILES: dict[UciName, str] = {
    "adult": "adult.tab",
    "breast-cancer": "breast-cancer.tab",
    "bupa": "bupa.tab",
    "housing": "housing.tab",
    "ionosphere": "ionosphere.tab",
    "lenses": "lenses.tab",
    "lymphography": "lymphography.tab",
    "optdigits": "optdigits.dat",
    "pima": "pima.dat",
    "promoters": "promoters.tab",
    "sonar": "sonar.dat",
    "voting": "voting.tab",
}
_MISSING = ("", "?")
_KINDS = {"c": "continuous", "continuous": "continuous", "d": "discrete", "discrete": "discrete"}
_IGNORED = ("i", "ignore")

UciName: TypeAlias = Literal[
    "adult",
    "breast-cancer",
    "bupa",
    "housing",
    "ionosphere",
    "lenses",
    "lymphography",
    "optdigits",
    "pima",
    "promoters",
    "sonar",
    "voting",
]
Kind: TypeAlias = Literal["continuous", "discrete"]


# eq=False: comparing arrays field by field would raise; two tables are equal when they are one.
@dataclass(frozen=True, eq=False)
class UciTable:
    """Rows with one label each, column by column.

    Parameters
    ----------
    name : str
        Name of the data set.
    names : list of str
        Names of the columns; ``x1``, ``x2``, ... where the file has none.
    kinds : list of {"continuous", "discrete"}
        Kind of each column.
    columns : list of ndarray of shape (n_rows,)
        Continuous ones are float64 with NaN for what is missing, discrete ones are objects: str,
        or None for what is missing.
    labels : ndarray of shape (n_rows,)
        Text, or float64 where the label is a number to be predicted.
    source : str
        Origin of this copy, in words.

    Examples
    --------
    >>> import numpy as np
    >>> table = UciTable(
    ...     "tiny", ["age"], ["continuous"], [np.array([3.0, 4.0])], np.array(["a", "b"]), "typed"
    ... )
    >>> table
    <UciTable 'tiny': 2 rows, 1 columns, source: typed>
    """

    name: str
    names: list[str]
    kinds: list[Kind]
    columns: list[AnyArray] = field(repr=False)
    labels: AnyArray = field(repr=False)
    source: str

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.labels)

    def __repr__(self) -> str:
        """Return one line."""
        return (
            f"<UciTable {self.name!r}: {len(self)} rows, {len(self.columns)} columns, "
            f"source: {self.source}>"
        )


def load_uci(name: UciName) -> UciTable:
    """Load one of twelve small tables from the UCI repository.

    The file is looked for in ``$WORDODDS_DATA/uci``, then in the folder ``uci`` of the cache
    (``$XDG_CACHE_HOME/wordodds`` or ``~/.cache/wordodds``), plain or compressed (``.gz``). It is
    never downloaded, as no publisher keeps the tables in this form.

    A ``.tab`` file has three lines of headers, its cells apart by tabs: names; kinds (``c`` or
    ``continuous``, ``d`` or ``discrete``, or some of the values, which means discrete); roles
    (``class`` for the label, ``i`` for a column to leave out). A cell that is empty or ``?`` is
    missing. A ``.dat`` file has numbers apart by commas, the label last.

    Parameters
    ----------
    name : {"adult", "breast-cancer", "bupa", "housing", "ionosphere", "lenses", "lymphography", \
"optdigits", "pima", "promoters", "sonar", "voting"}
        Name of the table.

    Returns
    -------
    table : UciTable

    Raises
    ------
    DatasetUnavailable
        When the file is not there, or is damaged; the message says where and what to do.
    ValueError
        When ``name`` is unknown.

    Examples
    --------
    >>> from wordodds.datasets import DatasetUnavailable, load_uci
    >>> try:
    ...     n_rows = len(load_uci("lenses"))
    ... except DatasetUnavailable:  # not on this machine
    ...     n_rows = 24
    >>> n_rows
    24
    """
    if not isinstance(name, str) or name not in _FILES:
        raise ValueError(f"name must be one of {', '.join(_FILES)}; got {name!r}")
    file = _FILES[name]
    parse = _parse_tab if file.endswith(".tab") else _parse_dat
    parts, source = read_stored(FOLDER, file, parse)
    return UciTable(name, *parts, source=source)


Parts = tuple[list[str], list[Kind], list[AnyArray], AnyArray]


def _parse_tab(lines: list[str]) -> Parts:
    """Return names, kinds, columns and labels of a file with three lines of headers."""
    if len(lines) < 3:
        raise DamagedFileError(f"it has {len(lines)} of the three lines of headers")
    names = [cell.strip() for cell in lines[0].split("\t")]
    # Editors drop tabs at the end of a line: what a header does not say is empty.
    kinds, roles = (
        _filled(line, len(names), number) for number, line in ((2, lines[1]), (3, lines[2]))
    )
    label = [j for j, role in enumerate(roles) if role == "class"]
    if len(label) != 1:
        raise DamagedFileError(f"line 3 must mark one column as class, but marks {len(label)}")
    rows, numbers = _cells(lines, "\t", first=3, width=len(names))
    kept = [j for j, role in enumerate(roles) if j not in label and role not in _IGNORED]
    found: list[Kind] = [_kind_of(kind) for kind in kinds]
    columns = [_column(found[j], [row[j] for row in rows], numbers, names[j]) for j in kept]
    labels = _labels(found[label[0]], [row[label[0]] for row in rows], numbers)
    return [names[j] for j in kept], [found[j] for j in kept], columns, labels


def _parse_dat(lines: list[str]) -> Parts:
    """Return the same of a file of numbers with the label last."""
    width = len(lines[0].split(","))
    if width < 2:
        raise DamagedFileError("line 1 must hold numbers and a label, apart by commas")
    rows, numbers = _cells(lines, ",", first=0, width=width)
    names = [f"x{j + 1}" for j in range(width - 1)]
    columns = [
        _column("continuous", [row[j] for row in rows], numbers, name)
        for j, name in enumerate(names)
    ]
    labels = _labels("discrete", [row[-1] for row in rows], numbers)
    return names, ["continuous"] * len(names), columns, labels


def _filled(line: str, width: int, number: int) -> list[str]:
    cells = [cell.strip() for cell in line.split("\t")]
    if len(cells) > width:
        raise DamagedFileError(f"line {number} has {len(cells)} cells for {width} names")
    return cells + [""] * (width - len(cells))


def _kind_of(text: str) -> Kind:
    # Anything else lists values, and not always all of them.
    return "continuous" if _KINDS.get(text) == "continuous" else "discrete"


def _cells(
    lines: list[str], separator: str, *, first: int, width: int
) -> tuple[list[list[str]], list[int]]:
    """Return the cells of each row, and the number of its line from 1 on."""
    rows, numbers = [], []
    for number, line in enumerate(lines[first:], first + 1):
        if not line.strip():
            continue
        cells = [cell.strip() for cell in line.split(separator)]
        if len(cells) != width:
            raise DamagedFileError(f"line {number} has {len(cells)} cells, expected {width}")
        rows.append(cells)
        numbers.append(number)
    if not rows:
        raise DamagedFileError("it has no rows")
    return rows, numbers


def _column(kind: Kind, cells: Sequence[str], lines: Sequence[int], name: str) -> AnyArray:
    if kind == "discrete":
        return np.array([None if cell in _MISSING else cell for cell in cells], dtype=object)
    values = np.full(len(cells), np.nan)
    for i, cell in enumerate(cells):
        if cell in _MISSING:
            continue
        try:
            values[i] = float(cell)
        except ValueError:
            values[i] = math.inf
        # float() reads "nan" and "inf" too, which are no measurements.
        if not math.isfinite(values[i]):
            raise DamagedFileError(f"line {lines[i]}: {name} must be a number, got {cell!r}")
    return values


def _labels(kind: Kind, cells: Sequence[str], lines: Sequence[int]) -> AnyArray:
    for cell, line in zip(cells, lines, strict=True):
        if cell in _MISSING:
            raise DamagedFileError(f"line {line} has no label")
    return _column(kind, cells, lines, "the label") if kind == "continuous" else np.array(cells)

"""The table of an experiment: one row for each fit, the same columns everywhere."""

from __future__ import annotations

import csv
import io
import math
import platform
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from wordodds.typing import AnyArray, Floats

__all__ = ["COLUMNS", "Results", "versions"]

Value: TypeAlias = str | int | float | None

# Those that every table has; an experiment adds its own in front of the last two.
COLUMNS = (
    "experiment",
    "model",
    "solver",
    "size",
    "dims",
    "seed",
    "accuracy",
    "log_loss",
    "seconds",
    "versions",
)
_LAST = COLUMNS[-2:]
_TEXT = frozenset({"experiment", "model", "solver", "versions"})


class Results:
    """Rows of an experiment, as a tidy table.

    Every row has the columns `COLUMNS` (empty where they do not apply) and those that the
    experiment adds. Two runs with one seed give equal rows but for ``seconds``.

    Parameters
    ----------
    experiment : str
        Its name, in the first column of each row.
    rows : iterable of mapping, optional
        Column names to values: text, whole numbers, floats or None.

    Examples
    --------
    >>> results = Results("demo")
    >>> results.add(model="naive Bayes", size=20, seed=0, accuracy=0.75)
    >>> results.add(model="naive Bayes", size=20, seed=1, accuracy=0.85)
    >>> results.where(size=20).column("accuracy")
    array([0.75, 0.85])
    """

    def __init__(self, experiment: str, rows: Iterable[Mapping[str, Value]] = ()) -> None:
        self.experiment = experiment
        self.rows: list[dict[str, Value]] = []
        for row in rows:
            self.add(**row)

    def add(self, **values: Value) -> None:
        """Add a row.

        Parameters
        ----------
        **values : str, int, float or None
            By column. ``experiment`` and ``versions`` are filled in.
        """
        self.rows.append(
            {"experiment": self.experiment, **{name: _plain(v) for name, v in values.items()}}
        )

    def extend(self, other: Results) -> None:
        """Add the rows of another table, under the name of this one.

        Parameters
        ----------
        other : Results
            Where they come from.
        """
        for row in other.rows:
            self.add(**{**row, "experiment": self.experiment})

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.rows)

    def __repr__(self) -> str:
        """Return one line."""
        return f"<Results of {self.experiment!r}: {len(self)} rows>"

    @property
    def columns(self) -> list[str]:
        """The columns in the order of the file: the common ones around those of this table."""
        own = [name for row in self.rows for name in row if name not in COLUMNS]
        return [*COLUMNS[: -len(_LAST)], *dict.fromkeys(own), *_LAST]

    def where(self, **conditions: Value) -> Results:
        """Return the rows whose columns have these values.

        Parameters
        ----------
        **conditions : str, int, float or None
            By column.

        Returns
        -------
        results : Results
        """
        chosen = Results(self.experiment)
        chosen.rows = [
            row
            for row in self.rows
            if all(row.get(name) == value for name, value in conditions.items())
        ]
        return chosen

    def unique(self, name: str) -> list[Any]:
        """Return the values of a column, each once, in the order in which they come.

        Parameters
        ----------
        name : str
            The column.

        Returns
        -------
        values : list
        """
        return list(dict.fromkeys(row.get(name) for row in self.rows))

    def column(self, name: str) -> AnyArray:
        """Return a column as an array; what is missing in a column of numbers is NaN.

        Parameters
        ----------
        name : str
            The column.

        Returns
        -------
        values : ndarray
        """
        values = [row.get(name) for row in self.rows]
        if any(isinstance(value, str) for value in values):
            return np.array([value if value is not None else "" for value in values])
        return np.array([math.nan if value is None else value for value in values])

    def numbers(self, *names: str) -> Floats:
        """Return columns of numbers side by side.

        Parameters
        ----------
        *names : str
            The columns, from left to right.

        Returns
        -------
        values : ndarray of shape (n_rows, n_names)
            NaN where there is no value.

        Examples
        --------
        >>> Results("demo", [{"size": 10, "x": 1}, {"size": 20, "x": 2}]).numbers("x", "size")
        array([[ 1., 10.],
               [ 2., 20.]])
        """
        return np.column_stack([self.column(name).astype(np.float64) for name in names])

    def value(self, name: str) -> float:
        """Return the number that all rows have in a column.

        Parameters
        ----------
        name : str
            The column.

        Returns
        -------
        value : int or float
            NaN where there is no value.

        Raises
        ------
        ValueError
            When there are no rows, when they differ, or when the column holds text.

        Examples
        --------
        >>> Results("demo", [{"size": 10, "seed": 0}, {"size": 10, "seed": 1}]).value("size")
        10
        """
        values = self.unique(name)
        if len(values) != 1 or isinstance(values[0], str):
            raise ValueError(
                f"the rows of {self.experiment!r} must have one number in the column {name!r}, "
                f"got {values[:5]}"
            )
        number: float = math.nan if values[0] is None else values[0]
        return number

    def by_seed(self, name: str, x: str = "size") -> Floats:
        """Return a column as a matrix: a row for each seed, a column for each value of ``x``.

        Parameters
        ----------
        name : str
            The column of the values.
        x : str, default="size"
            What runs from left to right, in the order of `unique`.

        Returns
        -------
        values : ndarray of shape (n_seeds, n_x)
            NaN where there is no such row.
        """
        seeds, places = self.unique("seed"), self.unique(x)
        values = np.full((len(seeds), len(places)), np.nan)
        where_seed = {seed: i for i, seed in enumerate(seeds)}
        where_place = {place: j for j, place in enumerate(places)}
        for row in self.rows:
            value = row.get(name)
            if isinstance(value, (int, float)):
                values[where_seed[row.get("seed")], where_place[row.get(x)]] = value
        return values

    def groups(self, name: str) -> Iterator[tuple[Any, Results]]:
        """Go through the rows by the value of a column.

        Parameters
        ----------
        name : str
            The column.

        Yields
        ------
        value, results
            In the order in which the values come.
        """
        for value in self.unique(name):
            yield value, self.where(**{name: value})

    def to_csv(self) -> str:
        """Return the table as CSV; floats are written so that they read back unchanged.

        Returns
        -------
        text : str
        """
        columns, stamp = self.columns, versions()
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(columns)
        for row in self.rows:
            filled = {"versions": stamp, **row}
            writer.writerow(["" if filled.get(c) is None else filled[c] for c in columns])
        return stream.getvalue()

    def write(self, path: str | Path) -> None:
        """Write the table as CSV, as a whole or not at all.

        Parameters
        ----------
        path : str or Path
            The file.
        """
        write_file(path, self.to_csv().encode())

    @classmethod
    def read(cls, path: str | Path) -> Results:
        """Read a table that `write` wrote.

        Parameters
        ----------
        path : str or Path
            The file. Text that looks like a number, in a column of the experiment's own, comes
            back as one.

        Returns
        -------
        results : Results
        """
        try:
            with Path(path).open(encoding="utf-8-sig", newline="") as file:
                table = list(csv.reader(file))
        except (UnicodeDecodeError, csv.Error) as error:
            raise ValueError(f"{path} is no table of results: {error}") from error
        header = table[0] if table else []
        if len(table) < 2 or header[:1] != ["experiment"]:
            raise ValueError(f"{path} is no table of results: no rows under experiment, model, ...")
        rows = []
        for number, cells in enumerate(table[1:], 2):
            if len(cells) != len(header):
                raise ValueError(
                    f"{path}, line {number}: {len(header)} cells expected, got {len(cells)}"
                )
            rows.append(
                {name: _value(name, text) for name, text in zip(header, cells, strict=True)}
            )
        results = cls(str(rows[0].get("experiment")))
        for row in rows:
            results.add(**row)
        return results


def write_file(path: str | Path, content: bytes) -> None:
    """Write a file as a whole or not at all; an error names it."""
    from wordodds._files.atomic import replacing, write_all

    try:
        with replacing(path) as descriptor:
            write_all(descriptor, content)
    except OSError as error:
        if error.filename is None:  # as of a full disk
            error.filename = str(path)
        raise


def versions() -> str:
    """Return what computed the numbers, for the last column."""
    packages = ("wordodds", "numpy", "scipy", "scikit-learn")
    named = [f"{name} {version(name)}" for name in packages]
    return "; ".join([*named, f"Python {platform.python_version()}"])


def _plain(value: Value | np.generic) -> Value:
    """Return a NumPy number as Python's own, which CSV writes in full and nothing else."""
    plain: Value = value.item() if isinstance(value, np.generic) else value
    return int(plain) if isinstance(plain, bool) else plain


def _value(name: str, text: str) -> Value:
    if text == "":
        return None
    if name in _TEXT:
        return text
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text

"""Some rows of a corpus, as the readers yield them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow

__all__ = ["Batch"]


@dataclass
class Batch:
    """Some rows of a corpus, in their order.

    Parameters
    ----------
    texts : list of str or Arrow array
        One document per row.
    labels : list or None
        Their labels, str, int or bool; None if none were asked for.
    extra : dict of str to list or Arrow array
        Further columns that were asked for.
    rows : sequence of int
        Number of each row in its file, from 1: that of its line, if there are lines.
    source : str
        The file.
    unit : {"line", "row", "file"}
        Name of a row in errors.

    Examples
    --------
    >>> batch = Batch(["free money", "lunch?"], ["spam", "ham"], {}, range(1, 3))
    >>> len(batch), batch[1:].texts
    (2, ['lunch?'])
    """

    texts: Any
    labels: list[Any] | None
    extra: dict[str, Any]
    rows: Sequence[int]
    source: str = ""
    unit: str = "line"

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, rows: slice) -> Batch:
        return Batch(
            self.texts[rows],
            None if self.labels is None else self.labels[rows],
            {name: column[rows] for name, column in self.extra.items()},
            self.rows[rows],
            self.source,
            self.unit,
        )

    def take(self, rows: list[int]) -> Batch:
        """Return some of the rows.

        Parameters
        ----------
        rows : list of int
            Their positions in the batch, from 0.

        Examples
        --------
        >>> Batch(["free money", "lunch?"], None, {}, range(1, 3)).take([1]).rows
        [2]
        """

        def taken(column: Sequence[Any] | pyarrow.Array) -> list[Any] | pyarrow.Array:
            if not hasattr(column, "take"):
                return [column[row] for row in rows]
            array: pyarrow.Array = column
            kind = str(getattr(array, "type", ""))
            if kind in ("string_view", "binary_view"):  # of which Arrow takes no rows
                array = array.cast(f"large_{kind.removesuffix('_view')}")
            return array.take(rows)

        return Batch(
            taken(self.texts),
            None if self.labels is None else taken(self.labels),
            {name: taken(column) for name, column in self.extra.items()},
            taken(self.rows),
            self.source,
            self.unit,
        )

    def place(self, position: int) -> str:
        """Return the name of a row in errors.

        Parameters
        ----------
        position : int
            Position of the row in the batch, from 0.

        Examples
        --------
        >>> Batch(["lunch?"], None, {}, [7], "mail.jsonl").place(0)
        'mail.jsonl, line 7'
        """
        return f"{self.source}, {self.unit} {self.rows[position]}"

    @property
    def text_bytes(self) -> int:
        """Approximate size of the texts; depends on them alone."""
        # len: characters, as counting their bytes would take as long as scoring them.
        return self.texts.nbytes if hasattr(self.texts, "nbytes") else sum(map(len, self.texts))

    def pieces(self, n_rows: int | None) -> Iterator[Batch]:
        """Yield the same rows in batches of at most ``n_rows``.

        Parameters
        ----------
        n_rows : int or None
            Largest number of rows. None: no limit.
        """
        if n_rows is None or len(self) <= n_rows:
            yield self
            return
        for start in range(0, len(self), n_rows):
            yield self[start : start + n_rows]

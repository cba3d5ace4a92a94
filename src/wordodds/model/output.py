"""Predictions as columns, and the stages that make them: read, score, write.

`LinearModel.predict_stream`, ``wordodds predict`` and `wordodds.dask.predict` share this module:
`Output` decides which columns there are, what they are called and what they hold; `scored` and
`write_all` overlap the stages.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from wordodds._border.cached_property import cached_property
from wordodds._files.overlap import in_background, prefetched
from wordodds.model.links import NoProbabilitiesError
from wordodds.typing import Floats, Positions, Texts

if TYPE_CHECKING:
    from wordodds.model.linear_model import LinearModel

__all__ = ["Output", "RepeatedColumnError", "scored", "write_all"]

Piece = TypeVar("Piece")
Result = TypeVar("Result")

_BYTES_AHEAD = 32 << 20
_KINDS: dict[str, type] = {"i": int, "u": int, "b": bool, "f": float}


class RepeatedColumnError(ValueError):
    """Two columns of an output have the same name, which is ``column``."""

    def __init__(self, column: str) -> None:
        super().__init__(f"two columns would be called {column!r}: rename what is kept")
        self.column = column


class Output:
    """The columns of predictions, in order: what is kept, labels and their values.

    Parameters
    ----------
    model : LinearModel
        The model that predicts.
    keep : sequence of str
        Names of columns of the input that come first.
    number_rows : bool, default=False
        Whether a column "row" comes before them.
    label : str, default="label"
        Name of the column of labels; the second best are in "label_2", and so on.
    proba : bool, default=False
        Whether each label is followed by its probability, or by its score, see ``or_scores``.
    or_scores : bool, default=False
        Whether columns "score" take the place of "probability" where the model has no
        probabilities. They always do for ``top``.
    top : int or None, default=None
        Number of labels, the most probable first, each with its value. None: one.
    proba_all : bool, default=False
        Whether the probability of every label is added, in columns "probability of LABEL".
    threshold : float or None, default=None
        Least probability that a label needs; below it the label is missing: None in a list or an
        array, which then holds objects, and null in Arrow.

    Attributes
    ----------
    kinds : dict of str to type or None
        The columns and what they hold, as `wordodds.corpora.open_writer` takes them.

    Raises
    ------
    NoProbabilitiesError
        If ``proba``, ``proba_all`` or ``threshold`` needs probabilities that the model does not
        have.
    RepeatedColumnError
        If two columns would have the same name.
    """

    def __init__(
        self,
        model: LinearModel,
        *,
        keep: Sequence[str] = (),
        number_rows: bool = False,
        label: str = "label",
        proba: bool = False,
        or_scores: bool = False,
        top: int | None = None,
        proba_all: bool = False,
        threshold: float | None = None,
    ) -> None:
        needs_probabilities = (proba and not or_scores) or proba_all or threshold is not None
        if needs_probabilities and not model.has_probabilities:
            raise NoProbabilitiesError(
                "the model has no probabilities; calibrate it, or ask for labels alone"
            )
        self._model = model
        self._threshold = threshold
        self._shows_values = proba or top is not None
        self._shows_all = proba_all
        self._n_best = min(top or 1, model.n_classes)
        names: list[tuple[str, type | None]] = [("row", int)] * number_rows
        names += [(name, None) for name in keep]
        n_given = len(names)
        label_kind = _KINDS.get(model.labels.dtype.kind, str)
        value = "probability" if model.has_probabilities else "score"
        for rank in range(self._n_best):
            suffix = f"_{rank + 1}" if rank else ""
            names.append((label + suffix, label_kind))
            if self._shows_values:
                names.append((value + suffix, float))
        if proba_all:
            names += [(f"probability of {name}", float) for name in model.labels.tolist()]
        self.kinds = dict(names)
        self._names = [name for name, _ in names[n_given:]]
        if len(self.kinds) < len(names):
            seen = [name for name, _ in names]
            raise RepeatedColumnError(next(name for name in seen if seen.count(name) > 1))

    def lists(self, texts: Texts) -> dict[str, list[Any]]:
        """Return the columns of labels and values as lists."""
        labels = [*self._model.labels.tolist(), None]  # the last is for the code -1
        return self._columns(
            texts, lambda codes: [labels[code] for code in codes.tolist()], np.ndarray.tolist
        )

    def arrays(self, texts: Texts) -> dict[str, Any]:
        """Return the columns of labels and values as NumPy arrays."""
        labels = self._model.labels
        if self._threshold is not None:  # the last is for the code -1
            labels = np.array([*labels.tolist(), None], dtype=object)
        return self._columns(texts, labels.__getitem__, np.asarray)

    def arrow(self, texts: Texts) -> dict[str, Any]:
        """Return the columns of labels and values as Arrow arrays."""
        pyarrow, labels = self._arrow_labels
        return self._columns(
            texts,
            lambda codes: labels.take(pyarrow.array(codes, mask=codes < 0)),
            lambda x: pyarrow.array(x),
        )

    @cached_property
    def _arrow_labels(self) -> tuple[Any, Any]:
        """Return pyarrow and the labels as an array of it."""
        import pyarrow

        return pyarrow, pyarrow.array(self._model.labels.tolist())

    def _columns(
        self,
        texts: Texts,
        labels_of: Callable[[Positions], Any],
        values_of: Callable[[Floats], Any],
    ) -> dict[str, Any]:
        """Score texts; return columns, made of the codes of labels and of values."""
        model = self._model
        scores = model._scores(texts)
        wants_values = self._shows_values or self._shows_all or self._threshold is not None
        values = model._values(scores) if wants_values else None
        columns: list[Any] = []
        for codes in self._best(scores, values):
            if values is None:
                columns.append(labels_of(codes))
                continue
            own = np.take_along_axis(values, codes[:, None], axis=1)[:, 0]
            if self._threshold is not None:
                codes = np.where(own >= self._threshold, codes, -1)
            columns.append(labels_of(codes))
            if self._shows_values:
                columns.append(values_of(own))
        if values is not None and self._shows_all:
            columns += map(values_of, np.ascontiguousarray(values.T))
        return dict(zip(self._names, columns, strict=True))

    def _best(self, scores: Floats, values: Floats | None) -> Iterator[Positions]:
        """Yield the codes of the best labels, then of the second best, and so on."""
        if values is None or self._n_best == 1:
            yield self._model._codes(scores)
        else:
            yield from self._model.ranked(values).T[: self._n_best]


def scored(
    pieces: Generator[Piece],
    score: Callable[[Piece], Result],
    size_of: Callable[[Piece], int],
    *,
    may_wait: bool,
) -> Generator[Result]:
    """Yield the result of each piece, in order, while another thread reads the next ones.

    The bytes of a piece, which ``size_of`` returns, limit how far reading is ahead. Where reading
    may wait for ever, as standard input can, it stays in the calling thread, where Ctrl-C ends it.

    Examples
    --------
    >>> pieces = (line for line in ["free money", "lunch"])
    >>> list(scored(pieces, str.split, len, may_wait=False))
    [['free', 'money'], ['lunch']]
    """
    read: Any = pieces if may_wait else prefetched(pieces, size_of, _BYTES_AHEAD)
    with closing(read):
        for piece in read:
            yield score(piece)


def write_all(
    results: Iterator[Result],
    write: Callable[[Iterator[Result]], Any],
    size_of: Callable[[Result], int],
    *,
    in_thread: bool,
) -> None:
    """Write results while the next ones are being made.

    ``write`` exhausts the iterator. The bytes of a result, which ``size_of`` returns, limit how far
    scoring is ahead. A pipe's reader may make its writer wait for ever: such output is written in
    the calling thread, not ``in_thread``.
    """
    if in_thread:
        in_background(write, results, size_of, _BYTES_AHEAD)
    else:
        write(results)

"""Labels for record batches, while the next ones are being read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from wordodds._files.overlap import prefetched
from wordodds.corpora.arrow import pyarrow_module
from wordodds.model.links import NoProbabilitiesError
from wordodds.typing import Floats, Positions

if TYPE_CHECKING:
    from wordodds.model.linear_model import LinearModel

__all__ = ["predict_stream"]

_BYTES_AHEAD = 32 << 20
_FILE, _FIRST_ROW = b"wordodds.file", b"wordodds.first_row"


def predict_stream(
    model: LinearModel,
    batches: Iterable[Any],
    *,
    text: str = "text",
    keep: Sequence[str] = (),
    proba: bool = False,
    top: int | None = None,
    proba_all: bool = False,
) -> Iterator[Any]:
    """Yield labels for any number of batches, in order, while the next ones are being read.

    Parameters
    ----------
    model : LinearModel
        What predicts; this is a method of it.
    batches : iterable of pyarrow.RecordBatch, pyarrow.Table or list of str
        Such as `wordodds.corpora.read` gives. Iterated over in another thread.
    text : str, default="text"
        The column of texts.
    keep : sequence of str
        Columns to hand on.
    proba : bool, default=False
        Whether to add the probability of the label.
    top : int or None
        So many labels with their probabilities, the most probable first.
    proba_all : bool, default=False
        Whether to add the probability of every label, in columns "probability of LABEL".

    Yields
    ------
    pyarrow.RecordBatch
        What is kept, "label", and where asked for "probability", or "score" where the model has no
        probabilities; then "label_2" and so on. With the metadata of the batch that it is for.

    Examples
    --------
    >>> from wordodds import TextClassifier
    >>> texts = ["free money now", "cheap money", "see you at lunch", "lunch with you"]
    >>> model = TextClassifier().fit(texts, ["spam", "spam", "ham", "ham"]).linear_model_
    >>> for batch in model.predict_stream([["money", "lunch"], ["see you"]]):
    ...     print(batch.column("label").to_pylist())
    ['spam', 'ham']
    ['ham']
    """
    if isinstance(keep, str):
        raise ValueError(f"keep must be a list of names, got {keep!r}: pass [{keep!r}]")
    kept = tuple(keep) if isinstance(keep, Iterable) else None
    if kept is None or not all(isinstance(name, str) for name in kept):
        raise TypeError(f"keep must be a list of names, got {keep!r}")
    if top is not None and (isinstance(top, bool) or not isinstance(top, Integral) or top < 1):
        raise ValueError(f"top must be a whole number >= 1 or None, got {top!r}")
    if isinstance(batches, str) or hasattr(type(batches), "schema"):
        raise ValueError(
            f"batches must be an iterable of record batches, got one {type(batches).__name__}: "
            "pass it in a list"
        )
    if proba_all and not model.has_probabilities:
        raise NoProbabilitiesError("the model has no probabilities: calibrate it")
    results = _Results(model, kept, proba, None if top is None else int(top), proba_all)
    return _labelled(batches, text, results)


def _labelled(batches: Iterable[Any], text: str, results: _Results) -> Iterator[Any]:
    pieces: Any = (piece for batch in batches for piece in _pieces(batch, text, results.keep))
    # What may wait for ever, such as standard input, is read by who waits for the result.
    if not getattr(batches, "may_wait", False):
        pieces = prefetched(pieces, _size, _BYTES_AHEAD)
    with closing(pieces):
        for texts, kept, place in pieces:
            yield results.of(texts, kept, place)


def _pieces(
    batch: Any, text: str, keep: tuple[str, ...]
) -> Iterator[tuple[Any, list[Any], dict[bytes, bytes] | None]]:
    """Yield texts, kept columns and metadata of a batch, of each batch of a table."""
    if isinstance(batch, list | tuple):
        if keep:
            raise ValueError(f"a list of texts has no column {keep[0]!r} to keep")
        yield batch, [], None
        return
    if not hasattr(batch, "schema"):
        raise TypeError(
            f"batches must hold record batches, tables or lists of str, got {type(batch).__name__}"
        )
    for name in (text, *keep):
        if name not in batch.schema.names:
            names = ", ".join(map(repr, batch.schema.names[:20]))
            raise ValueError(f"a batch has no column {name!r} among {names}")
    for part in batch.to_batches() if hasattr(batch, "to_batches") else [batch]:
        columns = [part.column(name) for name in keep]
        yield part.column(text), columns, part.schema.metadata


def _size(piece: tuple[Any, list[Any], Any]) -> int:
    texts, kept, _ = piece
    if isinstance(texts, list | tuple):
        # What else there is, the model names by its row.
        return sum(len(text) for text in texts if isinstance(text, str | bytes))
    return int(texts.nbytes + sum(column.nbytes for column in kept))


class _Results:
    """Makes the record batches that were asked for."""

    def __init__(
        self,
        model: LinearModel,
        keep: tuple[str, ...],
        proba: bool,
        top: int | None,
        proba_all: bool,
    ) -> None:
        self._arrow = pyarrow_module("pyarrow", "predict_stream")
        self._model = model
        self._labels = self._arrow.array(model.labels.tolist())
        self._valued = proba or top is not None
        self._n_best = min(top or 1, model.n_classes)
        value = "probability" if model.has_probabilities else "score"
        self.keep = keep
        self._names = list(keep)
        for rank in range(self._n_best):
            suffix = f"_{rank + 1}" if rank else ""
            self._names += [f"label{suffix}", f"{value}{suffix}"] if self._valued else ["label"]
        self._all = proba_all
        if proba_all:
            self._names += [f"probability of {label}" for label in model.labels.tolist()]
        twice = [name for name in self._names if self._names.count(name) > 1]
        if twice:
            raise ValueError(f"two columns would be called {twice[0]!r}: rename what is kept")

    def of(self, texts: Any, kept: list[Any], metadata: dict[bytes, bytes] | None) -> Any:
        model = self._model
        try:
            scores = model._scores(texts)
        except (TypeError, ValueError) as error:
            if metadata and _FILE in metadata and _FIRST_ROW in metadata:
                file = metadata[_FILE].decode("utf-8", "replace")
                error.add_note(f"in {file}, rows counted from {metadata[_FIRST_ROW].decode()}")
            raise
        columns = list(kept)
        values = model._values(scores) if self._valued or self._all else None
        for codes in self._best(scores, values):
            columns.append(self._labels.take(self._arrow.array(codes)))
            if values is not None and self._valued:
                columns.append(np.take_along_axis(values, codes[:, None], axis=1)[:, 0])
        if values is not None and self._all:
            columns += list(np.ascontiguousarray(values.T))
        made = self._arrow.RecordBatch.from_arrays(columns, self._names)
        return made.replace_schema_metadata(metadata)

    def _best(self, scores: Floats, values: Floats | None) -> Iterator[Positions]:
        """Yield the codes of the best labels, then of the second best, and so on."""
        if values is None or self._n_best == 1:
            yield self._model._codes(scores)
        else:
            yield from self._model.ranked(values).T[: self._n_best]

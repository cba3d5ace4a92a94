"""The columns of ``wordodds predict``: labels, probabilities, and what is kept."""

from __future__ import annotations

import argparse
from typing import Any

from wordodds.cli.options import UsageError
from wordodds.corpora import Batch

__all__ = ["Results"]

_KINDS: dict[str, type] = {"i": int, "u": int, "b": bool, "f": float}


class Results:
    """Makes the columns that were asked for.

    Parameters
    ----------
    model : LinearModel
        What predicts.
    options : Namespace
        Of the command.
    keep : tuple of str
        Columns to hand on.
    formats : set of str
        Of the output.

    Attributes
    ----------
    kinds : dict of str to type or None
        The columns, as `open_writer` wants them.
    """

    def __init__(
        self,
        model: Any,
        options: argparse.Namespace,
        keep: tuple[str, ...],
        formats: set[str | None],
    ) -> None:
        self._model = model
        self._name = options.label_column_out
        self._threshold = options.threshold
        self._numbered = options.number_rows
        self._all = options.proba_all
        asks = options.proba or options.proba_all or options.threshold is not None
        if asks and not model.has_probabilities:
            raise ValueError(
                "the model has no probabilities; calibrate it, or ask for labels alone"
            )
        self._n_best = min(options.top or int(asks), model.n_classes)
        self._value = "probability" if model.has_probabilities else "score"
        self._shown_values = bool(options.top or options.proba)
        self.kinds = self._announce(keep, _KINDS.get(model.labels.dtype.kind, str))
        if "lines" in formats:
            self._check_lines()

    def columns(self, batch: Batch) -> dict[str, Any]:
        """Return the results of a batch.

        Parameters
        ----------
        batch : Batch
            Its documents.
        """
        columns: dict[str, Any] = {"row": list(batch.rows)} if self._numbered else {}
        columns.update(batch.extra)
        if not self._n_best:
            columns[self._name] = self._model.predict(batch.texts).tolist()
            return columns
        labels, chances, values = self._best(batch.texts)
        for rank in range(self._n_best):
            name, value = self._names(rank)
            columns[name] = self._certain(labels[:, rank].tolist(), chances[:, rank])
            if self._shown_values:
                columns[value] = chances[:, rank].tolist()
        if self._all:
            for label, column in zip(self._model.labels.tolist(), values.T, strict=True):
                columns[f"probability of {label}"] = column.tolist()
        return columns

    def _best(self, texts: Any) -> tuple[Any, Any, Any]:
        """Return the best labels, their probabilities, and where asked for those of all labels."""
        if not self._all:
            return *self._model.predict_top(texts, self._n_best), None
        import numpy as np

        values = self._model.predict_proba(texts)
        best = self._model.ranked(values)[:, : self._n_best]
        return self._model.labels[best], np.take_along_axis(values, best, axis=1), values

    def _certain(self, labels: list[Any], chances: Any) -> list[Any]:
        if self._threshold is None:
            return labels
        enough = (chances >= self._threshold).tolist()
        return [label if sure else None for label, sure in zip(labels, enough, strict=True)]

    def _names(self, rank: int) -> tuple[str, str]:
        suffix = f"_{rank + 1}" if rank else ""
        return self._name + suffix, self._value + suffix

    def _announce(self, keep: tuple[str, ...], label_kind: type) -> dict[str, type | None]:
        names: list[tuple[str, type | None]] = [("row", int)] * self._numbered
        names += [(name, None) for name in keep]
        for rank in range(max(self._n_best, 1)):
            name, value = self._names(rank)
            names.append((name, label_kind))
            if self._shown_values:
                names.append((value, float))
        if self._all:
            names += [(f"probability of {x}", float) for x in self._model.labels.tolist()]
        kinds = dict(names)
        if len(kinds) < len(names):
            twice = next(name for name in kinds if [x for x, _ in names].count(name) > 1)
            raise UsageError(
                f"two columns of the output would be called {twice!r}: see --label-column-out"
            )
        return kinds

    def _check_lines(self) -> None:
        apart = "\n\t" if len(self.kinds) > 1 else "\n"
        for label in map(str, self._model.labels.tolist()):
            if any(mark in label for mark in apart):
                raise ValueError(
                    f"the label {label!r} does not fit on a line: pass --output-format jsonl"
                )

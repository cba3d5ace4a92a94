"""``wordodds predict``: a label for each document, batch by batch and in order."""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

from wordodds.cli.options import (
    UsageError,
    add_data_options,
    add_json_option,
    add_model_option,
    bad_rows_of,
    exit_code,
    load_model,
    not_onto,
    positive,
    print_json,
    probability,
    progress_unless,
    read_options,
)
from wordodds.corpora import (
    OUTPUT_FORMATS,
    Batch,
    corpus_size,
    format_of,
    open_writer,
    read_batches,
)

__all__ = ["add_parser", "run"]

_KINDS: dict[str, type] = {"i": int, "u": int, "b": bool, "f": float}


def add_parser(commands: Any) -> None:
    """Add the command.

    Parameters
    ----------
    commands : action of argparse
        What ``add_subparsers`` gave.
    """
    parser = commands.add_parser(
        "predict",
        help="label the documents of a file or of standard input",
        description="Label documents: one result for each, in their order, in bounded memory.",
    )
    parser.add_argument("data", nargs="?", default="-", help="a file, a folder, or - for stdin")
    add_model_option(parser, "the model")
    parser.add_argument("--output", default="-", metavar="FILE", help="(default: stdout)")
    parser.add_argument(
        "--output-format",
        choices=OUTPUT_FORMATS,
        help="(default: what the name of the output says; stdout: lines)",
    )
    parser.add_argument(
        "--top", type=positive, metavar="K", help="the K best labels, each with its probability"
    )
    parser.add_argument("--proba", action="store_true", help="add the probability of the label")
    parser.add_argument(
        "--proba-all", action="store_true", help="add the probability of every label"
    )
    parser.add_argument(
        "--threshold",
        type=probability,
        metavar="P",
        help="no label (null in JSONL and Parquet, else empty) where its probability is below P",
    )
    parser.add_argument(
        "--label-column-out", default="label", metavar="NAME", help="(default: label)"
    )
    parser.add_argument(
        "--keep", default="", metavar="NAMES", help="columns to hand on, separated by commas"
    )
    parser.add_argument(
        "--number-rows", action="store_true", help="add a column row: the row or line of the input"
    )
    parser.add_argument("--batch-size", type=positive, metavar="N", help="documents at a time")
    parser.add_argument(
        "--n-jobs", type=positive, default=None, help="threads (default: usable cores)"
    )
    add_json_option(parser, "print one JSON object about the run; needs --output FILE")
    add_data_options(parser, labels=False)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit code.

    Parameters
    ----------
    options : Namespace
        What the shell passed.
    """
    to_stdout = options.output == "-"
    if options.json and to_stdout:
        raise UsageError(
            "--json reports on the run and needs --output FILE; --output-format jsonl is for labels"
        )
    not_onto(options.output, options.model)
    start = time.perf_counter()
    keep = tuple(name for name in options.keep.split(",") if name)
    reading = read_options(options, labels=False, keep=keep, batch_rows=options.batch_size)
    bad_rows = bad_rows_of(options)
    model = load_model(options.model)
    model.n_jobs = options.n_jobs
    results = _Results(model, options, keep)
    n_documents = 0
    hidden = to_stdout and sys.stdout.isatty()
    with (
        open_writer(options.output, results.kinds, format=options.output_format) as writer,
        progress_unless(hidden, "predicting", corpus_size(options.data)) as advance,
    ):
        for batch in read_batches(options.data, reading, bad_rows, advance):
            writer.write(results.columns(batch))
            n_documents += len(batch)
    if options.json:
        print_json(
            {
                "documents": n_documents,
                "skipped": bad_rows.count,
                "seconds": time.perf_counter() - start,
                "output": options.output,
            }
        )
    return exit_code(bad_rows)


class _Results:
    """The columns that were asked for."""

    def __init__(self, model: Any, options: argparse.Namespace, keep: tuple[str, ...]) -> None:
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
        self._check_lines(options)

    def columns(self, batch: Batch) -> dict[str, Any]:
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
        best = np.argsort(-values, axis=1, kind="stable")[:, : self._n_best]
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

    def _check_lines(self, options: argparse.Namespace) -> None:
        if (options.output_format or format_of(options.output)) != "lines":
            return
        apart = "\n\t" if len(self.kinds) > 1 else "\n"
        for label in map(str, self._model.labels.tolist()):
            if any(mark in label for mark in apart):
                raise ValueError(
                    f"the label {label!r} does not fit on a line: pass --output-format jsonl"
                )

"""``wordodds evaluate``: how good a model is on labelled documents."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from wordodds.cli.argument_types import positive
from wordodds.cli.data_options import (
    add_data_options,
    bad_rows_of,
    check_data,
    check_data_columns,
    exit_code,
    import_data_readers,
    load_corpus,
)
from wordodds.cli.file_checks import check_model, check_target, not_onto
from wordodds.cli.options import (
    Commands,
    UsageError,
    add_json_option,
    add_model_option,
    import_model,
)
from wordodds.cli.printing import print_json, printable
from wordodds.corpora import corpus_paths

__all__ = ["add_parser", "run"]

_FIGURES = (".svg", ".png", ".pdf")
_SHOWN = 10  # unknown labels that are named


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "evaluate",
        help="measure a model on labelled documents",
        description="Print accuracy, precision, recall and F1 of each class, log loss, calibration "
        "error and the confusion matrix.",
    )
    parser.add_argument("data", help="a file, a folder with a sub-folder per class, or - for stdin")
    add_model_option(parser, "model to measure")
    parser.add_argument(
        "--figure",
        metavar="FILE",
        help="draw the confusion matrix, as .svg, .png or .pdf (needs matplotlib)",
    )
    parser.add_argument(
        "--n-jobs", type=positive, default=None, help="number of threads (default: usable cores)"
    )
    add_json_option(parser)
    add_data_options(parser, labels=True)
    parser.set_defaults(check=check, prepare=prepare, run=run)


def check(options: argparse.Namespace) -> None:
    """Check what can be known of the command before anything is imported for it."""
    check_model(options.model)
    check_data(options)
    if options.figure is not None:
        check_target(options.figure)
        for source in (options.model, *corpus_paths(options.data)):
            not_onto(options.figure, source)
        if os.path.splitext(options.figure)[1] not in _FIGURES:
            raise UsageError(f"--figure must end in {', '.join(_FIGURES)}: {options.figure}")


def prepare(options: argparse.Namespace) -> None:
    """Import what the command needs."""
    import_model(options)
    import_data_readers(options)
    import wordodds.model.evaluation
    import wordodds.model.label_spelling

    if options.figure is not None:
        import wordodds.model.evaluation_figure  # noqa: F401


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from wordodds import load
    from wordodds.model.label_spelling import labels_like

    check_data_columns(options)
    model = load(options.model)
    model.n_jobs = options.n_jobs
    bad_rows = bad_rows_of(options)
    corpus = load_corpus(options, bad_rows)
    labels = labels_like(corpus.labels or [], model.labels.tolist())
    evaluation = model.evaluate(corpus.texts, labels)
    _warn_of_unknown(evaluation.unknown)
    if options.json:
        print_json({**evaluation.to_dict(), "skipped": bad_rows.count, "empty": bad_rows.empty})
    else:
        print(evaluation)
    if options.figure is not None:  # last: nothing is lost if it cannot be drawn
        evaluation.figure(options.figure)
    return exit_code(bad_rows, options)


def _warn_of_unknown(unknown: dict[Any, int]) -> None:
    """List labels that the model does not know on one line of standard error."""
    if not unknown:
        return
    n = sum(unknown.values())
    documents = "document has a label" if n == 1 else "documents have labels"
    shown = ", ".join(f"{label} {count:,}" for label, count in list(unknown.items())[:_SHOWN])
    more = f"; and {len(unknown) - _SHOWN:,} more labels" if len(unknown) > _SHOWN else ""
    print(
        f"wordodds: warning: {n:,} {documents} that the model does not know, counted as wrong: "
        f"{printable(shown)}{more}",
        file=sys.stderr,
    )

"""``wordodds tune``: a search for the settings that suit some documents best."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from wordodds.cli.argument_types import fraction, positive, positive_real
from wordodds.cli.data_options import (
    add_data_options,
    check_data,
    check_data_columns,
    exit_code,
    import_data_readers,
)
from wordodds.cli.file_checks import check_target, not_onto
from wordodds.cli.loaded_parts import LoadedParts, print_documents
from wordodds.cli.model_options import add_classifier_options, classifier_of
from wordodds.cli.options import Commands, UsageError, add_json_option
from wordodds.cli.printing import print_json, print_table, printable
from wordodds.corpora import corpus_paths

if TYPE_CHECKING:
    from wordodds.classifier.tuning import Tuning

__all__ = ["add_parser", "run"]

MODELS = ("nb_logistic", "complement", "naive_bayes")
METRICS = ("accuracy", "balanced_accuracy", "f1_macro", "log_loss")


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "tune",
        help="search for the settings that suit labelled documents best",
        description="Compare ways of reading text, models and their parameters on held-out "
        "documents, print the best settings as a line of Python, and save a model that is fitted "
        "with them. Options that are given stay as they are.",
    )
    parser.add_argument(
        "data",
        nargs="+",
        help="files or patterns such as 'shards/*.parquet', a folder with a sub-folder per class, "
        "or - for stdin",
    )
    parser.add_argument("--output", metavar="M.wordodds", help="file to save the model to")
    parser.add_argument(
        "--minutes",
        type=positive_real,
        metavar="NUMBER",
        help="time of the search, such as 0.5 (default: 5, or no limit with --trials)",
    )
    parser.add_argument(
        "--trials",
        type=positive,
        metavar="N",
        help="largest number of trials: the same number gives the same result",
    )
    parser.add_argument(
        "--metric",
        default="accuracy",
        metavar="NAME",
        help="metric to maximise on held-out documents: accuracy (default), balanced_accuracy, "
        "f1_macro, f1:LABEL, or log_loss (which is minimised)",
    )
    parser.add_argument(
        "--model",
        choices=MODELS,
        default=MODELS[0],
        help="model to tune (default: nb_logistic, which tries the others too)",
    )
    parser.add_argument(
        "--holdout",
        type=fraction,
        metavar="F",
        help="report the accuracy on this share of the documents, which the search does not see",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=0,
        help="number that decides the order of the search and which documents are held out "
        "(default: 0)",
    )
    parser.add_argument(
        "--all-trials",
        action="store_true",
        help="print every trial, not only the best of those on all documents",
    )
    add_classifier_options(parser)
    add_json_option(parser)
    add_data_options(parser, labels=True)
    parser.set_defaults(check=check, prepare=prepare, run=run, calibrate=None)


def check(options: argparse.Namespace) -> None:
    """Check what can be known of the command before anything is imported for it."""
    if options.C is not None and options.model != MODELS[0]:
        raise UsageError(f"-C is for --model {MODELS[0]}, not {options.model}")
    if options.metric not in METRICS and not options.metric.startswith("f1:"):
        names = ", ".join(METRICS)
        raise UsageError(f"--metric must be one of {names} or f1:LABEL, got {options.metric!r}")
    if options.output is not None:
        check_target(options.output)
    check_data(options)
    if options.output is not None:
        for source in corpus_paths(options.data):
            not_onto(options.output, source)


def prepare(options: argparse.Namespace) -> None:
    """Import what the command needs."""
    import importlib.metadata  # noqa: F401 - scikit-learn reads it to look for data frames

    import wordodds.classifier.tuning  # noqa: F401

    import_data_readers(options)


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    check_data_columns(options)
    classifier = classifier_of(options).set_params(random_state=options.seed % 2**32)
    parts = LoadedParts(options)
    classifier.tune(
        *parts.part("train"), minutes=options.minutes, trials=options.trials, metric=options.metric
    )
    tuning, model = classifier.tuning_, classifier.linear_model_
    assert tuning is not None
    report = {**parts.report(), "features": model.n_features, "tuning": tuning.to_dict()}
    if options.holdout:
        accuracy = model.score(*parts.part("holdout"))
        report["holdout"] = {"documents": parts.n_documents("holdout"), "accuracy": accuracy}
    try:
        if options.output is not None:
            model.save(options.output)
            report["output"], report["bytes"] = options.output, os.path.getsize(options.output)
    finally:  # what was found is worth minutes, and does not need the file
        if options.json:
            print_json(report)
        else:
            _print(report, tuning, all_trials=options.all_trials)
    return exit_code(parts.bad_rows, options)


def _print(report: dict[str, Any], tuning: Tuning, *, all_trials: bool) -> None:
    print_documents(report, f"in {report['seconds']['reading']:.2f} s")
    print(f"tune       {printable(tuning.headline)}")
    print()
    print_table(*(tuning.table_of_all() if all_trials else tuning.table()))
    print()
    print(printable(tuning.call))
    if "holdout" in report or "output" in report:
        print()
    if "holdout" in report:
        holdout = report["holdout"]
        print(f"accuracy   {holdout['accuracy']:.4f} on {holdout['documents']:,} held out")
    if "output" in report:
        print(f"saved      {report['output']}, {report['bytes'] / 1e6:.1f} MB")

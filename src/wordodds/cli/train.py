"""``wordodds train``: from labelled documents to a model file."""

from __future__ import annotations

import argparse
import os
import time
from typing import TYPE_CHECKING, Any

from wordodds.cli.argument_types import fraction, positive, size
from wordodds.cli.data_options import (
    add_data_options,
    check_data,
    check_data_columns,
    exit_code,
    import_data_readers,
)
from wordodds.cli.file_checks import check_target, not_onto
from wordodds.cli.loaded_parts import LoadedParts, print_documents
from wordodds.cli.model_options import MODELS, add_classifier_options, classifier_of
from wordodds.cli.options import (
    Commands,
    RenamedOption,
    UsageError,
    add_json_option,
    warn_deprecated,
)
from wordodds.cli.printing import print_json
from wordodds.cli.train_stream import memory_for, train_stream
from wordodds.corpora import BadRows, corpus_paths

if TYPE_CHECKING:
    from wordodds.classifier import TextClassifier
    from wordodds.model import LinearModel

__all__ = ["add_parser", "run"]


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "train",
        help="learn a model from labelled documents",
        description="Learn a model from labelled documents and save it. Documents that are held "
        "out, for a report or for calibration, are not learnt from.",
    )
    parser.add_argument(
        "data",
        nargs="+",
        help="files or patterns such as 'shards/*.parquet', a folder with a sub-folder per class, "
        "or - for stdin",
    )
    parser.add_argument(
        "--output", metavar="M.wordodds", help="file to save the model to (required)"
    )
    parser.add_argument(
        "--model",
        metavar="NAME",
        help=f"model to train: {', '.join(MODELS)} (default: {MODELS[0]}). The other commands, "
        "which use a model, take its file here",
    )
    parser.add_argument("--kind", choices=MODELS, action=RenamedOption, new="--model")
    add_classifier_options(parser)
    parser.add_argument(
        "--holdout",
        type=fraction,
        metavar="F",
        help="report the accuracy on this share of the documents, which are not learnt from",
    )
    parser.add_argument(
        "--calibrate",
        choices=("temperature", "platt", "isotonic"),
        help="make probabilities match the frequencies in a part that is held out",
    )
    parser.add_argument(
        "--calibrate-on",
        type=fraction,
        metavar="F",
        help="share for --calibrate of the documents that --holdout leaves, 50,000 documents at "
        "most (default: 0.1)",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=0,
        help="number that decides which documents are held out (default: 0). Each is held out, or "
        "not, by the seed and its position in the data, however the data is read; the first "
        "document of each class never is",
    )
    parser.add_argument(
        "--hashed", dest="n_hashed", type=positive, action=RenamedOption, new="--n-hashed"
    )
    parser.add_argument(
        "--memory",
        type=size,
        metavar="SIZE",
        help="read the data piece by piece and hold no more than this in memory, such as 1GB "
        "(default: all at once, unless the data is large beside the memory that is there)",
    )
    parser.add_argument(
        "--epochs",
        type=positive,
        metavar="N",
        help="passes over the rows where the data is read piece by piece, but for naive Bayes",
    )
    parser.add_argument(
        "--scratch",
        metavar="FOLDER",
        help="existing folder with room for what does not fit the memory (default: the system's)",
    )
    add_json_option(parser)
    add_data_options(parser, labels=True)
    parser.set_defaults(check=check, prepare=prepare, run=run)


def check(options: argparse.Namespace) -> None:
    """Check what can be known of the command before anything is imported for it."""
    if options.calibrate_on is None:
        options.calibrate_on = 0.1
    elif options.calibrate is None:
        raise UsageError("--calibrate-on needs --calibrate")
    _resolve_old_spellings(options)
    check_target(options.output)
    if options.scratch is not None:
        os.stat(options.scratch)
        if not os.path.isdir(options.scratch):
            raise NotADirectoryError(20, "is not a folder", options.scratch)
    check_data(options)
    for source in corpus_paths(options.data):
        not_onto(options.output, source)


def _resolve_old_spellings(options: argparse.Namespace) -> None:
    """Set ``model`` and ``output``: before ``--output``, ``--model`` was the file to save to."""
    is_file = options.kind is not None or options.model not in MODELS
    if options.output is None and options.model is not None and is_file:
        if options.kind is None:
            _check_no_typo(options.model)
        warn_deprecated("train --model FILE", "--output FILE")
        options.output, options.model = options.model, None
    if options.output is None:
        raise UsageError("name the file to save the model to: --output M.wordodds")
    if options.kind is not None and options.model is not None:
        raise UsageError("--kind is the old spelling of --model: pass one of them")
    options.model = options.model or options.kind or MODELS[0]
    if options.model not in MODELS:
        raise UsageError(f"--model must be one of {', '.join(MODELS)}, got {options.model!r}")


def _check_no_typo(name: str) -> None:
    """Refuse to save to a file that is called nearly like a model."""
    from difflib import get_close_matches

    for model in get_close_matches(name.lower().replace("-", "_"), MODELS, n=1, cutoff=0.8):
        raise UsageError(
            f"there is no model {name!r}, did you mean {model}? To save to a file of that name, "
            f"pass --output {name}"
        )


def prepare(options: argparse.Namespace) -> None:
    """Import what the command needs."""
    import importlib.metadata  # noqa: F401 - scikit-learn reads it to look for data frames

    import wordodds._files.memory
    import wordodds.classifier
    import wordodds.cli.printing

    if memory_for(options) is not None:
        import wordodds.classifier.stream
        import wordodds.linear.streamed
        import wordodds.text.spill  # noqa: F401
    import_data_readers(options)


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    check_data_columns(options)
    classifier = classifier_of(options)
    memory = memory_for(options)
    if memory is not None:
        model, report, bad_rows = train_stream(options, classifier, memory)
    else:
        model, report, bad_rows = _train_in_memory(options, classifier)
    model.save(options.output)
    report["output"] = options.output
    report["bytes"] = os.path.getsize(options.output)
    if options.json:
        print_json(report)
    else:
        _print(report)
    return exit_code(bad_rows, options)


def _train_in_memory(
    options: argparse.Namespace, classifier: TextClassifier
) -> tuple[LinearModel, dict[str, Any], BadRows]:
    for name in ("epochs", "scratch"):
        if getattr(options, name) is not None:
            raise UsageError(f"--{name} is for data that is read piece by piece: pass --memory too")
    parts = LoadedParts(options)
    start = time.perf_counter()
    model = classifier.fit(*parts.part("train")).linear_model_
    report = parts.report()
    report["seconds"]["training"] = time.perf_counter() - start
    report |= {
        "model": options.model,
        "kind": options.model,  # the old name of the key
        "features": model.n_features,
        "chosen": model.chosen,
    }
    if options.calibrate:
        model = model.calibrate(*parts.part("calibrate"), method=options.calibrate)
        n_documents = parts.n_documents("calibrate")
        report["calibration"] = {"method": options.calibrate, "documents": n_documents}
    if options.holdout:
        accuracy = model.score(*parts.part("holdout"))
        report["holdout"] = {"documents": parts.n_documents("holdout"), "accuracy": accuracy}
    return model, report, parts.bad_rows


def _print(report: dict[str, Any]) -> None:
    seconds = report["seconds"]
    if "memory" in report:
        how = f"piece by piece, within {report['memory'] / 1e9:.2f} GB"
    else:
        how = f"in {seconds['reading']:.2f} s"
    print_documents(report, how)
    print(
        f"train      {report['model']} on {report['trained_on']:,} documents, "
        f"{report['features']:,} features in {seconds['training']:.2f} s"
    )
    if report.get("chosen"):
        print(f"chosen     {_chosen(report['chosen'])}")
    if "calibration" in report:
        calibration = report["calibration"]
        print(f"calibrate  {calibration['method']} on {calibration['documents']:,} held out")
    if "holdout" in report:
        holdout = report["holdout"]
        print(f"accuracy   {holdout['accuracy']:.4f} on {holdout['documents']:,} held out")
    print(f"saved      {report['output']}, {report['bytes'] / 1e6:.1f} MB")


def _chosen(chosen: dict[str, Any]) -> str:
    """Return the settings that were chosen, in a line."""
    from wordodds.classifier.reading import Reading

    reading = Reading(*(chosen[name] for name in Reading._fields))
    loss, n_trials = chosen["log_loss"], len(chosen["trials"])
    held = "" if loss is None else f"; log loss {loss:.4f} on held-out documents, {n_trials} trials"
    return f"C={chosen['C']:g}, {reading}{held}"

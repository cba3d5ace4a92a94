"""``wordodds convert``: a fitted scikit-learn pipeline becomes a model file."""

from __future__ import annotations

import argparse
import os
import sys
from importlib import import_module
from typing import Any

from wordodds.cli.options import UsageError, add_json_option, add_model_option, print_json

__all__ = ["add_parser", "run"]

WARNING = (
    "a pickle runs whatever code its maker put into it, with your rights; "
    "load only files that you trust"
)


def add_parser(commands: Any) -> None:
    """Add the command.

    Parameters
    ----------
    commands : action of argparse
        What ``add_subparsers`` gave.
    """
    parser = commands.add_parser(
        "convert",
        help="make a model file of a fitted scikit-learn pipeline",
        description="Load a fitted scikit-learn pipeline that joblib or pickle saved, and save it "
        f"as a model file with the same predictions. Beware: {WARNING}.",
    )
    parser.add_argument("pipeline", metavar="PIPELINE.joblib", help="the pickled pipeline")
    add_model_option(parser, "the file to save to")
    parser.add_argument(
        "--trust-pickle", action="store_true", help="load the pickle without asking"
    )
    add_json_option(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit code.

    Parameters
    ----------
    options : Namespace
        What the shell passed.
    """
    with open(options.pipeline, "rb"):
        pass  # a file that is not there needs no trust
    print(f"wordodds: warning: {options.pipeline}: {WARNING}", file=sys.stderr)
    if not options.trust_pickle and not _asked():
        raise UsageError("not loaded; --trust-pickle says that you trust the file")
    pipeline = _load(options.pipeline)
    from wordodds import from_sklearn

    model = from_sklearn(pipeline)
    model.save(options.model)
    n_bytes = os.path.getsize(options.model)
    if options.json:
        print_json({"model": options.model, "bytes": n_bytes, **model.describe()})
    else:
        print(f"saved      {options.model}, {n_bytes / 1e6:.1f} MB: {model!r}")
    return 0


def _asked() -> bool:
    if sys.stdin is None or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    print("Load it? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _load(path: str) -> Any:
    joblib = import_module("joblib")
    try:
        return joblib.load(path)
    except (OSError, MemoryError):
        raise
    except Exception as error:  # a damaged pickle may raise anything
        raise ValueError(f"{path}: not a pickle that can be loaded here: {error!r}") from error

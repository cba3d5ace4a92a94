"""``wordodds convert``: a fastText model or a scikit-learn pipeline becomes a model file."""

from __future__ import annotations

import argparse
import os
import sys
from importlib import import_module
from typing import TYPE_CHECKING

from wordodds.cli.argument_types import non_negative
from wordodds.cli.data_options import (
    add_data_options,
    bad_rows_of,
    check_data,
    check_data_columns,
    exit_code,
    import_data_readers,
    load_corpus,
)
from wordodds.cli.file_checks import check_target, not_onto
from wordodds.cli.options import (
    Commands,
    RenamedOption,
    UsageError,
    add_json_option,
    import_model,
)
from wordodds.cli.printing import print_json

if TYPE_CHECKING:
    from wordodds.corpora import BadRows
    from wordodds.model import LinearModel

__all__ = ["add_parser", "run"]

WARNING = (
    "a pickle runs whatever code its maker put into it, with your rights; "
    "load only files that you trust"
)
FASTTEXT = b"\xba\x16\x4f\x2f"  # how its files begin
OURS = b'"format":"wordodds"'
OF_FASTTEXT = ("rank", "dtype", "tolerance", "probabilities", "strip_prefix")


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "convert",
        help="make a model file of a fastText model or a scikit-learn pipeline",
        description="Make a model file of a supervised fastText model (.bin, .ftz), or of a fitted "
        "scikit-learn pipeline that joblib or pickle saved, with the same predictions. Beware of "
        f"the latter: {WARNING}.",
    )
    parser.add_argument("source", metavar="SOURCE", help="MODEL.bin, MODEL.ftz or PIPELINE.joblib")
    parser.add_argument("target", metavar="M.wordodds", nargs="?", help="the file to save to")
    parser.add_argument(
        "--model", dest="old_target", action=RenamedOption, new="convert SOURCE M.wordodds"
    )
    parser.add_argument(
        "--trust-pickle", action="store_true", help="load the pickle without asking"
    )
    add_json_option(parser)
    group = parser.add_argument_group("of a fastText model")
    group.add_argument(
        "--rank",
        choices=("auto", "keep", "collapse"),
        help="keep both factors of the weights, or multiply them (default: what is smaller)",
    )
    group.add_argument(
        "--dtype", choices=("float32", "float16"), help="of the weights (default: float32)"
    )
    group.add_argument(
        "--tolerance",
        type=non_negative,
        metavar="X",
        help="leave out weights that cannot move any log-odds by more than X (default: 0)",
    )
    group.add_argument(
        "--probabilities",
        choices=("fasttext", "exact"),
        help="the approximate numbers of fastText, or the exact ones (default: fasttext)",
    )
    group.add_argument(
        "--strip-prefix", metavar="P", help="take P, such as __label__, away from labels"
    )
    group.add_argument(
        "--measure",
        dest="data",
        metavar="DATA",
        help="labelled documents to measure on what --dtype and --tolerance cost",
    )
    add_data_options(parser, labels=True)
    parser.set_defaults(check=check, prepare=prepare, run=run)


def check(options: argparse.Namespace) -> None:
    """Check what can be known of the command before anything is imported for it."""
    if (options.target is None) == (options.old_target is None):
        raise UsageError("name one file to save to: wordodds convert SOURCE M.wordodds")
    target = options.target = options.target or options.old_target
    beginning = _begins(options.source)
    not_onto(target, options.source)
    if os.path.isfile(target) and _begins(target)[:4] == FASTTEXT:
        raise UsageError(f"{target} is a fastText model: it is not written over; name another file")
    if OURS in beginning:
        raise UsageError(f"{options.source} is a wordodds model already: name the source first")
    check_target(target)
    if options.data is not None:
        check_data(options)


def prepare(options: argparse.Namespace) -> None:
    """Import what the command needs."""
    import_model(options)
    if _begins(options.source)[:4] != FASTTEXT:
        import_module("joblib")
        import_module("wordodds.classifier")
    elif options.data is not None:
        import_data_readers(options)


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    target = options.target
    bad_rows = bad_rows_of(options)
    if _begins(options.source)[:4] == FASTTEXT:
        model = _from_fasttext(options, bad_rows)
    else:
        model = _from_pickle(options)
    model.save(target)
    n_bytes = os.path.getsize(target)
    if options.json:
        print_json({"model": target, "bytes": n_bytes, **model.describe()})
    else:
        _print(options.source, target, n_bytes, model)
    return exit_code(bad_rows, options)


def _begins(path: str) -> bytes:
    # A file that is not there needs no trust, and a pipe has only one beginning.
    if os.path.exists(path) and not os.path.isfile(path):
        raise UsageError(f"{path} is not a regular file")
    with open(path, "rb") as file:
        return file.read(64)


def _from_fasttext(options: argparse.Namespace, bad_rows: BadRows) -> LinearModel:
    from wordodds import from_fasttext

    given = {name: getattr(options, name) for name in OF_FASTTEXT}
    arguments = {name: value for name, value in given.items() if value is not None}
    if options.data is not None:
        check_data_columns(options)
        corpus = load_corpus(options, bad_rows)
        arguments |= {"texts": corpus.texts, "labels": [str(x) for x in corpus.labels or []]}
    return from_fasttext(options.source, verbose=True, **arguments)


def _from_pickle(options: argparse.Namespace) -> LinearModel:
    wrong = [name for name in (*OF_FASTTEXT, "data") if getattr(options, name) is not None]
    if wrong:
        name = "measure" if wrong[0] == "data" else wrong[0].replace("_", "-")
        raise UsageError(f"--{name} is for fastText models, which {options.source} is not")
    print(f"wordodds: warning: {options.source}: {WARNING}", file=sys.stderr)
    if not options.trust_pickle and not _asked():
        raise UsageError("not loaded; --trust-pickle says that you trust the file")
    pipeline = _load(options.source)
    from wordodds import from_sklearn

    return from_sklearn(pipeline)


def _print(source: str, target: str, n_bytes: int, model: LinearModel) -> None:
    smaller = ""
    if facts := model.source:
        ratio = facts["bytes"] / n_bytes
        smaller = f", {max(ratio, 1 / ratio):.1f} times {'smaller' if ratio >= 1 else 'larger'}"
        print(f"read       {source}, {facts['bytes'] / 1e6:.1f} MB: {facts['format']}")
        if measured := facts.get("measured"):
            print(
                f"measured   {measured['same_label']:,} of {measured['texts']:,} labels the same, "
                f"probabilities within {measured['largest_difference']:.2g}, accuracy "
                f"{measured['accuracy']:.4f} (before: {measured['accuracy_before']:.4f})"
            )
    print(f"saved      {target}, {n_bytes / 1e6:.1f} MB{smaller}: {model!r}")


def _asked() -> bool:
    if sys.stdin is None or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    print("Load it? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _load(path: str) -> object:
    joblib = import_module("joblib")
    try:
        return joblib.load(path)
    except (OSError, MemoryError):
        raise
    except Exception as error:  # a damaged pickle may raise anything
        raise ValueError(f"{path}: not a pickle that can be loaded here: {error!r}") from error

"""Options that several commands have, and what they stand for."""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import Any

from wordodds._progress import progress
from wordodds.corpora import FORMATS, BadRows, Batch, ReadOptions, corpus_size, read_corpus

__all__ = [
    "UsageError",
    "add_data_options",
    "add_json_option",
    "add_model_option",
    "bad_rows_of",
    "exit_code",
    "label_of",
    "labels_like",
    "load_corpus",
    "load_model",
    "not_inside",
    "not_onto",
    "print_json",
    "read_options",
]


class UsageError(ValueError):
    """Options that do not go together."""


def add_model_option(parser: argparse.ArgumentParser, what: str) -> None:
    """Add ``--model``.

    Parameters
    ----------
    parser : ArgumentParser
        Of the command.
    what : str
        What the file is to the command.
    """
    parser.add_argument("--model", required=True, metavar="M.wordodds", help=what)


def add_json_option(
    parser: argparse.ArgumentParser, what: str = "print the result as one JSON object"
) -> None:
    """Add ``--json``.

    Parameters
    ----------
    parser : ArgumentParser
        Of the command.
    what : str
        What it does.
    """
    parser.add_argument("--json", action="store_true", help=what)


def add_data_options(parser: argparse.ArgumentParser, *, labels: bool) -> None:
    """Add what says how the data is to be read.

    Parameters
    ----------
    parser : ArgumentParser
        Of the command.
    labels : bool
        Whether the command needs labels.
    """
    group = parser.add_argument_group("reading the data")
    group.add_argument(
        "--format", choices=FORMATS, help="of the data (default: what its name says; stdin: lines)"
    )
    group.add_argument("--text-column", metavar="NAME", help="(default: text)")
    if labels:
        group.add_argument("--label-column", metavar="NAME", help="(default: label)")
    group.add_argument(
        "--no-header",
        action="store_true",
        help="of CSV and TSV: columns are called 1, 2, ...; by default the last is the text"
        + (" and the first the label" if labels else ""),
    )
    group.add_argument(
        "--no-quotes", action="store_true", help="of CSV and TSV: double quotes are characters"
    )
    group.add_argument("--encoding", default="utf-8", help="of the text (default: utf-8)")
    group.add_argument(
        "--encoding-errors",
        choices=("strict", "replace", "ignore"),
        default="strict",
        help="what to do with bytes that are no text (default: strict, the row is bad)",
    )
    group.add_argument(
        "--on-error",
        choices=("stop", "skip"),
        default="stop",
        help="what to do with a bad row; skip: exit code 3 if there was one (default: stop)",
    )


def read_options(options: argparse.Namespace, *, labels: bool, **more: Any) -> ReadOptions:
    """Return what `add_data_options` collected.

    Parameters
    ----------
    options : Namespace
        Of the command.
    labels : bool
        Whether labels are needed.
    **more
        Other fields of `ReadOptions`.
    """
    return ReadOptions(
        format=options.format,
        labels=labels,
        text_column=options.text_column,
        label_column=options.label_column if labels else None,
        header=not options.no_header,
        quotes=not options.no_quotes,
        encoding=options.encoding,
        encoding_errors=options.encoding_errors,
        **more,
    )


def bad_rows_of(options: argparse.Namespace) -> BadRows:
    """Return what ``--on-error`` asks for.

    Parameters
    ----------
    options : Namespace
        Of the command.
    """
    return BadRows(skip=options.on_error == "skip")


def exit_code(bad_rows: BadRows) -> int:
    """Tell of skipped rows on standard error, and return the exit code.

    Parameters
    ----------
    bad_rows : BadRows
        What was found.
    """
    if not bad_rows.count:
        return 0
    print(f"wordodds: {bad_rows.summary()}", file=sys.stderr)
    return 3


def load_corpus(options: argparse.Namespace, bad_rows: BadRows) -> Batch:
    """Read all rows with their labels, with a progress bar.

    Parameters
    ----------
    options : Namespace
        With ``data`` and the options of `add_data_options`.
    bad_rows : BadRows
        Hears of bad rows.
    """
    with progress("reading", corpus_size(options.data)) as advance:
        return read_corpus(options.data, read_options(options, labels=True), bad_rows, advance)


def not_onto(target: str, source: str) -> None:
    """Refuse to write onto what is read.

    Parameters
    ----------
    target, source : str
        Paths, or "-".

    Raises
    ------
    UsageError
        If both are the same file.
    """
    # Not a device: a terminal may be both.
    if "-" in (target, source) or not (os.path.isfile(target) and os.path.exists(source)):
        return
    if os.path.samefile(target, source):
        raise UsageError(f"{target} would be written onto {source}, which is read: name another")


def not_inside(target: str, source: str) -> None:
    """Refuse to write into a folder that is read, where results would be taken for documents.

    Parameters
    ----------
    target, source : str
        Paths, or "-".

    Raises
    ------
    UsageError
        If the target lies anywhere below the folder.
    """
    if "-" in (target, source) or not os.path.isdir(source):
        return
    above = os.path.realpath(source)
    if os.path.commonpath([above, os.path.realpath(target)]) == above:
        raise UsageError(f"{target} would lie inside {source}, which is read: name another")


def load_model(path: str) -> Any:
    """Load a model; scikit-learn stays out.

    Parameters
    ----------
    path : str
        A file that `train` or `convert` made.
    """
    from wordodds import load

    return load(path)


def label_of(model: Any, text: str) -> Any:
    """Return the label of a model that is spelt so.

    Parameters
    ----------
    model : LinearModel
        The model.
    text : str
        What the shell passed.

    Raises
    ------
    ValueError
        If there is none.
    """
    for label in model.labels.tolist():
        if str(label) == text:
            return label
    known = ", ".join(map(str, model.labels[:20].tolist()))
    raise ValueError(f"the model has no label {text!r}; it has {known}")


def labels_like(labels: list[Any], known: list[Any]) -> list[Any]:
    """Return labels of the kind that a model has: CSV spells numbers out, JSON has both.

    fastText's files have ``__label__`` before each, and its models may or may not keep it.

    Parameters
    ----------
    labels : list
        As they were read.
    known : list
        The labels of the model.

    Examples
    --------
    >>> labels_like(["1", "2"], [1, 2, 3]), labels_like([1, 4], ["1", "2"])
    ([1, 2], ['1', '4'])
    >>> labels_like(["spam"], ["__label__ham", "__label__spam"])
    ['__label__spam']
    """
    from wordodds._labels import with_fasttext_prefix

    labels = with_fasttext_prefix(labels, known)
    spelt = {str(label): label for label in known}
    kinds = set(map(type, known))
    if set(map(type, labels)) <= kinds:
        return labels
    fallback = str if kinds == {str} else (lambda label: label)
    return [spelt.get(str(label), fallback(label)) for label in labels]


def print_json(value: Any) -> None:
    """Print one object on one line, as standard JSON.

    Parameters
    ----------
    value : object
        Of plain values; NumPy's numbers and arrays too.

    Examples
    --------
    >>> print_json({"accuracy": 0.5, "worst": float("nan")})
    {"accuracy": 0.5, "worst": null}
    """
    text = json.dumps(_plain(value), ensure_ascii=False)
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:  # spelt as JSON spells it, not as Python does
        text = json.dumps(_plain(value))
    print(text)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    # NaN and infinity are not JSON.
    if isinstance(value, float) and not abs(value) < float("inf"):
        return None
    return value if isinstance(value, str | int | float | None) else str(value)

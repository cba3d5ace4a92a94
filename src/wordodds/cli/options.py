"""Options that several commands have, and what they stand for."""

from __future__ import annotations

import argparse
import json
import os
import sys
from typing import Any

__all__ = [
    "UsageError",
    "add_json_option",
    "add_model_option",
    "check_model",
    "check_target",
    "import_model",
    "label_of",
    "labels_like",
    "load_model",
    "not_inside",
    "not_onto",
    "print_json",
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


def check_target(path: str) -> None:
    """Check that a file can be written, before an hour of work is spent on it.

    Parameters
    ----------
    path : str
        The file; a device or "-" is not looked at.

    Raises
    ------
    OSError
        If its folder is missing or may not be written to, or if it is a folder itself.
    """
    if os.path.isdir(path):
        raise IsADirectoryError(21, "is a folder; name a file", path)
    if path == "-" or (os.path.exists(path) and not os.path.isfile(path)):
        return
    folder = os.path.dirname(os.path.realpath(path))  # a link stays, its target is replaced
    os.stat(folder)
    if not os.access(folder, os.W_OK):
        raise PermissionError(13, "the folder may not be written to", folder)


def check_model(path: str) -> None:
    """Check that a model file is there.

    Parameters
    ----------
    path : str
        The file.

    Raises
    ------
    OSError
        If it is missing or may not be read.
    """
    os.stat(path)
    if not os.access(path, os.R_OK):
        raise PermissionError(13, "Permission denied", path)


def import_model(options: argparse.Namespace) -> None:
    """Import what loads a model and scores text; scikit-learn stays out.

    Parameters
    ----------
    options : Namespace
        Options of the command.
    """
    import numpy.ma  # noqa: F401 - what looks for masked labels and scores

    import wordodds.cli.table
    import wordodds.model.linear_model  # noqa: F401


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
    from wordodds._border.labels import with_fasttext_prefix

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

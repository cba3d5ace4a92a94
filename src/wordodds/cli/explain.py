"""``wordodds explain``: what each word adds to the log-odds."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from typing import Any

from wordodds.cli.options import (
    add_json_option,
    add_model_option,
    check_model,
    import_model,
    label_of,
    load_model,
    print_json,
)

__all__ = ["add_parser", "run"]


def add_parser(commands: Any) -> None:
    """Add the command.

    Parameters
    ----------
    commands : action of argparse
        What ``add_subparsers`` gave.
    """
    parser = commands.add_parser(
        "explain",
        help="show what each word of a text adds to the log-odds",
        description="Show what each feature of a text adds to the log-odds of a label. With the "
        "bias they sum to the score.",
    )
    parser.add_argument("text", help="the text itself, or - for standard input as one document")
    add_model_option(parser, "the model")
    parser.add_argument("--label", help="whose log-odds (default: the most probable label's)")
    parser.add_argument("--against", metavar="LABEL", help="compared with (default: the others)")
    add_json_option(parser)
    parser.set_defaults(check=check, prepare=prepare, run=run)


def check(options: argparse.Namespace) -> None:
    """Check what can be known of the command before anything is imported for it.

    Parameters
    ----------
    options : Namespace
        What the shell passed.
    """
    check_model(options.model)


def prepare(options: argparse.Namespace) -> None:
    """Import what the command needs.

    Parameters
    ----------
    options : Namespace
        What the shell passed.
    """
    import_model(options)
    import wordodds.model.explain  # noqa: F401


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit code.

    Parameters
    ----------
    options : Namespace
        What the shell passed.
    """
    model = load_model(options.model)
    text = _text(options.text)
    label, against = (
        None if name is None else label_of(model, name) for name in (options.label, options.against)
    )
    explanation = model.explain(text, label, against)
    if options.json:
        print_json(explanation.to_dict())
    else:
        if _in_colour():
            print(explanation.to_ansi(shutil.get_terminal_size().columns), end="\n\n")
        print(explanation)
    return 0


def _in_colour() -> bool:
    # https://no-color.org
    plain = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb"
    return sys.stdout.isatty() and not plain


def _text(text: str) -> str:
    if text != "-":
        return text
    if sys.stdin is None:
        raise ValueError("there is no standard input to read from")
    return sys.stdin.buffer.read().decode()

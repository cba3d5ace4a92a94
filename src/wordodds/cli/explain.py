"""``wordodds explain``: what each word adds to the log-odds."""

from __future__ import annotations

import argparse
import os
import shutil
import sys

from wordodds.cli.file_checks import check_model
from wordodds.cli.options import Commands, add_json_option, add_model_option, import_model
from wordodds.cli.printing import print_json

__all__ = ["add_parser", "run"]


def add_parser(commands: Commands) -> None:
    """Add the command."""
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
    """Check what can be known of the command before anything is imported for it."""
    check_model(options.model)


def prepare(options: argparse.Namespace) -> None:
    """Import what the command needs."""
    import_model(options)
    import wordodds.model.contributions
    import wordodds.model.label_spelling  # noqa: F401


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from wordodds import load
    from wordodds.model.label_spelling import label_of

    model = load(options.model)
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

"""``wordodds inspect``: what a model file holds."""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from typing import Any

from wordodds.cli.argument_types import positive
from wordodds.cli.file_checks import check_model
from wordodds.cli.options import Commands, add_json_option, import_model
from wordodds.cli.printing import print_json, print_table, printable

__all__ = ["add_parser", "run"]


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "inspect",
        help="show what a model file holds",
        description="Verify a model file and show what it holds.",
    )
    parser.add_argument("model", metavar="M.wordodds", help="the model")
    parser.add_argument(
        "--top", type=positive, metavar="N", help="the N most telling features of each label"
    )
    add_json_option(parser)
    parser.set_defaults(check=check, prepare=import_model, run=run)


def check(options: argparse.Namespace) -> None:
    """Check what can be known of the command before anything is imported for it."""
    check_model(options.model)


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from wordodds import load

    start = time.perf_counter()
    model = load(options.model)
    seconds = time.perf_counter() - start
    facts = {
        "file": options.model,
        "bytes": os.path.getsize(options.model),
        "load_seconds": seconds,
        **model.describe(),
    }
    top = model.top_features(n=options.top) if options.top else {}
    if options.json:
        print_json({**facts, "top_features": top} if options.top else facts)
    else:
        _print(facts, top)
    return 0


def _print(facts: dict[str, Any], top: dict[Any, list[tuple[str, float]]]) -> None:
    lines = dict(_lines(facts))
    width = max(map(len, lines))
    for name, value in lines.items():
        print(f"{name.ljust(width)}  {printable(_shown(value))}")
    if top:
        rows = [
            [str(label), "  ".join(f"{word}\N{NO-BREAK SPACE}{odds:+.1f}" for word, odds in best)]
            for label, best in top.items()
        ]
        print()
        print_table(["label", "features, and what one unit of each adds to the log-odds"], rows)


def _lines(facts: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield names and values; what a model was made from takes a line for each."""
    for name, value in facts.items():
        if name == "trials" and isinstance(value, list):
            yield name, len(value)
        elif name in ("source", "measured", "chosen") and isinstance(value, dict):
            yield from ((f"{name} {part}", item) for part, item in _lines(value))
        else:
            yield name, value


def _shown(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return "-" if value is None else "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list | tuple):
        more = f", and {len(value) - 20:,} more" if len(value) > 20 else ""
        return ", ".join(map(str, value[:20])) + more
    if isinstance(value, dict):
        return ", ".join(f"{name}={_shown(item)}" for name, item in value.items()) or "-"
    return str(value)

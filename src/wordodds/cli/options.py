"""Options that several commands have, and how their old spellings keep working."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias, TypeVar

__all__ = [
    "Commands",
    "RenamedOption",
    "UsageError",
    "add_json_option",
    "add_model_option",
    "import_model",
    "warn_deprecated",
]

Value = TypeVar("Value")
Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # has no public name


class UsageError(ValueError):
    """Options that do not go together."""


class RenamedOption(argparse.Action):
    """An old spelling of an option: works as before, warns, and is not in the help."""

    def __init__(
        self,
        option_strings: Sequence[str],
        dest: str,
        *,
        new: str,
        type: Callable[[str], Value] | None = None,
        choices: Iterable[Value] | None = None,
    ) -> None:
        super().__init__(option_strings, dest, type=type, choices=choices, help=argparse.SUPPRESS)
        self._new = new

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        """Set the value and warn."""
        warn_deprecated(str(option_string), self._new)
        setattr(namespace, self.dest, values)


def warn_deprecated(old: str, new: str) -> None:
    """Warn on standard error that an option has a new spelling."""
    print(f"wordodds: warning: {old} is deprecated: use {new}", file=sys.stderr)


def add_model_option(parser: argparse.ArgumentParser, what: str) -> None:
    """Add ``--model``, the file of a model."""
    parser.add_argument("--model", required=True, metavar="M.wordodds", help=what)


def add_json_option(
    parser: argparse.ArgumentParser, what: str = "print the result as one JSON object"
) -> None:
    """Add ``--json``."""
    parser.add_argument("--json", action="store_true", help=what)


def import_model(options: argparse.Namespace) -> None:
    """Import what loads a model and scores text; scikit-learn stays out."""
    import numpy.ma  # noqa: F401 - masked labels and scores are looked for

    import wordodds.cli.printing
    import wordodds.model.linear_model  # noqa: F401

"""Options that several commands have."""

from __future__ import annotations

import argparse

__all__ = [
    "UsageError",
    "add_json_option",
    "add_model_option",
    "import_model",
]


class UsageError(ValueError):
    """Options that do not go together."""


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

"""The command line: ``wordodds COMMAND``."""

import argparse
import sys
from collections.abc import Sequence

import wordodds

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        What follows the program's name; by default what the shell passed.
    """
    parser = argparse.ArgumentParser(prog="wordodds", description="Text into log-odds.")
    parser.add_argument("--version", action="version", version=f"wordodds {wordodds.__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    demo = commands.add_parser(
        "demo", help="count 20 Newsgroups, train naive Bayes and show what it learned"
    )
    demo.add_argument("--words", type=_positive, default=6, help="words per class (default: 6)")
    demo.add_argument("--n-jobs", type=int, default=None, help="threads (default: usable cores)")
    commands.add_parser("config", help="show version, compiler and instruction sets")
    options = parser.parse_args(arguments)
    try:
        if options.command == "config":
            wordodds.show_config()
        else:
            from wordodds.cli.demo import run_demo

            run_demo(words=options.words, n_jobs=options.n_jobs)
    except KeyboardInterrupt:
        print("wordodds: interrupted", file=sys.stderr)
        return 130
    except (OSError, ValueError) as error:
        print(f"wordodds: {error}", file=sys.stderr)
        return 1
    return 0


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"must be 1 or more, got {number}")
    return number

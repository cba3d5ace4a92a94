"""The command line: ``wordodds COMMAND``."""

import argparse
import os
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
        "demo",
        help="count 20 Newsgroups, train naive Bayes and show what it learned",
        description="Get 20 Newsgroups by the first way that works, train naive Bayes on it, "
        "evaluate it and show the most telling words of each class.",
    )
    demo.add_argument("--words", type=_positive, default=6, help="words per class (default: 6)")
    demo.add_argument(
        "--n-jobs", type=_positive, default=None, help="threads (default: usable cores)"
    )
    commands.add_parser("config", help="show version, compiler and instruction sets")
    options = parser.parse_args(arguments)
    if sys.stdout is None:  # started with standard output closed
        parser.error("there is no standard output to write to")
    try:
        if options.command == "config":
            wordodds.show_config()
        else:
            from wordodds.cli.demo import run_demo

            run_demo(words=options.words, n_jobs=options.n_jobs)
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("wordodds: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader has seen enough. Python would complain once more when it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + 13  # as if ended by SIGPIPE
    except (OSError, ValueError) as error:
        print(f"wordodds: {error}", file=sys.stderr)
        return 1
    return 0


def _positive(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text[:9]) == int(text):
        raise argparse.ArgumentTypeError(f"must be a whole number of 1 or more, got {text!r}")
    return int(text)

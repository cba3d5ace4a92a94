"""The commands of the command line, and how each of them ends."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import wordodds
from wordodds.cli import convert, evaluate, explain, inspect, predict, reproduce, train, tune
from wordodds.cli.options import UsageError
from wordodds.cli.printing import printable

if TYPE_CHECKING:
    from wordodds.__main__ import Interrupts

__all__ = ["run_command"]

EPILOG = """\
exit codes:
  0    done
  1    something is wrong with the input or the machine; standard error has one line about it
  2    the command is wrong
  3    done, but bad rows were skipped
  130  ended by Ctrl-C
  141  the reader of the output went away
"""


def run_command(arguments: Sequence[str] | None, interrupts: Interrupts | None) -> int:
    """Run a command and return its exit code."""
    if sys.stderr is None:  # or print would write errors among the results
        sys.stderr = os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # what a terminal cannot show is spelt out
            stream.reconfigure(errors="backslashreplace")
    parser = _parser()
    options = parser.parse_args(arguments)
    if sys.stdout is None:  # started with standard output closed
        parser.error("there is no standard output to write to")
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            options.check(options)
            options.prepare(options)
            if interrupts is not None:
                interrupts.begin()
            code: int = options.run(options)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _interrupted(interrupts)
    except Exception as error:
        # An interrupt inside an import may come as another error.
        if interrupts is not None and interrupts.seen:
            return _interrupted(interrupts)
        if isinstance(error, BrokenPipeError):  # the reader has seen enough
            _drop_output()
            return 128 + 13  # as if ended by SIGPIPE
        if not isinstance(error, OSError | ValueError | ImportError | MemoryError):
            raise
        print(f"wordodds: {printable(_one_line(error))}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1
    return code


def _interrupted(interrupts: Interrupts | None) -> int:
    with suppress(OSError):  # the same Ctrl-C may have ended the reader of standard error
        print("wordodds: interrupted", file=sys.stderr, flush=True)
    if interrupts is not None:
        interrupts.reported = True
    try:
        sys.stdout.flush()
    except OSError:  # the same Ctrl-C may have ended the reader
        _drop_output()
    return 130


def _drop_output() -> None:
    """Write nothing more to a closed pipe, about which Python would complain when it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="wordodds",
        description="Text into log-odds: train a classifier, and use it.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"wordodds {wordodds.__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for module in (train, tune, predict, evaluate, explain, inspect, convert, reproduce):
        module.add_parser(commands)
    config = commands.add_parser("config", help="show version, compiler and instruction sets")
    config.set_defaults(check=_nothing, prepare=_import_config, run=_run_config)
    return parser


def _nothing(options: argparse.Namespace) -> None:
    pass


def _import_config(options: argparse.Namespace) -> None:
    _ = wordodds.show_config  # imported when it is first looked at


def _run_config(options: argparse.Namespace) -> int:
    wordodds.show_config()
    return 0


def _one_line(error: BaseException | str) -> str:
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, MemoryError) and not str(error):
        return "not enough memory"
    notes = getattr(error, "__notes__", [])
    return " ".join(" ".join([str(error), *notes]).split())


def _show_warning(message: Warning | str, *details: object, **more: object) -> None:
    # Omit the source location that Python would print: it does not help at a prompt.
    print(f"wordodds: warning: {printable(_one_line(message))}", file=sys.stderr)

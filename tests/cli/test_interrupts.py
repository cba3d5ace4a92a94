"""Ctrl-C from the first import to the end of the process: one line, and exit code 130."""

import signal
import subprocess
import sys

import pytest

from wordodds.cli import main

ENTRY = """
import os, signal, sys, time
import wordodds.__main__ as entry

def interrupt():
    os.kill(os.getpid(), signal.SIGINT)

class At:
    # Interrupts the import of a module, and hides it as the modules of others may.
    def __init__(self, name):
        self.name = name
    def find_spec(self, name, path, target=None):
        if name == self.name:
            try:
                interrupt()
            except BaseException:
                raise ImportError("something else") from None

def command(run):
    import wordodds.cli.commands
    def instead(parser_of=wordodds.cli.commands._parser):
        parser = parser_of()
        parse = parser.parse_args
        def parse_args(arguments):
            options = parse(arguments)
            options.run = run
            return options
        parser.parse_args = parse_args
        return parser
    wordodds.cli.commands._parser = instead

class Dropped:
    def __del__(self):
        interrupt()

def wrapped(options):
    try:
        interrupt()
    except KeyboardInterrupt:
        raise SystemError("returned a result with an exception set") from None

def dropped(options):
    Dropped()
    time.sleep(60)
"""


def run_at(moment, *arguments, **how):
    """Run a command in a process that interrupts itself at a moment."""
    return subprocess.run(
        [sys.executable, "-c", f"{ENTRY}\n{moment}\nentry.run()", *map(str, arguments)],
        capture_output=True,
        text=True,
        **how,
    )


@pytest.mark.parametrize(
    "moment",
    [
        "sys.meta_path.insert(0, At('wordodds.cli'))",
        "sys.meta_path.insert(0, At('wordodds.cli.commands'))",
        "sys.meta_path.insert(0, At('numpy'))",
        "sys.meta_path.insert(0, At('wordodds.model.linear_model'))",
        "command(lambda options: interrupt())",
        "command(wrapped)",
        "command(dropped)",
    ],
)
def test_ctrl_c_is_one_line(files, moment):
    result = run_at(moment, "inspect", files / "mail.wordodds")
    assert (result.returncode, result.stdout) == (130, "")
    assert result.stderr == "wordodds: interrupted\n"


def test_ctrl_c_after_the_command_changes_nothing(files):
    result = run_at("import atexit; atexit.register(interrupt)", "inspect", files / "mail.wordodds")
    assert (result.returncode, result.stderr) == (0, "")
    assert "load_seconds" in result.stdout


def test_ctrl_c_that_is_ignored_stays_ignored(files):
    def ignore():
        signal.signal(signal.SIGINT, signal.SIG_IGN)

    moment = "sys.meta_path.insert(0, At('numpy')); command(lambda options: interrupt() or 0)"
    result = run_at(moment, "inspect", files / "mail.wordodds", preexec_fn=ignore)
    assert (result.returncode, result.stderr) == (0, "")


def test_a_command_imports_all_it_needs_before_it_begins(files, tmp_path):
    """An interrupt inside an import is dropped by some modules, so none is imported later."""
    moment = """
import atexit
class Noted(entry.Interrupts):
    def begin(self):
        before = set(sys.modules)
        atexit.register(lambda: print(*sorted(set(sys.modules) - before), file=sys.stderr))
entry.Interrupts = Noted
"""
    data, model = files / "mail.jsonl", files / "mail.wordodds"
    for command in (
        ["train", data, "--output", tmp_path / "m.wordodds", "--memory", "2GB"],
        ["predict", data, "--model", model, "--output", f"{tmp_path}/out/", "--json"],
    ):
        result = run_at(moment, *command)
        assert (result.returncode, result.stderr) == (0, "\n"), command


def test_the_function_leaves_signal_handlers_alone(capsys):
    before = signal.getsignal(signal.SIGINT), sys.unraisablehook
    assert main(["config"]) == 0
    assert (signal.getsignal(signal.SIGINT), sys.unraisablehook) == before

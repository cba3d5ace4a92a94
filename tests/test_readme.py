"""What the README says is true: its example runs, and CI runs its test command."""

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def code_blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def test_example_runs(monkeypatch):
    blocks = code_blocks("python")
    assert blocks
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    names = {}
    for number, block in enumerate(blocks):
        test = parser.get_doctest(block, names, f"README block {number}", "README.md", 0)
        assert test.examples, "a python block must be a >>> session, so that it can be checked"
        runner.run(test, clear_globs=False)
        names = test.globs
    assert runner.summarize().failed == 0


@pytest.mark.skipif(not (ROOT / ".ci").is_dir(), reason="an sdist carries no .ci")
def test_ci_calls_the_test_command():
    commands = [line for block in code_blocks("sh") for line in block.splitlines() if line]
    (test_command,) = [command for command in commands if "pytest" in command]
    assert test_command in (ROOT / ".ci" / "run").read_text()
    (main_command,) = [command for command in commands if "wordodds demo" in command]
    assert main_command.startswith("python3 -m venv")


def test_help_names_every_command():
    result = subprocess.run(
        [sys.executable, "-m", "wordodds", "--help"], check=True, capture_output=True, text=True
    )
    for command in ("demo", "config"):
        assert command in result.stdout

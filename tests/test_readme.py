"""What the README says is true: its example runs, and CI runs its test command."""

import subprocess
import sys
from pathlib import Path

import pytest

from .markdown import code_blocks, failures

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def test_example_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # it saves a model
    assert failures(README, "README.md") == 0


@pytest.mark.skipif(not (ROOT / ".ci").is_dir(), reason="an sdist carries no .ci")
def test_ci_calls_the_test_command():
    commands = [line for block in code_blocks(README, "sh") for line in block.splitlines() if line]
    (test_command,) = [command for command in commands if "pytest" in command]
    assert test_command in (ROOT / ".ci" / "gates.sh").read_text()
    assert "gates.sh" in (ROOT / ".ci" / "run").read_text()
    (main_command,) = [command for command in commands if "wordodds reproduce" in command]
    assert main_command.startswith("python3 -m venv")


def test_help_names_every_command():
    result = subprocess.run(
        [sys.executable, "-m", "wordodds", "--help"], check=True, capture_output=True, text=True
    )
    for command in (
        "train",
        "predict",
        "evaluate",
        "explain",
        "inspect",
        "convert",
        "reproduce",
        "config",
    ):
        assert command in result.stdout

"""Commands that must not destroy their input, nor fail on what a terminal cannot show."""

import json
import os
import subprocess
import sys

import pytest

from wordodds.cli import main

ROWS = "label,text\nsp\u00e4m,free money\nsp\u00e4m,cheap money\nham,lunch with you\nham,see you\n"


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "d.csv"
    path.write_text(ROWS, encoding="utf-8")
    return path


def test_train_does_not_replace_its_data(data, capsys):
    assert main(["train", str(data), "--output", str(data)]) == 2
    assert data.read_text(encoding="utf-8") == ROWS


def test_predict_does_not_replace_its_model(data, tmp_path, capsys):
    model = tmp_path / "m.csv"
    assert main(["train", str(data), "--output", str(model)]) == 0
    before = model.read_bytes()
    assert main(["predict", str(data), "--model", str(model), "--output", str(model)]) == 2
    assert model.read_bytes() == before


@pytest.mark.parametrize("json_wanted", [False, True])
def test_ascii_output(data, tmp_path, json_wanted):
    command = [sys.executable, "-m", "wordodds", "train", str(data)]
    command += ["--output", str(tmp_path / "m.wordodds"), *["--json"] * json_wanted]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONIOENCODING": "ascii"}, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    if json_wanted:
        assert "sp\u00e4m" in json.loads(done.stdout)["classes"]

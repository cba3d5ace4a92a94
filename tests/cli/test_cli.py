"""The command line, in this process and in a shell."""

import subprocess
import sys

import numpy as np
import pytest

import wordodds
from wordodds.cli import demo, main
from wordodds.datasets import Corpus


@pytest.fixture
def tiny(monkeypatch):
    texts = ["free money money", "free prize", "lunch with you", "you and lunch"]
    corpus = Corpus(
        texts, np.array(["spam", "spam", "ham", "ham"]), ["ham", "spam"], "tiny", "here"
    )

    def ways(*, announce):
        announce("the publisher is not available: no network")
        return corpus, corpus

    monkeypatch.setattr(demo, "newsgroups_or_synthetic", ways)


def test_demo_prints_the_whole_story(tiny, capsys):
    assert main(["demo", "--words", "2", "--n-jobs", "1"]) == 0
    out, err = capsys.readouterr()
    assert "no network" in err
    for part in (
        "tiny, from here",
        "4 documents",
        "MB/s",
        "accuracy   1.0000 (4 of 4",
        "free\N{NO-BREAK SPACE}+1.",
    ):
        assert part in out
    table = out.split("\n\n")[-1].splitlines()
    assert table[0].startswith("class")
    assert [line.split()[0] for line in table[2:]] == ["ham", "spam"]


def test_demo_on_newsgroups_in_a_shell(newsgroups_data):
    result = subprocess.run(
        [sys.executable, "-m", "wordodds", "demo"], capture_output=True, text=True, check=True
    )
    assert "11,314 documents" in result.stdout
    assert "accuracy   0.80" in result.stdout
    for group in ("alt.atheism", "talk.religion.misc"):
        assert group in result.stdout


def test_config(capsys):
    assert main(["config"]) == 0
    assert f"wordodds                    {wordodds.__version__}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--version"], 0),
        (["demo", "--words", "0"], 2),
        (["demo", "--n-jobs", "x"], 2),
        ([], 2),
        (["fly"], 2),
    ],
)
def test_exit_codes(arguments, code):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == code


def test_an_error_is_one_line(tiny, monkeypatch, capsys):
    def broken(**options):
        raise ValueError("alpha must be >= 0")

    monkeypatch.setattr(demo, "run_demo", broken)
    assert main(["demo"]) == 1
    assert capsys.readouterr().err == "wordodds: alpha must be >= 0\n"
    monkeypatch.setattr(
        demo, "run_demo", lambda **options: (_ for _ in ()).throw(KeyboardInterrupt)
    )
    assert main(["demo"]) == 130


def test_a_reader_that_stops_early_is_no_error():
    program = "import sys; from wordodds.cli import main; sys.exit(main(['config']))"
    with subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        child.stdout.close()
        assert child.stderr.read() == b""
    assert child.returncode == 141


def test_closed_standard_output():
    result = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; sys.stdout = None; import wordodds.cli as c; c.main(['config'])",
        ],
        capture_output=True,
        text=True,
    )
    assert result.returncode == 2
    assert "no standard output" in result.stderr

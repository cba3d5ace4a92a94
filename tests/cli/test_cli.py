"""The command line, in this process and in a shell."""

import subprocess
import sys

import pytest

import wordodds
from wordodds.cli import main
from wordodds.experiments import reproduce
from wordodds.experiments.claims import CLAIMS


def test_reproduce_one_experiment_in_a_shell(tmp_path):
    result = subprocess.run(
        [sys.executable, "-m", "wordodds", "reproduce", "--only", "boundaries", "--seed", "3"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert "boundaries" in result.stdout
    assert "C8" in result.stdout
    assert "C14" not in result.stdout  # not part of this run
    assert result.stdout.splitlines()[-1] == "wrote      report.md and report.html"
    assert {path.name for path in tmp_path.iterdir()} == {
        "figures",
        "report.html",
        "report.md",
        "results",
    }
    report = (tmp_path / "report.md").read_text()
    for claim in CLAIMS:
        assert f"| {claim.id}. " in report


def test_reproduce_names_its_experiments(capsys):
    assert main(["reproduce", "--list"]) == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines()[2:]]
    for name in ("binary-size", "groups-dims", "sparse", "convergence", "theory", "uci"):
        assert name in names
    assert main(["reproduce", "--only", "fly"]) == 2
    assert "there is no experiment 'fly'; they are binary-size" in capsys.readouterr().err


def test_config(capsys):
    assert main(["config"]) == 0
    assert f"wordodds                    {wordodds.__version__}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--version"], 0),
        (["reproduce", "--seed", "-1"], 2),
        (["reproduce", "--n-jobs", "x"], 2),
        ([], 2),
        (["fly"], 2),
    ],
)
def test_exit_codes(arguments, code):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == code


def test_an_error_is_one_line(monkeypatch, capsys):
    def broken(*arguments, **options):
        raise ValueError("alpha must be >= 0")

    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(reproduce, "reproduce", broken)
    assert main(["reproduce"]) == 1
    assert capsys.readouterr().err == "wordodds: alpha must be >= 0\n"
    monkeypatch.setattr(reproduce, "reproduce", interrupted)
    assert main(["reproduce"]) == 130


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

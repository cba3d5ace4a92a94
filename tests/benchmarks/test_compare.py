"""The gate against slower commits: what it must find, and what it must not."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from benchmarks.compare import __main__ as program
from benchmarks.compare import environments
from benchmarks.compare.environments import Failure, Round
from benchmarks.compare.verdicts import (
    FASTER,
    SAME,
    SLOWER,
    UNCLEAR,
    Limits,
    judge,
    judge_all,
    report,
    short,
    slower_jobs,
    suspicious_jobs,
    table,
)

ROOT = Path(__file__).parents[2]
LIMITS = Limits(fraction=0.10, seconds=20e-6)
COUNT = "benchmarks/suites/bench_text.py::test_count[wordodds, 1 thread]"
FIT = "benchmarks/suites/bench_bayes.py::test_fit[wordodds, 1 thread]"
SVD = "benchmarks/suites/bench_experiments.py::test_svd[wordodds, 1 thread]"


def rounds_of(seconds, rng, *, noise, n_rounds=5):
    """Return times as a busy machine gives them: never less than the true one."""
    return list(seconds * (1.0 + rng.exponential(noise, size=n_rounds)))


@pytest.mark.parametrize("seed", range(20))
def test_a_planted_slowdown_is_found(seed):
    rng = np.random.default_rng(seed)
    base, head = (rounds_of(seconds, rng, noise=0.01) for seconds in (0.100, 0.125))
    assert judge(base, head, LIMITS).word == SLOWER
    assert judge(head, base, LIMITS).word == FASTER


@pytest.mark.parametrize("noise", [0.01, 0.1, 0.5])
def test_noise_is_not_a_slowdown(noise):
    rng = np.random.default_rng(0)
    words = [
        judge(*(rounds_of(0.1, rng, noise=noise) for _ in "ab"), LIMITS).word for _ in range(500)
    ]
    assert words.count(SLOWER) <= 5  # of 500; and then a job is run again


@pytest.mark.parametrize(
    ("base", "head", "word"),
    [
        ([1.00, 1.00, 1.00], [1.09, 1.09, 1.09], SAME),
        ([1.00, 1.00, 1.00], [1.11, 1.11, 1.11], SLOWER),
        ([1.00, 1.05, 1.05], [1.11, 1.11, 1.11], UNCLEAR),  # the noise of BASE
        ([1.00, 1.00, 1.00], [1.11, 1.13, 1.13], UNCLEAR),  # the noise of HEAD
        ([1.00, 1.01, 1.01, 9.0], [9.0, 1.13, 1.14, 1.13], SLOWER),  # a bad round is not noise
        ([1.00, 1.00, 1.05], [1.11, 1.11, 1.11], UNCLEAR),  # two lucky rounds are no proof
        ([1.00, 1.00, 1.05, 1.00], [1.11, 1.11, 1.11, 1.11], SLOWER),  # but a third is
        ([1.11, 1.11, 1.11], [1.00, 1.00, 1.00], FASTER),
        ([1e-5, 1e-5, 1e-5], [2.9e-5, 2.9e-5, 2.9e-5], SAME),  # threefold, but 19 microseconds
        ([1e-5, 1e-5, 1e-5], [3.1e-5, 3.1e-5, 3.1e-5], SLOWER),
    ],
    ids=lambda value: value if isinstance(value, str) else " ".join(f"{v:g}" for v in value),
)
def test_the_rule(base, head, word):
    assert judge(base, head, LIMITS).word == word


def test_the_best_rounds_are_compared_and_the_noise_is_of_both():
    verdict = judge([0.3, 0.1, 0.2], [0.5, 0.6, 0.9], LIMITS)
    assert (verdict.base, verdict.head) == (0.1, 0.5)
    assert verdict.noise == pytest.approx(0.2 + 0.4)


def sides(base, head, *, base_problems=(), head_problems=()):
    return (
        [Round(base, dict(base_problems))] * 3,
        [Round(head, dict(head_problems))] * 3,
    )


def test_the_table_names_each_job_with_its_times():
    times = {FIT: (1e-3, 1e-3), COUNT: (2.0, 3.0)}
    verdicts = {job: judge([a] * 3, [b] * 3, LIMITS) for job, (a, b) in times.items()}
    assert table(verdicts).splitlines()[2:] == [
        "| text: count[wordodds, 1 thread] | 2000 | 3000 | +50.0% | 0 | SLOWER |",
        "| bayes: fit[wordodds, 1 thread] | 1 | 1 | +0.0% | 0 | same |",
    ]


@pytest.mark.parametrize("folder", ["benchmarks", "benchmarks/suites"])
def test_a_job_has_one_name_wherever_its_suite_lies(folder):
    """HEAD may be older than the folder of the suites."""
    assert short(f"{folder}/bench_text.py::test_count[a/b.py::test_c]") == (
        "text: count[a/b.py::test_c]"
    )
    assert short(f"{folder}/bench_text.py") == "text"


def test_a_job_of_one_side_is_named_and_not_failed():
    rounds = sides(
        {COUNT: 1.0, FIT: 1.0},
        {COUNT: 1.0, SVD: 1.0},
        base_problems={"benchmarks/suites/bench_experiments.py": "error: ImportError: no SVD"},
    )
    verdicts, missing = judge_all(*rounds, LIMITS)
    assert list(verdicts) == [COUNT]
    assert missing == [(FIT, "HEAD", "no such job"), (SVD, "BASE", "error: ImportError: no SVD")]
    text = report(verdicts, missing, LIMITS)
    assert "not in BASE: experiments: svd[wordodds, 1 thread]: error: ImportError: no SVD" in text
    assert "0 of 1 jobs slower" in text


def test_a_file_whose_jobs_nobody_knows_is_named():
    problem = {"benchmarks/suites/bench_experiments.py": "error: ImportError: no SVD"}
    _, missing = judge_all(*sides({COUNT: 1.0}, {}, base_problems=problem), LIMITS)
    assert missing == [
        (COUNT, "HEAD", "no such job"),
        ("benchmarks/suites/bench_experiments.py", "BASE", "error: ImportError: no SVD"),
    ]


def test_a_wrong_answer_has_no_time():
    rounds = sides(
        {COUNT: 1.0, FIT: 1.0}, {COUNT: 9.0, FIT: 1.0}, head_problems={COUNT: "failure: assert 1"}
    )
    verdicts, missing = judge_all(*rounds, LIMITS)
    assert list(verdicts) == [FIT]
    assert missing == [(COUNT, "HEAD", "failure: assert 1")]


def test_a_job_that_was_skipped_once_measured_has_a_time():
    rounds = sides({COUNT: 1.0}, {COUNT: 2.0}, head_problems={COUNT: "skipped: no peer"})
    verdicts, missing = judge_all(*rounds, LIMITS)
    assert slower_jobs(verdicts) == [COUNT]
    assert missing == []
    assert report(verdicts, missing, LIMITS).endswith("  text: count[wordodds, 1 thread]")


def test_what_noise_may_hide_is_run_again():
    noisy = [1.0, 1.2, 1.2]
    verdicts = {
        COUNT: judge(noisy, [1.6, 1.8, 1.8], LIMITS),
        FIT: judge(noisy, [1.2, 1.4, 1.4], LIMITS),
        SVD: judge([1.2, 1.4, 1.4], noisy, LIMITS),
        "same": judge(noisy, noisy, LIMITS),
    }
    assert [verdict.word for verdict in verdicts.values()] == [SLOWER, UNCLEAR, UNCLEAR, SAME]
    assert suspicious_jobs(verdicts) == [COUNT, FIT]
    assert "2 lost in noise" in report(verdicts, [], LIMITS)


def test_turns():
    order = [side for _, side in program.turns(4)]
    assert order == ["BASE", "HEAD", "HEAD", "BASE"] * 2


@pytest.mark.parametrize("option", ["--rounds=2", "--threshold=-1", "--limit=nan"])
def test_options_that_make_no_sense(option, capsys):
    with pytest.raises(SystemExit):
        program.parse(["a", "b", option])
    assert "must be >=" in capsys.readouterr().err


BENCHMARK = """
import json, pytest
def test_job(): json.dumps([])
def test_wrong(): assert [1] == [2]
@pytest.mark.skip(reason="no corpus")
def test_skipped(): pass
"""


def test_what_pytest_writes_is_read(tmp_path):
    """Of real files, as their form is not ours."""
    folder = tmp_path / "benchmarks"
    folder.mkdir()
    (folder / "bench_a.py").write_text(BENCHMARK)
    (folder / "bench_b.py").write_text("from json import nothing_like_it\n")
    (tmp_path / "pyproject.toml").write_text(
        '[tool.pytest.ini_options]\npython_files = ["bench_*.py"]\n'
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "benchmarks"]
    options = ["--continue-on-collection-errors", "--junit-xml=round.xml"]
    alone = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_ADDOPTS": ""}
    subprocess.run([*command, *options], cwd=tmp_path, env=alone, stdout=subprocess.DEVNULL)
    problems = environments.read_problems(tmp_path / "round.xml")
    assert problems.pop("benchmarks/bench_b.py").startswith("error: ImportError: cannot import")
    assert problems == {
        "benchmarks/bench_a.py::test_wrong": "failure: assert [1] == [2]",
        "benchmarks/bench_a.py::test_skipped": "skipped: no corpus",
    }


def test_the_best_time_of_a_process_is_read(tmp_path):
    job = {"fullname": COUNT, "stats": {"min": 0.25, "mean": 0.5, "max": 1.0}}
    (tmp_path / "round.json").write_text(json.dumps({"benchmarks": [job]}))
    assert environments.read_seconds(tmp_path / "round.json") == {COUNT: 0.25}
    assert environments.read_seconds(tmp_path / "none.json") == {}


@pytest.fixture
def repository(tmp_path):
    """Return a repository of two commits, of which the second is checked out and changed."""
    folder = tmp_path / "repository"
    folder.mkdir()
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    git = ["git", "-C", str(folder), *who]
    subprocess.run([*git, "init", "--quiet"], check=True)
    for text in ("first", "second"):
        (folder / "file").write_text(text)
        subprocess.run([*git, "add", "file"], check=True)
        subprocess.run([*git, "commit", "--quiet", "-m", text], check=True)
    (folder / "file").write_text("not committed")
    return folder


def test_a_commit_is_taken_as_it_was_committed(repository, tmp_path):
    for name, text in (("HEAD~1", "first"), ("HEAD", "second")):
        commit = environments.find_commit(repository, name)
        assert commit.title == text
        environments.unpack(repository, commit, tmp_path / text)
        assert (tmp_path / text / "file").read_text() == text
    with pytest.raises(Failure, match=r"second\) has no pyproject"):
        environments.build(repository, commit, tmp_path / "built")


@pytest.mark.parametrize("name", ["no-such-branch", "--all", ""])
def test_an_unknown_commit_is_named(repository, name, capsys):
    with pytest.raises(Failure, match="is no commit of"):
        environments.find_commit(repository, name)
    assert program.main(["--repository", str(repository), "HEAD", "no-such"]) == 2
    assert "'no-such' is no commit" in capsys.readouterr().err


def test_what_runs_ends_with_the_program(tmp_path):
    """Also the children of a child: the compilers of a pip that is told to stop."""
    program = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from pathlib import Path
from benchmarks.compare.environments import call
call(["sh", "-c", "sleep 60 & echo $! > started; wait"], folder=Path({str(tmp_path)!r}))
"""
    process = subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.DEVNULL)
    started = tmp_path / "started"
    while not (started.exists() and started.read_text().strip()):
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    assert process.wait() != 0
    while not is_gone(int(started.read_text())):
        time.sleep(0.02)


def is_gone(process):
    """Tell whether a process has ended; nobody may be there to collect what is left of it."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True

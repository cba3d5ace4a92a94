"""Two commits, each built in a separate environment, for benchmarks.compare to run on.

A commit's files are taken out of git by `git archive`: nothing is registered in the repository, so
nothing is left in it either, however the program ends. Each environment gets what the commit's own
metadata ask for, as dependencies may differ; pip's cache spares the second one the downloads.
"""

import importlib.metadata
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

# Without these no benchmark runs; the rest of the extra "bench" is peers.
TOOLS = ("pytest", "pytest-benchmark", "threadpoolctl")
NO_TESTS = 5  # pytest's exit status where nothing was selected
SOME_FAILED = 1


class Failure(Exception):
    """A message for the terminal: the comparison cannot go on."""


class Commit(NamedTuple):
    """A commit: its number and the first line of its message."""

    number: str
    title: str

    def __str__(self) -> str:
        return f"{self.number[:10]} ({self.title})"


class Environment(NamedTuple):
    """A commit's files, and the interpreter that has it installed."""

    checkout: Path
    python: Path


class Round(NamedTuple):
    """What one run of the benchmarks gave: seconds by job, and why others gave none."""

    seconds: dict[str, float]
    problems: dict[str, str]


def call(
    command: Sequence[str | Path], *, folder: Path, log: Path | None = None, **variables: str
) -> tuple[int, str]:
    """Run a command; return its exit status and output.

    It gets a session of its own: when this program is stopped, so are the compilers which pip and
    ninja have started, before their folder is removed.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {"PYTHONNOUSERSITE": "1", "PYTHONHASHSEED": "0"} | variables
    stops = {signal.SIGINT, signal.SIGTERM}
    process = None
    try:
        # Held back until there is a process to stop; it must not inherit that.
        signal.pthread_sigmask(signal.SIG_BLOCK, stops)
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
            preexec_fn=partial(signal.pthread_sigmask, signal.SIG_UNBLOCK, stops),
        )
        signal.pthread_sigmask(signal.SIG_UNBLOCK, stops)
        output, _ = process.communicate()
    except BaseException:
        if process is not None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        raise
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, stops)
    if log is not None:
        log.write_text(output)
    return process.returncode, output


def find_commit(repository: Path, name: str) -> Commit:
    """Return the commit that a branch, a tag or a number means."""
    git = ["git", "-C", str(repository)]
    found = subprocess.run(
        [*git, "rev-parse", "--verify", "--quiet", f"{name}^{{commit}}"],
        capture_output=True,
        text=True,
    )
    if found.returncode != 0:
        raise Failure(f"{name!r} is no commit of {repository}: see git log and git branch")
    number = found.stdout.strip()
    title = subprocess.run(
        [*git, "log", "-1", "--format=%s", number], capture_output=True, text=True, check=True
    )
    return Commit(number, title.stdout.strip())


def unpack(repository: Path, commit: Commit, folder: Path) -> None:
    """Write the files of a commit into a folder."""
    archive = subprocess.run(
        ["git", "-C", str(repository), "archive", "--format=tar", commit.number],
        capture_output=True,
        check=True,
    )
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
        files.extractall(folder, filter="data")


def build(repository: Path, commit: Commit, folder: Path) -> Environment:
    """Build and install a commit; a folder that holds it already is taken as it is."""
    environment = Environment(folder / "checkout", folder / "venv" / "bin" / "python")
    done = folder / "built"
    if done.exists():
        return environment
    shutil.rmtree(folder, ignore_errors=True)  # what a run that was stopped has left
    folder.mkdir(parents=True)
    unpack(repository, commit, environment.checkout)
    if not (environment.checkout / "pyproject.toml").exists():
        raise Failure(f"{commit} has no pyproject.toml, so it cannot be installed")
    status, output = call([sys.executable, "-m", "venv", folder / "venv"], folder=folder)
    if status == 0:
        status, output = install(environment, [str(environment.checkout)])
    if status != 0:
        raise Failure(f"{commit} cannot be built:\n{tail(output)}")
    done.write_text(f"{commit}\n")
    return environment


def install(environment: Environment, what: list[str]) -> tuple[int, str]:
    """Install packages, and do not spend time on byte code or on looking for a newer pip."""
    folder = environment.checkout.parent
    command = [str(environment.python), "-m", "pip", "install", "--no-compile", "--quiet"]
    # What pip leaves when it is stopped goes with the folder.
    return call([*command, "--disable-pip-version-check", *what], folder=folder, TMPDIR=str(folder))


def install_tools(environment: Environment, head: Path) -> str | None:
    """Install what HEAD's benchmarks import; return what had to be left out, None for nothing.

    Peers do not run here, so one that cannot be installed is no reason to stop.
    """
    with (head / "pyproject.toml").open("rb") as metadata:
        extras = tomllib.load(metadata)["project"].get("optional-dependencies", {})
    if install(environment, extras.get("bench", list(TOOLS)))[0] == 0:
        return None
    status, output = install(environment, list(TOOLS))
    if status != 0:
        raise Failure(f"pytest-benchmark cannot be installed:\n{tail(output)}")
    return "the peers of the extra bench could not be installed"


def versions(environment: Environment) -> dict[str, str]:
    """Return the version of each package that is installed, by name."""
    folders = environment.python.parents[1].glob("lib/python3*/site-packages")
    found = importlib.metadata.distributions(path=[str(folder) for folder in folders])
    return {package.name: package.version for package in found}


def run(environment: Environment, head: Path, options: list[str], results: Path) -> Round:
    """Run what the options select of HEAD's benchmarks; pytest's files are left as results.*."""
    json_file, xml_file = results.with_suffix(".json"), results.with_suffix(".xml")
    command = [str(environment.python), "-m", "pytest", "--benchmark-only", "-q"]
    files = [f"--benchmark-json={json_file}", f"--junit-xml={xml_file}"]
    # A file of benchmarks may import names that an older commit lacks: the others still run.
    others = ["-p", "no:cacheprovider", "--continue-on-collection-errors"]
    # Where all jobs are skipped it warns that there is nothing to save; the report has the reasons.
    others += ["-W", "default::pytest_benchmark.logger.PytestBenchmarkWarning"]
    status, output = call(
        [*command, *files, *others, *options],
        folder=head,
        log=results.with_suffix(".log"),
        WORDODDS_DATA=os.path.abspath(os.environ.get("WORDODDS_DATA", "no-such-folder")),
    )
    if status not in (0, SOME_FAILED, NO_TESTS):
        raise Failure(f"the benchmarks did not run:\n{tail(output)}")
    return Round(read_seconds(json_file), read_problems(xml_file))


def read_seconds(path: Path) -> dict[str, float]:
    """Return the best time of each job in a file by pytest-benchmark; {} if there is none."""
    if not path.exists() or path.stat().st_size == 0:
        return {}
    jobs = json.loads(path.read_text())["benchmarks"]
    return {job["fullname"]: job["stats"]["min"] for job in jobs}


def read_problems(path: Path) -> dict[str, str]:
    """Return the tests, and the files, that failed or were skipped, and why."""
    problems = {}
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        for kind in ("failure", "error", "skipped"):
            problem = case.find(kind)
            if problem is None:
                continue
            module, name = case.get("classname", ""), case.get("name", "")
            file = (module or name).replace(".", "/") + ".py"
            job = f"{file}::{name}" if module else file
            problems[job] = f"{kind}: {reason_of(problem)}"
    return problems


def reason_of(problem: ElementTree.Element) -> str:
    """Return the line that names the error: the first of those that pytest marks with an E."""
    lines = (problem.text or "").splitlines()
    errors = [line[1:].strip() for line in lines if line.startswith("E ")]
    return errors[0] if errors else problem.get("message", "").partition("\n")[0]


def tail(output: str, n_lines: int = 30) -> str:
    """Return the end of an output."""
    return "\n".join(output.splitlines()[-n_lines:])

"""The engine's own tests under TSan with 2, 5 and 16 threads, then under ASan and UBSan.

Topics that never start a thread are left to ASan and UBSan, as TSan has nothing to see in them.
A line counts the tests of all topics; its figures name the instruction sets that ran, as the test
program prints them.
"""

import json
import os
import re
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from tests.hard.battery import Line

CSRC = Path(__file__).parents[2] / "csrc"
THREADS = "2,5,16"
SECONDS_MAX = 600
# Their kernels take no Execution, or one of a single thread.
SINGLE_THREADED = frozenset((
    "base/checksum", "base/elementary", "base/numeric", "base/zeroed_array", "text/fasttext",
    "text/fasttext_rows", "text/lower", "text/term_table", "text/tokenize", "text/word_break",
))  # fmt: skip
_SUMMARY = re.compile(r"^(\d+) tests, (\d+) failed$", re.M)
_EXECUTIONS = re.compile(r"^instruction sets: .*$", re.M)


class Topic(NamedTuple):
    """What the tests of one topic gave."""

    n_tests: int
    failure: str | None
    executions: str


def run(share: float) -> Iterator[Line]:
    """Yield a line for each sanitizer; a share takes the first topics alone."""
    yield sanitized_line(
        "tsan", f"C++ tests under TSan, {THREADS.replace(',', ', ')} threads", share, THREADS
    )
    yield sanitized_line("asan-ubsan", "C++ tests under ASan and UBSan", share, None)


def sanitized_line(preset: str, tried: str, share: float, threads: str | None) -> Line:
    """Build a preset and run its topics, two at a time."""
    failure = build(preset)
    if failure is not None:
        return Line(tried, 0, [failure])
    try:
        names = topics(listed(preset), SINGLE_THREADED if preset == "tsan" else frozenset())
    except ValueError as error:
        return Line(tried, 0, [str(error)])
    names = names[: max(1, round(len(names) * share))]
    program = CSRC / "build" / preset / "tests" / "wordodds_tests"
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda name: run_topic(program, name, threads), names))
    failures = [topic.failure for topic in found if topic.failure is not None]
    executions = sorted({topic.executions for topic in found})
    detail = f"{len(names)} topics; {'; '.join(executions)}"
    return Line(tried, sum(topic.n_tests for topic in found), failures, detail)


def build(preset: str) -> str | None:
    """Configure and build a preset; return the end of the output if that fails."""
    for command in (["cmake", "--preset", preset], ["cmake", "--build", "--preset", preset]):
        result = subprocess.run(command, cwd=CSRC, capture_output=True, text=True)
        if result.returncode:
            return f"{' '.join(command)}: {(result.stdout + result.stderr)[-600:]}"
    return None


def listed(preset: str) -> list[str]:
    """Return the tests that ctest would run: a topic each, and planted bugs where they are on."""
    command = ["ctest", "--test-dir", str(CSRC / "build" / preset), "--show-only=json-v1"]
    found = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    names = [test["name"] for test in json.loads(found)["tests"]]
    return [name for name in names if not name.startswith("planted_")]


def topics(built: list[str], without: frozenset[str], folder: Path = CSRC / "tests") -> list[str]:
    """Return the topics of the build but some; ValueError unless all files of tests are built.

    A topic is family/topic for tests/<family>/test_<topic>.cpp.
    """
    files = {path.relative_to(folder).as_posix() for path in folder.rglob("*.cpp")}
    expected = {name.replace("/", "/test_", 1) + ".cpp" for name in built}
    if odd := (files - {"main.cpp", "planted_bug.cpp"}) ^ expected:
        raise ValueError(f"the tests that are built are not those of the files: {sorted(odd)}")
    if unknown := without - set(built):
        raise ValueError(f"no such topics: {sorted(unknown)}")
    return [name for name in built if name not in without]


def run_topic(program: Path, name: str, threads: str | None) -> Topic:
    """Run the tests of one topic; a report of a sanitizer ends it with an exit code."""
    environment = dict(os.environ)
    environment.pop("WORDODDS_TEST_THREADS", None)
    if threads is not None:
        environment["WORDODDS_TEST_THREADS"] = threads
    command = [str(program), f"{name}/"]
    try:
        result = subprocess.run(
            command, capture_output=True, text=True, errors="replace", env=environment,
            timeout=SECONDS_MAX,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Topic(0, f"{name}: no answer in {SECONDS_MAX} s", "unknown")
    output = result.stdout + result.stderr
    summary = _SUMMARY.search(output)
    executions = _EXECUTIONS.search(output)
    ran = summary is not None and int(summary[1]) > 0
    failure = None
    if result.returncode or not ran or executions is None:
        reports = [line for line in output.splitlines() if re.search("SUMMARY|FAILED|ERROR:", line)]
        failure = (
            f"{name}: exit code {result.returncode}: {' | '.join(reports)[-600:] or output[-600:]}"
        )
    return Topic(
        int(summary[1]) if summary else 0, failure, executions[0] if executions else "unknown"
    )

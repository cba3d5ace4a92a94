"""Coverage-guided fuzzing: every target for two minutes, two at a time.

The C++ targets are built by the preset fuzz (csrc/fuzz/README.md), those for the readers in Python
are in `tests.hard.fuzz_python`. A line has the executions of one target; a crash, a hang or an
answer that differs from the twin's is a failure with its input in base64.
"""

import base64
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.hard.battery import Line, scaled
from tests.hard.sanitized_threads import CSRC, build

SECONDS = 60
SECONDS_PER_INPUT = 60
GRACE = 300  # seconds that a target may take to start and to end
ENGINE = {
    "csr": "CSR validation",
    "utf8": "UTF-8 check",
    "analyze": "scanner",
    "windows": "scanner across windows",
    "count": "counting",
    "word_break": "word boundaries",
    "arrow": "Arrow columns",
    "fasttext": "fastText's reading of text",
    "fasttext_rows": "fastText's arrays",
    "terms": "tables of terms",
}
TEXT = ("utf8", "analyze", "windows", "count", "word_break", "fasttext")  # mostly text
PYTHON = {
    "model_header": "model file, header",
    "model_arrays": "model file, arrays",
    "fasttext_file": "fastText file",
    "journal": "journal",
    "delimited": "CSV and TSV",
    "jsonl": "JSONL",
}
LIBFUZZER = "install Clang with libFuzzer (Debian: apt install clang libclang-rt-14-dev)"
ATHERIS = "install Atheris (pip install 'wordodds[fuzz]')"
_COVERAGE = re.compile(r"cov: (\d+) ft: (\d+)")
_EXECUTIONS = re.compile(r"stat::number_of_executed_units: *(\d+)")


def run(share: float) -> Iterator[Line]:
    """Yield a line for each target, in order."""
    seconds = scaled(SECONDS, share)
    missing = missing_compiler() or build("fuzz")
    if missing is not None:
        yield from (Line(f"fuzz {name}", 0, [missing]) for name in ENGINE.values())
    no_atheris = importlib.util.find_spec("atheris") is None
    if no_atheris:
        yield from (Line(f"fuzz {name}", 0, [ATHERIS]) for name in PYTHON.values())
    jobs = [(target, False) for target in ENGINE if missing is None]
    jobs += [(target, True) for target in PYTHON if not no_atheris]
    with ThreadPoolExecutor(2) as pool:
        yield from pool.map(lambda job: fuzz_line(*job, seconds), jobs)


def missing_compiler() -> str | None:
    """Return what to install if there is no compiler for the targets."""
    return None if shutil.which("clang++") else f"no clang++ on this machine: {LIBFUZZER}"


def fuzz_line(target: str, in_python: bool, seconds: int) -> Line:
    """Run one target in a folder of its own for the inputs that it finds."""
    shared = Path("/dev/shm")  # a target writes a file for each input
    within = shared if os.access(shared, os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="wordodds-fuzz-", dir=within) as folder:
        for name in ("found", "crashes", "scratch"):
            os.mkdir(f"{folder}/{name}")
        options = [
            f"-max_total_time={seconds}",
            f"-timeout={SECONDS_PER_INPUT}",
            f"-artifact_prefix={folder}/crashes/",
            "-print_final_stats=1",
            "-rss_limit_mb=2048",
        ]
        command = python_command(target) if in_python else engine_command(target)
        seeds = [] if in_python else [str(CSRC / "fuzz/corpus" / target)]
        tried = f"fuzz {PYTHON[target] if in_python else ENGINE[target]}"
        return outcome(tried, [*command, *options, f"{folder}/found", *seeds], folder, seconds)


def engine_command(target: str) -> list[str]:
    """Return the program of a target of the engine, with the words that text is made of."""
    program = str(CSRC / "build/fuzz/fuzz" / f"fuzz_{target}")
    words = [f"-dict={CSRC / 'fuzz/text.dict'}"] if target in TEXT else []
    return [program, "-max_len=400", *words]


def python_command(target: str) -> list[str]:
    """Return the program of a target in Python."""
    return [sys.executable, "-W", "ignore", "-m", "tests.hard.fuzz_python", target, "-max_len=6000"]


def outcome(tried: str, command: list[str], folder: str, seconds: int) -> Line:
    """Run a target to its end and read what libFuzzer reports of it."""
    environment = {**os.environ, "WORDODDS_FUZZ_FOLDER": f"{folder}/scratch"}
    try:
        result = subprocess.run(
            command, capture_output=True, timeout=seconds + GRACE, env=environment
        )
    except subprocess.TimeoutExpired:
        return Line(tried, 0, [f"did not end in {seconds + GRACE} s"])
    output = (result.stdout + result.stderr).decode(errors="replace")
    executions = _EXECUTIONS.search(output)
    coverage = _COVERAGE.findall(output)
    n = int(executions[1]) if executions else 0
    failures = [
        f"{path.name}: {reason_of(output)}; base64 {base64.b64encode(path.read_bytes()).decode()}"
        for path in Path(folder, "crashes").iterdir()
    ]
    if result.returncode and not failures:
        failures = [f"exit code {result.returncode}: {output[-600:]}"]
    if not failures and (not n or not coverage):
        failures = [f"nothing was executed, or without coverage: {output[-600:]}"]
    edges, features = coverage[-1] if coverage else ("0", "0")
    detail = f"cov {edges} edges, {features} features, {seconds} s, {n // seconds:,} exec/s"
    return Line(tried, n, failures, detail)


def reason_of(output: str) -> str:
    """Return the line of the output that says what went wrong."""
    for pattern in (
        "CHECK failed: .*",
        ".*runtime error: .*",
        r"^\w*(?:Error|Exception)\b.*",
        "SUMMARY: .*",
    ):
        found = re.search(pattern, output, re.M)
        if found is not None:
            return found[0][:300]
    return "no reason given"

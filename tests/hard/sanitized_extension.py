"""The Python extension under ASan and UBSan, with the inputs of other shards.

The bindings and the engine are built once more into a folder of their own; SciPy, NumPy and the
interpreter are not instrumented. A report of a sanitizer ends the process of its case with an exit
code, which the shard that ran it takes for a failure.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.hard.battery import Line

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "build" / "sanitized"
SANITIZERS = ("asan", "ubsan")
# The sanitizers make the calls several times as slow, and all of these must fit into one shard.
SHARES = {"csr": 0.05, "model_files": 0.25, "fasttext_files": 0.5, "vectorizers": 0.25}
SECONDS_MAX = 900
_BUILD = [
    "--no-deps", "--upgrade", "--target", str(FOLDER), str(ROOT),
    "-Cbuild-dir=build/sanitized-build",
    "-Ccmake.build-type=RelWithDebInfo",
    "-Ccmake.define.CMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -g1",
    "-Ccmake.define.WORDODDS_SANITIZE=address,undefined",
]  # fmt: skip
# An editable install puts its own finder before PYTHONPATH.
_IMPORT = """
import ctypes, json, sys
sys.meta_path[:] = [f for f in sys.meta_path if not type(f).__module__.startswith("_editable")]
import wordodds._core.base
assert {folder!r} in wordodds._core.base.__file__, wordodds._core.base.__file__
"""
# In a worker, as the shards have them. The interpreter itself is not instrumented, but memset is.
_PLANTED = """
from tests.hard.workers import failing_cases
def overflow(number):
    libc = ctypes.CDLL(None)
    libc.malloc.restype = ctypes.c_void_p
    ctypes.memset(libc.malloc(ctypes.c_size_t(16)) + 16, 1, 1)  # one byte past the end
print(json.dumps(failing_cases(overflow, 1)), flush=True)
"""
_SHARD = """
from tests.hard.shards import shard_of
for line in shard_of({name!r}).run({share!r}):
    print("LINE " + json.dumps(line), flush=True)
"""


def run(share: float) -> Iterator[Line]:
    """Build the extension, prove that a report ends a process, then yield the lines of shards."""
    failure = build_extension()
    if failure is not None:
        yield Line("build under ASan and UBSan", 0, [failure])
        return
    planted = planted_failure()
    yield Line("planted heap overflow, which must be reported", 1, [planted] if planted else [])
    for name, part in SHARES.items():
        yield from lines_of(name, part * share)


def build_extension() -> str | None:
    """Build the package with sanitizers; return the end of the output if that fails."""
    command = [sys.executable, "-m", "pip", "install", *_BUILD]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return None if result.returncode == 0 else (result.stdout + result.stderr)[-600:]


def sanitized_environment() -> dict[str, str]:
    """Return an environment in which the interpreter can load the instrumented extension."""
    compiler = os.environ.get("CXX", "c++")
    libraries = [
        subprocess.run(
            [compiler, f"-print-file-name=lib{name}.so"], capture_output=True, text=True, check=True
        ).stdout.strip()
        for name in SANITIZERS
    ]
    return {
        **os.environ,
        "LD_PRELOAD": ":".join(libraries),
        # The interpreter never frees all it has. A small quarantine leaves room below the limits
        # of memory that some shards set for themselves.
        "ASAN_OPTIONS": "detect_leaks=0:quarantine_size_mb=16:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "print_stacktrace=1",
        "PYTHONMALLOC": "malloc",
        "PYTHONPATH": f"{FOLDER}{os.pathsep}{ROOT}",
    }


def planted_failure() -> str | None:
    """Write past the end of a block: it must be reported, and be a failed case."""
    result = python(_PLANTED)
    if "heap-buffer-overflow" in result.stderr and "exit code" in result.stdout:
        return None
    return f"exit code {result.returncode}: {(result.stdout + result.stderr)[-600:]}"


def python(code: str) -> subprocess.CompletedProcess[str]:
    """Run a program with the sanitizers and the package that was built with them."""
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _IMPORT.format(folder=str(FOLDER)) + code],
        cwd=ROOT, env=sanitized_environment(),
        capture_output=True, text=True, errors="replace", timeout=SECONDS_MAX,
    )  # fmt: skip


def lines_of(name: str, share: float) -> Iterator[Line]:
    """Run another shard under the sanitizers and yield its lines."""
    tried = f"ASan and UBSan: {name}"
    try:
        result = python(_SHARD.format(name=name, share=share))
    except subprocess.TimeoutExpired:
        yield Line(tried, 0, [f"no answer in {SECONDS_MAX} s"])
        return
    printed = [text[5:] for text in result.stdout.splitlines() if text.startswith("LINE ")]
    for what, n, failures, detail in map(json.loads, printed):
        yield Line(f"ASan and UBSan: {what}", n, failures, detail)
    if result.returncode or not printed:
        yield Line(tried, 0, [f"exit code {result.returncode}: {result.stderr[-600:]}"])

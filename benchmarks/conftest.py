"""Peers side by side: every contender of a job runs in one process, and the ratio is printed."""

import os
from pathlib import Path

import pytest

from wordodds.datasets import load_newsgroups

PEER = "scikit-learn"
CONTENDERS = [PEER, "wordodds, 1 thread", "wordodds, 2 threads"]


@pytest.fixture(params=CONTENDERS)
def contender(request, benchmark):
    """Name one of those who do the job; a job is one benchmark group."""
    benchmark.group = request.function.__name__.removeprefix("test_")
    benchmark.extra_info["contender"] = request.param
    return request.param


def threads_of(contender):
    """Return the threads that a contender's name promises."""
    return int(contender.split(", ")[1].split()[0])


@pytest.fixture(scope="session")
def newsgroups():
    """Return the raw messages of 20 Newsgroups as (train, test)."""
    folder = os.environ.get("WORDODDS_DATA")
    if not folder or not Path(folder, "newsgroups").is_dir():
        pytest.skip("needs a corpus: set WORDODDS_DATA to a folder that holds newsgroups/")
    return load_newsgroups("bydate", "train"), load_newsgroups("bydate", "test")


@pytest.fixture
def measure(benchmark):
    """Run a job several times; the best time counts, as other processes only ever slow it down."""

    def run(job, *, rounds):
        return benchmark.pedantic(job, rounds=rounds, warmup_rounds=min(1, rounds - 1))

    return run


def pytest_terminal_summary(terminalreporter, config):
    """Print each job's best times and how many times as fast as the peer ours are."""
    session = getattr(config, "_benchmarksession", None)
    if session is None or not session.benchmarks:
        return
    best = {}
    for result in session.benchmarks:
        best.setdefault(result.group, {})[result.extra_info["contender"]] = result.stats.min
    terminalreporter.section(f"best times, and the ratio to {PEER}")
    for job, times in best.items():
        for contender, seconds in times.items():
            ratio = f"{times[PEER] / seconds:8.1f}x" if PEER in times else ""
            terminalreporter.write_line(
                f"{job:<28} {contender:<22} {seconds * 1000:10.1f} ms {ratio}"
            )

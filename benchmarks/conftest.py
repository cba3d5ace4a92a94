"""Peers side by side: every contender of a job runs in one process, and the ratio is printed."""

import os
import re
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from wordodds import TfidfVectorizer
from wordodds.datasets import load_newsgroups

PEER = "scikit-learn"
OURS = ["wordodds, 1 thread", "wordodds, 2 threads"]
CONTENDERS = [PEER, *OURS]


@pytest.fixture(params=CONTENDERS)
def contender(request, benchmark):
    """Name one of those who do the job; a job is one benchmark group."""
    benchmark.group = request.function.__name__.removeprefix("test_")
    benchmark.extra_info["contender"] = request.param
    return request.param


def threads_of(contender):
    """Return the threads that a contender's name promises; one where it promises nothing."""
    promised = re.search(r", (\d+) threads?$", contender)
    return int(promised[1]) if promised else 1


@pytest.fixture(scope="session")
def newsgroups():
    """Return the raw messages of 20 Newsgroups as (train, test)."""
    folder = os.environ.get("WORDODDS_DATA")
    if not folder or not Path(folder, "newsgroups").is_dir():
        pytest.skip("needs a corpus: set WORDODDS_DATA to a folder that holds newsgroups/")
    return load_newsgroups("bydate", "train"), load_newsgroups("bydate", "test")


@pytest.fixture(scope="session")
def tfidf(newsgroups):
    """Return the sublinear tf-idf of both parts."""
    train, test = newsgroups
    vectorizer = TfidfVectorizer(sublinear_tf=True)
    return vectorizer.fit_transform(train.texts), vectorizer.transform(test.texts)


@pytest.fixture(scope="session")
def codes(newsgroups):
    """Return the numbers of the train part's groups."""
    return np.unique(newsgroups[0].labels, return_inverse=True)[1].astype(np.int32)


@pytest.fixture
def measure(benchmark):
    """Run a job several times; the best time counts, as other processes only ever slow it down.

    BLAS and OpenMP get as many threads as the contender's name promises.
    """

    def run(job, *, rounds):
        with threadpool_limits(threads_of(benchmark.extra_info["contender"])):
            return benchmark.pedantic(job, rounds=rounds, warmup_rounds=min(1, rounds - 1))

    return run


def pytest_terminal_summary(terminalreporter, config):
    """Print each job's best times and how many times as fast as the fastest peer ours are."""
    session = getattr(config, "_benchmarksession", None)
    if session is None or not session.benchmarks:
        return
    best = {}
    for result in session.benchmarks:
        best.setdefault(result.group, {})[result.extra_info["contender"]] = result.stats.min
    terminalreporter.section("best times, and the ratio to the fastest peer on as many threads")
    for job, times in best.items():
        for contender, seconds in times.items():
            fastest = fastest_peer(times, threads_of(contender))
            is_ours = contender in OURS and fastest is not None
            ratio = f"{fastest / seconds:8.1f}x" if is_ours else ""
            terminalreporter.write_line(
                f"{job:<34} {contender:<38} {seconds * 1000:10.1f} ms {ratio}"
            )


def fastest_peer(times, n_threads):
    """Return the best time of all peers on at most so many threads; None if there are none."""
    peers = [
        seconds
        for contender, seconds in times.items()
        if contender not in OURS and threads_of(contender) <= n_threads
    ]
    return min(peers, default=None)

"""Peers side by side: every contender of a job runs in one process, and the ratio is printed."""

import io
import os
import platform
from contextlib import redirect_stdout
from pathlib import Path

import joblib
import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import wordodds
from wordodds import TfidfVectorizer
from wordodds.datasets import load_newsgroups

from ..report.ratios import rows_of_group
from ..report.runs import from_benchmarks
from ..setup import contenders
from ..setup.contenders import OURS, PEER, is_ours, is_twin, threads_of

CONTENDERS = [PEER, *OURS]
FAILED = pytest.StashKey[list]()


def pytest_collection_modifyitems(items):
    """Skip the contenders whose package is missing, by name, before anything is set up for them."""
    for item in items:
        parameters = item.callspec.params if hasattr(item, "callspec") else {}
        reason = contenders.why_left_out(str(parameters.get("contender", "")))
        if reason:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(params=CONTENDERS)
def contender(request, benchmark):
    """Return the name of a contender; a job is one benchmark group."""
    benchmark.group = request.function.__name__.removeprefix("test_")
    benchmark.extra_info["contender"] = request.param
    benchmark.extra_info["threads"] = threads_of(request.param)
    return request.param


@pytest.fixture(scope="session", autouse=True)
def one_thread_between_measurements():
    """Prepare on one thread of BLAS: two that wait for a busy core take many times as long."""
    with threadpool_limits(1):
        yield


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
def labels(newsgroups):
    """Return the groups' names of both parts."""
    return [part.labels for part in newsgroups]


@pytest.fixture(scope="session")
def codes(labels):
    """Return the numbers of the train part's groups."""
    return np.unique(labels[0], return_inverse=True)[1].astype(np.int32)


@pytest.fixture(scope="session")
def svd(tfidf):
    """Return the train part in the 50 first columns of its SVD, best ones first."""
    from wordodds import TruncatedSVD  # here: benchmarks.compare may run versions without it

    return TruncatedSVD(50, random_state=0).fit_transform(tfidf[0])


@pytest.fixture
def measure(benchmark):
    """Run a job several times; the best time counts, as other processes only ever slow it down.

    BLAS, OpenMP and Numba get as many threads as the contender's name promises. Up to three rounds
    there is none to warm up: that would be a round more of those that take seconds.
    """

    def run(job, *, rounds):
        n_threads = benchmark.extra_info["threads"]
        if is_twin(benchmark.extra_info["contender"]):
            import numba

            numba.set_num_threads(n_threads)
        with threadpool_limits(n_threads):
            return benchmark.pedantic(job, rounds=rounds, warmup_rounds=int(rounds > 3))

    return run


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Note what failed: a time with a wrong answer wins nothing, and an absent one is named."""
    report = yield
    if report.failed:
        item.config.stash.setdefault(FAILED, []).append(item.name)
        benchmark = getattr(item, "funcargs", {}).get("benchmark")
        if benchmark is not None:
            benchmark.extra_info["failed"] = True
    return report


def instruction_set():
    """Return the instruction set in use by public means: benchmarks.compare runs older commits."""
    with redirect_stdout(io.StringIO()) as printed:
        wordodds.show_config()
    lines = printed.getvalue().splitlines()
    found = [line.split()[-1] for line in lines if line.startswith("instruction set in use")]
    return found[0] if found else "unknown"


def machine():
    """Return where the suites ran, for the report."""
    return {
        "cores": joblib.cpu_count(),
        "instruction_set": instruction_set(),
        "python": platform.python_version(),
        "versions": contenders.versions(),
        "left_out": contenders.left_out(),
    }


@pytest.hookimpl(optionalhook=True)
def pytest_benchmark_update_machine_info(machine_info):
    """Store what took part and what was left out, and drop the name of the machine."""
    machine_info["node"] = ""
    machine_info["wordodds"] = machine()


@pytest.hookimpl(optionalhook=True)
def pytest_benchmark_update_json(config, output_json):
    """Store the names of the tests that failed."""
    output_json["failed"] = config.stash.get(FAILED, [])


def pytest_terminal_summary(terminalreporter, config):
    """Print each job's best times and how many times as fast as the fastest peer ours are."""
    session = getattr(config, "_benchmarksession", None)
    if session is None or not session.benchmarks:
        return
    results = from_benchmarks(
        ((result.group, result.extra_info, result.stats.min) for result in session.benchmarks),
        machine(),
        config.stash.get(FAILED, []),
    )
    terminalreporter.section("best times, and the ratio to the fastest peer on as many threads")
    for group, seconds in results.seconds.items():
        rows = rows_of_group(results, group)
        for contender, best in seconds.items():
            ratios = [row.ratios.get(threads_of(contender)) for row in rows if is_ours(contender)]
            shown = "  ".join(f"{ratio:8.1f}x" for ratio in ratios if ratio is not None)
            terminalreporter.write_line(
                f"{group:<42} {contender:<42} {best * 1000:10.3f} ms {shown}"
            )
    for package in results.machine["left_out"]:
        terminalreporter.write_line(f"left out: {package} is not installed: pip install '.[bench]'")
    for name in results.failed:
        terminalreporter.write_line(f"left out: {name}, which failed")

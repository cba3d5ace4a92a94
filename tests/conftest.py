"""Fixtures that every test may use."""

import io
import os
import signal
import threading
import time
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, settings
from packaging.requirements import Requirement

from wordodds._border import execution as _execution
from wordodds._core import base
from wordodds._files import progress as _progress
from wordodds.datasets import load_newsgroups

# Machines differ in speed: no deadline, and the same examples for everybody in CI.
for name, n_examples in {"quick": 50, "all": 100}.items():
    settings.register_profile(
        name,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
        derandomize=bool(os.environ.get("CI")),
        max_examples=n_examples,
    )

N_LEFT_OUT, N_TOO_NEW = pytest.StashKey[int](), pytest.StashKey[int]()
STARTED = pytest.StashKey[float]()
QUICK_SECONDS = 180  # budget of the quick tier on two idle cores


class Terminal(io.StringIO):
    """A stream that somebody watches."""

    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    """Return what the progress bar takes for a terminal of 100 columns on standard error."""
    stream = Terminal()
    monkeypatch.setattr(_progress, "sys", SimpleNamespace(stderr=stream))
    monkeypatch.setattr(_progress.shutil, "get_terminal_size", lambda: os.terminal_size((100, 24)))
    return stream


@pytest.fixture(scope="session")
def newsgroups_data():
    """Return the folder of the corpora, or skip."""
    folder = os.environ.get("WORDODDS_DATA")
    if folder and Path(folder, "newsgroups").is_dir():
        return Path(folder)
    pytest.skip("needs a corpus: set WORDODDS_DATA to a folder that holds newsgroups/")


@pytest.fixture(scope="session")
def newsgroups(newsgroups_data):
    """Return the raw messages as (train, test)."""
    return load_newsgroups("bydate", "train"), load_newsgroups("bydate", "test")


@pytest.fixture(params=list(base.available_instruction_sets()))
def instruction_set(request, monkeypatch):
    """Run the test once on each instruction set of this machine, by name."""
    monkeypatch.setenv("WORDODDS_INSTRUCTION_SET", request.param)
    _execution.ask_again()
    yield request.param
    _execution.ask_again()


def pytest_addoption(parser):
    """Add the option --all."""
    parser.addoption(
        "--all", action="store_true", help="run exhaustive tests too, which a release needs"
    )


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist looks at its options
def pytest_cmdline_main(config):
    """Run the whole suite on all cores by default; -n 0 runs it in one process."""
    option = config.option
    is_whole = config.args_source is not pytest.Config.ArgsSource.ARGS
    is_worker = hasattr(config, "workerinput")
    is_told = option.numprocesses is not None or option.usepdb or option.collectonly
    if is_worker or is_told or not is_whole:
        return
    option.numprocesses = len(os.sched_getaffinity(0))
    option.dist = "worksteal"
    # One BLAS thread in each process: more would compete for the same cores.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


# Checks of estimators by scikit-learn that ask for something else in older versions.
CHECKS_OF_1_9 = (
    "check_dtype_object",
    "check_n_features_in_after_fitting",
    "check_positive_only_tag_during_fit",
    "check_sample_weight_equivalence_on_",
)


def lacks_a_version(item):
    """Return whether a test needs a newer version of a package than is installed."""
    needed = [Requirement(text) for mark in item.iter_markers("needs") for text in mark.args]
    if any(f"-{check}" in item.name for check in CHECKS_OF_1_9):
        needed.append(Requirement("scikit-learn>=1.9"))
    return any(version(package.name) not in package.specifier for package in needed)


def pytest_collection_modifyitems(config, items):
    """Deselect tests that need newer packages, and exhaustive ones unless they are asked for.

    The option --all asks for them, and so do -m and node ids.
    """
    too_new = [item for item in items if lacks_a_version(item)]
    config.hook.pytest_deselected(items=too_new)
    config.stash[N_TOO_NEW] = len(too_new)
    items[:] = [item for item in items if not lacks_a_version(item)]
    if config.option.all or config.option.markexpr or any("::" in arg for arg in config.args):
        return
    left_out = [item for item in items if item.get_closest_marker("exhaustive")]
    config.hook.pytest_deselected(items=left_out)
    config.stash[N_LEFT_OUT] = len(left_out)
    items[:] = [item for item in items if not item.get_closest_marker("exhaustive")]


def pytest_configure(config):
    """Load the Hypothesis profile, register scikit-learn's marks and restore Ctrl-C."""
    settings.load_profile("all" if config.option.all else "quick")
    config.stash[STARTED] = time.monotonic()
    config.addinivalue_line("markers", "thread_unsafe: a test of theirs; ours run in one thread")
    # Where a shell starts the tests in the background SIGINT is ignored, by children too.
    is_ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    if is_ignored and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(optionalhook=True)  # of pytest-xdist
def pytest_testnodedown(node):
    """Read the numbers of deselected tests from a worker; they are the same in each."""
    output = getattr(node, "workeroutput", {})
    node.config.stash[N_LEFT_OUT] = output.get("n_left_out", 0)
    node.config.stash[N_TOO_NEW] = output.get("n_too_new", 0)


def pytest_terminal_summary(terminalreporter, config):
    """Report the number of tests in each tier, and a quick tier above its budget."""
    if config.args_source is pytest.Config.ArgsSource.ARGS:
        return
    n_left_out = config.stash.get(N_LEFT_OUT, 0)
    n_run = sum(len(terminalreporter.stats.get(kind, [])) for kind in ("passed", "failed"))
    tier = "all tiers" if config.option.all else "quick tier"
    terminalreporter.line(f"{tier}: {n_run} tests run, {n_left_out} exhaustive ones left out")
    n_too_new = config.stash.get(N_TOO_NEW, 0)
    if n_too_new:
        terminalreporter.line(f"too old: packages that {n_too_new} more tests need (mark needs)")
    seconds = time.monotonic() - config.stash[STARTED]
    if tier == "quick tier" and seconds > QUICK_SECONDS:
        terminalreporter.line(
            f"the quick tier took {seconds:.0f} s, above its {QUICK_SECONDS} s for two idle cores: "
            "look at --durations=30 for waste, then for tests to mark as exhaustive"
        )


def pytest_sessionfinish(session):
    """In CI every test has what it needs, so a skipped one is a failure."""
    if hasattr(session.config, "workeroutput"):  # the first process has everybody's results
        session.config.workeroutput["n_left_out"] = session.config.stash.get(N_LEFT_OUT, 0)
        session.config.workeroutput["n_too_new"] = session.config.stash.get(N_TOO_NEW, 0)
        return
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if os.environ.get("CI") and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED

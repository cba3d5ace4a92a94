"""Fixtures that every test may use."""

import io
import os
import signal
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, settings

from wordodds import _execution, _progress
from wordodds._core import base
from wordodds.datasets import load_newsgroups

# Machines differ in speed: no deadline, and the same examples for everybody in CI, which has
# fifteen minutes for everything.
IN_CI = bool(os.environ.get("CI"))
settings.register_profile(
    "default",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=IN_CI,
    max_examples=50 if IN_CI else 100,
)
settings.load_profile("default")


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


def pytest_configure(config):
    """Know the marks of scikit-learn's own tests, and let Ctrl-C count."""
    config.addinivalue_line("markers", "thread_unsafe: a test of theirs; ours run in one thread")
    # Where a shell starts the tests in the background SIGINT is ignored, by children too.
    is_ignored = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    if is_ignored and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_sessionfinish(session):
    """In CI every test has what it needs, so a skipped one is a failure."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None:  # one of several processes: the first one has everybody's results
        return
    if os.environ.get("CI") and reporter.stats.get("skipped"):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED

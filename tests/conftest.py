"""Fixtures that every test may use."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from wordodds._core import base
from wordodds.datasets import load_newsgroups

# Machines differ in speed: no deadline, and the same examples for everybody in CI.
settings.register_profile(
    "default",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=bool(os.environ.get("CI")),
)
settings.load_profile("default")


@pytest.fixture(scope="session")
def newsgroups_data():
    """Return the folder of the corpora; skip without one, but never in CI."""
    folder = os.environ.get("WORDODDS_DATA")
    if folder and Path(folder, "newsgroups").is_dir():
        return Path(folder)
    reason = "needs a corpus: set WORDODDS_DATA to a folder that holds newsgroups/"
    if os.environ.get("CI"):
        pytest.fail(f"in CI there is a corpus, so a skip is a failure; {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def newsgroups(newsgroups_data):
    """Return the raw messages as (train, test)."""
    return load_newsgroups("bydate", "train"), load_newsgroups("bydate", "test")


@pytest.fixture(params=list(base.available_instruction_sets()))
def instruction_set(request, monkeypatch):
    """Run the test once on each instruction set of this machine, by name."""
    monkeypatch.setenv("WORDODDS_INSTRUCTION_SET", request.param)
    return request.param

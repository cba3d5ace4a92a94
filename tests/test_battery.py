"""The battery of tests/hard: it notices failures, and a little of it runs here."""

import os
import signal
import time

import pytest
from tests.hard import csr, record
from tests.hard.__main__ import PAGE
from tests.hard.matrices import matrix_of
from tests.hard.sanitized_threads import topics
from tests.hard.shards import SHARDS, shard_of
from tests.hard.workers import failing_cases

import wordodds._estimator.state


def odd_ones_fail(number):
    if number == 3:
        raise ValueError("an error")
    if number == 5:
        os.kill(os.getpid(), signal.SIGSEGV)
    if number == 7:
        time.sleep(600)


def test_errors_crashes_and_hangs_are_failures_and_the_other_cases_run():
    error, crash, hang = sorted(failing_cases(odd_ones_fail, 40, seconds_max=1.0))
    assert error.startswith("case 3:")
    assert error.endswith("ValueError: an error")
    assert crash == "case 5: SIGSEGV"
    assert hang == "case 7: no answer in 1 s"


@pytest.mark.parametrize("name", SHARDS)
def test_every_shard_can_be_imported(name):
    assert callable(shard_of(name).run)


def test_topics_are_those_of_the_build_and_of_the_files(tmp_path):
    for name in ("main.cpp", "planted_bug.cpp", "base/test_checksum.cpp", "text/test_lower.cpp"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    built = ["base/checksum", "text/lower"]
    assert topics(built, frozenset(), tmp_path) == built
    assert topics(built, frozenset(["text/lower"]), tmp_path) == ["base/checksum"]
    with pytest.raises(ValueError, match=r"no such topics: \['text/upper'\]"):
        topics(built, frozenset(["text/upper"]), tmp_path)
    (tmp_path / "text" / "unbuilt.cpp").touch()
    with pytest.raises(ValueError, match=r"\['text/unbuilt.cpp'\]"):
        topics(built, frozenset(), tmp_path)
    (tmp_path / "text" / "unbuilt.cpp").rename(tmp_path / "text" / "test_word.cpp")
    for wrong in (built, [*built, "text/word", "text/gone"]):
        with pytest.raises(ValueError, match="are not those of the files"):
            topics(wrong, frozenset(), tmp_path)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", ["csr", "model_files", "fasttext_files", "vectorizers"])
def test_a_little_of_it(name):
    for line in shard_of(name).run(0.001):
        assert not line.failures
        assert line.n


@pytest.mark.exhaustive
def test_the_battery_would_have_found_the_crash_of_unchecked_structure(monkeypatch):
    monkeypatch.setattr(wordodds._estimator.state, "check_structure", lambda *arguments: None)
    numbers = [n for n in range(1500) if "complex_and_malformed" in matrix_of(n).story]
    assert failing_cases(lambda k: csr.case(numbers[k]), len(numbers), seconds_max=3.0)


def test_the_page_shows_the_record():
    found = record.read()
    assert found
    assert PAGE.read_text() == record.page_with_table(PAGE.read_text(), found)

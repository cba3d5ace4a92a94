"""The progress line: rates and the time left, by a clock that the test moves."""

import os

import pytest

from wordodds._files import progress as _progress
from wordodds._files.progress import progress


@pytest.fixture
def clock(monkeypatch):
    """Return a clock that stands still until it is told the time."""

    class Clock:
        now = 100.0

        def monotonic(self):
            return self.now

    clock = Clock()
    monkeypatch.setattr(_progress, "time", clock)
    return clock


@pytest.fixture
def width(monkeypatch):
    def set_width(columns):
        monkeypatch.setattr(
            _progress.shutil, "get_terminal_size", lambda *_, **__: os.terminal_size((columns, 24))
        )

    return set_width


def last_line(terminal):
    return terminal.getvalue().rstrip("\n").split("\r")[-1].rstrip()


def test_rates_and_the_time_left(terminal, clock, width):
    width(120)
    with progress("predicting", 1_000_000_000) as advance:
        clock.now += 4.407
        advance(420_000_000, 212_463)
        assert last_line(terminal) == (
            "predicting: [##########..............]  42% 420.0/1000.0 MB, 95.3 MB/s, "
            "48,210 documents/s, 6 s left"
        )
        clock.now += 5.593
        advance(580_000_000, 287_537)
    assert last_line(terminal).endswith("] 100% 1000.0/1000.0 MB, 100.0 MB/s, 50,000 documents/s")


def test_eighty_columns_have_room_for_what_matters(terminal, clock, width):
    width(80)
    with progress("predicting", 1_000_000_000) as advance:
        clock.now += 4.407
        advance(420_000_000, 212_463)
        assert last_line(terminal) == (
            "predicting:  42% 420.0/1000.0 MB, 95.3 MB/s, 48,210 documents/s, 6 s left"
        )
        width(60)
        clock.now += 1.0
        advance(0)
        assert last_line(terminal) == "predicting:  42% 420.0/1000.0 MB, 77.7 MB/s, 7 s left"


def test_an_unknown_total(terminal, clock):
    with progress("predicting", None) as advance:
        clock.now += 2.0
        advance(5_000_000, 1000)
        assert last_line(terminal) == "predicting: 5.0 MB, 2.5 MB/s, 500 documents/s"


def test_other_units(terminal, clock):
    with progress("counting", 9000, unit="documents") as advance:
        clock.now += 2.0
        advance(3000)
        assert last_line(terminal).endswith(
            "33% 3,000/9,000 documents, 1,500 documents/s, 4 s left"
        )


@pytest.mark.parametrize(
    ("rest", "left"), [(59, "59 s"), (60, "1 min"), (150, "2 min"), (7300, "2 h 2 min")]
)
def test_times(terminal, clock, rest, left):
    with progress("x", 10 + rest, unit="steps") as advance:
        clock.now += 10
        advance(10)
        assert last_line(terminal).endswith(f", {left} left")


def test_no_rate_before_there_is_one(terminal, clock):
    with progress("x", 10, unit="steps") as advance:
        clock.now += 0.5
        advance(5)
        assert last_line(terminal).endswith("50% 5/10 steps")
        clock.now += 10
    with progress("y", 10, unit="steps"):
        clock.now += 10
    assert last_line(terminal).endswith("0% 0/10 steps")

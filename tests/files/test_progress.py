"""The bar is drawn for a terminal only, not too often, and ends its line."""

import io
import os
import time
from types import SimpleNamespace

import pytest

from wordodds._files import progress as _progress
from wordodds._files.progress import progress


def test_nothing_is_written_unless_stderr_is_a_terminal(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr(_progress, "sys", SimpleNamespace(stderr=stream))
    with progress("job", 10) as advance:
        advance(10)
    assert stream.getvalue() == ""


def test_no_stderr_at_all(monkeypatch):
    monkeypatch.setattr(_progress, "sys", SimpleNamespace(stderr=None))
    with progress("job", 10) as advance:
        advance(10)


def test_the_last_drawing_shows_all_done_and_the_line_ends(terminal):
    with progress("job", 2_000_000) as advance:
        advance(500_000)
        advance(1_500_000)
    written = terminal.getvalue()
    assert written.endswith("100% 2.0/2.0 MB\n")
    assert written.count("\n") == 1


def test_unknown_total_shows_the_amount_alone(terminal):
    with progress("job", None, unit="documents") as advance:
        advance(12_345)
    assert terminal.getvalue().rstrip("\n").endswith("job: 12,345 documents")
    assert "%" not in terminal.getvalue()


def interrupted_after(n, total):
    with progress("job", total, unit="rows") as advance:
        time.sleep(0.11)  # so that the next step is drawn
        advance(n)
        raise KeyboardInterrupt


def test_an_exception_ends_the_line_and_is_not_shown_as_done(terminal):
    with pytest.raises(KeyboardInterrupt):
        interrupted_after(3, total=10)
    assert terminal.getvalue().endswith("\n")
    assert " 30%" in terminal.getvalue()
    assert "100%" not in terminal.getvalue()


def test_one_row_short_of_the_total_is_not_100_percent(terminal):
    with pytest.raises(KeyboardInterrupt):
        interrupted_after(999, total=1000)
    assert " 99% 999/1,000 rows\n" in terminal.getvalue()


def test_it_draws_at_most_about_ten_times_a_second(terminal):
    with progress("job", 100_000, unit="rows") as advance:
        start = time.monotonic()
        while time.monotonic() - start < 0.35:
            advance(1)
    # first and last drawing, and one per tenth of a second between them
    assert 3 <= terminal.getvalue().count("\r") <= 2 + 4


def test_a_narrow_terminal_never_wraps(terminal, monkeypatch):
    monkeypatch.setattr(_progress.shutil, "get_terminal_size", lambda: os.terminal_size((20, 24)))
    with progress("a label longer than the terminal is wide", 10) as advance:
        advance(10)
    assert max(len(line) for line in terminal.getvalue().rstrip("\n").split("\r")) == 19


def test_a_shorter_text_wipes_the_longer_one(terminal, monkeypatch):
    with progress("job", None, unit="x") as advance:
        time.sleep(0.11)
        advance(1_000_000)
        time.sleep(0.11)
        advance(-999_999)
    assert "\rjob: 1 x        " in terminal.getvalue()


def test_a_terminal_that_went_away_does_not_end_the_job(monkeypatch):
    class Gone(io.StringIO):
        def isatty(self):
            return True

        def write(self, text):
            raise OSError("input/output error")

    monkeypatch.setattr(_progress, "sys", SimpleNamespace(stderr=Gone()))
    with progress("job", 10) as advance:
        advance(10)

"""Downloads are whole, verified and bounded, or leave nothing behind."""

import contextlib
import hashlib
import http.server
import threading
import time
from pathlib import Path

import pytest

from wordodds.datasets import DatasetUnavailable, download
from wordodds.datasets.download import atomic_file, cache_folder, fetch

BODY = b"some bytes " * 40_000
SHA256 = hashlib.sha256(BODY).hexdigest()


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        getattr(self, "answer_" + self.path.strip("/").replace("-", "_"), self.answer_404)()

    def answer(self, body, length=None):
        self.send_response(200)
        if length is not None:
            self.send_header("Content-Length", str(length))
        self.end_headers()
        self.wfile.write(body)

    def answer_404(self):
        self.send_error(404)

    def answer_good(self):
        self.answer(BODY, len(BODY))

    def answer_small(self):
        self.answer(b"small", 5)

    def answer_good_without_length(self):
        self.answer(BODY)

    def answer_truncated(self):
        self.answer(BODY[:1000], len(BODY))

    def answer_too_long(self):
        with contextlib.suppress(OSError):
            self.answer(b"")
            for _ in range(100):  # 44 MB: code without a limit fails the test, not the disk
                self.wfile.write(BODY)

    def answer_silent(self):
        self.server.released.wait(20)

    def answer_stalled(self):
        self.answer(BODY[:1000], len(BODY))
        self.wfile.flush()
        self.server.released.wait(20)

    def answer_to_a_file(self):
        self.send_response(302)
        self.send_header("Location", "file:///etc/hostname")
        self.end_headers()

    def answer_moved(self):
        self.send_response(301)
        self.send_header("Location", "/good")
        self.end_headers()

    def log_message(self, *args):
        pass


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.released = threading.Event()
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.released.set()
        running.shutdown()
        thread.join()


@pytest.mark.parametrize("kind", ["good", "good-without-length", "moved"])
def test_a_good_file_arrives_whole_and_alone(server, tmp_path, kind):
    target = tmp_path / "made" / "file"
    assert fetch(f"{server}/{kind}", target, sha256=SHA256) == target
    assert target.read_bytes() == BODY
    assert list(target.parent.iterdir()) == [target]


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("no-such-file", "404"),
        ("truncated", "cut short: 1,000 of 440,000 bytes"),
        ("silent", "no answer within 0.3 seconds"),
        ("stalled", "timed out"),
        ("too-long", "more than the 10,000,000 bytes allowed"),
        ("to-a-file", "not allowed"),
    ],
)
def test_failures_say_why_and_keep_the_old_file(server, tmp_path, kind, says):
    target = tmp_path / "file"
    target.write_bytes(b"old")
    start = time.monotonic()
    with pytest.raises(DatasetUnavailable, match=says) as caught:
        fetch(f"{server}/{kind}", target, sha256=None, timeout=0.3, max_bytes=10_000_000)
    assert time.monotonic() - start < 5
    assert str(target) in str(caught.value)  # the default remedy
    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_an_announced_length_above_the_limit_is_refused_before_reading(server, tmp_path):
    with pytest.raises(DatasetUnavailable, match="440,000 bytes, more than the 439,999 allowed"):
        fetch(f"{server}/good", tmp_path / "file", sha256=SHA256, max_bytes=len(BODY) - 1)
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_checksum_is_refused_with_both_sums_and_the_remedy(server, tmp_path):
    with pytest.raises(DatasetUnavailable, match=SHA256) as caught:
        fetch(f"{server}/good", tmp_path / "file", sha256="00" * 32, remedy="Ask somebody.")
    assert "00" * 32 in str(caught.value)
    assert str(caught.value).endswith("Ask somebody.")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("kind", "body"), [("good", BODY), ("small", b"small")])
def test_a_check_sees_the_whole_file_and_can_refuse_it(server, tmp_path, kind, body):
    seen = []

    def check(path):
        seen.append(Path(path).read_bytes())
        raise ValueError("not to my taste")

    with pytest.raises(DatasetUnavailable, match="not to my taste"):
        fetch(f"{server}/{kind}", tmp_path / "file", sha256=None, check=check)
    assert seen == [body]
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_leaves_nothing_behind(server, tmp_path, monkeypatch):
    @contextlib.contextmanager
    def interrupted(label, total):
        def advance(n):
            raise KeyboardInterrupt

        yield advance

    monkeypatch.setattr(download, "progress", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fetch(f"{server}/good", tmp_path / "file", sha256=SHA256)
    assert list(tmp_path.iterdir()) == []


def test_a_dead_port_makes_no_folder(tmp_path, server):
    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as closed_at_once:
        port = closed_at_once.server_port
    with pytest.raises(DatasetUnavailable, match="refused"):
        fetch(f"http://127.0.0.1:{port}/x", tmp_path / "new" / "file", sha256=None, timeout=2)
    assert list(tmp_path.iterdir()) == []


def test_a_name_look_up_that_hangs_is_bounded_too(tmp_path, monkeypatch):
    release = threading.Event()

    class Slow:
        def open(self, request, timeout):
            release.wait(10)
            raise OSError("too late")

    monkeypatch.setattr(download, "_opener", Slow)
    start = time.monotonic()
    with pytest.raises(DatasetUnavailable, match=r"no answer within 0\.2 seconds"):
        fetch("http://example.invalid/x", tmp_path / "file", sha256=None, timeout=0.2)
    assert time.monotonic() - start < 2
    release.set()


def test_an_answer_that_comes_too_late_is_closed(tmp_path, monkeypatch):
    closed = threading.Event()

    class Answer:
        def close(self):
            closed.set()

    class Slow:
        def open(self, request, timeout):
            time.sleep(0.3)
            return Answer()

    monkeypatch.setattr(download, "_opener", Slow)
    with pytest.raises(DatasetUnavailable, match="no answer"):
        fetch("http://example.invalid/x", tmp_path / "file", sha256=None, timeout=0.1)
    assert closed.wait(5)


@pytest.mark.parametrize("url", ["file:///etc/hostname", "ftp://example.org/x", "/etc/hostname"])
def test_other_addresses_are_refused(tmp_path, url):
    with pytest.raises(ValueError, match="url must begin with http"):
        fetch(url, tmp_path / "file", sha256=None)


def test_a_folder_that_cannot_be_made_is_told(server, tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(DatasetUnavailable, match="could not download"):
        fetch(f"{server}/good", tmp_path / "file" / "below", sha256=SHA256)


def write_and_interrupt(target):
    with atomic_file(target) as file:
        file.write(b"newer")
        raise KeyboardInterrupt


def test_the_next_download_clears_what_a_killed_one_left(tmp_path):
    left = tmp_path / ".wordodds-0123456789abcdef.part"
    left.write_bytes(b"half")
    with atomic_file(tmp_path / "first"):
        assert not left.exists()
        (living,) = tmp_path.iterdir()
        with atomic_file(tmp_path / "second"):
            assert living.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first", "second"]


def test_atomic_file_replaces_only_at_the_end(tmp_path):
    target = tmp_path / "file"
    target.write_bytes(b"old")
    with atomic_file(target) as file:
        file.write(b"new")
        assert target.read_bytes() == b"old"
    assert target.read_bytes() == b"new"
    with pytest.raises(KeyboardInterrupt):
        write_and_interrupt(target)
    assert target.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [target]


def test_cache_folder_follows_xdg(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "wordodds"
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    expected = tmp_path / "home" / ".cache" / "wordodds"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative/is/invalid")
    assert cache_folder() == expected
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == expected

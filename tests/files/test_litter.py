"""Temporary files of dead processes go with the next save; everything else stays."""

import fcntl
import os
import subprocess
import sys
import threading
import time

import pytest

from wordodds._files import litter
from wordodds._files.atomic import replacing, write_all

HIDDEN = ".wordodds-0123456789abcdef.part"
A_DAY_AGO = time.time() - 25 * 3600


def save(path, content=b"new"):
    with replacing(path) as descriptor:
        write_all(descriptor, content)


@pytest.fixture(params=["unnamed", "named"])
def saving(request, monkeypatch):
    """Save by way of a file without a name, as on local disks, and with one, as elsewhere."""
    if request.param == "named":
        monkeypatch.delattr(os, "O_TMPFILE")
    return request.param


# Kills itself when the temporary file has its name and the target does not have its content yet.
KILLED_BEFORE_THE_RENAME = """
import os, signal, sys
from wordodds._files.atomic import replacing

os.replace = lambda *paths: os.kill(os.getpid(), signal.SIGKILL)
with replacing(sys.argv[1]) as descriptor:
    os.write(descriptor, b"half of it")
"""


def test_the_next_save_clears_what_a_killed_one_left(tmp_path):
    path = tmp_path / "m"
    path.write_bytes(b"old")
    command = [sys.executable, "-c", KILLED_BEFORE_THE_RENAME, os.fspath(path)]
    assert subprocess.run(command, timeout=120).returncode == -9
    assert len(os.listdir(tmp_path)) == 2
    assert path.read_bytes() == b"old"
    save(tmp_path / "other")
    assert sorted(os.listdir(tmp_path)) == ["m", "other"]


def test_a_failed_save_clears_as_well(tmp_path):
    (tmp_path / HIDDEN).write_bytes(b"left")
    with pytest.raises(RuntimeError), replacing(tmp_path / "m"):
        raise RuntimeError
    assert os.listdir(tmp_path) == []


def test_the_files_of_living_writers_stay(tmp_path, saving, monkeypatch):
    # Each save begins and ends while the others are between any two of their steps.
    failures = []
    sleep_then = {name: getattr(os, name) for name in ("replace", "fsync")}

    def slowly(name):
        def call(*arguments, **options):
            time.sleep(0.002)
            return sleep_then[name](*arguments, **options)

        return call

    for name in sleep_then:
        monkeypatch.setattr(os, name, slowly(name))
    if saving == "named":
        monkeypatch.setattr(litter, "_UNTOUCHED_SECONDS", -1.0)

    def save_often(number):
        try:
            for n in range(20):
                save(tmp_path / str(number), b"%d" % n)
        except OSError as error:
            failures.append(error)

    threads = [threading.Thread(target=save_often, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        str(number): b"19" for number in range(8)
    }


def test_a_locked_file_stays(tmp_path):
    with (tmp_path / HIDDEN).open("wb") as living:
        fcntl.flock(living, fcntl.LOCK_EX)
        os.utime(living.fileno(), (A_DAY_AGO, A_DAY_AGO))
        save(tmp_path / "m")
        assert sorted(os.listdir(tmp_path)) == [HIDDEN, "m"]
    save(tmp_path / "m")
    assert os.listdir(tmp_path) == ["m"]


def test_where_locks_may_be_invisible_only_what_is_a_day_old_goes(tmp_path, monkeypatch):
    monkeypatch.delattr(os, "O_TMPFILE")
    left = tmp_path / HIDDEN
    left.write_bytes(b"perhaps of another machine")
    save(tmp_path / "m")
    assert left.exists()
    os.utime(left, (A_DAY_AGO, A_DAY_AGO))
    save(tmp_path / "m")
    assert os.listdir(tmp_path) == ["m"]


def test_a_new_file_that_was_taken_for_litter_is_made_again(tmp_path, monkeypatch):
    real, taken = fcntl.flock, []

    def cleared_before_the_lock(descriptor, operation):
        if not taken:
            taken.append(os.readlink(f"/proc/self/fd/{descriptor}"))
            os.unlink(taken[0])
        real(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", cleared_before_the_lock)
    descriptor, path = litter.named_file(str(tmp_path), 0o600)
    os.close(descriptor)
    assert path != taken[0]
    assert os.listdir(tmp_path) == [os.path.basename(path)]


LOOKALIKES = [
    ".wordodds-abc.part",
    ".wordodds-0123456789abcdeF.part",
    ".wordodds-0123456789abcdef0.part",
    ".wordodds-0123456789abcdef.part~",
    ".wordodds-0123456789abcdef.part\n",
    "wordodds-0123456789abcdef.part",
    "x.wordodds-0123456789abcdef.part",
]


@pytest.mark.parametrize("name", LOOKALIKES, ids=repr)
def test_other_names_stay(tmp_path, name):
    (tmp_path / name).write_bytes(b"")
    save(tmp_path / "m")
    assert (tmp_path / name).exists()


@pytest.mark.parametrize("kind", ["folder", "pipe", "link", "dangling"])
def test_what_is_no_regular_file_stays(tmp_path, saving, kind):
    path, elsewhere = tmp_path / HIDDEN, tmp_path / "elsewhere"
    elsewhere.write_bytes(b"mine")
    {
        "folder": path.mkdir,
        "pipe": lambda: os.mkfifo(path),
        "link": lambda: path.symlink_to(elsewhere),
        "dangling": lambda: path.symlink_to("gone"),
    }[kind]()
    os.utime(path, (A_DAY_AGO, A_DAY_AGO), follow_symlinks=False)
    save(tmp_path / "m")
    assert os.path.lexists(path)
    assert elsewhere.read_bytes() == b"mine"


@pytest.mark.parametrize("function", ["listdir", "lstat", "open", "unlink"])
def test_litter_that_cannot_be_cleared_is_no_error(tmp_path, function, monkeypatch):
    (tmp_path / HIDDEN).write_bytes(b"")
    real = getattr(os, function)

    def denied(path, *arguments, **options):
        if function == "listdir" or str(path).endswith(".part"):
            raise PermissionError(13, "Permission denied")
        return real(path, *arguments, **options)

    monkeypatch.setattr(os, function, denied)
    save(tmp_path / "m")
    monkeypatch.undo()
    assert sorted(os.listdir(tmp_path)) == [HIDDEN, "m"]
    assert (tmp_path / "m").read_bytes() == b"new"

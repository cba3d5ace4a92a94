"""A model file is replaced as a whole or not at all."""

import os
import resource
import stat
import subprocess
import sys

import numpy as np
import pytest

from wordodds.model.container import read_container, write_container


@pytest.fixture
def small(tmp_path):
    """Return the path of a file."""
    path = tmp_path / "small.wordodds"
    write_container(path, {"a": np.arange(9.0), "b": np.arange(3, dtype=np.uint8)}, {"old": "one"})
    return path


@pytest.fixture(params=["unnamed", "named"])
def saving(request, monkeypatch):
    """Save by way of a file without a name, as on Linux, and with one, as elsewhere."""
    if request.param == "named":
        monkeypatch.delattr(os, "O_TMPFILE")


def test_the_mode_is_kept_and_a_new_file_honours_the_umask(tmp_path, saving):
    path = tmp_path / "m"
    umask = os.umask(0o027)
    try:
        write_container(path, {}, {})
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
        for mode in (0o600, 0o444, 0o666, 0o755):
            path.chmod(mode)
            write_container(path, {}, {"mode": str(mode)})
            assert stat.S_IMODE(path.stat().st_mode) == mode
            found = read_container(path, verify=True, mmap=True)
            assert found.metadata["mode"] == str(mode)
    finally:
        os.umask(umask)


def test_what_is_private_is_never_readable_by_others(small, saving, monkeypatch):
    small.chmod(0o600)
    modes = []
    write = os.write

    def watched(descriptor, data):
        modes.append(stat.S_IMODE(os.fstat(descriptor).st_mode))
        return write(descriptor, data)

    monkeypatch.setattr(os, "write", watched)
    write_container(small, {"a": np.arange(5)}, {})
    assert set(modes) == {0o600}


def test_a_symbolic_link_is_followed(tmp_path, saving):
    (tmp_path / "real").mkdir()
    target, link = tmp_path / "real" / "m", tmp_path / "link"
    link.symlink_to("real/m")
    for content in ("first", "second"):
        write_container(link, {}, {"content": content})
        assert link.is_symlink()
        assert not target.is_symlink()
        assert read_container(target, verify=True, mmap=True).metadata["content"] == content
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["link", "m", "real"]


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
@pytest.mark.parametrize("function", ["write", "fsync", "fchmod", "replace"])
def test_a_failure_changes_nothing_and_leaves_no_litter(
    small, saving, function, error, monkeypatch
):
    old = small.read_bytes()
    descriptors = os.listdir("/proc/self/fd")
    original, n_calls = getattr(os, function), 0

    def fails_later(*args, **options):
        nonlocal n_calls
        n_calls += 1
        if n_calls == 3 or function != "write":
            raise error(28, "No space left on device")
        return original(*args, **options)

    monkeypatch.setattr(os, function, fails_later)
    with pytest.raises(error) as raised:
        write_container(small, {"a": np.arange(5)}, {"new": "content"})
    if error is OSError:
        assert raised.value.filename == str(small)
    assert small.read_bytes() == old
    assert os.listdir(small.parent) == [small.name]
    assert os.listdir("/proc/self/fd") == descriptors


def test_a_full_disk_keeps_the_old_file(small, saving):
    old = small.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    for limit in (100, 10_000, 79_000):
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
            with pytest.raises(OSError, match=r"File too large: .*small.wordodds"):
                write_container(small, {"large": np.zeros(10_000)}, {})
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert small.read_bytes() == old
        assert os.listdir(small.parent) == [small.name]


# Forked from a process that has everything loaded, since 100 interpreters would take a minute.
KILLED_WRITER = """
import os, random, signal, sys, time
import numpy as np
from wordodds.model.container import read_container, write_container

path, n_kills = sys.argv[1], 100
contents = [{"a": np.full(n, n), "b": np.arange(n)} for n in (40_000, 30_000)]

def save_for_ever():
    while True:
        for tensors in contents:
            write_container(path, tensors, {})

start = time.perf_counter()
for tensors in contents * 3:
    write_container(path, tensors, {})
duration = (time.perf_counter() - start) / 6
rng, seen = random.Random(0), set()
for _ in range(n_kills):
    child = os.fork()
    if child == 0:
        save_for_ever()
    time.sleep(rng.uniform(0, 3 * duration))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    found = read_container(path, verify=True, mmap=True).tensors
    n = len(found["a"])
    assert (found["a"] == n).all() and (found["b"] == np.arange(n)).all()
    seen.add(n)
assert seen == {40_000, 30_000}
write_container(path, contents[0], {})
assert os.listdir(os.path.dirname(path)) == [os.path.basename(path)]
"""


def test_kill_9_leaves_the_old_file_or_the_new_one(tmp_path):
    command = [sys.executable, "-W", "ignore", "-c", KILLED_WRITER, str(tmp_path / "m")]
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    subprocess.run(command, check=True, timeout=120, env=environment)

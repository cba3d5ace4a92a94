"""Shard: a full disk, files that may not grow, and calls that fail with EIO.

Saving, training and predicting either work or raise an OSError that names the file (the command
line: one line and exit code 1). The old file stays as it was, nothing is left beside it, and after
room has been made the same job succeeds.
"""

import ctypes
import errno
import multiprocessing
import os
import random
import resource
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.hard.battery import Line, scaled
from tests.hard.killing import run_whole
from tests.hard.steps import fail_at_step, steps_of
from tests.hard.workers import failing_cases
from tests.hard.writing_jobs import Job, jobs_in

__all__ = ["run"]

_PAGE = 4096
_CLONE_NEWNS, _MS_REC, _MS_PRIVATE = 0x20000, 0x4000, 0x40000
# Calls whose failure a job cannot do without, and calls that it may have another way around.
_NEEDED = ("write", "pwrite", "preadv", "fchmod", "fsync", "link", "replace")
_OTHERS = ("open", "listdir", "lstat")


def run(share: float) -> Iterator[Line]:
    """Fill disks, limit files and let single calls fail, for each job that writes."""
    shared = Path(tempfile.mkdtemp(prefix="hard-disk-"))
    try:
        jobs = jobs_in(shared)
        yield _full_tmpfs(jobs, scaled(600, share))
        yield _limited_files(jobs, scaled(600, share))
        yield from _failing_calls(jobs, share)
    finally:
        shutil.rmtree(shared)


class _Counts:
    """How many jobs failed as they should, and how many worked."""

    def __init__(self) -> None:
        self._counts = multiprocessing.get_context("fork").Array("q", 2)

    def add(self, worked: bool) -> None:
        with self._counts.get_lock():
            self._counts[worked] += 1

    @property
    def detail(self) -> str:
        return f"{self._counts[0]} raised OSError, {self._counts[1]} worked"


def _try(job: Job, folder: Path, again: Callable[[], None], counts: _Counts | None = None) -> bool:
    """Run a job and check what it left; where it failed, make room and run it again."""
    worked = job.run(folder)
    again()
    (job.check_done if worked else job.check_failed)(folder)
    if not worked:
        assert job.run(folder), "failed although there is room"
        job.check_done(folder)
    if counts is not None:
        counts.add(worked)
    return worked


def _full_tmpfs(jobs: list[Job], n: int) -> Line:
    counts = _Counts()

    def case(number: int) -> None:
        job = jobs[number % len(jobs)]
        free = random.Random(number).randrange(job.n_bytes * 5 // 4 // _PAGE + 4) * _PAGE

        def child() -> None:
            with tempfile.TemporaryDirectory() as name:
                folder, filler = Path(name), Path(name, "filler")
                _mount_tmpfs(folder)
                job.prepare(folder)
                _fill(filler, free)
                _try(job, folder, filler.unlink, counts)
                _unmount(folder)

        try:
            run_whole(child)
        except AssertionError as error:
            raise AssertionError(f"{job.name}, {free} bytes free: {error}") from None

    try:
        run_whole(_try_to_mount)
    except AssertionError as error:
        why = str(error).rpartition("|")[0].rpartition("|")[2].strip()
        return Line("a full tmpfs: NOT TRIED, as mounting is not permitted", 0, [], why)
    return Line("a full disk (tmpfs)", n, failing_cases(case, n), counts.detail)


def _try_to_mount() -> None:
    with tempfile.TemporaryDirectory() as name:
        _mount_tmpfs(Path(name))
        _unmount(Path(name))


def _mount_tmpfs(folder: Path) -> None:
    """Mount a small file system that only this process sees; it is gone when the process ends."""
    libc = ctypes.CDLL(None, use_errno=True)
    calls = [
        lambda: libc.unshare(_CLONE_NEWNS),
        lambda: libc.mount(b"none", b"/", None, ctypes.c_ulong(_MS_REC | _MS_PRIVATE), None),
        lambda: libc.mount(
            b"tmpfs", os.fsencode(folder), b"tmpfs", ctypes.c_ulong(0), b"size=8m,huge=never"
        ),
    ]
    for call in calls:
        if call() != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _unmount(folder: Path) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.umount2(os.fsencode(folder), 0) != 0:  # EBUSY: some descriptor is still open
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _fill(filler: Path, free: int) -> None:
    """Fill the disk up to a number of free bytes."""
    with filler.open("wb") as file:
        room = os.statvfs(filler)
        os.posix_fallocate(file.fileno(), 0, room.f_bavail * room.f_frsize - free)


def _limited_files(jobs: list[Job], n: int) -> Line:
    counts = _Counts()

    def case(number: int) -> None:
        job = jobs[number % len(jobs)]
        limit = random.Random(number).randrange(job.n_bytes * 5 // 4)
        hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]

        def child() -> None:
            with tempfile.TemporaryDirectory() as name:
                job.prepare(Path(name))
                resource.setrlimit(resource.RLIMIT_FSIZE, (limit, hard))
                unlimited = (resource.RLIM_INFINITY, hard)
                lift = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)  # noqa: E731
                _try(job, Path(name), lift, counts)

        try:
            run_whole(child)
        except AssertionError as error:
            raise AssertionError(f"{job.name}, limit {limit}: {error}") from None

    return Line("files that may not grow (RLIMIT_FSIZE)", n, failing_cases(case, n), counts.detail)


def _failing_calls(jobs: list[Job], share: float) -> Iterator[Line]:
    for names, must_fail in ((_NEEDED, True), (_OTHERS, False)):
        cases = []
        for job in jobs:
            n_calls = _calls_of(job, names)
            cases += [(job, number) for number in range(n_calls)]
        counts = _Counts()
        every = max(1, round(1 / share))
        chosen = cases[::every]

        def case(
            place: int,
            names: tuple[str, ...] = names,
            must_fail: bool = must_fail,
            chosen: list[tuple[Job, int]] = chosen,
            counts: _Counts = counts,
        ) -> None:
            job, number = chosen[place]

            def child() -> None:
                with tempfile.TemporaryDirectory() as name:
                    job.prepare(Path(name))
                    fail = lambda: _try(job, Path(name), lambda: None, counts)  # noqa: E731
                    worked = fail_at_step(number, errno.EIO, fail, names)
                    assert not (worked and must_fail), "worked although a call failed"

            try:
                run_whole(child)
            except AssertionError as error:
                raise AssertionError(f"{job.name}, call {number}: {error}") from None

        failures = failing_cases(case, len(chosen))
        which = "/".join(names)
        yield Line(f"EIO from each call of {which} in turn", len(chosen), failures, counts.detail)


def _calls_of(job: Job, names: tuple[str, ...]) -> int:
    with tempfile.TemporaryDirectory() as name:
        job.prepare(Path(name))

        def whole() -> None:
            assert job.run(Path(name))

        return steps_of(whole, names)

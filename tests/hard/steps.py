"""Jobs that end or fail at a chosen system call of those that files are written by."""

import multiprocessing
import os
import signal
import stat
from collections.abc import Callable
from typing import Any

from tests.hard.killing import run_whole

__all__ = ["STEPS", "fail_at_step", "kill_at_step", "steps_of"]

# All of them are called through the module os; what a compiled library writes is not among them.
STEPS = ("open", "write", "pwrite", "fchmod", "fsync", "link", "replace", "close", "unlink")

_FSYNC = os.fsync


def steps_of(job: Callable[[], object], names: tuple[str, ...] = STEPS) -> int:
    """Return how many of these system calls a job makes, in a child."""
    count = multiprocessing.get_context("fork").Value("q", 0)

    def add_one(before: bool, what: object) -> None:
        with count.get_lock():
            count.value += before

    def counted() -> None:
        _watch(add_one, names)
        job()

    run_whole(counted)
    return int(count.value)


def kill_at_step(number: int, job: Callable[[], object]) -> None:
    """Run a job in a child that kills itself before (even numbers) or after a system call."""

    def killed() -> None:
        seen = 0

        def step(before: bool, what: object) -> None:
            nonlocal seen
            if seen == number:
                os.kill(os.getpid(), signal.SIGKILL)
            seen += 1

        _watch(step, STEPS)
        job()

    run_whole(killed, may_be_killed=True)


def fail_at_step(
    number: int, error: int, job: Callable[[], object], names: tuple[str, ...] = STEPS
) -> object:
    """Run a job in this process, in which one of the system calls raises an OSError, once."""
    seen = 0

    def step(before: bool, what: object) -> None:
        nonlocal seen
        seen += before
        if before and seen == number + 1:
            path = what if isinstance(what, str) else None
            raise OSError(error, os.strerror(error), path)

    _watch(step, names)
    return job()


def _watch(step: Callable[[bool, object], None], names: tuple[str, ...]) -> None:
    """Call a function before (True) and after (False) each of these system calls.

    Its second argument is the path or descriptor that the system call is about.
    """
    for name in names:
        real = getattr(os, name)

        def watched(*arguments: Any, _real: Any = real, **options: Any) -> Any:
            if _real is _FSYNC and not stat.S_ISREG(os.fstat(arguments[0]).st_mode):
                return _real(*arguments)  # a save goes on where its folder cannot be synced
            step(True, arguments[0])
            result = _real(*arguments, **options)
            step(False, arguments[0])
            return result

        setattr(os, name, watched)

"""Jobs that end or fail at a chosen system call of those that files are written by."""

import multiprocessing
import os
import signal
from collections.abc import Callable
from typing import Any

from tests.hard.killing import run_whole

__all__ = ["STEPS", "fail_at_step", "kill_at_step", "steps_of"]

# All of them are called through the module os; what a compiled library writes is not among them.
STEPS = ("open", "write", "pwrite", "fchmod", "fsync", "link", "replace", "close", "unlink")


def steps_of(job: Callable[[], object], names: tuple[str, ...] = STEPS) -> int:
    """Return how many of these system calls a job makes, in a child."""
    count = multiprocessing.get_context("fork").Value("q", 0)

    def add_one(before: bool) -> None:
        with count.get_lock():
            count.value += before

    def counted() -> None:
        _watch(add_one, names)
        job()

    run_whole(counted)
    return int(count.value)


def kill_at_step(number: int, job: Callable[[], object]) -> None:
    """Run a job in a child that kills itself before (even numbers) or after a system call."""
    step = _at(number, lambda: os.kill(os.getpid(), signal.SIGKILL))

    def killed() -> None:
        _watch(step, STEPS)
        job()

    run_whole(killed, may_be_killed=True)


def fail_at_step(
    number: int, error: int, job: Callable[[], object], names: tuple[str, ...] = STEPS
) -> None:
    """Run a job in this process, in which one of the system calls raises an OSError."""

    def fail() -> None:
        raise OSError(error, os.strerror(error))

    _watch(_at(2 * number, fail), names)
    job()


def _at(number: int, action: Callable[[], None]) -> Callable[[bool], None]:
    """Return a function that acts at its call of a number."""
    seen = 0

    def step(before: bool) -> None:
        nonlocal seen
        seen += 1
        if seen == number + 1:
            action()

    return step


def _watch(step: Callable[[bool], None], names: tuple[str, ...]) -> None:
    """Call a function before (True) and after (False) each of these system calls."""
    for name in names:
        real = getattr(os, name)

        def watched(*arguments: Any, _real: Any = real, **options: Any) -> Any:
            step(True)
            result = _real(*arguments, **options)
            step(False)
            return result

        setattr(os, name, watched)

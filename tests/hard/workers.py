"""Numbered cases in forked processes: a crash or a hang is a failure with a number, not an end.

A case is a function of its number alone, so that ``case(number)`` in any process shows the failure
again.
"""

import multiprocessing
import signal
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

__all__ = ["failing_cases"]

_FORK = multiprocessing.get_context("fork")
_POLL_SECONDS = 0.05
_FAILURES_MAX = 50  # a defect in the battery itself fails everywhere: stop there


@dataclass
class _Worker:
    """One process, the case it is at, and when it began with it."""

    # A pipe each: a process killed while it holds the lock of a common queue would stop them all.
    reports: Any = field(default_factory=lambda: _FORK.Pipe(duplex=False))
    current: Any = field(default_factory=lambda: _FORK.Value("q", -1, lock=False))
    started: Any = field(default_factory=lambda: _FORK.Value("d", 0.0, lock=False))
    process: Any = None


def failing_cases(
    case: Callable[[int], None], n: int, *, processes: int = 2, seconds_max: float = 60.0
) -> list[str]:
    """Run ``case(0)`` to ``case(n - 1)``; return a line for each that raised, crashed or hung.

    A case fails by any exception, by a signal that ends its process, and by taking longer than
    ``seconds_max``. The other cases run all the same.
    """
    next_case = _FORK.Value("q", 0)
    failures: list[str] = []
    workers = [_Worker() for _ in range(min(processes, n))]
    for worker in workers:
        _start(worker, case, n, next_case)
    while any(worker.process is not None for worker in workers):
        time.sleep(_POLL_SECONDS)
        failures += _reports_of(workers)
        if len(failures) >= _FAILURES_MAX:
            for worker in workers:
                if worker.process is not None:
                    worker.process.kill()
            failures.append(f"... stopped at case {next_case.value} of {n}")
            break
        for worker in workers:
            _look_after(worker, seconds_max, failures, (case, n, next_case))
    return failures + _reports_of(workers)


def _reports_of(workers: list[_Worker]) -> list[str]:
    """Return what the workers have reported since the last look."""
    found = []
    for receiver, _ in (worker.reports for worker in workers):
        while receiver.poll():
            found.append(receiver.recv())
    return found


def _look_after(worker: _Worker, seconds_max: float, failures: list[str], work: Any) -> None:
    """Note a crash or a hang of one worker, and replace it."""
    if worker.process is None:
        return
    if worker.process.is_alive():
        number, started = worker.current.value, worker.started.value
        if number < 0 or time.monotonic() - started < seconds_max:
            return
        worker.process.kill()
        worker.process.join()
        failures.append(f"case {number}: no answer in {seconds_max:.0f} s")
    elif worker.process.exitcode == 0:
        worker.process = None
        return
    else:
        code = worker.process.exitcode
        name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        failures.append(f"case {worker.current.value}: {name}")
    _start(worker, *work)


def _start(worker: _Worker, *work: Any) -> None:
    worker.current.value = -1
    worker.process = _FORK.Process(target=_work, args=(worker, *work), daemon=False)
    worker.process.start()


def _work(worker: _Worker, case: Callable[[int], None], n: int, next_case: Any) -> None:
    while True:
        with next_case.get_lock():
            number = next_case.value
            if number >= n:
                return
            next_case.value = number + 1
            worker.started.value = time.monotonic()
            worker.current.value = number
        try:
            case(number)
        except BaseException:
            last = traceback.format_exc(limit=-3).strip().replace("\n", " | ")
            worker.reports[1].send(f"case {number}: {last[-600:]}")
        worker.current.value = -1

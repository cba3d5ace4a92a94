"""Ctrl-C at random moments: how long until KeyboardInterrupt, in every long call and command."""

import multiprocessing
import os
import random
import signal
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from tests.hard.battery import Line, scaled
from tests.hard.interrupt_jobs import JOBS
from tests.hard.interrupts_cli import command_line_lines

__all__ = ["run"]

N_SIGNALS = 25  # for each job
SECONDS_PROMISED = 0.2
SECONDS_MAX = 60.0  # a hang
SECONDS_OF_WORK = 1.2  # before a signal, at most


def run(share: float) -> Iterator[Line]:
    """Yield a line of all jobs, with the slowest of them by name, and those of the commands."""
    n = scaled(N_SIGNALS, share)
    latencies: dict[str, list[float]] = {}
    failures = []
    for name in JOBS:
        try:
            latencies[name] = _latencies(name, n)
        except (RuntimeError, TimeoutError, EOFError) as error:
            failures.append(f"{name}: {error!r}")
            continue
        slow = [seconds for seconds in latencies[name] if seconds > SECONDS_PROMISED]
        if slow:
            failures.append(f"{name}: {len(slow)} of {n} above the promise, {max(slow):.2f} s")
    merged = np.concatenate([np.zeros(1), *map(np.array, latencies.values())])
    worst = max(latencies, key=lambda name: max(latencies[name]), default="none ran")
    yield Line(
        f"Ctrl-C in {len(JOBS)} fits, transforms, predictions and files",
        len(merged) - 1,
        failures,
        f"p50 {np.quantile(merged, 0.5):.3f} s, p99 {np.quantile(merged, 0.99):.3f} s, "
        f"largest {merged.max():.3f} s ({worst}); promised {SECONDS_PROMISED} s",
    )
    yield from command_line_lines(share)


def _latencies(name: str, n: int) -> list[float]:
    """Return the seconds from each signal to its exception."""
    here, there = multiprocessing.Pipe()
    child = multiprocessing.get_context("fork").Process(target=_work, args=(name, there))
    child.start()
    there.close()  # or the end of the child would not be seen
    chance = random.Random(name)
    try:
        assert child.pid is not None
        _received(here)  # the job is ready
        found = []
        for _ in range(n):
            time.sleep(chance.uniform(0.0, SECONDS_OF_WORK))
            sent = time.monotonic()
            os.kill(child.pid, signal.SIGINT)
            found.append(_received(here) - sent)
        return found
    finally:
        child.kill()
        child.join()


def _received(pipe: Any) -> float:
    if not pipe.poll(SECONDS_MAX):
        raise TimeoutError("no answer")
    answer = pipe.recv()
    if isinstance(answer, str):
        raise RuntimeError(answer)
    return float(answer)


def _work(name: str, pipe: Any) -> None:
    """Repeat a job for ever, and report when each signal was seen."""
    warnings.simplefilter("ignore")
    try:
        call = JOBS[name]()
        pipe.send(0.0)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        while True:
            try:
                while True:
                    call()
            except KeyboardInterrupt:
                pipe.send(time.monotonic())
    except Exception as error:
        pipe.send(f"{type(error).__name__}: {error}")

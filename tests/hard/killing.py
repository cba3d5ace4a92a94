"""Jobs in forked processes that are killed at some moment.

A fork of a process that has imported everything begins at once; an interpreter takes a second.
"""

import mmap
import os
import signal
import struct
import time
import traceback
from collections.abc import Callable

__all__ = ["kill_after", "run_whole", "seconds_of"]

_WAITING, _RUNNING, _DONE, _FAILED = range(4)
_MOMENT = {_WAITING: "before", _RUNNING: "in", _DONE: "after"}
_MESSAGE_BYTES = 4096


def kill_after(seconds: float, job: Callable[[], object]) -> str:
    """Kill a child by SIGKILL some time after it began a job; return where that hit.

    That is "before" the job (for negative times), "in" it or "after" it. A job that fails by itself
    raises here.
    """
    shared = mmap.mmap(-1, _MESSAGE_BYTES)
    child = os.fork()
    if child == 0:
        _run(job, shared)
        while True:
            signal.pause()
    if seconds >= 0.0:
        while shared[0] == _WAITING:
            time.sleep(1e-4)
        time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    _raise_failure(shared)
    return _MOMENT[shared[0]]


def run_whole(job: Callable[[], object], *, may_be_killed: bool = False) -> None:
    """Run a job in a child to its end; raise if it fails or a signal ends it."""
    shared = mmap.mmap(-1, _MESSAGE_BYTES)
    child = os.fork()
    if child == 0:
        _run(job, shared)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    _raise_failure(shared)
    if os.WIFSIGNALED(status) and not (may_be_killed and os.WTERMSIG(status) == signal.SIGKILL):
        raise AssertionError(f"ended by {signal.Signals(os.WTERMSIG(status)).name}")


def seconds_of(job: Callable[[], object], prepare: Callable[[], object], n: int = 5) -> float:
    """Return the median time that a job takes in a child."""
    seconds = []
    clock = mmap.mmap(-1, 8)

    def timed() -> None:
        began = time.perf_counter()
        job()
        struct.pack_into("d", clock, 0, time.perf_counter() - began)

    for _ in range(n):
        prepare()
        run_whole(timed)
        seconds.append(struct.unpack_from("d", clock)[0])
    return float(sorted(seconds)[n // 2])


def _run(job: Callable[[], object], shared: mmap.mmap) -> None:
    """Run a job in this process, quietly, and note how it ended."""
    null, complaints = os.open(os.devnull, os.O_RDWR), os.memfd_create("stderr")
    for descriptor, target in enumerate((null, null, complaints)):
        os.dup2(target, descriptor)
    shared[0] = _RUNNING
    try:
        job()
        shared[0] = _DONE
    except BaseException:
        trace = traceback.format_exc(limit=-3).strip().replace("\n", " | ").encode()
        message = trace[-1000:] + b" | stderr: " + os.pread(complaints, 1000, 0)
        shared[1 : 1 + len(message)] = message
        shared[0] = _FAILED


def _raise_failure(shared: mmap.mmap) -> None:
    if shared[0] == _FAILED:
        raise AssertionError("the job failed: " + shared[1:].rstrip(b"\0").decode(errors="replace"))

"""What a job costs: its best time, and its memory at the peak beyond what was there before."""

import ctypes
import os
import time
import traceback
import warnings
from collections.abc import Callable, Sequence


def best_times(
    jobs: Sequence[Callable[[], object]],
    *,
    n_rounds: int = 15,
    n_rounds_min: int = 2,
    budget: float = float("inf"),
) -> list[float]:
    """Return the best time of each job in seconds, over rounds in which each has its turn.

    What slows the machine for a while so slows all of them. Once the budget is spent, in seconds
    for all jobs together, there are only the least number of rounds; of two, the first warms up.
    """
    best = [float("inf")] * len(jobs)
    start = time.perf_counter()
    for number in range(n_rounds):
        if number >= n_rounds_min and time.perf_counter() - start > budget:
            break
        for i, job in enumerate(jobs):
            before = time.perf_counter()
            job()
            best[i] = min(best[i], time.perf_counter() - before)
    return best


def peak_memory(job: Callable[[], object]) -> int:
    """Run a job in a child of this process and return by how many bytes its memory rose.

    The child shares what the parent has (the corpus, say), so that only the job's own memory
    counts. The C library first returns what earlier jobs have freed: memory that is merely taken
    again would not be seen to rise.
    """
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # From Python 3.12 on: of BLAS there may be threads, but they sleep.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        try:
            os.write(writing, str(_rise(job)).encode())
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading) as answer:
        rise = answer.read()
    os.waitpid(child, 0)
    if not rise:
        raise RuntimeError("the child that measures memory failed")
    return int(rise)


def _rise(job: Callable[[], object]) -> int:
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/clear_refs", "w") as reset:
        reset.write("5")  # the peak starts anew from here
    before = _peak()
    result = job()
    rise = _peak() - before
    del result
    return rise


def _peak() -> int:
    with open("/proc/self/status") as status:
        line = next(line for line in status if line.startswith("VmHWM"))
    return 1024 * int(line.split()[1])

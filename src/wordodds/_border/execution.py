"""How engine calls run: the number of threads and the instruction set.

The only place that reads the environment for either; the engine gets both as arguments.
"""

import os
import re
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from wordodds._border.checks import whole_number
from wordodds._core import base

__all__ = [
    "Execution",
    "ask_again",
    "execution",
    "instruction_set",
    "resolve_n_jobs",
    "usable_cores",
]


MAX_THREADS = 1024


class Execution(NamedTuple):
    """The last two arguments of every binding."""

    n_jobs: int
    instruction_set: int


def execution(n_jobs: int | None) -> Execution:
    """Resolve an estimator's ``n_jobs`` and this machine's instruction set.

    The environment is asked once, as OpenMP does: it takes longer than counting a short document.
    """
    try:
        return _execution(n_jobs)
    except TypeError:
        resolve_n_jobs(n_jobs)  # says what is wrong, also with what cannot be remembered
        raise


@lru_cache(maxsize=64, typed=True)
def _execution(n_jobs: int | None) -> Execution:
    return Execution(resolve_n_jobs(n_jobs), _available_instruction_sets()[instruction_set()])


def ask_again() -> None:
    """Forget what the environment said."""
    _execution.cache_clear()
    instruction_set.cache_clear()
    _cgroup_quota.cache_clear()


def resolve_n_jobs(n_jobs: int | None) -> int:
    """Turn an estimator's ``n_jobs`` into a number of threads.

    None: the usable cores, but no more than ``OMP_NUM_THREADS``, so that the workers of a process
    pool do not each take the whole machine. A positive number: that many, up to 1,024. A negative
    number: the usable cores plus one plus ``n_jobs``, so that -1 means all of them.

    Examples
    --------
    >>> resolve_n_jobs(3)
    3
    """
    if type(n_jobs) is int and n_jobs > 0:
        return min(n_jobs, MAX_THREADS)
    if n_jobs is None:
        return min(usable_cores(), _omp_num_threads() or usable_cores())
    number = whole_number(n_jobs, "n_jobs", wanted="an int or None")
    if number == 0:
        raise ValueError("n_jobs must not be 0; pass None for the usable cores or 1 for one thread")
    if number > 0:
        return min(number, MAX_THREADS)
    return max(1, usable_cores() + 1 + number)


def usable_cores() -> int:
    """Count the cores this process may keep busy: its CPU affinity, cut by its cgroup's quota."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    quota = _cgroup_quota()
    return max(1, min(cores or 1, quota or cores or 1))


# Once per process: reading it takes longer than counting a short document.
@lru_cache(maxsize=8)
def _cgroup_quota(root: Path = Path("/sys/fs/cgroup")) -> int | None:
    """Return the whole cores that the cgroup's CPU quota allows, or None if there is no quota."""
    try:  # version 2: "max 100000" or "150000 100000"
        limit, period = (root / "cpu.max").read_text().split()
    except (OSError, ValueError):
        try:  # version 1: -1 for no limit
            limit = (root / "cpu/cpu.cfs_quota_us").read_text().strip()
            period = (root / "cpu/cpu.cfs_period_us").read_text().strip()
        except OSError:
            return None
    try:
        cores = int(limit) / int(period)
    except (ValueError, ZeroDivisionError):
        return None
    return max(1, round(cores)) if cores > 0 else None


def _omp_num_threads() -> int | None:
    """Return the first number of ``OMP_NUM_THREADS``, or None if it says nothing usable."""
    first = os.environ.get("OMP_NUM_THREADS", "").split(",")[0].strip()
    return int(first) or None if re.fullmatch("[0-9]{1,6}", first) else None


@lru_cache(maxsize=1)
def instruction_set() -> str:
    """Name the instruction set in use: the best one, or what the environment asks for.

    The variable ``WORDODDS_INSTRUCTION_SET``, read once, names another one. Results never depend on
    it.
    """
    available = _available_instruction_sets()
    wanted = os.environ.get("WORDODDS_INSTRUCTION_SET")
    if not wanted:
        return next(reversed(available))
    if wanted not in available:
        raise ValueError(
            f"WORDODDS_INSTRUCTION_SET is {wanted!r}; this machine has {', '.join(available)}"
        )
    return wanted


@lru_cache(maxsize=1)
def _available_instruction_sets() -> dict[str, int]:
    return base.available_instruction_sets()

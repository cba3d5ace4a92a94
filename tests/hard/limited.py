"""Worker processes with little memory to spare, and files that need not reach the disk."""

import os
import resource
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

__all__ = ["folder_for_workers", "scratch_folder"]

_MEMORY = 400 << 20  # above what a worker has when it starts; the files are of kilobytes


@contextmanager
def folder_for_workers() -> Iterator[None]:
    """Take away what the workers of this process wrote, when they are done."""
    try:
        yield
    finally:
        shutil.rmtree(_folder_of(os.getpid()), ignore_errors=True)


def scratch_folder() -> Path:
    """Limit the memory of this worker, once; return a folder of its own for files."""
    return _scratch_folder(os.getpid())


@cache
def _scratch_folder(process: int) -> Path:
    os.fsync = lambda descriptor: None  # nothing reads these files after a crash
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + _MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
    path = _folder_of(os.getppid()) / str(process)
    path.mkdir(parents=True, exist_ok=True)
    return path


def _folder_of(parent: int) -> Path:
    shared = Path("/dev/shm")
    folder = shared if os.access(shared, os.W_OK) else Path(tempfile.gettempdir())
    return folder / f"wordodds-hard-{parent}"

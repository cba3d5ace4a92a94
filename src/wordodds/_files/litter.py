"""Temporary files beside their targets, and how the next writer removes those of dead processes.

A writer holds a lock on its temporary file for as long as it lives, and the system releases it when
the process ends, however it ends. A temporary file that can be locked therefore has no writer.
"""

import fcntl
import os
import re
import stat
import time
from contextlib import suppress

__all__ = ["clear_litter", "hidden_name", "named_file", "try_lock", "unnamed_file"]

_NAME = re.compile(r"\.wordodds-[0-9a-f]{16}\.part")
# File systems without unnamed files are mostly network ones, where a lock may not be seen by other
# machines. There, only what no writer has touched for a day is litter.
_UNTOUCHED_SECONDS = 24 * 3600.0


def hidden_name(folder: str) -> str:
    """Return a new path for a temporary file in a folder."""
    return os.path.join(folder, f".wordodds-{os.urandom(8).hex()}.part")


def unnamed_file(folder: str, mode: int) -> int | None:
    """Open a new file without a name; None if the file system has none."""
    unnamed = getattr(os, "O_TMPFILE", None)
    if unnamed is not None and os.path.isdir("/proc/self/fd"):
        with suppress(OSError):  # what else is wrong shows when a named file is made
            return os.open(folder, unnamed | os.O_RDWR, mode)
    return None


def named_file(folder: str, mode: int) -> tuple[int, str]:
    """Open a new temporary file, locked; return its descriptor and its path."""
    while True:
        path = hidden_name(folder)
        try:
            descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, mode)
            # Before the lock, another process may have taken the file for litter.
            if try_lock(descriptor) and os.fstat(descriptor).st_nlink > 0:
                return descriptor, path
            os.close(descriptor)
        except OSError as error:
            error.filename = folder  # the hidden name means nothing to a reader
            raise
        with suppress(OSError):
            os.unlink(path)


def try_lock(descriptor: int) -> bool:
    """Mark a file as in use until it is closed; False if another process has locked it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass  # no locks on this file system: nothing is cleared on it either
    return True


def clear_litter(folder: str) -> None:
    """Remove the temporary files that dead processes left in a folder.

    Files of living writers stay, and so does whatever is not a regular file with exactly such a
    name. Litter that cannot be removed stays too, without an error.
    """
    with suppress(OSError):
        for name in os.listdir(folder):
            if _NAME.fullmatch(name):
                with suppress(OSError):
                    _remove_if_dead(folder, os.path.join(folder, name))


def _remove_if_dead(folder: str, path: str) -> None:
    if not stat.S_ISREG(os.lstat(path).st_mode):
        return
    seen_by_all = _has_unnamed_files(folder)
    # A lock on a network file system needs a file that is open for writing.
    access = os.O_RDONLY if seen_by_all else os.O_RDWR
    descriptor = os.open(path, access | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            return
        if not seen_by_all and time.time() - found.st_mtime < _UNTOUCHED_SECONDS:
            return
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.path.samestat(found, os.lstat(path)):
            os.unlink(path)
    finally:
        os.close(descriptor)


def _has_unnamed_files(folder: str) -> bool:
    descriptor = unnamed_file(folder, 0o600)
    if descriptor is None:
        return False
    os.close(descriptor)
    return True

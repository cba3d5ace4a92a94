"""Locks that a forked child can take."""

import os
from threading import Lock
from types import TracebackType

__all__ = ["ForkSafeLock"]


class ForkSafeLock:
    """A lock that is free in the child of a fork, whichever thread of the parent held it.

    For locks of a module, which live as long as the process.

    Examples
    --------
    >>> counting = ForkSafeLock()
    >>> with counting:
    ...     print("alone")
    alone
    """

    def __init__(self) -> None:
        self._renew()
        if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
            os.register_at_fork(after_in_child=self._renew)

    def _renew(self) -> None:
        self._lock = Lock()

    def __enter__(self) -> None:
        self.acquire()

    def acquire(self, *, blocking: bool = True) -> bool:
        """Take the lock, or without ``blocking`` try to; return whether it was taken."""
        return self._lock.acquire(blocking=blocking)

    def release(self) -> None:
        """Free the lock; after a fork that came between, there is nothing to free."""
        if self._lock.locked():
            self._lock.release()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.release()

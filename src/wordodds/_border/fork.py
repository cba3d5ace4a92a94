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
        self._lock.acquire()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._lock.release()

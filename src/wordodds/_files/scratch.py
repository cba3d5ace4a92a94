"""Arrays on disk while a job runs: what does not fit the memory and is needed again."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import numpy.typing as npt

from wordodds.typing import AnyArray

__all__ = ["Scratch"]

# One call of the system moves this much at most, so that Ctrl-C need not wait for gigabytes.
_BLOCK = 1 << 24


class Scratch:
    """A file without a name: whatever ends the process, nothing is left of it.

    Arrays are contiguous; places are bytes from the beginning. An OSError names the folder.

    Examples
    --------
    >>> import numpy as np
    >>> with Scratch(".") as scratch:
    ...     _ = scratch.append(np.arange(3.0))
    ...     where = scratch.append(np.arange(10))
    ...     scratch.read(where + 8, 2, np.int64)
    array([1, 2])
    """

    def __init__(self, folder: str) -> None:
        os.stat(folder)  # the error for a missing folder names the folder
        self._folder = folder
        self._file = tempfile.TemporaryFile(buffering=0, dir=folder)  # noqa: SIM115
        self._descriptor = self._file.fileno()
        self.size = 0

    def __enter__(self) -> "Scratch":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the room back."""
        self._file.close()

    def append(self, array: AnyArray) -> int:
        """Write an array at the end; return where it begins."""
        begin = self.size
        self.write(begin, array)
        return begin

    def write(self, begin: int, array: AnyArray) -> None:
        """Write an array at some place."""
        rest, at = array.reshape(-1).view(np.uint8).data, begin
        with self._naming_the_folder():
            while rest:
                n = os.pwrite(self._descriptor, rest[:_BLOCK], at)
                rest, at = rest[n:], at + n
        self.size = max(self.size, at)

    def read(self, begin: int, count: int, dtype: npt.DTypeLike) -> AnyArray:
        """Return numbers from some place."""
        array = np.empty(count, dtype=dtype)
        self.read_into(begin, array)
        return array

    def read_into(self, begin: int, array: AnyArray) -> None:
        """Fill an array with what lies at some place."""
        rest, at = array.reshape(-1).view(np.uint8).data, begin
        while rest:
            with self._naming_the_folder():
                n = os.preadv(self._descriptor, [rest[:_BLOCK]], at)
            if n == 0:
                raise EOFError(f"a scratch file of {self.size} bytes ends before {at + len(rest)}")
            rest, at = rest[n:], at + n

    @contextmanager
    def _naming_the_folder(self) -> Iterator[None]:
        """Add the folder to an error, as a file without a name has no other."""
        try:
            yield
        except OSError as error:
            error.filename = self._folder
            raise

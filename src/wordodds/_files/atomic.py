"""Replace a file as a whole or not at all, whatever happens in between."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from wordodds._files.litter import clear_litter, hidden_name, named_file, try_lock, unnamed_file

__all__ = ["kind_of_file", "replacing", "write_all"]

# One call of the system writes this much at most, so that Ctrl-C need not wait for gigabytes.
_BLOCK = 1 << 24


@contextmanager
def replacing(
    path: str | os.PathLike[str], *, error: type[ValueError] = ValueError
) -> Iterator[int]:
    """Open a new file that takes the place of ``path`` when the block ends without an exception.

    Until then, and after an exception, ``path`` is what it was. What is in place has
    reached the disk. The mode of an existing file is kept; a new one gets 0666 without the bits of
    the umask. A symbolic link stays, and the file it points to is replaced. Temporary files that
    killed processes left in the folder are removed. ``error`` is raised for a folder, pipe, socket
    or device.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> target = pathlib.Path(tempfile.mkdtemp(), "numbers")
    >>> with replacing(target) as descriptor:
    ...     write_all(descriptor, b"1 2 3")
    ...     target.exists()
    False
    >>> target.read_text()
    '1 2 3'
    """
    # Absolute, so that a change of folder does not matter.
    target = os.path.realpath(os.fsdecode(path))
    mode = _mode_to_keep(target, error)
    folder = os.path.dirname(target)
    clear_litter(folder)  # first, as that may make room
    hidden = None
    try:
        # What shall be private is never readable by others, not even for a moment.
        descriptor, hidden = _create(folder, 0o666 if mode is None else 0o600)
        try:
            yield descriptor
            if mode is not None:
                os.fchmod(descriptor, mode)
            os.fsync(descriptor)
            if hidden is None:
                hidden = hidden_name(folder)
                _give_name(descriptor, hidden)
            os.replace(hidden, target)
        finally:
            os.close(descriptor)  # not before: until then the lock protects the hidden name
    except BaseException as failure:
        # BaseException: Ctrl-C must not leave half a file either.
        if hidden is not None:
            with suppress(OSError):
                os.unlink(hidden)
        if isinstance(failure, OSError) and failure.filename in (None, hidden, folder):
            failure.filename = target  # a full disk does not say whose it was
        raise
    _sync_folder(folder)


def write_all(descriptor: int, data: bytes | memoryview) -> None:
    """Write every byte; the system may take fewer in one call."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest[:_BLOCK]) :]


def kind_of_file(mode: int) -> str:
    """Return what a file is, with its article, from the ``st_mode`` of its status.

    Examples
    --------
    >>> kind_of_file(os.stat(os.curdir).st_mode)
    'a folder'
    """
    kinds = {
        stat.S_IFREG: "a regular file",
        stat.S_IFDIR: "a folder",
        stat.S_IFIFO: "a pipe",
        stat.S_IFSOCK: "a socket",
    }
    return kinds.get(stat.S_IFMT(mode), "a device")


def _mode_to_keep(target: str, error: type[ValueError]) -> int | None:
    """Return the permissions of the file that will be replaced; None if there is none."""
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        os.stat(os.path.dirname(target))  # the error for a missing folder names the folder
        return None
    if not stat.S_ISREG(mode):
        raise error(f"cannot save to {target}: it is {kind_of_file(mode)}. Name a regular file")
    return stat.S_IMODE(mode)


def _create(folder: str, mode: int) -> tuple[int, str | None]:
    """Open a new file, locked; without a name where possible, as that leaves no litter."""
    descriptor = unnamed_file(folder, mode)
    if descriptor is None:
        return named_file(folder, mode)
    try_lock(descriptor)
    return descriptor, None


def _give_name(descriptor: int, hidden: str) -> None:
    # A file can get a name of its own only as a link to what /proc shows. That is a symbolic link,
    # and os.link follows it only when some folder is named, which an absolute path then ignores.
    os.link(f"/proc/self/fd/{descriptor}", hidden, src_dir_fd=descriptor)


def _sync_folder(folder: str) -> None:
    # The file is whole and in place; a folder that cannot be opened or synced is no failure.
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

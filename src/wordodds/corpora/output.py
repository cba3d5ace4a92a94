"""Outputs: a file that appears when it is complete, or standard output."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO

from wordodds.corpora.bad_rows import CorpusError
from wordodds.corpora.zstd import zstd_writer

if TYPE_CHECKING:
    from wordodds.corpora.streams import ByteWriter

__all__ = ["open_output"]


@contextmanager
def open_output(target: str | os.PathLike[str]) -> Iterator[ByteWriter]:
    """Open a file for writing, or standard output by the name "-".

    A file appears, or replaces the one of that name, when the block ends without an exception. It
    is packed where its name ends in ".gz" or ".zst".

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "labels.txt")
    >>> with open_output(path) as stream:
    ...     _ = stream.write(b"spam")
    ...     path.exists()
    False
    >>> path.read_text()
    'spam'
    """
    if target == "-":
        yield _standard_output()
        return
    path = os.fspath(target)
    suffix = os.path.splitext(path)[1]
    if _is_special(path):  # a pipe or device is no file that could be replaced
        with open(path, "wb") as stream, _packed(stream, suffix) as packed:
            yield packed
        return
    from wordodds._files.atomic import replacing

    # On leaving, from the right: finish the archive, write the last bytes, rename the file.
    with (
        replacing(path, error=CorpusError) as descriptor,
        open(descriptor, "wb", closefd=False) as stream,
        _packed(stream, suffix) as packed,
    ):
        yield packed


def _standard_output() -> BinaryIO:
    if sys.stdout is None:
        raise CorpusError("there is no standard output to write to")
    sys.stdout.flush()
    return sys.stdout.buffer


def _is_special(path: str) -> bool:
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


@contextmanager
def _packed(stream: BinaryIO, suffix: str) -> Iterator[ByteWriter]:
    packed: ByteWriter
    if suffix == ".gz":
        import gzip

        # No time and no name: equal results make equal files.
        with gzip.GzipFile("", "wb", 6, stream, mtime=0) as packed:
            yield packed
    elif suffix == ".zst":
        packed = zstd_writer(stream)
        try:
            yield packed
        finally:
            packed.close()
    else:
        yield stream

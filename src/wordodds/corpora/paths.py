"""The files of a source: a path, a pattern, or a list of those."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable
from typing import TypeAlias

from wordodds.corpora.bad_rows import CorpusError

__all__ = ["Source", "corpus_paths", "may_wait"]

Source: TypeAlias = "str | os.PathLike[str] | Iterable[str | os.PathLike[str]]"


def corpus_paths(source: Source) -> list[str]:
    """Return files and folders in the order in which they are read.

    What exists is no pattern, whatever its name. A pattern, such as ``shards/**/*.parquet``, stands
    for the files that match, sorted, and for folders only if it matches no file. Raises CorpusError
    if a pattern matches nothing, or the list is empty.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for name in ("b.txt", "a.txt", "c.csv"):
    ...     (folder / name).touch()
    >>> [os.path.basename(path) for path in corpus_paths(folder / "*.txt")]
    ['a.txt', 'b.txt']
    """
    sources = [source] if isinstance(source, str | os.PathLike) else list(source)
    if not sources:
        raise CorpusError("source must name a file, got an empty list")
    return [path for one in sources for path in _paths_of(_name_of(one))]


def may_wait(paths: Iterable[str]) -> bool:
    """Return whether reading may block forever, as standard input and pipes can.

    Missing paths return False; opening them raises.

    Examples
    --------
    >>> may_wait(["-"]), may_wait([os.curdir])
    (True, False)
    """
    return any(path == "-" or _is_special(path) for path in paths)


def _is_special(path: str) -> bool:
    return os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path))


def _name_of(source: str | os.PathLike[str]) -> str:
    name = os.fspath(source) if isinstance(source, os.PathLike) else source
    if not isinstance(name, str):
        raise TypeError(f"source must be a path, a pattern or a list of those, got {source!r}")
    return name


def _paths_of(name: str) -> list[str]:
    if name == "-" or not glob.has_magic(name) or os.path.lexists(name):
        return [name]
    found = sorted(glob.glob(name, recursive=True))
    if not found:
        raise CorpusError(f"{name}: no file matches this pattern")
    # `shards/**` matches the folders too, whose files would be read twice.
    return [path for path in found if not os.path.isdir(path)] or found

"""A folder with one sub-folder per class, where each file is a document."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from wordodds.corpora.bad_rows import BadRows, CorpusError
from wordodds.corpora.batch import Batch
from wordodds.corpora.input import open_input, read_all
from wordodds.corpora.lines import undecodable
from wordodds.corpora.options import ReadOptions

__all__ = ["folder_size", "read_folder"]


def read_folder(
    root: str, options: ReadOptions, bad_rows: BadRows, advance: Callable[[int], None]
) -> Iterator[Batch]:
    """Yield the files of a folder by class and name; hidden ones are skipped.

    With labels, the first folder below `root` is the class. The one column to keep is "file", the
    path below `root`.
    """
    unknown = [name for name in options.keep if name != "file"]
    if unknown:
        raise CorpusError(f"{root}: a folder has one column to keep, 'file', not {unknown[0]!r}")
    batch = Batch([], [] if options.labels else None, {name: [] for name in options.keep}, [])
    n_bytes = 0
    for row, path in enumerate(_files(root), 1):
        n_bytes += _add(batch, root, path, row, options, bad_rows)
        if n_bytes >= options.batch_bytes:
            advance(n_bytes)
            n_bytes = 0
            yield batch
            batch = Batch([], [] if options.labels else None, {x: [] for x in options.keep}, [])
    advance(n_bytes)
    yield batch


def folder_size(root: str) -> int:
    """Return the bytes of all files of a corpus."""
    return sum(os.path.getsize(path) for path in _files(root) if os.path.isfile(path))


def _files(root: str) -> Iterator[str]:
    for folder, inner, names in os.walk(root, onerror=_raise):
        inner[:] = sorted(name for name in inner if not name.startswith("."))
        for name in sorted(names):
            if not name.startswith("."):
                yield os.path.join(folder, name)


def _raise(error: OSError) -> None:
    raise error  # a folder that may not be read is not an empty one


def _add(
    batch: Batch, root: str, path: str, row: int, options: ReadOptions, bad_rows: BadRows
) -> int:
    """Append a file to a batch; return the bytes that were read."""
    relative = os.path.relpath(path, root)
    name, _, below = relative.partition(os.sep)
    if options.labels and not below:
        bad_rows.add(path, "lies beside the folders of the classes")
        return 0
    if not os.path.isfile(path):  # opening a pipe would wait for ever
        bad_rows.add(path, "not a file")
        return 0
    with open_input(path) as source:
        data = read_all(source)
    try:
        text = data.decode(options.encoding, options.encoding_errors)
    except UnicodeDecodeError:
        bad_rows.add(path, undecodable(options))
        return len(data)
    batch.texts.append(text.removeprefix("\N{BYTE ORDER MARK}"))
    if batch.labels is not None:
        batch.labels.append(name)
    for column in batch.extra.values():
        column.append(relative)
    assert isinstance(batch.rows, list)
    batch.rows.append(row)
    return len(data)

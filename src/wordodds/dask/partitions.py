"""A collection in parts: what a task is given, and the texts and labels that it finds in it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeGuard, TypeVar

if TYPE_CHECKING:
    import dask.bag
    import dask.dataframe
    import distributed
    import pandas
    import pyarrow
    from dask.delayed import Delayed

    from wordodds.dask.cluster import FutureOf, Work
    from wordodds.typing import RawDocuments

    DaskCollection: TypeAlias = (
        dask.bag.Bag
        | dask.dataframe.DataFrame
        | str
        | os.PathLike[str]
        | Sequence[Delayed | distributed.Future | str | os.PathLike[str]]
    )
    Frame: TypeAlias = pyarrow.RecordBatch | pyarrow.Table | pandas.DataFrame
    Partition: TypeAlias = "File | Frame | Iterable[object]"

__all__ = [
    "File",
    "Partitions",
    "columns_of",
    "located",
    "partitions_of",
    "sources_of",
    "texts_of",
]

Result = TypeVar("Result")


class File(NamedTuple):
    """A partition that its worker reads itself."""

    path: str


class Partitions(NamedTuple):
    """The parts of a collection, in order."""

    kind: str  # "bag", "dataframe", "list" or "files"
    parts: list[Delayed | distributed.Future | File]
    names: list[str]  # for messages

    def apply(
        self, work: Work, function: Callable[..., Result], common: object
    ) -> list[FutureOf[Result]]:
        """Return the futures of a function of each part, its name and what is common to all."""
        from dask.delayed import Delayed, delayed

        items = [(part, name, common) for part, name in zip(self.parts, self.names, strict=True)]
        if self.kind == "files":
            return work.spread(function, items)
        if not any(isinstance(part, Delayed) for part in self.parts):
            return [work.submit(function, *item) for item in items]
        # In one graph with what makes the partition, so that no worker keeps text for long.
        call = delayed(function, pure=False)
        return work.compute([call(*item) for item in items])


def partitions_of(collection: DaskCollection, work: Work) -> Partitions:
    """Return the parts of whatever collection `fit` and `predict` take."""
    from dask.bag import Bag
    from dask.delayed import Delayed
    from distributed import Future

    # A dataframe exists only if its module, which takes long to import, is loaded.
    frames = sys.modules.get("dask.dataframe")
    if isinstance(collection, Bag):
        return _numbered("bag", collection.to_delayed())
    if frames is not None and isinstance(collection, frames.DataFrame):
        return _numbered("dataframe", collection.to_delayed())
    if isinstance(collection, str | os.PathLike):
        return _files([collection], work)
    if isinstance(collection, list | tuple) and collection:
        if all(isinstance(part, str | os.PathLike) for part in collection):
            return _files(list(collection), work)
        if all(isinstance(part, Delayed | Future) for part in collection):
            return _numbered("list", list(collection))
    raise TypeError(
        "collection must be a Dask bag or dataframe, a list of delayed objects or futures that "
        f"give Arrow batches, or paths; got {_kind(collection)}"
    )


def columns_of(partition: Partition, text: str, label: str) -> tuple[Any, Any]:
    """Return the texts of a partition and their labels."""
    partition = _read(partition, text, label) if isinstance(partition, File) else partition
    if _has_columns(partition):
        labels = _column(partition, label)
        # As Python's own values: the classes are then the same for every kind of Arrow column.
        return _column(partition, text), labels.to_pylist() if _is_arrow(partition) else labels
    texts, labels = [], []
    for row, item in enumerate(_rows(partition)):
        if isinstance(item, Mapping):
            texts.append(_field(item, text, row))
            labels.append(_field(item, label, row))
        elif isinstance(item, tuple | list) and len(item) == 2:
            texts.append(item[0])
            labels.append(item[1])
        else:
            raise ValueError(
                f"row {row} must be a mapping or a pair (text, label), got {_kind(item)}"
            )
    return texts, labels


def texts_of(partition: Partition, text: str) -> RawDocuments:
    """Return the texts of a partition."""
    if _has_columns(partition):
        column: RawDocuments = _column(partition, text)
        return column
    return [
        _field(item, text, row) if isinstance(item, Mapping) else item
        for row, item in enumerate(_rows(partition))
    ]


@contextmanager
def located(name: str) -> Iterator[None]:
    """Name the partition in errors about its rows."""
    from wordodds.corpora import CorpusError

    try:
        yield
    except CorpusError:  # names file and row already
        raise
    except (TypeError, ValueError) as error:
        raise _relocated(error, name) from error


def _relocated(error: TypeError | ValueError, name: str) -> Exception:
    """Return an error of the same type whose message begins with the name of the partition."""
    try:
        return type(error)(f"{name}: {error}")
    except TypeError:  # UnicodeError and JSONDecodeError, say, are made of more than a message
        # The notes, which name the row, would not survive the way to the client.
        message = "; ".join([f"{name}: {error}", *getattr(error, "__notes__", [])])
        return TypeError(message) if isinstance(error, TypeError) else ValueError(message)


def sources_of(patterns: list[str]) -> list[str]:
    """Return the files that paths and globs stand for, in order."""
    from wordodds.corpora import corpus_paths

    return corpus_paths(patterns)


def _files(patterns: Sequence[str | os.PathLike[str]], work: Work) -> Partitions:
    if "-" in patterns:
        raise ValueError("workers cannot read the standard input of this process: name files")
    absolute = [os.path.abspath(pattern) for pattern in patterns]
    paths = work.result(work.submit(sources_of, absolute))
    return Partitions("files", [File(path) for path in paths], paths)


def _numbered(kind: str, parts: Sequence[Delayed | distributed.Future]) -> Partitions:
    return Partitions(kind, list(parts), [f"partition {i}" for i in range(len(parts))])


def _read(file: File, text: str, label: str) -> pyarrow.Table | list[object]:
    import pyarrow as pa

    from wordodds.corpora import read

    batches = list(read(file.path, text=text, label=label))
    return pa.Table.from_batches(batches) if batches else []


def _has_columns(partition: Partition) -> TypeGuard[Frame]:
    return hasattr(type(partition), "columns")


def _is_arrow(partition: Frame) -> TypeGuard[pyarrow.RecordBatch | pyarrow.Table]:
    return type(partition).__module__.partition(".")[0] == "pyarrow"


def _column(partition: Frame, name: str) -> pyarrow.Array | pyarrow.ChunkedArray | pandas.Series:
    names = partition.schema.names if _is_arrow(partition) else list(partition.columns)
    if name not in names:
        raise ValueError(f"no column {name!r} among {', '.join(map(repr, names[:20]))}")
    return partition.column(name) if _is_arrow(partition) else partition[name]


def _rows(partition: Partition) -> Iterable[object]:
    if isinstance(partition, str | bytes | Mapping):
        raise ValueError(f"a partition must be a list of rows, got {_kind(partition)}")
    return partition


def _field(row: Mapping[str, object], name: str, number: int) -> object:
    if name not in row:
        raise ValueError(f"row {number} has no {name!r} among {', '.join(map(repr, row))}")
    return row[name]


def _kind(value: object) -> str:
    return f"{type(value).__name__} {value!r:.60}"

"""Any corpus in batches: the name decides the format, the format the reader."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from wordodds.corpora.bad_rows import BadRows, CorpusError
from wordodds.corpora.batch import Batch
from wordodds.corpora.input import input_size, open_input
from wordodds.corpora.options import ReadOptions
from wordodds.corpora.paths import Source, corpus_paths
from wordodds.corpora.unwanted_rows import screened

__all__ = [
    "as_list",
    "corpus_size",
    "format_of",
    "input_format",
    "read_batches",
    "read_corpus",
    "reader_of",
    "whole_batches",
]

_SUFFIXES = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".txt": "lines",
    ".text": "lines",
}
_DELIMITERS = {"csv": ",", "tsv": "\t"}
_OPEN_THEMSELVES = ("folder", "parquet")
_UNITS = {"folder": "file", "parquet": "row"}  # names of rows that are not lines


def format_of(name: str | os.PathLike[str]) -> str | None:
    """Return the format that the name of a file stands for, None if it stands for none.

    Examples
    --------
    >>> format_of("mail.jsonl.gz"), format_of("mail.tsv"), format_of("-"), format_of("mail")
    ('jsonl', 'tsv', 'lines', None)
    """
    path = os.fspath(name).lower()
    if path == "-":
        return "lines"
    for packed in (".gz", ".zst"):
        path = path.removesuffix(packed)
    return _SUFFIXES.get(os.path.splitext(path)[1])


def input_format(path: str, given: str | None) -> str:
    """Return the format of a file or folder: the given one, else that of its name."""
    kind = given or ("folder" if os.path.isdir(path) else format_of(path))
    if kind is None:
        os.stat(path)  # a missing file is the likelier fault
        raise CorpusError(f"{path}: the name does not tell the format; pass --format (format=)")
    return kind


def corpus_size(source: Source) -> int | None:
    """Return the bytes of a corpus as they lie on disk, None if unknown."""
    sizes = [_size(path) for path in corpus_paths(source)]
    return None if None in sizes else sum(filter(None, sizes))


def read_batches(
    source: Source,
    options: ReadOptions | None = None,
    bad_rows: BadRows | None = None,
    advance: Callable[[int], Any] | None = None,
) -> Iterator[Batch]:
    r"""Yield the rows of a corpus, in their order, in batches of bounded memory.

    Rows are numbered within their file. By default the first bad row raises BadRowError; a corpus
    that cannot be read raises CorpusError. `advance` is called with the number of further bytes of
    `corpus_size` that are done.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "mail.csv")
    >>> _ = path.write_text('label,text\nspam,"free, free"\nham,lunch?\n')
    >>> for batch in read_batches(path, ReadOptions(labels=True)):
    ...     print(batch.texts, batch.labels)
    ['free, free', 'lunch?'] ['spam', 'ham']
    """
    options = ReadOptions() if options is None else options
    bad_rows = BadRows() if bad_rows is None else bad_rows
    advance = _ignore if advance is None else advance
    paths = corpus_paths(source)
    if len(paths) > 1:  # a column that one file lacks may be in another
        options = replace(options, keep_somewhere=True)
    for path in paths:
        kind = input_format(path, options.format)
        for batch in whole_batches(path, kind, options, bad_rows, advance):
            batch.source, batch.unit = path, _UNITS.get(kind, "line")
            batch = screened(batch, options, bad_rows, kind in _DELIMITERS)
            if len(batch):
                yield from batch.pieces(options.batch_rows)


def read_corpus(
    source: Source,
    options: ReadOptions | None = None,
    bad_rows: BadRows | None = None,
    advance: Callable[[int], Any] | None = None,
) -> Batch:
    """Return all rows of a corpus at once, as one batch of lists; raise CorpusError for none."""
    whole = Batch([], None, {}, [])
    rows: list[int] = []
    labels: list[Any] = []
    for batch in read_batches(source, options, bad_rows, advance):
        whole.texts.extend(as_list(batch.texts))
        labels.extend(batch.labels or [])
        rows.extend(batch.rows)
        for name, column in batch.extra.items():
            whole.extra.setdefault(name, []).extend(as_list(column))
    if not rows:
        raise CorpusError(f"{', '.join(corpus_paths(source)[:3])}: there are no documents")
    whole.rows = rows
    whole.labels = labels if options is not None and options.labels else None
    return whole


def as_list(column: Iterable[Any]) -> list[Any]:
    """Return a column as Python's own values.

    Examples
    --------
    >>> as_list(range(3))
    [0, 1, 2]
    """
    for method in ("to_pylist", "tolist"):
        if hasattr(column, method):
            values: list[Any] = getattr(column, method)()
            return values
    return column if type(column) is list else list(column)


def _size(path: str) -> int | None:
    if not os.path.isdir(path):
        return input_size(path)
    from wordodds.corpora.folder import folder_size

    return folder_size(path)


def whole_batches(
    path: str, kind: str, options: ReadOptions, bad_rows: BadRows, advance: Callable[[int], Any]
) -> Iterator[Batch]:
    """Yield the rows of one file as its reader returns them."""
    if kind in _OPEN_THEMSELVES:
        yield from reader_of(kind)(path, options, bad_rows, advance)
        return
    done = 0
    with open_input(path) as source:
        for batch in reader_of(kind)(source, options, bad_rows):
            position = source.position()
            advance(position - done)
            done = position
            yield batch


def reader_of(kind: str) -> Callable[..., Iterator[Batch]]:
    """Return the reader of a format, importing no other: a short job is mostly imports."""
    if kind == "jsonl":
        from wordodds.corpora.jsonl import read_jsonl

        return read_jsonl
    if kind in _DELIMITERS:
        from wordodds.corpora.delimited import read_delimited

        return partial(read_delimited, delimiter=_DELIMITERS[kind])
    if kind == "parquet":
        from wordodds.corpora.parquet import read_parquet

        return read_parquet
    if kind == "folder":
        from wordodds.corpora.folder import read_folder

        return read_folder
    from wordodds.corpora.lines import read_lines

    return read_lines


def _ignore(n_bytes: int) -> None:
    pass

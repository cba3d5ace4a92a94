"""Checks of inputs before any work is done: they can be read and have the columns."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import closing
from dataclasses import replace
from typing import Any, cast

from wordodds.corpora.arrow import pyarrow_module
from wordodds.corpora.bad_rows import BadRows, CorpusError
from wordodds.corpora.input import open_input
from wordodds.corpora.options import ReadOptions
from wordodds.corpora.paths import may_wait
from wordodds.corpora.readers import input_format, reader_of, whole_batches
from wordodds.corpora.zstd import zstd_reader

__all__ = ["check_columns", "check_files", "import_readers"]

_FIRST_BYTES = 1 << 16  # to read at a time: the columns are there, or soon known not to be


def check_files(paths: Iterable[str], format: str | None) -> None:
    """Check that files exist, may be read and have a known format; needs no heavy import."""
    for path in paths:
        if path == "-":
            continue
        os.stat(path)
        if not os.access(path, os.R_OK):
            raise PermissionError(13, "Permission denied", path)
        input_format(path, format)


def import_readers(paths: Iterable[str], format: str | None) -> None:
    """Import what reads the files; an ImportError names the missing library."""
    endings = {os.path.splitext(path)[1] for path in paths}
    kinds = {input_format(path, format) for path in paths}
    for kind in kinds:
        reader_of(kind)
    if "parquet" in kinds:
        pyarrow_module("pyarrow.parquet", "reading Parquet")
        pyarrow_module("pyarrow.compute", "reading Parquet")
    if ".gz" in endings:
        import gzip  # noqa: F401
    if ".zst" in endings:
        import io

        zstd_reader(io.BytesIO())


def check_columns(paths: Iterable[str], options: ReadOptions) -> None:
    """Check that the beginning of each file can be read and has the wanted columns.

    Standard input and pipes, which can be read only once, are not checked.
    """
    files = [path for path in paths if not may_wait([path])]
    little = replace(options, batch_bytes=_FIRST_BYTES, keep_somewhere=len(files) > 1)
    unseen: set[str] | None = None  # kept columns that no file of JSONL has
    for path in files:
        lacking = _check_file(path, little)
        unseen = lacking if unseen is None else unseen & lacking
    if unseen:
        names = ", ".join(map(repr, sorted(unseen)))
        raise CorpusError(f"no column {names} to keep in the first records of any file")


def _check_file(path: str, options: ReadOptions) -> set[str]:
    """Check one file; return the columns to keep that it lacks, where records may lack columns."""
    kind = input_format(path, options.format)
    if kind == "jsonl":
        from wordodds.corpora.jsonl import check_jsonl

        with open_input(path) as source:
            return check_jsonl(source, options)
    # Bad rows are reported by the pass that uses them.
    batches = whole_batches(path, kind, options, BadRows(skip=True), lambda n_bytes: None)
    with closing(cast("Any", batches)):
        next(batches, None)
    return set()

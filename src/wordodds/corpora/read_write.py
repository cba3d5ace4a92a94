"""`read` and `write`: corpora as Arrow record batches."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Literal

from wordodds._files.sizes import byte_size
from wordodds.corpora.bad_rows import BadRows, CorpusError
from wordodds.corpora.batch import Batch
from wordodds.corpora.options import InputFormat, ReadOptions
from wordodds.corpora.paths import Source, corpus_paths, may_wait
from wordodds.corpora.readers import corpus_size, read_batches
from wordodds.corpora.record_batches import RecordBatches
from wordodds.corpora.writer import OutputFormat, open_writer

if TYPE_CHECKING:
    import pyarrow

    from wordodds.typing import DecodeError

__all__ = ["Corpus", "read", "write"]


class Corpus:
    """Rows of files, which can be iterated any number of times. Made by `read`.

    Each pass opens the files again and yields `pyarrow.RecordBatch`. The metadata of its schema
    have the place of a batch: ``wordodds.file`` and ``wordodds.first_row``, from 1.

    Attributes
    ----------
    sources : list of str
        Files and folders, in the order in which they are read.
    bad_rows : BadRows
        Rows that the last pass left out.
    """

    def __init__(
        self, sources: list[str], options: ReadOptions, names: tuple[str, str | None], skip: bool
    ) -> None:
        self.sources = sources
        self.bad_rows = BadRows(skip)
        self._options = options
        self._names = names

    @property
    def size(self) -> int | None:
        """Bytes on disk; None if unknown, as for standard input."""
        return corpus_size(self.sources)

    @property
    def may_wait(self) -> bool:
        """Whether reading may block forever, so that it belongs in the calling thread."""
        return may_wait(self.sources)

    def __iter__(self) -> Iterator[pyarrow.RecordBatch]:
        batches = self.batches()
        made = RecordBatches(*self._names, self.bad_rows)
        for batch in batches:
            record_batch = made.make(batch)
            if len(record_batch):
                yield record_batch

    def batches(self, advance: Callable[[int], object] | None = None) -> Iterator[Batch]:
        """Yield the rows without conversion to Arrow; only Parquet needs pyarrow here.

        Parameters
        ----------
        advance : callable or None, default=None
            Function that is called with the number of further bytes of ``size`` that are done.
        """
        self.bad_rows = BadRows(self.bad_rows.skip)
        return read_batches(self.sources, self._options, self.bad_rows, advance)

    def __repr__(self) -> str:
        more = f", and {len(self.sources) - 1} more" if len(self.sources) > 1 else ""
        return f"<Corpus {self.sources[0]!r}{more}>"


def read(
    source: Source,
    *,
    text: str = "text",
    label: str | None = None,
    keep: Sequence[str] = (),
    format: InputFormat | None = None,
    batch_bytes: int | str = 4 << 20,
    on_error: Literal["stop", "skip"] = "stop",
    header: bool = True,
    quotes: bool = True,
    encoding: str = "utf-8",
    encoding_errors: DecodeError = "strict",
) -> Corpus:
    r"""Read files of any size as Arrow record batches, in order and in bounded memory.

    Parameters
    ----------
    source : path, pattern, or list of those
        Files of JSONL, CSV, TSV, Parquet or lines, also packed as ``.gz`` or ``.zst``; folders with
        a sub-folder per class; or standard input, "-". A pattern such as ``shards/*.parquet``
        stands for what matches, sorted.
    text : str, default="text"
        Name of the column of texts; "text" where columns have no names.
    label : str or None, default=None
        Name of the column of labels; "label" where columns have no names. Labels are str, int or
        bool, all of one kind. None: no labels.
    keep : sequence of str, default=()
        Names of further columns to read.
    format : {"jsonl", "csv", "tsv", "parquet", "folder", "lines", "fasttext"} or None, default=None
        Format of the input. None: that of the names.
    batch_bytes : int or str, default=4194304
        Approximate size of the texts of a batch, in bytes or such as "4MB".
    on_error : {"stop", "skip"}, default="stop"
        Treatment of a malformed row: raise, or count it in ``bad_rows``.
    header : bool, default=True
        Whether CSV and TSV begin with a row of names.
    quotes : bool, default=True
        Whether CSV and TSV may have fields in double quotes.
    encoding : str, default="utf-8"
        Encoding of the text.
    encoding_errors : {"strict", "replace", "ignore"}, default="strict"
        Treatment of bytes that are not valid in the encoding, as for `bytes.decode`.

    Returns
    -------
    Corpus
        An iterable of record batches; needs pyarrow.

    Raises
    ------
    CorpusError
        If nothing matches. While iterating: if a file cannot be read, naming it.
    BadRowError
        While iterating: naming file and line of a malformed row.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "1.csv").write_text("label,text\nspam,free money\nham,lunch?\n")
    >>> _ = (folder / "2.csv").write_text("label,text\nham,see you\n")
    >>> for batch in read(folder / "*.csv", label="label"):
    ...     print(batch.column("text").to_pylist(), batch.column("label").to_pylist())
    ['free money', 'lunch?'] ['spam', 'ham']
    ['see you'] ['ham']
    """
    if isinstance(keep, str):
        raise ValueError(f"keep must be a list of names, got {keep!r}: pass [{keep!r}]")
    kept = tuple(keep) if isinstance(keep, Iterable) else None
    if kept is None or not all(isinstance(name, str) for name in kept):
        raise TypeError(f"keep must be a list of names, got {keep!r}")
    if on_error not in ("stop", "skip"):
        raise ValueError(f"on_error must be 'stop' or 'skip', got {on_error!r}")
    options = ReadOptions(
        format=format,
        labels=label is not None,
        # None: the default column, which depends on whether columns have names.
        text_column=None if text == "text" else text,
        label_column=None if label == "label" else label,
        keep=kept,
        header=header,
        quotes=quotes,
        encoding=encoding,
        encoding_errors=encoding_errors,
        batch_bytes=byte_size(batch_bytes, "batch_bytes"),
    )
    return Corpus(corpus_paths(source), options, (text, label), on_error == "skip")


def write(
    batches: Iterable[pyarrow.RecordBatch],
    target: str | os.PathLike[str],
    *,
    format: OutputFormat | None = None,
) -> int:
    """Write record batches to one file, which appears when it is complete.

    Parameters
    ----------
    batches : iterable of pyarrow.RecordBatch
        All with the same columns, such as those of `read` or of a model's ``predict_stream``.
    target : path or "-"
        The file; a name that ends in ".gz" or ".zst" packs it. "-" is standard output.
    format : {"jsonl", "csv", "tsv", "parquet", "lines"} or None, default=None
        Format of the output. None: that of the name.

    Returns
    -------
    int
        Number of rows that were written.

    Raises
    ------
    TypeError
        If ``batches`` is one batch, or contains anything else.
    CorpusError
        If two columns have the same name, there are none, or batches have different ones.

    Examples
    --------
    >>> import tempfile, pathlib, pyarrow
    >>> path = pathlib.Path(tempfile.mkdtemp(), "labels.csv")
    >>> write([pyarrow.record_batch({"id": [1, 2], "label": ["spam", "ham"]})], path)
    2
    >>> print(path.read_text().rstrip())
    id,label
    1,spam
    2,ham
    """
    # A reader of batches has a schema too, but no columns.
    if hasattr(batches, "schema") and hasattr(batches, "columns"):
        raise TypeError(
            f"batches must be an iterable of record batches, got one {type(batches).__name__}: "
            "pass it in a list"
        )
    rest = map(_checked, batches)
    first = next(rest, None)
    names = [] if first is None else list(first.schema.names)
    if first is not None and not names:
        raise CorpusError(f"{os.fspath(target)}: a batch has no columns to write")
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise CorpusError(f"{os.fspath(target)}: two columns are called {twice[0]!r}: rename one")
    n_rows = 0
    with open_writer(target, dict.fromkeys(names), format=format) as writer:
        for batch in chain([] if first is None else [first], rest):
            if list(batch.schema.names) != names:
                raise CorpusError(
                    f"{os.fspath(target)}: after {n_rows} rows a batch has the columns "
                    f"{batch.schema.names}; those before have {names}"
                )
            writer.write(dict(zip(names, batch.columns, strict=True)))
            n_rows += len(batch)
    return n_rows


def _checked(batch: pyarrow.RecordBatch) -> pyarrow.RecordBatch:
    if not (hasattr(batch, "schema") and hasattr(batch, "columns")):
        raise TypeError(f"batches must hold record batches, got {type(batch).__name__}")
    return batch

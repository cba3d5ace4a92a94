"""`read` and `write`: corpora as Arrow record batches."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, Literal

from wordodds._files.sizes import byte_size
from wordodds.corpora.bad_rows import BadRows, CorpusError
from wordodds.corpora.batch import Batch
from wordodds.corpora.options import ReadOptions
from wordodds.corpora.paths import Source, corpus_paths, may_wait
from wordodds.corpora.readers import corpus_size, read_batches
from wordodds.corpora.record_batches import RecordBatches
from wordodds.corpora.writer import open_writer

__all__ = ["Corpus", "read", "write"]


class Corpus:
    """Rows of files, to be iterated over any number of times. Made by `read`.

    Each pass opens the files anew and yields `pyarrow.RecordBatch`. The metadata of a batch's
    schema say where it is from: ``wordodds.file`` and ``wordodds.first_row``, from 1.

    Attributes
    ----------
    sources : list of str
        The files and folders, in the order in which they are read.
    bad_rows : BadRows
        What the last pass left out.
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
        """Bytes on disk; None where nobody knows, as of standard input."""
        return corpus_size(self.sources)

    @property
    def may_wait(self) -> bool:
        """Whether reading may wait for ever, so that it belongs into the calling thread."""
        return may_wait(self.sources)

    def __iter__(self) -> Iterator[Any]:
        batches = self.batches()
        made = RecordBatches(*self._names, self.bad_rows)
        for batch in batches:
            record_batch = made.make(batch)
            if len(record_batch):
                yield record_batch

    def batches(self, advance: Callable[[int], Any] | None = None) -> Iterator[Batch]:
        """Yield the rows as the readers give them, which need no pyarrow but for Parquet.

        Parameters
        ----------
        advance : callable, optional
            Hears how many more bytes of ``size`` are done.
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
    format: str | None = None,
    batch_bytes: int | str = 4 << 20,
    on_error: Literal["stop", "skip"] = "stop",
    header: bool = True,
    quotes: bool = True,
    encoding: str = "utf-8",
    encoding_errors: str = "strict",
) -> Corpus:
    r"""Read files of any size as Arrow record batches, in order and in bounded memory.

    Parameters
    ----------
    source : path, pattern, or list of those
        Files of JSONL, CSV, TSV, Parquet or lines, also packed as ``.gz`` or ``.zst``; folders with
        a sub-folder per class; or standard input, "-". A pattern such as ``shards/*.parquet``
        stands for what matches, sorted.
    text, label : str, label or None
        The columns of texts and of labels; None: no labels. Where columns have no names, they are
        called "text" and "label". Labels are str, int or bool, all of one kind.
    keep : sequence of str
        Further columns.
    format : {"jsonl", "csv", "tsv", "parquet", "folder", "lines", "fasttext"}, optional
        By default what the names say.
    batch_bytes : int or str
        About how much text makes a batch, such as "4MB".
    on_error : {"stop", "skip"}
        What to do with a malformed row: raise, or count it in ``bad_rows``.
    header, quotes : bool
        Whether CSV and TSV begin with a row of names and may have fields in double quotes.
    encoding, encoding_errors : str
        Of the text, as for `bytes.decode`.

    Returns
    -------
    Corpus
        To be iterated over; needs pyarrow.

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
        # None is whatever is the text where columns have numbers for names.
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
    batches: Iterable[Any], target: str | os.PathLike[str], *, format: str | None = None
) -> int:
    """Write record batches to one file, which appears when it is complete.

    Parameters
    ----------
    batches : iterable of pyarrow.RecordBatch
        All with the same columns, such as those of `read` or of a model's ``predict_stream``.
    target : path or "-"
        The file; a name that ends in ".gz" or ".zst" packs it. "-" is standard output.
    format : {"jsonl", "csv", "tsv", "parquet", "lines"}, optional
        By default what the name says.

    Returns
    -------
    int
        How many rows were written.

    Raises
    ------
    TypeError
        If ``batches`` is one batch, or holds anything else.
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


def _checked(batch: Any) -> Any:
    if not (hasattr(batch, "schema") and hasattr(batch, "columns")):
        raise TypeError(f"batches must hold record batches, got {type(batch).__name__}")
    return batch

"""What `fit_stream` is given, as parts of about equal size whose labels are encoded."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from wordodds._labels import encode_labels
from wordodds._progress import progress
from wordodds.corpora import Batch, prefetched

__all__ = ["Part", "Stream", "placed"]


class Part(NamedTuple):
    """Some documents with their labels."""

    texts: Any
    classes: npt.NDArray[Any]  # of these documents alone
    codes: npt.NDArray[np.int32]
    place: str  # of the first document

    @property
    def labels(self) -> npt.NDArray[Any]:
        """The label of each document."""
        return np.asarray(self.classes[self.codes])


class Stream:
    """Batches of documents, gone through once or several times.

    Parameters
    ----------
    batches : iterable
        Of Arrow record batches or tables, or of pairs (texts, labels). A `Corpus` is read in a
        thread of its own, ahead of time.
    text, label : str
        The columns of texts and labels.
    n_bytes : int
        About how much text makes a part: batches are put together.
    verbose : bool
        Whether to show progress, on a terminal.
    """

    def __init__(self, batches: Any, text: str, label: str, n_bytes: int, verbose: bool) -> None:
        self._batches = batches
        self._text, self._label = text, label
        self._n_bytes = n_bytes
        self._verbose = verbose

    @property
    def can_repeat(self) -> bool:
        """Whether there can be a second pass."""
        return not isinstance(self._batches, Iterator) and not getattr(
            self._batches, "may_wait", False
        )

    def parts(self, title: str) -> Iterator[Part]:
        """Yield all documents once.

        Parameters
        ----------
        title : str
            What the pass is for; in front of the progress bar.
        """
        n_documents = 0
        with self._watched(title) as (batches, advance):
            read = (self._read(batch, number) for number, batch in enumerate(batches))
            for batch in _joined(read, self._n_bytes):
                n = len(batch.texts)
                if n == 0:
                    continue
                with placed(batch.place):
                    classes, codes = _encoded(batch.labels, n)
                yield Part(batch.texts, classes, codes, batch.place)
                n_documents += n
                advance(0, n)
        if n_documents == 0:
            raise ValueError("there are no documents to learn from")

    @contextmanager
    def _watched(self, title: str) -> Iterator[tuple[Iterable[Any], Callable[..., None]]]:
        corpus = self._batches
        if not hasattr(corpus, "batches"):
            with progress(title, None, "documents") if self._verbose else _silence() as advance:
                yield corpus, lambda n_bytes, n_documents: advance(n_documents)
            return
        with progress(title, corpus.size) if self._verbose else _silence() as advance:
            batches: Iterator[Any] = corpus.batches(advance)
            if not corpus.may_wait:  # else Ctrl-C could not end it
                batches = prefetched(batches, _size_of, self._n_bytes)
            yield batches, advance

    def _read(self, batch: Any, number: int) -> "_Batch":
        if isinstance(batch, Batch):
            if batch.labels is None:
                raise ValueError("the corpus was read without labels: pass label= to read")
            return _Batch(batch.texts, batch.labels, batch.place(0) if len(batch) else "nowhere")
        place = f"the first of batch {number}"
        if hasattr(batch, "column") and hasattr(batch, "schema"):
            return _Batch(self._column(batch, self._text), self._column(batch, self._label), place)
        if isinstance(batch, tuple) and len(batch) == 2:
            return _Batch(*batch, place)
        raise TypeError(
            "a batch must be an Arrow record batch or table, or a pair (texts, labels), got "
            f"{type(batch).__name__}"
        )

    def _column(self, batch: Any, name: str) -> Any:
        if name not in batch.schema.names:
            names = ", ".join(map(repr, batch.schema.names[:20]))
            raise ValueError(f"a batch has no column {name!r} among {names}: see text= and label=")
        return batch.column(name)


class _Batch(NamedTuple):
    """Texts and labels as they came, and where they are from."""

    texts: Any
    labels: Any
    place: str


def _joined(batches: Iterable[_Batch], n_bytes: int) -> Iterator[_Batch]:
    """Put small batches together: what a pass does for each part pays off for many documents."""
    waiting: list[_Batch] = []
    size = 0
    for batch in batches:
        if waiting and (size >= n_bytes or not _alike(waiting[0], batch)):
            yield _one(waiting)
            waiting, size = [], 0
        waiting.append(batch)
        size += _size_of(batch)
    if waiting:
        yield _one(waiting)


def _alike(first: _Batch, other: _Batch) -> bool:
    kinds = [
        tuple(getattr(column, "type", type(column)) for column in (batch.texts, batch.labels))
        for batch in (first, other)
    ]
    return kinds[0] == kinds[1]


def _one(batches: list[_Batch]) -> _Batch:
    if len(batches) == 1:
        return batches[0]
    return _Batch(
        _together([batch.texts for batch in batches]),
        _together([batch.labels for batch in batches]),
        batches[0].place,
    )


def _together(columns: list[Any]) -> Any:
    if not hasattr(columns[0], "type"):
        return [value for column in columns for value in column]
    import pyarrow as pa

    chunks = [chunk for column in columns for chunk in getattr(column, "chunks", [column])]
    return pa.chunked_array(chunks)


def _size_of(batch: Any) -> int:
    texts = batch.texts
    if hasattr(texts, "nbytes"):
        return int(texts.nbytes)
    return sum(len(text) for text in texts if isinstance(text, str | bytes))


def _encoded(labels: Any, n_rows: int) -> tuple[npt.NDArray[Any], npt.NDArray[np.int32]]:
    """Return the classes of some labels, and the class of each; few of Arrow's become Python's."""
    if not hasattr(labels, "dictionary_encode") or labels.null_count or len(labels) != n_rows:
        return encode_labels(labels, n_rows)
    column = labels.combine_chunks() if hasattr(labels, "chunks") else labels
    if not hasattr(column, "dictionary"):
        column = column.dictionary_encode()
    values = column.dictionary.to_pylist()
    classes, ranks = encode_labels(values, len(values))
    codes = ranks[column.indices.to_numpy(zero_copy_only=False)]
    present = np.unique(codes)  # a dictionary may hold what no row has
    if len(present) < len(classes):
        classes, codes = classes[present], np.searchsorted(present, codes).astype(np.int32)
    return classes, codes


@contextmanager
def placed(place: str) -> Iterator[None]:
    """Say of an error in some documents where the first of them is.

    Parameters
    ----------
    place : str
        Of the first document.
    """
    try:
        yield
    except (ValueError, TypeError) as error:
        error.add_note(f"(documents and labels are numbered from 0 on, which is {place})")
        raise


@contextmanager
def _silence() -> Iterator[Callable[..., None]]:
    yield lambda *done: None

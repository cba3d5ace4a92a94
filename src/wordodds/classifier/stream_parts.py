"""The documents of `fit_stream`, as parts of about equal size whose labels are encoded."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from wordodds._border.classes import codes_by_label, union_of_classes
from wordodds._border.documents import as_documents, as_strings
from wordodds._border.labels import encode_labels
from wordodds._core.arrow import TextColumn
from wordodds._files.progress import progress
from wordodds.corpora import Batch, prefetched
from wordodds.typing import AnyArray, Codes, Labels

if TYPE_CHECKING:
    import pyarrow as pa

    from wordodds.classifier.text_classifier import TextClassifier

__all__ = ["Part", "Stream", "placed"]


class Part(NamedTuple):
    """Some documents with their labels."""

    texts: Any
    classes: AnyArray  # of these documents alone
    codes: Codes
    place: str  # of the first document

    @property
    def labels(self) -> AnyArray:
        """The label of each document."""
        return np.asarray(self.classes[self.codes])


class Stream:
    """Batches of documents, iterated once or several times, joined to parts of about `n_bytes`.

    A `Corpus` is read ahead in a thread.
    """

    def __init__(
        self,
        batches: Iterable[Any],
        text: str,
        label: str,
        n_bytes: int,
        owner: "TextClassifier",
    ) -> None:
        if isinstance(batches, str | PathLike):
            raise ValueError(
                f"batches must be an iterable of batches, got a path: pass "
                f"wordodds.corpora.read({os.fspath(batches)!r}, label=...)"
            )
        self._batches: Any = batches
        self._text, self._label = text, label
        self._n_bytes = n_bytes
        self._owner = owner
        self._verbose = bool(owner.verbose)
        self._n_documents: int | None = None  # of the first pass
        self._peeked: tuple[list[Part], Iterator[Part]] | None = None

    @property
    def can_repeat(self) -> bool:
        """Whether there can be a second pass."""
        return not isinstance(self._batches, Iterator) and not getattr(
            self._batches, "may_wait", False
        )

    def peek(self, n_bytes: int, use: Callable[[Part], Any]) -> bool:
        """Use the first documents, which the next pass yields again; return if all were."""
        rest = self.parts("reading")
        parts: list[Part] = []
        size = 0
        for part in rest:
            use(part)
            parts.append(part)
            size += _size_of(part)
            if size >= n_bytes:
                self._peeked = parts, rest
                return False
        self._peeked = parts, iter(())
        return True

    def parts(self, title: str) -> Iterator[Part]:
        """Yield all documents once; the title is that of the progress bar."""
        if self._peeked is not None:
            (first, rest), self._peeked = self._peeked, None
            yield from first
            yield from rest
            return
        n_documents = 0
        with self._watched(title) as (batches, advance):
            read = (self._read(batch, number) for number, batch in enumerate(batches))
            for batch in _joined(read, self._n_bytes):
                yield Part(batch.texts, batch.classes, batch.codes, batch.place)
                n_documents += len(batch.codes)
                advance(0, len(batch.codes))
        if self._n_documents not in (None, n_documents):
            raise ValueError(
                f"the first pass had {self._n_documents} documents, this one has {n_documents}: "
                "batches must be the same whenever they are iterated over"
            )
        self._n_documents = n_documents
        if n_documents == 0:
            raise ValueError("there are no documents to learn from")

    @contextmanager
    def _watched(self, title: str) -> Iterator[tuple[Iterable[Any], Callable[..., None]]]:
        corpus = self._batches
        if not hasattr(corpus, "batches"):
            with progress(title, None, "documents", shown=self._verbose) as advance:
                yield corpus, lambda n_bytes, n_documents: advance(n_documents)
            return
        with progress(title, corpus.size, shown=self._verbose) as advance:
            batches: Iterator[Any] = corpus.batches(advance)
            if not corpus.may_wait:  # else Ctrl-C could not end it
                batches = prefetched(batches, _size_of, self._n_bytes)
            yield batches, advance

    def _read(self, batch: object, number: int) -> "_Batch":
        """Check a batch by itself: joined with others, a fault might go unnoticed."""
        texts, labels, place = self._columns(batch, number)
        with placed(place):
            if not hasattr(texts, "type") or (texts.null_count and self._owner.missing == "error"):
                texts = as_documents(texts, self._decode, missing=self._owner.missing)
                if isinstance(texts, TextColumn):  # of pandas or polars
                    texts = as_strings(texts)
            return _Batch(texts, *_encoded(labels, len(texts)), place)

    def _columns(self, batch: object, number: int) -> tuple[Any, Any, str]:
        if isinstance(batch, Batch):
            if batch.labels is None:
                raise ValueError("the corpus was read without labels: pass label= to read")
            return batch.texts, batch.labels, batch.place(0) if len(batch) else "nowhere"
        place = f"the first of batch {number}"
        if hasattr(batch, "column") and hasattr(batch, "schema"):
            return self._column(batch, self._text), self._column(batch, self._label), place
        if isinstance(batch, tuple) and len(batch) == 2:
            return *batch, place
        raise TypeError(
            "a batch must be an Arrow record batch or table, or a pair (texts, labels), got "
            f"{type(batch).__name__}"
        )

    def _column(
        self, batch: "pa.RecordBatch | pa.Table", name: str
    ) -> "pa.Array | pa.ChunkedArray":
        if batch.schema.names.count(name) != 1:
            names = ", ".join(map(repr, batch.schema.names[:20]))
            how_many = "several columns" if name in batch.schema.names else "no column"
            raise ValueError(f"a batch has {how_many} {name!r} among {names}: see text= and label=")
        return batch.column(name)

    def _decode(self, raw: bytes) -> str:
        return raw.decode(self._owner.encoding, self._owner.decode_error)


class _Batch(NamedTuple):
    """Texts that were checked, their labels as codes, and where they are from."""

    texts: Any  # a tuple of str or an Arrow array
    classes: AnyArray
    codes: Codes
    place: str


def _joined(batches: Iterable[_Batch], n_bytes: int) -> Iterator[_Batch]:
    """Join small batches: the fixed cost of a part pays off for many documents."""
    waiting: list[_Batch] = []
    size = 0
    for batch in batches:
        if not len(batch.codes):
            continue
        kinds = [getattr(some.texts, "type", None) for some in (*waiting[:1], batch)]
        if waiting and (size >= n_bytes or kinds[0] != kinds[1]):
            yield _one(waiting)
            waiting, size = [], 0
        waiting.append(batch)
        size += _size_of(batch)
    if waiting:
        yield _one(waiting)


def _one(batches: list[_Batch]) -> _Batch:
    if len(batches) == 1:
        return batches[0]
    classes = batches[0].classes
    for batch in batches[1:]:
        with placed(batch.place):
            classes = union_of_classes(classes, batch.classes)[0]
    position_of = codes_by_label(classes)
    codes = [
        np.array([position_of[label] for label in batch.classes.tolist()], np.int32)[batch.codes]
        for batch in batches
    ]
    texts = _together([batch.texts for batch in batches])
    return _Batch(texts, classes, np.concatenate(codes), batches[0].place)


def _together(columns: list[Any]) -> "list[str] | pa.ChunkedArray":
    if not hasattr(columns[0], "type"):
        return [text for column in columns for text in column]
    import pyarrow as pa

    chunks = [chunk for column in columns for chunk in getattr(column, "chunks", [column])]
    return pa.chunked_array(chunks)


def _size_of(batch: Part | _Batch | Batch) -> int:
    texts = batch.texts
    return int(texts.nbytes) if hasattr(texts, "nbytes") else sum(map(len, texts))


def _encoded(labels: "Labels | pa.Array | pa.ChunkedArray", n_rows: int) -> tuple[AnyArray, Codes]:
    """Return the classes of some labels, and the class of each; few Arrow values become objects."""
    column: Any = labels
    if not hasattr(column, "dictionary_encode") or column.null_count or len(column) != n_rows:
        plain = column.to_pylist() if hasattr(column, "to_pylist") else column
        return encode_labels(plain, n_rows)
    column = column.combine_chunks() if hasattr(column, "chunks") else column
    if str(column.type).startswith(("list", "large_list", "struct", "fixed_size_list")):
        return encode_labels(column.to_pylist(), n_rows)
    if not hasattr(column, "dictionary"):
        column = column.dictionary_encode()
    # A dictionary may hold what no row has.
    used, numbers = np.unique(column.indices.to_numpy(zero_copy_only=False), return_inverse=True)
    values = column.dictionary.take(used).to_pylist()
    classes, ranks = encode_labels(values, len(values))
    return classes, ranks[numbers]


@contextmanager
def placed(place: str) -> Iterator[None]:
    """Add the place of the first document to an error in some of them."""
    try:
        yield
    except (ValueError, TypeError) as error:
        error.add_note(f"(documents and labels are numbered from 0 on, which is {place})")
        raise

"""Arrow record batches of one schema, whose metadata name their file and first row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from wordodds.corpora.arrow import pyarrow_module
from wordodds.corpora.bad_rows import BadRows, CorpusError, without
from wordodds.corpora.batch import Batch
from wordodds.corpora.readers import as_list

if TYPE_CHECKING:
    import pyarrow

__all__ = ["RecordBatches"]

_LABEL_KINDS = {str: "string", int: "int64", bool: "bool"}
_MOST_CHARACTERS = 1 << 29  # of four bytes at most, so that offsets of 32 bits reach


class RecordBatches:
    """Makes record batches, and checks that labels stay of one kind."""

    def __init__(self, text: str, label: str | None, bad_rows: BadRows) -> None:
        self._arrow = pyarrow_module("pyarrow", "reading a corpus as record batches")
        self._text = text
        self._label = label
        self._bad_rows = bad_rows
        self._label_kind: tuple[type, str] | None = None  # and where it was first seen
        self._kept_kinds: dict[str, tuple[pyarrow.DataType, str]] = {}

    def make(self, batch: Batch) -> pyarrow.RecordBatch:
        """Return the rows of a batch; raise CorpusError where a column changes its kind."""
        try:
            return self._made(batch)
        except UnicodeEncodeError:
            return self._made(self._without_surrogates(batch))

    def _made(self, batch: Batch) -> pyarrow.RecordBatch:
        columns = {self._text: self._texts(batch.texts)}
        if self._label is not None:
            columns[self._label] = self._labels(batch)
        for name, values in batch.extra.items():
            if name not in columns:
                columns[name] = self._kept(name, values, batch)
        first = batch.rows[0] if len(batch) else 0
        place = {b"wordodds.file": batch.source.encode("utf-8", "surrogateescape"),
                 b"wordodds.first_row": str(first).encode()}  # fmt: skip
        made = self._arrow.RecordBatch.from_pydict(columns)
        return made.replace_schema_metadata(place)

    def _without_surrogates(self, batch: Batch) -> Batch:
        """Leave out rows whose JSON has half a surrogate pair, which UTF-8 cannot express."""
        faults: dict[int, str] = {}
        for what, column in (("text", batch.texts), ("label", batch.labels or [])):
            reason = f"the {what} has half of a surrogate pair, which Arrow cannot hold"
            faults |= {i: reason for i, value in enumerate(column) if not _has_bytes(value)}
        return without(batch, faults, f"{batch.source}, {batch.unit} {{}}".format, self._bad_rows)

    def _texts(self, texts: list[str] | pyarrow.Array) -> pyarrow.Array:
        arrow = self._arrow
        if isinstance(texts, list):
            small = sum(map(len, texts)) < _MOST_CHARACTERS
            return arrow.array(texts, type=arrow.string() if small else arrow.large_string())
        if arrow.types.is_dictionary(texts.type):
            texts = texts.dictionary_decode()
        wanted = (arrow.string(), arrow.large_string())
        return texts if texts.type in wanted else texts.cast(wanted[1])

    def _labels(self, batch: Batch) -> pyarrow.Array:
        labels = batch.labels or []
        for position in _first_of_each_kind(labels):
            kind, place = type(labels[position]), batch.place(position)
            if self._label_kind is None:
                self._label_kind = kind, place
            known, known_place = self._label_kind
            if kind is not known:
                raise CorpusError(
                    f"{place}: the label is {kind.__name__} ({labels[position]!r}), and at "
                    f"{known_place} it is {known.__name__}: labels must be of one kind"
                )
        arrow_kind = "string" if self._label_kind is None else _LABEL_KINDS[self._label_kind[0]]
        try:
            return self._arrow.array(labels, type=self._arrow.type_for_alias(arrow_kind))
        except OverflowError:
            row = next(i for i, label in enumerate(labels) if not -(2**63) <= label < 2**63)
            raise CorpusError(
                f"{batch.place(row)}: the label {labels[row]} does not fit into 64 bits"
            ) from None

    def _kept(
        self, name: str, values: Sequence[Any] | pyarrow.Array, batch: Batch
    ) -> pyarrow.Array:
        arrow = self._arrow
        known, place = self._kept_kinds.get(name, (None, ""))
        try:
            column: pyarrow.Array = values
            if not isinstance(values, arrow.Array) or values.type != (known or values.type):
                # Not a cast, which would make the number 7 of the text "7".
                column = arrow.array(as_list(values), known)
        except (arrow.ArrowException, OverflowError, UnicodeEncodeError) as error:
            before = f", which is {known} at {place}" if place else ""
            raise CorpusError(
                f"{batch.place(0)} and the rows after it: the column {name!r}{before}, must hold "
                f"values of one kind: {error}"
            ) from error
        if known is None and not arrow.types.is_null(column.type):
            self._kept_kinds[name] = column.type, batch.place(0)
        return column


def _has_bytes(value: object) -> bool:
    try:
        str(value).encode()
    except UnicodeEncodeError:
        return False
    return True


def _first_of_each_kind(labels: Sequence[Any]) -> list[int]:
    kinds = list(map(type, labels))
    return sorted(map(kinds.index, set(kinds)))

"""Well-formed rows that may be unwanted: empty texts and labels such as "NA"."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from wordodds.corpora.arrow import pyarrow_module
from wordodds.corpora.bad_rows import BadRows
from wordodds.corpora.batch import Batch
from wordodds.corpora.options import ReadOptions

if TYPE_CHECKING:
    import pyarrow

__all__ = ["DOUBTFUL_LABELS", "screened"]

# How programs spell a missing cell. In a delimited file they look like a real label, such as the
# country code of Namibia.
DOUBTFUL_LABELS = frozenset(("NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None"))


def screened(batch: Batch, options: ReadOptions, bad_rows: BadRows, delimited: bool) -> Batch:
    """Return the rows that are wanted, and count empty texts and doubtful labels.

    Examples
    --------
    >>> batch = Batch(["free money", " "], None, {}, [1, 2])
    >>> screened(batch, ReadOptions(empty="skip"), BadRows(), False).texts
    ['free money']
    """
    if batch.labels is not None:
        batch = _with_labels(batch, batch.labels, options, bad_rows)
        if delimited:
            _count_doubtful(batch.labels or [], bad_rows)
    empty = _empty_rows(batch.texts)
    if not empty:
        return batch
    if options.empty == "error":
        for row in empty:
            bad_rows.add(batch.place(row), "the text is empty")
    else:
        bad_rows.empty += len(empty)
    return batch if options.empty == "keep" else _without(batch, empty)


def _with_labels(batch: Batch, labels: list[Any], options: ReadOptions, bad_rows: BadRows) -> Batch:
    """Drop rows whose label stands for a missing one."""
    missing = set(options.missing_labels)
    if not missing or missing.isdisjoint(map(str, set(labels))):
        return batch
    bad = [row for row, label in enumerate(labels) if str(label) in missing]
    for row in bad:
        bad_rows.add(batch.place(row), f"the label is missing ({labels[row]!r})")
    return _without(batch, bad)


def _count_doubtful(labels: list[Any], bad_rows: BadRows) -> None:
    for label in DOUBTFUL_LABELS.intersection(labels):
        bad_rows.doubtful[label] = bad_rows.doubtful.get(label, 0) + labels.count(label)


def _without(batch: Batch, rows: list[int]) -> Batch:
    dropped = set(rows)
    return batch.take([row for row in range(len(batch)) if row not in dropped])


def _empty_rows(texts: list[str] | pyarrow.Array) -> list[int]:
    """Return the positions of texts that are empty or white space alone."""
    if not hasattr(texts, "type"):
        # Two quick tests: rows are visited in Python only where one is empty.
        if "" not in texts and not any(map(str.isspace, texts)):
            return []
        return [row for row, text in enumerate(texts) if not text or text.isspace()]
    arrow = pyarrow_module("pyarrow", "reading Parquet")
    compute = pyarrow_module("pyarrow.compute", "reading Parquet")
    column: pyarrow.Array = texts
    is_dictionary = arrow.types.is_dictionary(column.type)
    values = column.dictionary if is_dictionary else column
    if values.type not in (arrow.string(), arrow.large_string()):
        values = values.cast(arrow.large_string())
    # Not a comparison with 0: a number from Python makes pyarrow import pandas.
    has_bytes = compute.cast(compute.binary_length(values), arrow.bool_())
    empty = compute.or_(compute.utf8_is_space(values), compute.invert(has_bytes))
    if is_dictionary:
        empty = empty.take(column.indices)
    rows: list[int] = compute.indices_nonzero(empty).to_pylist()
    return rows

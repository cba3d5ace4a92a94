"""Columns and what both tests of Arrow's interface ask of them."""

import numpy as np
import pyarrow as pa

from wordodds._core.arrow import TextColumn

LONG = "a text that is too long to lie within its view"
TEXTS = [
    "one",
    "",
    None,
    "deux é",
    LONG,
    "四 😀",
    None,
    "x" * 12,
    "y" * 13,
    LONG + "é",
    "\0",
    "end",
]


def read(source, n_jobs=1):
    return TextColumn.read(source, n_jobs, 0)


def assert_reads(source, expected):
    column = read(source)
    assert column.to_list() == expected
    assert len(column) == len(expected)
    nulls = [row for row, text in enumerate(expected) if text is None]
    assert column.null_rows.dtype == np.int64
    assert column.null_rows.tolist() == nulls
    assert column.n_bytes == sum(len(text.encode()) for text in expected if text is not None)


ARROW_TYPES = [pa.string(), pa.large_string(), pa.string_view()]


class OnlyStream:
    """A column that knows nothing but the protocol."""

    def __init__(self, column):
        self.column = column

    def __arrow_c_stream__(self, requested_schema=None):
        return self.column.__arrow_c_stream__(requested_schema)


class OnlyArray:
    def __init__(self, given):
        self.given = given

    def __arrow_c_array__(self, requested_schema=None):
        return self.given

"""Columns of text through Arrow's C interface: the same text as their owners say, borrowed."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pandas
import polars
import pyarrow as pa
import pytest

from .arrow_columns import ARROW_TYPES, LONG, TEXTS, OnlyArray, OnlyStream, assert_reads, read


@pytest.mark.parametrize("kind", ARROW_TYPES, ids=str)
class TestArrow:
    def test_array(self, kind):
        assert_reads(pa.array(TEXTS, kind), TEXTS)

    def test_without_nulls(self, kind):
        texts = [text for text in TEXTS if text is not None]
        array = pa.array(texts, kind)
        assert array.buffers()[0] is None
        assert_reads(array, texts)

    def test_chunks(self, kind):
        column = pa.chunked_array([TEXTS, [], TEXTS[::-1], ["é"]], kind)
        assert column.num_chunks == 4
        assert_reads(column, [*TEXTS, *TEXTS[::-1], "é"])

    def test_slices(self, kind):
        # Around the bytes of the validity bitmap, and with a null count that must be found anew.
        texts = TEXTS * 3
        array = pa.array(texts, kind)
        for start in range(len(texts)):
            for length in (0, 1, 7, 9, 20):
                assert_reads(array.slice(start, length), texts[start : start + length])
        column = pa.chunked_array([texts, texts])
        assert_reads(column.slice(5, 50), (texts * 2)[5:55])

    def test_empty(self, kind):
        assert_reads(pa.array([], kind), [])
        assert_reads(pa.chunked_array([], kind), [])
        assert_reads(pa.array(["", ""], kind), ["", ""])

    def test_all_null(self, kind):
        assert_reads(pa.array([None] * 9, kind), [None] * 9)

    @pytest.mark.parametrize(
        "index", [f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)]
    )
    def test_dictionary(self, kind, index):
        words = pa.array([LONG, None, "é", ""], kind)
        rows = [2, 0, None, 0, 1, 3, 2, 2, None, 0, 2]
        texts = [None if row is None else words[row].as_py() for row in rows]
        array = pa.DictionaryArray.from_arrays(pa.array(rows, index), words)
        assert_reads(array, texts)
        assert_reads(array.slice(3, 7), texts[3:10])
        sliced_words = pa.DictionaryArray.from_arrays(pa.array([0, 1], index), words.slice(2))
        assert_reads(sliced_words, ["é", ""])
        # Each chunk brings a dictionary of its own.
        other = pa.DictionaryArray.from_arrays(pa.array([0], index), pa.array(["other"], kind))
        assert_reads(pa.chunked_array([array, other]), [*texts, "other"])


def test_null_type():
    assert_reads(pa.nulls(3), [None] * 3)
    encoded = pa.DictionaryArray.from_arrays(pa.array([0, None], "int8"), pa.nulls(1))
    assert_reads(encoded, [None, None])


@pytest.mark.parametrize(
    "source",
    [
        pa.array([1, 2]),
        pa.array([1.5]),
        pa.array([b"bytes"]),
        pa.array([["a"]]),
        pa.array([1, 2]).dictionary_encode(),
        pa.chunked_array([[1]]),
        pa.table({"a": ["b"]}),
        pa.record_batch({"a": ["b"]}),
        polars.Series([1, 2]),
        polars.DataFrame({"a": ["b"]}),
        pandas.Series([1, 2]),
        pandas.DataFrame({"a": ["b"]}),
        ["a", "b"],
        "text",
        None,
        pa.Array,
        polars.Series,
    ],
    ids=lambda source: f"{type(source).__module__}.{type(source).__name__}",
)
def test_what_is_not_a_column_of_text_is_left_to_others(source):
    assert read(source) is None


@pytest.mark.parametrize("dtype", [polars.String, polars.Categorical], ids=str)
def test_polars(dtype):
    series = polars.Series(TEXTS, dtype=dtype)
    assert_reads(series, TEXTS)
    assert_reads(series.slice(3, 8), TEXTS[3:11])
    chunks = polars.concat([series, series.slice(1, 1), series[2:5]], rechunk=False)
    assert chunks.n_chunks() == 3
    assert_reads(chunks, [*TEXTS, TEXTS[1], *TEXTS[2:5]])
    assert_reads(chunks.slice(10, 5), [*TEXTS[10:], TEXTS[1], *TEXTS[2:4]])
    assert_reads(polars.Series([], dtype=dtype), [])
    assert_reads(polars.Series([None], dtype=dtype), [None])


def test_polars_enum():
    series = polars.Series(["b", None, "a"], dtype=polars.Enum(["a", "b"]))
    assert_reads(series, ["b", None, "a"])


@pytest.mark.needs("pandas>=3.0")  # gives its columns by the protocol
@pytest.mark.parametrize("dtype", ["string[pyarrow]", "str", "category"])
def test_pandas(dtype):
    series = pandas.Series(TEXTS, dtype=dtype)
    assert_reads(series, TEXTS)
    assert_reads(series[3:8], TEXTS[3:8])


def test_any_class_with_the_protocol():
    assert_reads(OnlyStream(polars.Series(TEXTS)), TEXTS)
    assert_reads(OnlyStream(pa.chunked_array([TEXTS])), TEXTS)
    assert_reads(OnlyArray(pa.array(TEXTS).__arrow_c_array__()), TEXTS)


def test_pyarrow_is_not_needed():
    program = (
        "import sys, polars; sys.modules['pyarrow'] = None\n"
        "from wordodds._core.arrow import TextColumn\n"
        "column = TextColumn.read(polars.Series(['a', None]), 1, 0)\n"
        "assert column.to_list() == ['a', None]\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize(
    "owner", [polars.Series, pa.array, lambda texts: pa.chunked_array([texts])]
)
def test_threads_read_one_column(owner):
    texts = TEXTS * 2000
    source = owner(texts)
    shared = read(source)
    with ThreadPoolExecutor(8) as pool:
        own = list(pool.map(lambda _: read(source, n_jobs=2).to_list(), range(16)))
        same = list(pool.map(lambda _: shared.to_list(), range(16)))
    assert all(result == texts for result in own + same)

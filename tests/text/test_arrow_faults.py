"""Columns that lie, fail or go away: one exception, and all memory is given back."""

import ctypes
import gc
import sys
import weakref

import numpy as np
import pyarrow as pa
import pytest

from .arrow_columns import ARROW_TYPES, LONG, OnlyArray, OnlyStream, assert_reads, read


class Given(OnlyStream):
    def __arrow_c_stream__(self, requested_schema=None):
        return self.column


@pytest.mark.parametrize("given", [None, 1, "capsule", pa.array(["a"]).__arrow_c_array__()[0]])
def test_a_stream_that_is_none(given):
    with pytest.raises(TypeError, match="must give a capsule named 'arrow_array_stream', got"):
        read(Given(given))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (None, "must give two capsules in a tuple, got None"),
        ((1,), "must give two capsules"),
        ((1, 2), "a capsule named 'arrow_schema', got 1"),
        (pa.array(["a"]).__arrow_c_array__()[::-1], "a capsule named 'arrow_schema'"),
        ((pa.array(["a"]).__arrow_c_array__()[0],) * 2, "a capsule named 'arrow_array'"),
    ],
)
def test_an_array_that_is_none(given, message):
    with pytest.raises(TypeError, match=message):
        read(OnlyArray(given))


def test_capsules_are_read_once():
    capsule = pa.chunked_array([["a"]]).__arrow_c_stream__()
    assert_reads(Given(capsule), ["a"])
    with pytest.raises(ValueError, match="stream was already read; export it anew"):
        read(Given(capsule))
    capsules = pa.array(["a"]).__arrow_c_array__()
    assert_reads(OnlyArray(capsules), ["a"])
    with pytest.raises(ValueError, match="array was already released; export it anew"):
        read(OnlyArray(capsules))


def test_an_export_that_fails():
    class Broken:
        def __arrow_c_stream__(self, requested_schema=None):
            raise ZeroDivisionError("no stream today")

    with pytest.raises(ZeroDivisionError, match="no stream today"):
        read(Broken())


class ArrowArrayStream(ctypes.Structure):
    """The stream of the specification, for a producer written in Python."""


GET = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
LAST_ERROR = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)
RELEASE = ctypes.CFUNCTYPE(None, ctypes.POINTER(ArrowArrayStream))
ArrowArrayStream._fields_ = [
    ("get_schema", GET),
    ("get_next", GET),
    ("get_last_error", LAST_ERROR),
    ("release", RELEASE),
    ("private_data", ctypes.c_void_p),
]


class Failing:
    """Two good chunks, then an error."""

    def __init__(self, chunk, words=b"the disk is on fire"):
        self.released = 0
        self.left = 2
        self.chunk = chunk
        self.words = words and ctypes.create_string_buffer(words)
        self.stream = ArrowArrayStream(
            GET(lambda _, out: self.chunk.type._export_to_c(out) or 0),
            GET(self.get_next),
            LAST_ERROR(lambda _: self.words and ctypes.addressof(self.words)),
            RELEASE(self.release),
        )

    def get_next(self, _, out):
        if not self.left:
            return 5
        self.left -= 1
        self.chunk._export_to_c(out)
        return 0

    def release(self, stream):
        self.released += 1
        stream.contents.release = RELEASE()

    def __arrow_c_stream__(self, requested_schema=None):
        new = ctypes.pythonapi.PyCapsule_New
        new.restype = ctypes.py_object
        new.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        return new(ctypes.addressof(self.stream), b"arrow_array_stream", None)


@pytest.mark.parametrize(
    ("words", "said"), [(b"the disk is on fire",) * 2, (None, b"no reason given")]
)
def test_a_stream_that_fails_half_way(words, said):
    before = pa.total_allocated_bytes()
    source = Failing(pa.array([LONG] * 1000), words)
    assert pa.total_allocated_bytes() > before
    with pytest.raises(RuntimeError, match=f"stream failed with code 5: {said.decode()}"):
        read(source)
    assert source.released == 1
    source.chunk = None
    gc.collect()
    assert pa.total_allocated_bytes() == before


def from_buffers(kind, length, offsets, data, validity=None, null_count=-1):
    shared = np.zeros(length + 1, dtype=np.int64 if kind == pa.large_string() else np.int32)
    buffers = [validity and pa.py_buffer(validity), pa.py_buffer(shared), pa.py_buffer(data)]
    array = pa.Array.from_buffers(kind, length, buffers, null_count)
    shared[:] = offsets  # only now: pyarrow looks at some of them
    return array


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()], ids=str)
class TestDamage:
    @pytest.mark.parametrize(
        "bad", [b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80"]
    )
    def test_invalid_utf8_names_the_row(self, kind, bad):
        array = from_buffers(kind, 3, [0, 2, 2 + len(bad), 3 + len(bad)], b"ab" + bad + b"c")
        with pytest.raises(ValueError, match="document 1 is not valid UTF-8"):
            read(array)
        good = pa.array(["a"] * 700, kind)
        with pytest.raises(ValueError, match="document 701 is not valid UTF-8"):
            read(pa.chunked_array([good, array]), n_jobs=2)
        # A null row is not text, whatever lies there.
        null = from_buffers(kind, 3, [0, 2, 2 + len(bad), 3 + len(bad)], b"ab" + bad + b"c", b"\5")
        assert_reads(null, ["ab", None, "c"])

    def test_half_a_character_in_each_of_two_rows(self, kind):
        with pytest.raises(ValueError, match="document 0 is not valid UTF-8"):
            read(from_buffers(kind, 2, [0, 1, 2], "é".encode()))

    @pytest.mark.parametrize(
        ("offsets", "message"),
        [
            ([0, 2, 1, 3], "document 1 ends before it begins; the Arrow column is damaged"),
            ([-1, 2, 2, 3], "document 0 has a negative offset; the Arrow column is damaged"),
            ([0, 2**30, 2, 3], "document 1 ends before it begins"),
        ],
    )
    def test_offsets(self, kind, offsets, message):
        with pytest.raises(ValueError, match=message):
            read(from_buffers(kind, 3, offsets, b"abc"))
        # In a null row as well: the row before it would reach past the text.
        if offsets[0] == 0:
            with pytest.raises(ValueError, match=message):
                read(from_buffers(kind, 3, offsets, b"abc", b"\5"))

    def test_a_document_too_long(self, kind):
        array = from_buffers(kind, 2, [0, 1, 2**30 + 1], b"abc")
        with pytest.raises(ValueError, match=r"document 1 has 2\*\*30 characters or more; split"):
            read(array)

    def test_indices_outside_of_the_dictionary(self, kind):
        words = pa.array(["a", "b"], kind)
        for index in (2, -1, 127):
            rows = pa.array([0, 1, index], "int8")
            array = pa.DictionaryArray.from_arrays(rows, words, safe=False)
            with pytest.raises(ValueError, match="document 2 points to a missing dictionary value"):
                read(array)

    def test_only_dictionary_values_in_use_matter(self, kind):
        words = from_buffers(kind, 2, [0, 1, 2], b"a\xff")
        unused = pa.DictionaryArray.from_arrays(pa.array([0, 0]), words, safe=False)
        assert_reads(unused, ["a", "a"])
        used = pa.DictionaryArray.from_arrays(pa.array([0, 1]), words, safe=False)
        with pytest.raises(ValueError, match="document 1 is not valid UTF-8"):
            read(used)


def test_missing_validity_and_unknown_null_count():
    array = from_buffers(pa.string(), 2, [0, 1, 2], b"ab")
    assert_reads(array, ["a", "b"])


@pytest.mark.needs("pyarrow>=24")
def test_views_are_checked():
    def view(length, number, begin):
        prefix = np.frombuffer(b"aaaa", dtype=np.int32)[0]
        return np.array([3, 0x616161, 0, 0, length, prefix, number, begin], dtype=np.int32)

    def column(*args):
        buffers = [None, pa.py_buffer(view(*args)), pa.py_buffer(b"a" * 20)]
        return pa.Array.from_buffers(pa.string_view(), 2, buffers)

    assert_reads(column(15, 0, 5), ["aaa", "a" * 15])
    for args in [(15, 0, 6), (15, 0, -1), (21, 0, 0), (2**31 - 1, 0, 2**31 - 1)]:
        with pytest.raises(ValueError, match="document 1 reaches past its text buffer"):
            read(column(*args))
    for number in (1, -1):
        with pytest.raises(ValueError, match="document 1 points to a missing text buffer"):
            read(column(15, number, 0))
    with pytest.raises(ValueError, match="document 1 has a negative length"):
        read(column(-1, 0, 0))


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


@pytest.mark.needs("pyarrow>=24")
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("kind", ARROW_TYPES, ids=str)
def test_the_text_is_not_copied(kind):
    n_documents = 100_000
    array = pa.array([f"{row:7} " + "words é " * 55 for row in range(n_documents)], kind)
    assert array.nbytes > 50_000_000
    read(array.slice(0, 10))
    before = resident()
    column = read(array, n_jobs=2)
    grown = resident() - before
    assert column.n_bytes > 50_000_000
    assert grown < 5_000_000 + 24 * n_documents


def test_the_column_keeps_the_text_alive_and_lets_it_go():
    gc.collect()
    before = pa.total_allocated_bytes()
    array = pa.array([LONG] * 10_000)
    column = read(array)
    del array
    gc.collect()
    assert pa.total_allocated_bytes() > before
    assert column.to_list() == [LONG] * 10_000
    del column
    gc.collect()
    assert pa.total_allocated_bytes() == before


class Memory(bytearray):
    """A buffer that one can watch."""


@pytest.mark.parametrize("text", [b"abc", b"ab\xff"])
def test_released_exactly_once_also_after_an_error(text):
    memory = Memory(text)
    watch = weakref.ref(memory)
    array = from_buffers(pa.string(), 1, [0, 3], memory)
    del memory
    if text == b"abc":
        column = read(array)
        del array
        gc.collect()
        assert watch() is not None
        del column
    else:
        with pytest.raises(ValueError, match="UTF-8"):
            read(array)
        assert watch() is not None
        del array
    gc.collect()
    assert watch() is None

"""`write`: record batches in, one file out, the same whatever the batches were."""

import json
import os

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from wordodds.corpora import CorpusError, open_writer, parquet_writer, read, write

TABLE = pyarrow.table(
    {
        "id": list(range(1000)),
        "text": [f"word {n} " * (n % 7) for n in range(1000)],
        "p": pyarrow.array(np.linspace(0, 1, 1000)),
        "seldom": [None if n % 3 else f"s{n}" for n in range(1000)],
    }
)


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz", "a.csv", "a.tsv.zst", "a.parquet"])
def test_round_trip(tmp_path, name):
    batches = TABLE.to_batches(max_chunksize=300)
    assert write(batches, tmp_path / name) == 1000
    found = [row for b in read(tmp_path / name, keep=["id", "p"]) for row in b.to_pylist()]
    assert [row["text"] for row in found] == TABLE.column("text").to_pylist()
    assert [int(row["id"]) for row in found] == list(range(1000))
    np.testing.assert_array_equal([float(row["p"]) for row in found], np.linspace(0, 1, 1000))


def test_other_formats(tmp_path):
    batch = pyarrow.record_batch({"label": ["spam", "ham"]})
    assert write([batch], tmp_path / "out", format="lines") == 2
    assert (tmp_path / "out").read_text() == "spam\nham\n"
    assert write(iter([]), tmp_path / "out.jsonl") == 0
    assert (tmp_path / "out.jsonl").read_text() == ""
    assert write([], tmp_path / "out.parquet") == 0
    assert pyarrow.parquet.read_table(tmp_path / "out.parquet").shape == (0, 0)


def test_a_file_is_whole_or_not_there(tmp_path):
    def failing():
        yield from TABLE.to_batches(max_chunksize=300)
        raise RuntimeError("mine")

    for name in ("out.jsonl", "out.parquet"):
        with pytest.raises(RuntimeError, match="mine"):
            write(failing(), tmp_path / name)
    assert os.listdir(tmp_path) == []


def test_columns_must_stay(tmp_path):
    batches = [pyarrow.record_batch({"a": [1, 2]}), pyarrow.record_batch({"b": [1]})]
    with pytest.raises(CorpusError, match=r"out\.jsonl: after 2 rows a batch has the columns"):
        write(batches, tmp_path / "out.jsonl")


@pytest.mark.parametrize("limit", ["_GROUP_ROWS", "_GROUP_BYTES"])
def test_row_groups_depend_on_the_rows_alone(tmp_path, monkeypatch, limit):
    monkeypatch.setattr(parquet_writer, limit, {"_GROUP_ROWS": 300, "_GROUP_BYTES": 20_000}[limit])
    files = []
    for n_rows in (1, 7, 299, 300, 301, 1000):
        path = tmp_path / f"{n_rows}.parquet"
        write(TABLE.to_batches(max_chunksize=n_rows), path)
        files.append(path.read_bytes())
    assert len(set(files)) == 1
    written = pyarrow.parquet.ParquetFile(path)
    assert written.read() == TABLE
    groups = [written.metadata.row_group(n).num_rows for n in range(written.num_row_groups)]
    if limit == "_GROUP_ROWS":
        assert groups == [300, 300, 300, 100]
    else:  # an independent count: 8 bytes for each of four columns, and those of the text
        sizes = [32 + len(row["text"]) + len(row["seldom"] or "") for row in TABLE.to_pylist()]
        expected, held = [0], 0
        for size in sizes:
            held += size
            expected[-1] += 1
            if held >= 20_000:
                expected.append(0)
                held = 0
        assert groups == [n for n in expected if n]


def test_pages_depend_on_the_rows_alone(tmp_path):
    table = pyarrow.table({"text": [f"{n} " * 50 for n in range(20_000)]})  # of several pages
    files = []
    for n_rows in (999, 20_000):
        write(table.to_batches(max_chunksize=n_rows), tmp_path / "out.parquet")
        files.append((tmp_path / "out.parquet").read_bytes())
    assert files[0] == files[1]


def test_small_batches_make_one_row_group(tmp_path):
    with open_writer(tmp_path / "out.parquet", {"label": str}) as writer:
        for _ in range(500):
            writer.write({"label": ["spam", "ham"]})
    assert pyarrow.parquet.ParquetFile(tmp_path / "out.parquet").num_row_groups == 1


def test_kinds_that_differ_between_batches(tmp_path):
    batches = [
        pyarrow.record_batch({"k": pyarrow.array(["a"], pyarrow.large_string())}),
        pyarrow.record_batch({"k": pyarrow.array(["b"], pyarrow.string())}),
        pyarrow.record_batch({"k": pyarrow.nulls(1)}),
    ]
    assert write(batches, tmp_path / "out.parquet") == 3
    table = pyarrow.parquet.read_table(tmp_path / "out.parquet")
    assert table.column("k").to_pylist() == ["a", "b", None]
    write(batches, tmp_path / "out.jsonl")
    lines = (tmp_path / "out.jsonl").read_text().splitlines()
    assert [json.loads(line)["k"] for line in lines] == ["a", "b", None]


def test_what_is_no_stream_of_batches(tmp_path):
    batch = TABLE.to_batches()[0]
    twice = pyarrow.RecordBatch.from_arrays([[1], [2], [3]], ["a", "b", "a"])
    bare = pyarrow.RecordBatch.from_arrays([], [])
    for batches, error, message in (
        ([twice], CorpusError, "two columns are called 'a'"),
        (batch, TypeError, "batches must be an iterable of record batches, got one RecordBatch"),
        (TABLE, TypeError, "got one Table: pass it in a list"),
        ([["a"]], TypeError, "batches must hold record batches, got list"),
        ([batch, "a"], TypeError, "batches must hold record batches, got str"),
        ([bare], CorpusError, "a batch has no columns"),
        ([batch, bare], CorpusError, "after 1000 rows a batch has the columns"),
    ):
        for name in ("out.jsonl", "out.csv", "out.parquet"):
            with pytest.raises(error, match=message):
                write(batches, tmp_path / name)
    assert os.listdir(tmp_path) == []
    assert write(TABLE.to_reader(), tmp_path / "out.jsonl") == 1000

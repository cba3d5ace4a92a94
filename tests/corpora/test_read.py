"""`read` gives what pandas and pyarrow read, as record batches, from one file or many."""

import gzip
import json
import os

import pandas as pd
import pyarrow
import pyarrow.parquet
import pytest

from wordodds._files.sizes import parse_size
from wordodds.corpora import BadRowError, CorpusError, read, read_batches, read_corpus

TEXTS = ["free, free money", 'say "hi"', "", "grüße \u2028 und mehr", "tab\there", "last"]
FRAME = pd.DataFrame({"id": range(6), "text": TEXTS, "label": ["spam", "ham"] * 3})


def put(path, frame=FRAME):
    """Write a frame with pandas or pyarrow, in the format of the name, packed or not."""
    name = path.name.removesuffix(".gz").removesuffix(".zst")
    if name.endswith(".parquet"):
        pyarrow.parquet.write_table(
            pyarrow.Table.from_pandas(frame, preserve_index=False), path, row_group_size=4
        )
        return path
    if name.endswith(".jsonl"):
        data = frame.to_json(orient="records", lines=True).encode()
    else:
        data = frame.to_csv(index=False, sep="\t" if name.endswith(".tsv") else ",").encode()
    if path.suffix == ".gz":
        data = gzip.compress(data)
    elif path.suffix == ".zst":
        data = pyarrow.compress(data, "zstd", True)
    path.write_bytes(data)
    return path


def rows_of(corpus):
    return [row for batch in corpus for row in batch.to_pylist()]


NAMES = [
    name + packing
    for name in ("a.jsonl", "a.csv", "a.tsv", "a.parquet")
    for packing in ("", ".gz", ".zst")
    if not (packing and name == "a.parquet")
]


@pytest.mark.parametrize("name", NAMES)
def test_every_format_as_pandas_wrote_it(tmp_path, name):
    path = put(tmp_path / name)
    expected = FRAME[["text", "label", "id"]].to_dict("records")
    if name.startswith(("a.csv", "a.tsv")):
        expected = [{**row, "id": str(row["id"])} for row in expected]
    for size in (1, 4 << 20):
        corpus = read(path, label="label", keep=["id"], batch_bytes=size)
        assert rows_of(corpus) == expected
        assert rows_of(corpus) == expected  # a second pass
    batches = list(read(path, label="label", keep=["id"], batch_bytes=1))
    assert len(batches) > 1
    kinds = {str(batch.schema.field("text").type) for batch in batches}
    assert kinds < {"string", "large_string"}
    assert (corpus.sources, corpus.size) == ([str(path)], path.stat().st_size)
    assert corpus.bad_rows.count == 0


def test_the_other_formats(tmp_path):
    (tmp_path / "a.txt").write_text("__label__spam free\n__label__ham lunch\n")
    fasttext = [{"text": "free", "label": "spam"}, {"text": "lunch", "label": "ham"}]
    assert rows_of(read(tmp_path / "a.txt", label="label")) == fasttext
    assert rows_of(read(tmp_path / "a.txt"))[0] == {"text": "__label__spam free"}
    for name in ("spam", "ham"):
        (tmp_path / "in" / name).mkdir(parents=True)
        (tmp_path / "in" / name / "1").write_text(name + "!")
    assert rows_of(read(tmp_path / "in", label="label", keep=["file"])) == [
        {"text": "ham!", "label": "ham", "file": "ham/1"},
        {"text": "spam!", "label": "spam", "file": "spam/1"},
    ]
    (tmp_path / "b.csv").write_text("spam,free\nham,lunch\n")
    swapped = read(tmp_path / "b.csv", text="text", label="label", header=False)
    assert rows_of(swapped) == fasttext


def test_columns_have_the_names_that_were_asked_for(tmp_path):
    frame = FRAME.rename(columns={"text": "body", "label": "class"})
    corpus = read(put(tmp_path / "a.jsonl", frame), text="body", label="class", keep=["id", "body"])
    assert next(iter(corpus)).schema.names == ["body", "class", "id"]


@pytest.mark.parametrize(
    "kind",
    [
        pyarrow.large_string(),
        pytest.param(pyarrow.string_view(), marks=pytest.mark.needs("pyarrow>=24")),
        pyarrow.dictionary(pyarrow.int32(), pyarrow.string()),
    ],
)
def test_text_is_utf8_whatever_the_layout(tmp_path, kind):
    table = pyarrow.table({"text": pyarrow.array(TEXTS).cast(kind)})
    pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
    (batch,) = read(tmp_path / "a.parquet")
    assert str(batch.schema.field("text").type) in ("string", "large_string")
    assert batch.column("text").to_pylist() == TEXTS


class TestSources:
    @pytest.fixture
    def shards(self, tmp_path):
        for number in (2, 10, 1):
            put(tmp_path / f"shard-{number}.jsonl", FRAME.assign(id=FRAME.id + 100 * number))
        (tmp_path / "deep" / "er").mkdir(parents=True)
        put(tmp_path / "deep" / "er" / "x.csv", FRAME)
        return tmp_path

    def test_patterns_are_sorted(self, shards):
        corpus = read(shards / "*.jsonl", keep=["id"])
        names = [os.path.basename(path) for path in corpus.sources]
        assert names == ["shard-1.jsonl", "shard-10.jsonl", "shard-2.jsonl"]
        ids = [row["id"] for row in rows_of(corpus)]
        assert ids == [100 * n + i for n in (1, 10, 2) for i in range(6)]
        assert corpus.size == sum(os.path.getsize(path) for path in corpus.sources)

    def test_double_stars_and_lists(self, shards):
        assert read(f"{shards}/**/*.csv").sources == [str(shards / "deep" / "er" / "x.csv")]
        everything = read(f"{shards}/**").sources
        assert len(everything) == 4  # files alone: a folder would give its files again
        both = [shards / "shard-2.jsonl", f"{shards}/deep/**/*.csv", shards / "shard-2.jsonl"]
        assert len(rows_of(read(both))) == 18
        assert read(f"{shards}/dee*").sources == [str(shards / "deep")]

    def test_what_exists_is_no_pattern(self, shards):
        put(shards / "shard-[12].jsonl", FRAME.head(1))
        assert len(rows_of(read(shards / "shard-[12].jsonl"))) == 1
        assert len(read(f"{shards}/shard-[12]*.jsonl").sources) == 3

    def test_nothing_matches(self, shards):
        with pytest.raises(CorpusError, match=r"\*\.parquet: no file matches this pattern"):
            read(shards / "*.parquet")
        with pytest.raises(CorpusError, match="source must name a file, got an empty list"):
            read([])
        with pytest.raises(TypeError, match="source must be a path, a pattern or a list"):
            read([3])
        with pytest.raises(FileNotFoundError):
            rows_of(read(shards / "missing.jsonl"))

    def test_read_batches_takes_them_too_and_numbers_rows_within_files(self, shards):
        batches = list(read_batches([shards / "shard-*.jsonl", shards / "deep/er/x.csv"]))
        assert [os.path.basename(batch.source) for batch in batches] == [
            "shard-1.jsonl", "shard-10.jsonl", "shard-2.jsonl", "x.csv",
        ]  # fmt: skip
        assert [list(batch.rows) for batch in batches[:3]] == [[1, 2, 3, 4, 5, 6]] * 3
        assert batches[0].place(5) == f"{shards}/shard-1.jsonl, line 6"
        assert len(read_corpus(shards / "*.jsonl").texts) == 18

    def test_a_batch_says_where_it_is_from(self, shards):
        corpus = read([shards / "shard-1.jsonl", shards / "shard-2.jsonl"], batch_bytes=60)
        places = [batch.schema.metadata for batch in corpus]
        lengths = [len(batch) for batch in corpus]
        assert len(places) > 3
        expected, row = [], 1
        for length in lengths:
            if row > 6:
                row = 1
            expected.append(row)
            row += length
        assert [int(place[b"wordodds.first_row"]) for place in places] == expected
        files = [place[b"wordodds.file"].decode() for place in places]
        assert files[0] == str(shards / "shard-1.jsonl")
        assert files[-1] == str(shards / "shard-2.jsonl")


class TestLabels:
    @pytest.mark.parametrize(
        ("labels", "kind"), [(["x", "y"], "string"), ([3, -1], "int64"), ([True, False], "bool")]
    )
    @pytest.mark.parametrize("name", ["a.jsonl", "a.parquet"])
    def test_they_keep_their_kind(self, tmp_path, labels, kind, name):
        path = put(tmp_path / name, pd.DataFrame({"text": ["a", "b"], "label": labels}))
        (batch,) = read(path, label="label")
        assert str(batch.schema.field("label").type) == kind
        assert batch.column("label").to_pylist() == labels

    def test_whole_floats_are_numbers(self, tmp_path):
        path = put(tmp_path / "a.parquet", pd.DataFrame({"text": ["a"], "label": [2.0]}))
        assert next(iter(read(path, label="label"))).column("label").to_pylist() == [2]

    def test_a_change_of_kind_names_both_places(self, tmp_path):
        put(tmp_path / "1.jsonl", pd.DataFrame({"text": ["a", "b"], "label": ["x", "y"]}))
        put(tmp_path / "2.jsonl", pd.DataFrame({"text": ["c"], "label": [7]}))
        with pytest.raises(CorpusError) as caught:
            rows_of(read(tmp_path / "*.jsonl", label="label"))
        assert str(caught.value) == (
            f"{tmp_path}/2.jsonl, line 1: the label is int (7), and at {tmp_path}/1.jsonl, line 1 "
            "it is str: labels must be of one kind"
        )
        (tmp_path / "3.jsonl").write_text(
            '{"text": "a", "label": 1}\n{"text": "a", "label": 0}\n{"text": "a", "label": true}\n'
        )
        with pytest.raises(CorpusError, match=r"line 3: the label is bool.*line 1 it is int"):
            rows_of(read(tmp_path / "3.jsonl", label="label"))

    def test_numbers_beyond_64_bits(self, tmp_path):
        rows = [{"text": "a", "label": 1}, {"text": "b", "label": 2**63}]
        (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
        with pytest.raises(CorpusError, match="line 2: the label 9223372036854775808 does not fit"):
            rows_of(read(tmp_path / "a.jsonl", label="label"))


def test_kept_columns_stay_of_one_kind(tmp_path):
    path = tmp_path / "a.jsonl"
    rows = [{"text": "x" * 50, "k": value} for value in (None, 3, None, 4)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    batches = list(read(path, keep=["k"], batch_bytes=70))
    assert [str(batch.schema.field("k").type) for batch in batches][1:] == ["int64"] * 3
    assert [row["k"] for batch in batches for row in batch.to_pylist()] == [None, 3, None, 4]
    with path.open("a") as file:
        file.write(json.dumps({"text": "x", "k": "7"}))
    with pytest.raises(CorpusError, match=r"line 5 .*'k', which is int64 at .*line 2, must hold"):
        rows_of(read(path, keep=["k"], batch_bytes=70))


def test_kept_columns_of_several_files(tmp_path):
    for name, kind in (("a", pyarrow.string()), ("b", pyarrow.large_string())):
        table = pyarrow.table({"text": ["x"], "k": pyarrow.array(["7"], kind)})
        pyarrow.parquet.write_table(table, tmp_path / f"{name}.parquet")
    batches = list(read(tmp_path / "*.parquet", keep=["k"]))
    assert [str(batch.schema.field("k").type) for batch in batches] == ["string", "string"]
    table = pyarrow.table({"text": ["x"], "k": [7]})
    pyarrow.parquet.write_table(table, tmp_path / "c.parquet")
    with pytest.raises(CorpusError, match=r"c\.parquet, row 1 .*'k', which is string at .*a\.parq"):
        rows_of(read(tmp_path / "*.parquet", keep=["k"]))


class TestBadRows:
    def test_they_are_named_or_counted(self, tmp_path):
        put(tmp_path / "1.jsonl")
        (tmp_path / "2.jsonl").write_text('{"text": "a"}\n\n{"text": 3}\nnot json\n{"text": "b"}\n')
        with pytest.raises(BadRowError, match=r"2\.jsonl, line 3: the text must be text, got 3"):
            rows_of(read(tmp_path / "*.jsonl"))
        corpus = read(tmp_path / "*.jsonl", on_error="skip")
        for _ in range(2):
            assert [row["text"] for row in rows_of(corpus)] == [*TEXTS, "a", "b"]
            assert corpus.bad_rows.count == 2  # of the last pass

    def test_half_a_surrogate_pair_is_no_text(self, tmp_path):
        (tmp_path / "a.jsonl").write_text('{"text": "a"}\n{"text": "\\ud800"}\n{"text": "b"}\n')
        with pytest.raises(BadRowError, match=r"a\.jsonl, line 2: the text has half"):
            rows_of(read(tmp_path / "a.jsonl"))
        corpus = read(tmp_path / "a.jsonl", on_error="skip")
        assert [row["text"] for row in rows_of(corpus)] == ["a", "b"]
        assert corpus.bad_rows.count == 1

    @pytest.mark.parametrize("damage", ["cut", "no footer", "page", "empty"])
    def test_a_broken_parquet_file_among_good_ones_is_named(self, tmp_path, damage):
        long = FRAME.assign(text=[text + "x" * 1000 for text in TEXTS])
        for number in (1, 2, 3):
            put(tmp_path / f"{number}.parquet", long)
        path = tmp_path / "2.parquet"
        data = bytearray(path.read_bytes())
        if damage == "page":
            data[4:40] = b"\xff" * 36
        new = {"cut": data[: len(data) // 2], "no footer": data[:-8], "page": data, "empty": b""}
        path.write_bytes(bytes(new[damage]))
        passed = []
        with pytest.raises(CorpusError, match=r"2\.parquet: "):
            passed.extend(batch for batch in read(tmp_path / "*.parquet", keep=["id"]))

    def test_an_empty_file_among_others(self, tmp_path):
        for name in ("a.jsonl", "b.csv", "c.parquet"):
            put(tmp_path / name, FRAME.head(0))
        put(tmp_path / "d.jsonl")
        (tmp_path / "e.txt").touch()
        assert [row["text"] for row in rows_of(read(tmp_path / "*"))] == TEXTS


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"keep": "id"}, r"keep must be a list of names, got 'id': pass \['id'\]"),
        ({"on_error": "panic"}, "on_error must be 'stop' or 'skip', got 'panic'"),
        ({"format": "xml"}, "format must be one of"),
    ],
)
def test_bad_arguments(tmp_path, options, message):
    with pytest.raises(ValueError, match=message):
        read(put(tmp_path / "a.jsonl"), **options)


def test_a_batch_of_parquet_is_bounded_whatever_the_row_groups(tmp_path):
    # Few distinct texts: in the file they are a small dictionary, in memory they are not.
    texts = ["x" * 20_000 + str(n % 5) for n in range(3000)]
    short = ["y"] * 20_000 + ["z" * 50_000] * 100
    for name, column in (("a", texts), ("b", short)):
        table = pyarrow.table({"text": column})
        pyarrow.parquet.write_table(table, tmp_path / f"{name}.parquet", row_group_size=1 << 20)
    sizes = [b.column("text").nbytes for b in read(tmp_path / "*.parquet", batch_bytes=1 << 20)]
    assert max(sizes) < 25 << 20  # of 60 MB
    assert [row["text"] for row in rows_of(read(tmp_path / "*.parquet"))] == texts + short


def test_what_is_not_there_does_not_wait(tmp_path):
    (tmp_path / "dangling.jsonl").symlink_to(tmp_path / "gone")
    os.mkfifo(tmp_path / "pipe")
    for name in ("nope.jsonl", "dangling.jsonl"):
        corpus = read(tmp_path / name)
        assert not corpus.may_wait
        with pytest.raises(FileNotFoundError, match=name):
            list(corpus)
    assert read(tmp_path / "pipe").may_wait


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"batch_bytes": "much"}, ValueError, "batch_bytes must be a size such as 500MB"),
        ({"batch_bytes": 0}, ValueError, "batch_bytes must be 1 byte or more, got 0"),
        ({"batch_bytes": None}, TypeError, "batch_bytes must be a number of bytes or text"),
        ({"keep": None}, TypeError, "keep must be a list of names, got None"),
        ({"keep": ["id", 1]}, TypeError, r"keep must be a list of names, got \['id', 1\]"),
        ({"encoding": None}, TypeError, "encoding must be a name such as 'utf-8', got None"),
    ],
)
def test_parameters_of_the_wrong_kind(tmp_path, options, error, message):
    with pytest.raises(error, match=message):
        read(tmp_path, **options)


def test_batch_bytes_as_text(tmp_path):
    path = put(tmp_path / "a.jsonl", pd.concat([FRAME] * 100))
    for size in ("1kB", "4MB"):
        sizes = [len(batch) for batch in read(path, batch_bytes=size)]
        assert sizes == [len(batch) for batch in read(path, batch_bytes=parse_size(size))]
        assert (len(sizes) > 1) == (size == "1kB")

"""Every format gives the same rows, packed or not, whole or in pieces."""

import gzip
import io
import json
import os
import subprocess
import sys
from types import SimpleNamespace

import pyarrow
import pyarrow.parquet
import pytest

from wordodds.corpora import ReadOptions, as_list, corpus_size, format_of, read_batches, read_corpus

TEXTS = ["free, free money", 'say "hi"', "", "grüße\x0b\u2028 und mehr", "tab\there", "last"]
LABELS = ["spam", "ham", "ham", "ham", "spam", "ham"]
IDS = ["a", "b", "c", "d", "e", "f"]
EXPECTED = list(zip(TEXTS, LABELS, IDS, strict=True))


def as_jsonl(ending="\n"):
    return "".join(json.dumps({"text": t, "label": y, "id": i}) + ending for t, y, i in EXPECTED)


def as_csv(delimiter=",", header=True, ending="\n"):
    def quoted(text):
        return '"' + text.replace('"', '""') + '"'

    rows = [f"{y}{delimiter}{i}{delimiter}{quoted(t)}" for t, y, i in EXPECTED]
    return "".join(
        row + ending for row in [delimiter.join(["label", "id", "text"])] * header + rows
    )


FILES = {
    "mail.jsonl": as_jsonl(),
    "mail.ndjson": as_jsonl("  \r\n\n"),
    "mail.csv": as_csv(),
    "mail.tsv": as_csv("\t", ending="\r\n"),
    "mail.tab": as_csv("\t"),
}


def rows_of(path, **options):
    batches = list(read_batches(path, ReadOptions(labels=True, keep=("id",), **options)))
    return [
        row
        for batch in batches
        for row in zip(as_list(batch.texts), batch.labels, as_list(batch.extra["id"]), strict=True)
    ]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("packing", ["", ".gz", ".zst"])
def test_text_formats(tmp_path, name, packing):
    path = tmp_path / (name + packing)
    data = FILES[name].encode()
    if packing == ".gz":
        # Two members, as `cat a.gz b.gz` makes them.
        data = gzip.compress(data[:50]) + gzip.compress(data[50:])
    elif packing == ".zst":
        data = pyarrow.compress(data[:50], "zstd", True) + pyarrow.compress(data[50:], "zstd", True)
    path.write_bytes(data)
    assert rows_of(path) == EXPECTED
    assert rows_of(path, batch_bytes=1) == EXPECTED
    assert rows_of(path, batch_rows=4) == EXPECTED
    assert [len(batch) for batch in read_batches(path, ReadOptions(batch_rows=4))] == [4, 2]


def test_parquet(tmp_path):
    path = tmp_path / "mail.parquet"
    table = pyarrow.table({"id": IDS, "text": TEXTS, "label": LABELS, "other": [1.5] * 6})
    pyarrow.parquet.write_table(table, path, row_group_size=4)
    assert rows_of(path) == EXPECTED
    assert rows_of(path, batch_bytes=1) == EXPECTED
    assert [len(batch) for batch in read_batches(path, ReadOptions(batch_rows=5))] == [5, 1]
    batches = read_batches(path, ReadOptions(batch_rows=4))
    assert [row for batch in batches for row in batch.rows] == [1, 2, 3, 4, 5, 6]
    # Read where it lies: no list of strings is made of it.
    assert isinstance(next(read_batches(path)).texts, pyarrow.Array)


@pytest.mark.parametrize(
    "kind",
    [
        pyarrow.large_string(),
        pytest.param(pyarrow.string_view(), marks=pytest.mark.needs("pyarrow>=24")),
        pyarrow.dictionary(pyarrow.int32(), pyarrow.string()),
    ],
)
def test_parquet_with_other_layouts_of_text(tmp_path, kind):
    path = tmp_path / "mail.pq"
    table = pyarrow.table({"text": pyarrow.array(TEXTS).cast(kind), "label": [1, 0, 0, 0, 1, 0]})
    pyarrow.parquet.write_table(table, path)
    whole = read_corpus(path, ReadOptions(labels=True))
    assert whole.texts == TEXTS
    assert whole.labels == [1, 0, 0, 0, 1, 0]


def test_folder_per_class(tmp_path):
    for label, name, text in [
        ("spam", "2.txt", b"zwei"),
        ("spam", "10.txt", b"\xef\xbb\xbfzehn"),
        ("ham", "deep/x.txt.gz", gzip.compress(b"unten")),
        ("ham", "a", b"oben"),
        ("ham", ".hidden", b"\xff"),
        (".git", "config", b"\xff"),
    ]:
        path = tmp_path / "corpus" / label / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
    for options in ({}, {"batch_bytes": 1}, {"batch_rows": 1}):
        whole = read_corpus(
            tmp_path / "corpus", ReadOptions(labels=True, keep=("file",), **options)
        )
        assert whole.texts == ["oben", "unten", "zehn", "zwei"]
        assert whole.labels == ["ham", "ham", "spam", "spam"]
        assert whole.extra["file"] == [
            os.path.join("ham", "a"),
            os.path.join("ham", "deep", "x.txt.gz"),
            os.path.join("spam", "10.txt"),
            os.path.join("spam", "2.txt"),
        ]
    assert read_corpus(tmp_path / "corpus").labels is None


def test_files_of_a_folder_are_read_by_name(tmp_path):
    names = [f"{n:02}" for n in (7, 3, 9, 1, 5, 8, 2, 6, 4)]
    for name in names:
        (tmp_path / name).write_text(name)
    assert read_corpus(tmp_path).texts == sorted(names)


def test_lines_are_cut_at_line_feeds_alone(tmp_path):
    path = tmp_path / "mail.txt"
    path.write_bytes("\ufeffone\r\ntwo\x0c\u2028\x85 two\n\n\ufeff\rfour".encode())
    expected = ["one", "two\x0c\u2028\x85 two", "", "\ufeff\rfour"]
    for size in (1, 2, 3, 5, 1000):
        batches = list(read_batches(path, ReadOptions(batch_bytes=size, keep=("text",))))
        assert [text for batch in batches for text in batch.texts] == expected
        assert [row for batch in batches for row in batch.rows] == [1, 2, 3, 4]
        assert [text for batch in batches for text in batch.extra["text"]] == expected


def test_fasttext_lines(tmp_path):
    path = tmp_path / "train.txt"
    path.write_text("__label__spam free money\n__label__ham __init__ now\n__label__ham\n")
    whole = read_corpus(path, ReadOptions(labels=True))
    assert whole.texts == ["free money", "__init__ now", ""]
    assert whole.labels == ["spam", "ham", "ham"]
    assert read_corpus(path).texts[0] == "__label__spam free money"
    assert read_corpus(path, ReadOptions(format="fasttext")).texts[0] == "free money"


def test_without_header(tmp_path):
    path = tmp_path / "mail.csv"
    path.write_text(as_csv(header=False))
    whole = read_corpus(path, ReadOptions(labels=True, header=False, keep=("2",)))
    assert (whole.texts, whole.labels, whole.extra["2"]) == (TEXTS, LABELS, IDS)
    swapped = ReadOptions(labels=True, header=False, text_column="1", label_column="2")
    assert read_corpus(path, swapped).texts == LABELS


def test_quotes_as_mere_characters(tmp_path):
    path = tmp_path / "mail.tsv"
    path.write_text('label\ttext\nham\t"oh hey\nham\tbye"\n')
    whole = read_corpus(path, ReadOptions(labels=True, quotes=False))
    assert whole.texts == ['"oh hey', 'bye"']


def test_a_field_with_line_breaks_and_megabytes(tmp_path):
    path = tmp_path / "mail.csv"
    long = "word " * 200_000
    path.write_text(f'text\n"two\r\nlines"\n{long}\nlast\n', newline="")
    whole = read_corpus(path, ReadOptions(batch_bytes=1000))
    assert whole.texts == ["two\r\nlines", long, "last"]
    assert whole.rows == [2, 4, 5]


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-16-be", "utf-32", "utf-8-sig"])
@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_encodings(tmp_path, encoding, size):
    path = tmp_path / "mail.txt"
    path.write_bytes("süß\nstraße\n".encode(encoding))
    options = ReadOptions(encoding=encoding, batch_bytes=size)
    assert read_corpus(path, options).texts == ["süß", "straße"]


def test_names_of_columns(tmp_path):
    path = tmp_path / "mail.jsonl"
    path.write_text(
        '{"body": "hi", "class": true, "n": null}\n{"body": "ho", "class": 2.0, "m": 3}\n'
    )
    options = ReadOptions(labels=True, text_column="body", label_column="class", keep=("n", "m"))
    whole = read_corpus(path, options)
    assert (whole.texts, whole.labels) == (["hi", "ho"], [True, 2])
    assert type(whole.labels[1]) is int
    assert whole.extra == {"n": [None, None], "m": [None, 3]}


class Stdin(io.BytesIO):
    def peek(self, size):
        return self.getvalue()[self.tell() : self.tell() + size]


@pytest.mark.parametrize(
    "pack", [bytes, gzip.compress, lambda b: pyarrow.compress(b, "zstd", True)]
)
def test_standard_input(monkeypatch, pack):
    stream = Stdin(pack(b"one\ntwo\n"))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=stream))
    assert read_corpus("-").texts == ["one", "two"]


def test_a_pipe_hands_on_what_is_there(monkeypatch):
    reading, writing = os.pipe()
    with open(reading, "rb") as stream, open(writing, "wb", buffering=0) as writer:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=stream))
        batches = read_batches("-")
        writer.write(b"one\ntwo\nthr")
        assert next(batches).texts == ["one", "two"]
        writer.write(b"ee\nfour")
        assert next(batches).texts == ["three"]
        writer.close()
        assert [batch.texts for batch in batches] == [["four"]]


def test_the_end_of_a_terminal_is_asked_for_once(monkeypatch):
    answers = [b"one\n", b""]
    stream = SimpleNamespace(read=None, read1=lambda size: answers.pop(0), fileno=lambda: -1)
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=stream))
    assert read_corpus("-").texts == ["one"]


def test_standard_input_in_another_format(monkeypatch):
    stream = io.BytesIO(as_jsonl().encode())
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=stream))
    assert rows_of("-", format="jsonl") == EXPECTED


def test_format_by_name():
    assert format_of("a/B.CSV.GZ") == "csv"
    assert format_of("b.zst") is None
    assert format_of("mail.jsonl.zst") == "jsonl"


@pytest.mark.parametrize("name", ["mail.jsonl", "mail.csv.gz", "mail.parquet", "corpus"])
def test_progress_reaches_the_size(tmp_path, name):
    path = tmp_path / name
    if name == "corpus":
        (path / "spam").mkdir(parents=True)
        (path / "spam" / "1").write_text("hello")
    elif name == "mail.parquet":
        pyarrow.parquet.write_table(pyarrow.table({"text": TEXTS}), path, row_group_size=2)
    else:
        data = FILES[name.removesuffix(".gz")].encode()
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    done = []
    for _ in read_batches(path, ReadOptions(batch_bytes=8), None, done.append):
        pass
    assert corpus_size(path) - 3 <= sum(done) <= corpus_size(path)
    assert corpus_size("-") is None


@pytest.mark.parametrize("name", ["mail.txt.gz", "mail.jsonl", "mail.csv"])
def test_memory_is_that_of_a_batch(tmp_path, name):
    line = {"txt": "word " * 20, "jso": json.dumps({"text": "word " * 20}), "csv": "word " * 20}
    data = ("text\n" + (line[name[5:8]] + "\n") * 40_000)[5 * (name != "mail.csv") :].encode()
    (tmp_path / name).write_bytes(gzip.compress(data, 1) if name.endswith(".gz") else data)
    # In its own process: threads that other tests have left, of a Dask cluster say, allocate too.
    program = """
import sys, tracemalloc
from wordodds.corpora import ReadOptions, read_batches

batches = read_batches(sys.argv[1], ReadOptions(batch_bytes=1 << 15))
tracemalloc.start()
print(sum(len(batch) for batch in batches), tracemalloc.get_traced_memory()[1])
"""
    ran = subprocess.run(
        [sys.executable, "-c", program, tmp_path / name], check=True, capture_output=True, text=True
    )
    n_rows, peak = map(int, ran.stdout.split())
    assert n_rows == 40_000
    assert len(data) > 4_000_000
    assert peak < 600_000

"""A bad row stops the reading with its place, or is counted and left out; good ones stay."""

import gzip
import io
import os
import sys
import zlib
from types import SimpleNamespace

import pyarrow
import pyarrow.parquet
import pytest

from wordodds.corpora import (
    BadRowError,
    BadRows,
    CorpusError,
    ReadOptions,
    arrow,
    read_batches,
    read_corpus,
    zstd,
)

GOOD = '{"text": "good", "label": "ham"}'


def check(path, line, reason, kept, word="line", **options):
    """Expect one bad row, and ``kept`` good ones around it."""
    options = ReadOptions(labels=True, **options)
    with pytest.raises(BadRowError) as caught:
        read_corpus(path, options)
    place = f"{path}, {word} {line}: " if line else f"{path}"
    assert str(caught.value).startswith(place), caught.value
    assert reason in str(caught.value)
    for size in (1, 1 << 20):
        bad_rows = BadRows(skip=True)
        batches = list(
            read_batches(path, ReadOptions(**{**vars(options), "batch_bytes": size}), bad_rows)
        )
        assert sum(map(len, batches)) == kept
        assert all(len(batch.labels) == len(batch.texts) == len(batch) for batch in batches)
        assert bad_rows.count == 1
        assert bad_rows.first == [str(caught.value)]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (b'{"text": "broken', "not JSON: Unterminated string"),
        (b'{"text": "a", "label": "b"} {}', "not JSON: Extra data"),
        (b'["text"]', "must be a JSON object, got"),
        (b"17", "must be a JSON object, got 17"),
        (b'{"label": "ham"}', "there is no text"),
        (b'{"text": null, "label": "ham"}', "the text is missing"),
        (b'{"text": 3, "label": "ham"}', "the text must be text, got 3"),
        (b'{"text": "a"}', "there is no label"),
        (b'{"text": "a", "label": null}', "the label is missing"),
        (b'{"text": "a", "label": ""}', "the label is missing"),
        (b'{"text": "a", "label": NaN}', "the label is missing"),
        (b'{"text": "a", "label": 1.5}', "the label must be text or a whole number, got 1.5"),
        (b'{"text": "a", "label": ["x"]}', "got ['x']"),
        (b'{"text": "\xff", "label": "x"}', "not utf-8"),
        (b"[" * 100_000, "not JSON"),
        (b"\x00", "not JSON"),
        (b'{"text": "a", "label": ' + b"9" * 5000 + b"}", "not JSON"),
    ],
)
def test_jsonl(tmp_path, row, reason):
    path = tmp_path / "mail.jsonl"
    path.write_bytes(f"{GOOD}\n\n".encode() + row + f"\n{GOOD}\n".encode())
    check(path, 3, reason, 2)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (b"ham", "expected 2 fields, got 1"),
        (b"ham,unquoted, comma", "expected 2 fields, got 3"),
        (b",no label", "the label is missing"),
        (b"ham,\xff", "not utf-8"),
        (b'ham,"a"b', "expected after"),
    ],
)
def test_csv(tmp_path, row, reason):
    path = tmp_path / "mail.csv"
    path.write_bytes(b'label,text\nham,"one\ntwo"\n' + row + b"\nham,good\n")
    check(path, 4, reason, 2)


def test_csv_whose_last_quote_never_closes(tmp_path):
    path = tmp_path / "mail.csv"
    path.write_text('label,text\nham,good\nham,"open\nham,lost\n')
    check(path, 3, "--no-quotes", 1)
    path = tmp_path / "mail.tsv"
    path.write_text('label\ttext\nham\t"a"b\n')
    with pytest.raises(BadRowError, match=r"line 2: '\\t' expected"):
        read_corpus(path)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (b"no label at all", "there is no label"),
        (b"__label__a __label__b text", "got ('a', 'b')"),
        (b"__label__ text", "the label is missing"),
        (b"__label__a \xff", "not utf-8"),
    ],
)
def test_fasttext_lines(tmp_path, row, reason):
    path = tmp_path / "mail.txt"
    path.write_bytes(b"__label__a x\n" + row + b"\n__label__b y")
    check(path, 2, reason, 2)


def test_parquet(tmp_path):
    path = tmp_path / "mail.parquet"
    table = {"text": ["a", "b", None], "label": ["x", "y", "z"], "id": [1, 2, 3]}
    pyarrow.parquet.write_table(pyarrow.table(table), path)
    check(path, 3, "the text is missing", 2, word="row", keep=("id",))
    table = {"text": ["a", "b", "c"], "label": ["x", None, "z"]}
    pyarrow.parquet.write_table(pyarrow.table(table), path)
    check(path, 2, "the label is missing", 2, word="row")
    table = {"text": ["a", "b"], "label": [1.0, 2.0]}
    pyarrow.parquet.write_table(pyarrow.table(table), path)
    assert list(map(type, read_corpus(path, ReadOptions(labels=True)).labels)) == [int, int]


def test_folder(tmp_path):
    (tmp_path / "ham").mkdir()
    (tmp_path / "ham" / "1").write_bytes(b"good")
    (tmp_path / "ham" / "2").write_bytes(b"\xff")
    check(tmp_path, None, "ham/2: not utf-8", 1)
    (tmp_path / "ham" / "2").unlink()
    (tmp_path / "README").write_text("about")
    check(tmp_path, None, "README: lies beside the folders of the classes", 1)
    (tmp_path / "README").unlink()
    os.mkfifo(tmp_path / "ham" / "pipe")
    check(tmp_path, None, "pipe: not a file", 1)


def test_encoding_errors_may_be_replaced(tmp_path):
    path = tmp_path / "mail.txt"
    path.write_bytes(b"one\n\xfftwo\n")
    assert read_corpus(path, ReadOptions(encoding_errors="replace")).texts == ["one", "\ufffdtwo"]
    assert read_corpus(path, ReadOptions(encoding_errors="ignore")).texts == ["one", "two"]
    path.write_bytes(b"one\n\x1b$Bodd\nthree\n")  # an escape sequence, of bytes below 128
    bad_rows = BadRows(skip=True)
    options = ReadOptions(encoding="iso2022_jp")
    assert read_corpus(path, options, bad_rows).texts == ["one", "three"]
    assert bad_rows.first == [
        f"{path}, line 2: not iso2022_jp; see the options encoding and encoding-errors"
    ]


def test_summary_names_the_first_few(tmp_path):
    path = tmp_path / "mail.jsonl"
    path.write_text("{\n" * 1234 + GOOD)
    bad_rows = BadRows(skip=True)
    assert read_corpus(path, ReadOptions(labels=True), bad_rows).rows == [1235]
    assert bad_rows.summary().startswith(f"skipped 1,234 bad rows: {path}, line 1: not JSON")
    assert bad_rows.summary().endswith("; and 1,229 more")
    assert len(bad_rows.first) == 5


@pytest.mark.parametrize(
    ("name", "content", "options", "message"),
    [
        ("mail.csv", b"a,b\n1,2\n", {}, "no column 'text' among 'a', 'b'; if there is no header"),
        ("mail.csv", b"text,text\n1,2\n", {}, "several columns 'text'"),
        ("mail.csv", b"a,b\n", {"header": False, "text_column": "3"}, "no column '3' among '1'"),
        ("mail.csv", b"text\n", {"keep": ("id",)}, "no column 'id'"),
        ("mail.xyz", b"text\n", {}, "the name does not tell the format"),
        ("mail.txt", b"text\n", {"text_column": "body"}, "lines of text have no column 'body'"),
        ("mail.txt", b"", {}, "there are no documents"),
        ("mail.txt", b"\xd8", {"encoding": "utf-16"}, "not utf-16: truncated data"),
        ("mail.txt.gz", b"plain", {}, "Not a gzipped file"),
        ("mail.txt.gz", gzip.compress(b"some text", mtime=0)[:-4], {}, "end-of-stream marker"),
        (
            "mail.txt.gz",
            gzip.compress(b"a" * 99, mtime=0)[:12] + b"garbage!" * 9,
            {},
            "mail.txt.gz: Error",
        ),
        ("mail.txt.zst", b"plain", {}, "mail.txt.zst: "),
        ("mail.txt.zst", pyarrow.compress(b"a" * 99, "zstd", True)[:-2], {}, "mail.txt.zst: "),
        ("mail.parquet", b"PAR1 not really PAR1", {}, "mail.parquet: "),
        ("mail.parquet", b"", {}, "mail.parquet: "),
    ],
)
def test_what_cannot_be_read_names_the_file(tmp_path, name, content, options, message):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(CorpusError) as caught:
        read_corpus(path, ReadOptions(**options))
    assert str(path) in str(caught.value)
    assert message in str(caught.value)


def test_parquet_columns(tmp_path):
    path = tmp_path / "mail.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"text": [{"a": "x"}]}), path)
    with pytest.raises(CorpusError, match="'text' must hold text, not struct<a: string>"):
        read_corpus(path)
    pyarrow.parquet.write_table(pyarrow.table({"text": [["x"]]}), path)
    with pytest.raises(CorpusError, match="'text' must hold text, not list<"):
        read_corpus(path)
    pyarrow.parquet.write_table(pyarrow.table({"text": [1, 2]}), path)
    with pytest.raises(CorpusError, match="'text' must hold text, not int64"):
        read_corpus(path)
    with pytest.raises(CorpusError, match="no column 'label' among 'text'"):
        read_corpus(path, ReadOptions(labels=True))
    with pytest.raises(CorpusError, match="from standard input"):
        read_corpus("-", ReadOptions(format="parquet"))
    whole = bytearray(path.read_bytes())
    whole[6] ^= 0xFF  # the header of a page
    path.write_bytes(whole)
    with pytest.raises(CorpusError, match=r"mail\.parquet"):
        read_corpus(path, ReadOptions(text_column="text"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"format": "xml"}, "format must be one of jsonl, "),
        ({"encoding": "klingon"}, "encoding must be one that Python knows"),
        ({"encoding": "hex"}, "encoding must be one that Python knows"),
        ({"encoding_errors": "panic"}, "encoding_errors must be strict, replace or ignore"),
        ({"batch_rows": 0}, "batch_rows must be 1 or more, got 0"),
    ],
)
def test_options(options, message):
    with pytest.raises(ValueError, match=message):
        ReadOptions(**options)


def test_files_that_are_not_there(tmp_path, monkeypatch):
    for name in ("mail.jsonl", "mail.parquet", "mail", "mail.csv.gz"):
        with pytest.raises(FileNotFoundError):
            read_corpus(tmp_path / name)
    with pytest.raises(CorpusError, match="a folder has one column to keep, 'file', not 'id'"):
        read_corpus(tmp_path, ReadOptions(keep=("id",)))
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(CorpusError, match="no standard input"):
        read_corpus("-")


def test_without_pyarrow(tmp_path, monkeypatch):
    def missing(name):
        raise ImportError(name)

    monkeypatch.setattr(arrow, "import_module", missing)
    monkeypatch.setattr(zstd, "import_module", missing)
    remedy = r"needs pyarrow: pip install 'wordodds\[arrow\]'"
    for name in ("mail.parquet", "mail.txt.zst"):
        (tmp_path / name).write_bytes(b"anything")
        with pytest.raises(ImportError, match=remedy):
            read_corpus(tmp_path / name)


def test_zstandard_frames(monkeypatch):
    # zlib's objects have the same face, so they stand in for a package that is not there.
    package = SimpleNamespace(
        ZstdDecompressor=lambda: SimpleNamespace(decompressobj=zlib.decompressobj)
    )
    monkeypatch.setattr(zstd, "_module", lambda name: package if name == "zstandard" else None)
    data = os.urandom(30_000)
    packed = zlib.compress(data[:20_000]) + zlib.compress(data[20_000:]) + zlib.compress(b"")
    for size in (1000, 1 << 20):
        stream = zstd.zstd_reader(io.BytesIO(packed))
        assert b"".join(iter(lambda: stream.read(size), b"")) == data  # noqa: B023
    cut = zstd.zstd_reader(io.BytesIO(packed[:10_000]))
    with pytest.raises(EOFError, match="end-of-stream"):
        list(iter(lambda: cut.read(1000), b""))


def test_a_quote_that_never_ends_says_what_it_took(tmp_path):
    path = tmp_path / "data.csv"
    path.write_text('label,text\nspam,"oops\n' + "ham,fine\n" * 10)
    with pytest.raises(CorpusError, match=r"line 2: .*took the lines up to 12 for one field"):
        read_corpus(str(path), ReadOptions())


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("data.jsonl", '{"text": "a"}\n{"text": 3}\nnot json\n{"no": "text"}\n'),
        ("data.csv", "text,other\na,b\nonly\na,b,c\n"),
    ],
)
def test_bad_rows_are_told_in_their_order(tmp_path, name, content):
    path = tmp_path / name
    path.write_text(content)
    bad_rows = BadRows(skip=True)
    list(read_batches(str(path), ReadOptions(labels=False), bad_rows))
    lines = [int(place.split("line ")[1].split(":")[0]) for place in bad_rows.first]
    assert bad_rows.count >= 2
    assert lines == sorted(lines)
    with pytest.raises(BadRowError, match=f"line {lines[0]}:"):
        list(read_batches(str(path), ReadOptions(labels=False), BadRows()))

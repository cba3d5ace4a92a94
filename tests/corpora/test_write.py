"""What is written can be read again, and appears when it is complete or not at all."""

import csv
import gzip
import io
import json
import os
import stat

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

from wordodds.corpora import CorpusError, ReadOptions, open_writer, read_corpus

LABELS = ["spam", 'so "called", ham', "grüße\nzeile", "{curly}", "\ud800"]
NUMBERS = [0.1, 1e-300, 1.0, 0.25, 1 / 3]
KINDS = {"label": str, "p {x}": float, "row": int, "other": None}
COLUMNS = {
    "label": LABELS,
    "p {x}": np.array(NUMBERS),
    "row": [1, 2, 3, 4, 5],
    "other": [None, True, 1, "x", {"a": [1.5]}],
}


def write(path, columns=COLUMNS, times=1, kinds=KINDS, **options):
    with open_writer(path, kinds, **options) as writer:
        for _ in range(times):
            writer.write(columns)


def test_jsonl_says_what_json_says(tmp_path):
    write(tmp_path / "out.jsonl", times=2)
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    names = list(COLUMNS)
    values = [LABELS, NUMBERS, COLUMNS["row"], COLUMNS["other"]]
    assert rows == 2 * [dict(zip(names, row, strict=True)) for row in zip(*values, strict=True)]


def test_what_json_cannot_say_is_null(tmp_path):
    write(tmp_path / "out.jsonl", {"p": [0.5, float("nan"), -float("inf")]}, kinds={"p": float})
    assert (tmp_path / "out.jsonl").read_text() == '{"p": 0.5}\n{"p": null}\n{"p": null}\n'


@pytest.mark.parametrize(("name", "delimiter"), [("out.csv", ","), ("out.tsv", "\t")])
def test_delimited(tmp_path, name, delimiter):
    write(tmp_path / name, times=2)
    text = (tmp_path / name).read_bytes().decode()
    rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    assert rows[0] == list(COLUMNS)
    assert [row[0] for row in rows[1:6]] == [*LABELS[:4], "\\ud800"]
    assert [float(row[1]) for row in rows[6:]] == NUMBERS
    assert [row[3] for row in rows[1:5]] == ["", "True", "1", "x"]
    assert "\r" not in text


def test_lines(tmp_path):
    write(tmp_path / "a.txt", {"label": ["x", "y"]}, times=2, kinds={"label": str})
    assert (tmp_path / "a.txt").read_text() == "x\ny\nx\ny\n"
    columns = {"label": ["x", None], "p": [0.123456789, 1.0], "n": [3, 4]}
    write(tmp_path / "b.txt", columns, kinds={"label": str, "p": float, "n": int})
    assert (tmp_path / "b.txt").read_text() == "x\t0.123457\t3\n\t1\t4\n"


def test_parquet(tmp_path):
    path = tmp_path / "out.parquet"
    kinds = {**KINDS, "arrow": None, "late": None}
    columns = {
        "label": ["x", None],
        "p {x}": np.array([0.5, 1.0]),
        "row": [1, 2],
        "other": [True, None],
        "arrow": pyarrow.array([b"a", b"b"]),
        "late": [None, None],
    }
    with open_writer(path, kinds) as writer:
        writer.write(columns)
        writer.write({**columns, "late": ["now", None]})
    table = pyarrow.parquet.read_table(path)
    assert [str(field.type) for field in table.schema] == [
        "string",
        "double",
        "int64",
        "bool",
        "binary",
        "string",
    ]
    assert table.column("label").to_pylist() == ["x", None, "x", None]
    assert table.column("late").to_pylist() == [None, None, "now", None]


def test_parquet_refuses_mixed_kinds(tmp_path):
    with pytest.raises(CorpusError, match="'other' for Parquet must hold values of one kind"):
        write(tmp_path / "out.parquet")
    with open_writer(tmp_path / "out.parquet", {"other": None}) as writer:
        writer.write({"other": [1]})
        with pytest.raises(CorpusError, match="must hold values of one kind"):
            writer.write({"other": ["x"]})


@pytest.mark.parametrize("name", ["out.jsonl", "out.csv", "out.txt", "out.parquet"])
def test_no_rows_make_a_file_too(tmp_path, name):
    write(tmp_path / name, times=0)
    if name == "out.parquet":
        assert pyarrow.parquet.read_table(tmp_path / name).column_names == list(KINDS)
    else:
        assert (tmp_path / name).read_text() == ("label,p {x},row,other\n" * (name == "out.csv"))


@pytest.mark.parametrize("name", ["out.txt.gz", "out.txt.zst"])
def test_packed(tmp_path, name):
    columns = {"label": ["x", "y"]}
    write(tmp_path / name, columns, times=3, kinds={"label": str})
    assert read_corpus(tmp_path / name).texts == ["x", "y"] * 3
    first = (tmp_path / name).read_bytes()
    write(tmp_path / name, columns, times=3, kinds={"label": str})
    assert (tmp_path / name).read_bytes() == first
    if name.endswith(".gz"):
        assert gzip.decompress(first) == b"x\ny\n" * 3
        assert first[3:8] == bytes(5)  # neither name nor time


def write_and_fail(path, columns, error):
    with open_writer(path, {"label": str}) as writer:
        writer.write(columns)
        raise error


@pytest.mark.parametrize("name", ["out.jsonl", "out.csv.gz", "out.txt.zst", "out.parquet"])
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_half_a_file_never_appears(tmp_path, name, error):
    path = tmp_path / name
    columns = {"label": ["x"]}
    for old in (None, b"old"):
        if old is not None:
            path.write_bytes(old)
        with pytest.raises(error):
            write_and_fail(path, columns, error)
        assert [file.read_bytes() for file in tmp_path.iterdir()] == [old] * (old is not None)


def test_a_file_may_replace_its_own_input_and_keeps_its_mode(tmp_path):
    path = tmp_path / "mail.txt"
    path.write_text("one\ntwo\n")
    path.chmod(0o640)
    (tmp_path / "link.txt").symlink_to(path)
    texts = read_corpus(path, ReadOptions()).texts
    write(tmp_path / "link.txt", {"text": [text.upper() for text in texts]}, kinds={"text": str})
    assert path.read_text() == "ONE\nTWO\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_devices_and_standard_output(capsysbinary):
    write(os.devnull, {"label": ["x"]}, kinds={"label": str}, format="lines")
    print("before")
    write("-", {"label": ["ü"]}, kinds={"label": str}, format="jsonl")
    assert capsysbinary.readouterr().out == 'before\n{"label": "ü"}\n'.encode()


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("out", {}, "the name must tell the format"),
        ("out", {"format": "folder"}, "it may be jsonl, csv, tsv, parquet, lines"),
        ("out.parquet.gz", {}, "Parquet packs its own columns"),
    ],
)
def test_bad_targets(tmp_path, name, options, message):
    with pytest.raises(CorpusError, match=message):
        write(tmp_path / name, **options)
    with pytest.raises(FileNotFoundError):
        write(tmp_path / "missing" / "out.jsonl")
    (tmp_path / "folder.jsonl").mkdir()
    with pytest.raises(CorpusError, match=r"cannot save to .*folder\.jsonl: it is a folder"):
        write(tmp_path / "folder.jsonl")


@pytest.mark.parametrize("value", ["a\nb", "a\tb", "a\rb"])
def test_lines_are_not_broken_by_what_they_hold(tmp_path, value):
    path = tmp_path / "out.txt"
    with (
        pytest.raises(ValueError, match="'text' has a line break or a tab"),
        open_writer(str(path), {"text": str, "label": str}, format="lines") as writer,
    ):
        writer.write({"text": ["fine", value], "label": ["x", "y"]})
    assert not path.exists()

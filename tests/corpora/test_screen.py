"""Empty texts, labels that may stand for a missing one, and columns that are not there."""

import json

import pyarrow
import pyarrow.parquet
import pytest

from wordodds.corpora import (
    BadRowError,
    BadRows,
    CorpusError,
    ReadOptions,
    check_columns,
    check_files,
    read_batches,
    read_corpus,
)

TEXTS = ["a", "", "b", " \t", "\N{NO-BREAK SPACE}\N{IDEOGRAPHIC SPACE}", "\N{ZERO WIDTH SPACE}"]


def as_jsonl(path, texts):
    rows = ({"text": text, "label": "x", "n": n} for n, text in enumerate(texts))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def as_parquet(kind):
    def write(path, texts):
        column = pyarrow.array(texts, type=pyarrow.string())
        column = column.dictionary_encode() if kind == "dictionary" else column.cast(kind)
        table = {"text": column, "label": ["x"] * len(texts), "n": range(len(texts))}
        pyarrow.parquet.write_table(pyarrow.table(table), path)

    return write


@pytest.mark.parametrize(
    ("name", "write"),
    [
        ("mail.jsonl", as_jsonl),
        ("mail.parquet", as_parquet("string")),
        ("mail.parquet", as_parquet("large_string")),
        ("mail.parquet", as_parquet("dictionary")),
    ],
)
def test_empty_texts_are_counted_and_kept_skipped_or_bad(tmp_path, name, write):
    path = tmp_path / name
    write(path, TEXTS)
    for empty, kept in (("keep", range(6)), ("skip", [0, 2, 5])):
        bad_rows = BadRows()
        found = read_corpus(path, ReadOptions(labels=True, keep=("n",), empty=empty), bad_rows)
        assert found.texts == [TEXTS[n] for n in kept]
        assert found.extra == {"n": [*kept]}
        assert found.rows == [n + 1 for n in kept]
        assert (bad_rows.empty, bad_rows.count) == (3, 0)
    bad_rows = BadRows(skip=True)
    assert len(read_corpus(path, ReadOptions(empty="error"), bad_rows)) == 3
    assert (bad_rows.empty, bad_rows.count) == (0, 3)
    with pytest.raises(BadRowError, match=r"mail\.\w+, (line|row) 2: the text is empty"):
        read_corpus(path, ReadOptions(empty="error"))
    with pytest.raises(ValueError, match="empty must be keep, skip or error, got 'drop'"):
        ReadOptions(empty="drop")


def test_no_text_is_empty(tmp_path):
    as_parquet("string")(tmp_path / "mail.parquet", ["a", "b"])
    bad_rows = BadRows()
    (batch,) = read_batches(tmp_path / "mail.parquet", ReadOptions(empty="skip"), bad_rows)
    assert isinstance(batch.texts, pyarrow.Array)
    assert bad_rows.empty == 0


def test_labels_that_stand_for_a_missing_one(tmp_path):
    path = tmp_path / "mail.csv"
    path.write_text("label,text\nNA,a\nham,b\n-1,c\nNA,d\nnull,e\n")
    bad_rows = BadRows()
    assert len(read_corpus(path, ReadOptions(labels=True), bad_rows)) == 5
    assert bad_rows.doubtful == {"NA": 2, "null": 1}
    options = ReadOptions(labels=True, missing_labels=("NA", "-1"))
    with pytest.raises(BadRowError, match=r"mail\.csv, line 2: the label is missing \('NA'\)"):
        read_corpus(path, options)
    bad_rows = BadRows(skip=True)
    assert read_corpus(path, options, bad_rows).labels == ["ham", "null"]
    assert (bad_rows.count, bad_rows.doubtful) == (3, {"null": 1})
    # JSON has a spelling of its own for what is missing, so that text is text.
    path = tmp_path / "mail.jsonl"
    path.write_text('{"text": "a", "label": "NA"}\n{"text": "b", "label": -1}\n')
    bad_rows = BadRows(skip=True)
    assert read_corpus(path, ReadOptions(labels=True), bad_rows).labels == ["NA", -1]
    assert bad_rows.doubtful == {}
    assert read_corpus(path, ReadOptions(labels=True, missing_labels=("-1",)), bad_rows).labels == [
        "NA"
    ]


@pytest.mark.parametrize(
    ("options", "column"),
    [
        ({"keep": ("n", "idd")}, "idd"),
        ({"text_column": "body"}, "body"),
        ({"labels": True, "label_column": "class"}, "class"),
    ],
)
def test_a_column_that_no_record_has(tmp_path, options, column):
    path = tmp_path / "mail.jsonl"
    as_jsonl(path, ["a", "b"])
    message = rf"mail\.jsonl: no column '{column}' among 'text', 'label', 'n' in the first 2 reco"
    with pytest.raises(CorpusError, match=message):
        check_columns([str(path)], ReadOptions(**options))
    with pytest.raises(CorpusError, match=message):
        list(read_batches(path, ReadOptions(**options), BadRows(skip=True)))


def test_a_column_of_some_records_is_enough(tmp_path):
    path = tmp_path / "mail.jsonl"
    rows = [{"text": "x"}] * 999 + [{"text": "x", "late": 1}]
    for too_late in ([], rows[:1]):
        rows = too_late + rows
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        for n_bytes in (100, 1 << 20):  # in blocks of a few records, and all at once
            options = ReadOptions(keep=("late",), batch_bytes=n_bytes)
            if too_late:
                with pytest.raises(CorpusError, match="no column 'late' among 'text' in the first"):
                    list(read_batches(path, options))
                with pytest.raises(CorpusError, match="in the first 1,000 records"):
                    check_columns([str(path)], options)
            else:
                assert sum(map(len, read_batches(path, options))) == 1000
                check_columns([str(path)], options)


def test_files_of_every_format_are_looked_at(tmp_path):
    (tmp_path / "mail.csv").write_text("text,n\na,1\n")
    (tmp_path / "mail.txt").write_text("a\n")
    as_parquet("string")(tmp_path / "mail.parquet", ["a"])
    (tmp_path / "folder").mkdir()
    for name in ("mail.csv", "mail.txt", "mail.parquet", "folder"):
        check_columns([str(tmp_path / name)], ReadOptions())
        with pytest.raises(CorpusError, match="'idd'"):
            check_columns([str(tmp_path / name)], ReadOptions(keep=("idd",)))
    check_columns(["-"], ReadOptions(keep=("idd",)))  # which can be read only once


def test_files_that_are_not_there_or_of_no_format(tmp_path):
    (tmp_path / "mail").write_text("a\n")
    check_files(["-", str(tmp_path / "mail")], "lines")
    with pytest.raises(CorpusError, match="the name does not tell the format"):
        check_files([str(tmp_path / "mail")], None)
    with pytest.raises(FileNotFoundError, match=r"gone\.txt"):
        check_files([str(tmp_path / "gone.txt")], "lines")

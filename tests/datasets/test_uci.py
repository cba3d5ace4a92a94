"""Tables of the UCI repository: both forms of file, where they are looked for, what damage says."""

import gzip

import numpy as np
import pytest

from wordodds.datasets import DatasetUnavailable, load_uci
from wordodds.datasets.download import cache_folder

# Editors drop tabs at the end; kinds may be lists of values; roles mark label and what to ignore.
LENSES = (
    "age\ttear rate\tnumber\tdoctor\tlenses\n"
    "d\treduced normal\tc\td\tsoft hard\n"
    "\t\t\ti\tclass\n"
    "young\treduced\t1.5\tA\tsoft\n"
    "?\tnormal\t\tB\thard\n"
    "\n"
    "old\tunheard of\t-2e3\tC\tsoft\n"
)
PIMA = "1,2.5,tested_positive\n 3 , ?, tested_negative\r\n"


@pytest.fixture(autouse=True)
def alone(request, tmp_path, monkeypatch):
    """No test may see this machine's cache or data folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    if "newsgroups_data" not in request.fixturenames:
        monkeypatch.delenv("WORDODDS_DATA", raising=False)


def put(folder, name, content):
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def cached(name, content):
    return put(cache_folder() / "uci", name, content)


def test_a_table_with_headers():
    cached("lenses.tab", LENSES)
    table = load_uci("lenses")
    assert table.name == "lenses"
    assert table.names == ["age", "tear rate", "number"]
    assert table.kinds == ["discrete", "discrete", "continuous"]
    assert [column.tolist() for column in table.columns[:2]] == [
        ["young", None, "old"],
        ["reduced", "normal", "unheard of"],
    ]
    np.testing.assert_array_equal(table.columns[2], [1.5, np.nan, -2000.0])
    assert table.labels.tolist() == ["soft", "hard", "soft"]
    assert table.source == "lenses.tab from the cache folder"
    assert repr(table).startswith("<UciTable 'lenses': 3 rows, 3 columns")


def test_numbers_with_the_label_last():
    cached("pima.dat", PIMA)
    table = load_uci("pima")
    assert (table.names, table.kinds) == (["x1", "x2"], ["continuous"] * 2)
    np.testing.assert_array_equal(table.columns, [[1.0, 3.0], [2.5, np.nan]])
    assert table.labels.tolist() == ["tested_positive", "tested_negative"]


def test_a_label_that_is_a_number():
    cached("housing.tab", "ROOMS\tMEDV\nc\tc\n\tclass\n6\t24\n5\t21.6\n")
    labels = load_uci("housing").labels
    assert labels.dtype == np.float64
    assert labels.tolist() == [24.0, 21.6]


def test_the_users_folder_comes_first_and_files_may_be_packed(tmp_path, monkeypatch):
    cached("pima.dat", PIMA)
    put(tmp_path / "data" / "uci", "pima.dat.gz", gzip.compress(b"7,yes\n8,no\n"))
    monkeypatch.setenv("WORDODDS_DATA", str(tmp_path / "data"))
    table = load_uci("pima")
    assert table.labels.tolist() == ["yes", "no"]
    assert table.source == "pima.dat.gz from WORDODDS_DATA"


def test_what_is_not_there_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("WORDODDS_DATA", str(tmp_path))
    with pytest.raises(DatasetUnavailable) as caught:
        load_uci("adult")
    assert "Set WORDODDS_DATA to a folder that holds uci/adult.tab" in str(caught.value)
    assert str(cache_folder() / "uci" / "adult.tab") in str(caught.value)


@pytest.mark.parametrize("name", ["sick", "../pima", None])
def test_an_unknown_name_is_answered_with_the_known_ones(name):
    with pytest.raises(ValueError, match=r"name must be one of adult, .*voting; got "):
        load_uci(name)


DAMAGED = {
    "no rows": ("lenses.tab", "a\tb\nd\td\n\tclass\n", "it has no rows"),
    "no headers": ("lenses.tab", "a\tb", "it has 1 of the three lines of headers"),
    "no class": ("lenses.tab", "a\tb\nd\td\n\t\nx\ty\n", "line 3 must mark one column as class"),
    "two classes": ("lenses.tab", "a\tb\nd\td\nclass\tclass\nx\ty\n", "but marks 2"),
    "long header": ("lenses.tab", "a\tb\nd\td\td\n\tclass\n", "line 2 has 3 cells for 2 names"),
    "short row": ("lenses.tab", LENSES + "young\tnormal\n", "line 8 has 2 cells, expected 5"),
    "no number": ("lenses.tab", LENSES.replace("1.5", "one"), "line 4: number must be a number"),
    "infinity": ("lenses.tab", LENSES.replace("-2e3", "inf"), "line 7: .*got 'inf'"),
    "no label": ("lenses.tab", LENSES.replace("\thard", "\t?"), "line 5 has no label"),
    "word": ("pima.dat", "1,2,a\n1,b,a\n", "line 2: x2 must be a number, got 'b'"),
    "long line": ("pima.dat", "1,2,a\n1,2,3,a\n", "line 2 has 4 cells, expected 3"),
    "one cell": ("pima.dat", "a\n", "line 1 must hold numbers and a label"),
    "empty": ("pima.dat", "", "line 1 must hold"),
    "not UTF-8": ("pima.dat", b"1,a\n2,\xff\n", "line 2 is not UTF-8"),
    "not packed": ("pima.dat.gz", b"1,a\n", "it cannot be unpacked"),
    "cut": ("pima.dat.gz", gzip.compress(b"1,a\n" * 99)[:-9], "it cannot be unpacked"),
}


@pytest.mark.parametrize(("file", "content", "says"), DAMAGED.values(), ids=DAMAGED)
def test_damage_is_named_with_file_and_line(tmp_path, monkeypatch, file, content, says):
    path = cached(file, content)
    name = file.split(".")[0]
    with pytest.raises(DatasetUnavailable, match=rf"is damaged: .*{says}.* Replace it") as caught:
        load_uci(name)
    assert str(path) in str(caught.value)
    put(tmp_path / "data" / "uci", file, content)
    monkeypatch.setenv("WORDODDS_DATA", str(tmp_path / "data"))
    with pytest.raises(DatasetUnavailable, match="or unset WORDODDS_DATA"):
        load_uci(name)


def test_a_file_that_unpacks_without_end_is_refused(monkeypatch):
    monkeypatch.setattr("wordodds.datasets.stored.MAX_BYTES", 10_000)
    cached("pima.dat.gz", gzip.compress(bytes(1_000_000)))
    with pytest.raises(DatasetUnavailable, match="more than 10,000 bytes"):
        load_uci("pima")


@pytest.mark.parametrize(
    ("name", "rows", "continuous", "discrete", "labels"),
    [
        # counted with the publisher's descriptions of the sets
        ("bupa", 345, 6, 0, {"1": 145, "2": 200}),
        ("ionosphere", 351, 32, 0, {"b": 126, "g": 225}),
        ("lenses", 24, 0, 4, {"hard": 4, "none": 15, "soft": 5}),
        ("pima", 768, 8, 0, {"tested_negative": 500, "tested_positive": 268}),
        ("promoters", 106, 0, 57, {"mm": 53, "pp": 53}),
        ("sonar", 208, 60, 0, {"M": 111, "R": 97}),
        ("voting", 435, 0, 16, {"democrat": 267, "republican": 168}),
    ],
)
def test_the_real_tables(newsgroups_data, name, rows, continuous, discrete, labels):
    table = load_uci(name)
    assert len(table) == rows
    assert (table.kinds.count("continuous"), table.kinds.count("discrete")) == (
        *(continuous, discrete),
    )
    assert all(len(column) == rows for column in table.columns)
    values, counts = np.unique(table.labels, return_counts=True)
    assert dict(zip(values.tolist(), counts.tolist(), strict=True)) == labels

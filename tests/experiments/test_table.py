"""Tables of results: rows in, CSV out and back."""

import csv
import io
import math

import numpy as np
import pytest

from wordodds.experiments.table import COLUMNS, Results, versions


@pytest.fixture
def table():
    results = Results("demo")
    results.add(model="a", size=20, seed=0, accuracy=0.1 + 0.2, alpha=1.0, seconds=0.5)
    results.add(model="a", size=40, seed=0, accuracy=np.float64(1 / 3), alpha=None, seconds=0.5)
    results.add(model="b, c", size=np.int64(20), seed=1, accuracy=math.inf, won=np.bool_(True))
    return results


def test_csv_reads_back_unchanged(table, tmp_path):
    table.write(tmp_path / "demo.csv")
    again = Results.read(tmp_path / "demo.csv")
    assert again.experiment == "demo"
    assert again.columns == table.columns
    for row, old in zip(again.rows, table.rows, strict=True):
        assert row["versions"] == versions()
        known = {name: value for name, value in row.items() if value is not None}
        del known["versions"]
        assert known == {name: value for name, value in old.items() if value is not None}
    assert again.to_csv() == table.to_csv()


def test_csv_is_what_others_read(table):
    rows = list(csv.DictReader(io.StringIO(table.to_csv())))
    assert [row["model"] for row in rows] == ["a", "a", "b, c"]
    assert [float(row["accuracy"]) for row in rows] == [0.1 + 0.2, 1 / 3, math.inf]
    assert [row["alpha"] for row in rows] == ["1.0", "", ""]
    assert [row["won"] for row in rows] == ["", "", "1"]
    assert {row["experiment"] for row in rows} == {"demo"}


def test_own_columns_stand_before_the_last_two(table):
    assert table.columns == [*COLUMNS[:-2], "alpha", "won", "seconds", "versions"]
    assert Results("empty").columns == list(COLUMNS)


def test_rows_are_chosen_and_grouped(table):
    assert len(table.where(model="a", size=40)) == 1
    assert len(table.where(model="a", alpha=None)) == 1
    assert table.unique("size") == [20, 40]
    assert [(name, len(part)) for name, part in table.groups("model")] == [("a", 2), ("b, c", 1)]
    np.testing.assert_array_equal(table.column("alpha"), [1.0, np.nan, np.nan])
    assert table.column("model").tolist() == ["a", "a", "b, c"]


def test_numbers_stand_side_by_side(table):
    found = table.numbers("size", "alpha")
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, [[20, 1.0], [40, np.nan], [20, np.nan]])


def test_a_value_is_the_one_that_all_rows_have(table):
    part = table.where(model="a")
    assert part.value("seconds") == 0.5
    assert part.value("seed") == 0
    assert math.isnan(part.value("log_loss"))
    for wrong, column in ((part, "size"), (part, "model"), (table.where(model="z"), "size")):
        with pytest.raises(ValueError, match=f"must have one number in the column '{column}'"):
            wrong.value(column)


def test_by_seed_puts_values_in_their_place():
    results = Results("demo")
    for seed in (3, 1):
        for size in (10, 20, 30):
            if (seed, size) != (1, 20):
                results.add(seed=seed, size=size, accuracy=seed + size / 100)
    expected = [[3.1, 3.2, 3.3], [1.1, np.nan, 1.3]]
    np.testing.assert_allclose(results.by_seed("accuracy"), expected)


def test_extend_gives_rows_the_new_name(table):
    other = Results("other")
    other.extend(table)
    assert other.unique("experiment") == ["other"]
    assert table.unique("experiment") == ["demo"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "no rows"),
        (b"experiment,model\n", "no rows"),
        (b"name,age\na,1\n", "no table of results"),
        (b"experiment,model\nx,y\nx\n", "line 3: 2 cells expected, got 1"),
        (b"experiment,model\nx,y,z\n", "line 2: 2 cells expected, got 3"),
        (b"\xff\xfe\x00", "no table of results"),
    ],
    ids=["empty", "header", "other", "short", "long", "binary"],
)
def test_other_files_are_refused_by_name(content, message, tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=message) as caught:
        Results.read(path)
    assert "table.csv" in str(caught.value)


def test_a_table_is_written_as_a_whole_or_not_at_all(table, tmp_path):
    path = tmp_path / "table.csv"
    table.write(str(path))
    before = path.read_bytes()
    with pytest.raises(UnicodeEncodeError):
        Results("x", [{"model": "\ud800"}]).write(path)
    assert path.read_bytes() == before
    path.write_bytes(b"\xef\xbb\xbf" + before)  # as some editors save it
    assert Results.read(path).columns[0] == "experiment"
    with pytest.raises(ValueError, match=r"cannot save to .*Name a regular file"):
        Results("x", [{"model": "m"}]).write(tmp_path)

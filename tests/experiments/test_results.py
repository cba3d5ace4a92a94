"""Tables of results: rows in, CSV out and back."""

import csv
import io
import math

import numpy as np
import pytest

from wordodds.experiments.results import COLUMNS, Results, versions


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


def test_a_file_without_rows_is_refused(tmp_path):
    Results("empty").write(tmp_path / "empty.csv")
    with pytest.raises(ValueError, match=r"empty\.csv has no rows"):
        Results.read(tmp_path / "empty.csv")

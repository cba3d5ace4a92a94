"""The history of measurements: lines in and out."""

import json

import pytest
from benchmarks import history, report, results

MACHINE = {
    "cores": 2,
    "instruction_set": "avx2",
    "python": "3.11.0",
    "versions": {"wordodds": "0.1.0"},
    "left_out": [],
}


def seconds_of(one, two, peer=12.0):
    return {"scikit-learn": peer, "wordodds, 1 thread": one, "wordodds, 2 threads": two}


def line_of(commit, day, seconds=None, **changes):
    """Return a measurement of a day in November."""
    date = f"2026-11-{day:02}T12:00:00+00:00"
    seconds = {"count": seconds_of(2.0, 1.0)} if seconds is None else seconds
    return results.Results(commit, date, MACHINE, [], seconds, {})._replace(**changes)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "results.jsonl"


@pytest.fixture
def kept(path):
    """Return a function that keeps measurements and reads the whole history."""

    def keep_and_read(*lines):
        for line in lines:
            history.keep(line, path)
        return history.read_history(path)

    return keep_and_read


def test_what_is_kept_comes_back(kept):
    line = line_of("aaaaaaa", 1, failed=["test_a"], compile_seconds={"count": {"Numba": 1.25}})
    assert kept(line) == [line]


def test_times_are_kept_to_four_digits(kept):
    (line,) = kept(line_of("aaaaaaa", 1, {"count": {"wordodds, 1 thread": 0.00123456}}))
    assert line.seconds == {"count": {"wordodds, 1 thread": 0.001235}}


def test_a_commit_is_added_after_the_others_on_one_line(kept, path):
    first, second = line_of("aaaaaaa", 1), line_of("bbbbbbb", 2)
    kept(first)
    before = path.read_text()
    assert kept(second) == [first, second]
    assert path.read_text().startswith(before)
    assert [json.loads(line)["commit"] for line in path.read_text().splitlines()] == [
        "aaaaaaa",
        "bbbbbbb",
    ]
    assert history.read(path) == second


def test_keeping_a_run_twice_changes_nothing(kept, path):
    kept(line_of("aaaaaaa", 1), line_of("bbbbbbb", 2))
    before = path.read_bytes()
    kept(line_of("bbbbbbb", 2))
    assert path.read_bytes() == before


def test_a_commit_that_is_measured_again_replaces_its_line(kept):
    again = line_of("aaaaaaa", 1, {"count": seconds_of(1.5, 1.0)})
    other = line_of("bbbbbbb", 2)
    assert kept(line_of("aaaaaaa", 1), other, again) == [again, other]


def test_an_older_commit_does_not_become_the_newest(kept, path):
    old, new = line_of("aaaaaaa", 1), line_of("bbbbbbb", 2)
    assert kept(new, old) == [old, new]
    assert history.read(path) == new


def test_dates_are_compared_across_time_zones(kept):
    west = line_of("aaaaaaa", 1, date="2026-11-01T23:00:00-05:00")  # 04:00 of the next day
    east = line_of("bbbbbbb", 2, date="2026-11-02T03:00:00+00:00")
    assert kept(west, east) == [east, west]


@pytest.mark.parametrize(
    ("commit", "message"),
    [("aaaaaaa-dirty", "aaaaaaa was measured with uncommitted changes"), ("", "no commit")],
)
def test_what_no_commit_names_is_refused(path, commit, message):
    history.keep(line_of("bbbbbbb", 1), path)
    before = path.read_bytes()
    with pytest.raises(ValueError, match=message):
        history.keep(line_of(commit, 2), path)
    assert path.read_bytes() == before


def test_the_suite_does_not_run_for_a_line_that_would_be_refused(path, monkeypatch):
    monkeypatch.setattr(report, "described_head", lambda: "aaaaaaa-dirty")
    monkeypatch.setattr(report, "run_suite", lambda: pytest.fail("measured for nothing"))
    with pytest.raises(ValueError, match="uncommitted changes"):
        report.main(["--run", "--keep", str(path)])


@pytest.mark.parametrize(
    ("info", "expected"),
    [
        ({"id": "0123456789", "time": "2026-11-01T12:00:00Z", "dirty": False}, "0123456"),
        ({"id": "0123456789", "time": "2026-11-01T12:00:00Z", "dirty": True}, "0123456-dirty"),
        ({"id": "unversioned", "time": None, "dirty": False}, ""),
    ],
    ids=["clean", "dirty", "none"],
)
def test_the_commit_is_the_one_that_was_measured(info, expected):
    commit, date = results.commit_and_date(info)
    assert (commit, date) == (expected, info["time"] or "")


def test_runs_together_have_the_commit_of_the_last_unless_one_is_unclear():
    old, new = line_of("aaaaaaa", 1), line_of("bbbbbbb", 2)
    both = results.merged([old, new])
    assert (both.commit, both.date) == ("bbbbbbb", new.date)
    assert results.merged([line_of("aaaaaaa-dirty", 1), new]).commit == "aaaaaaa-dirty"
    assert results.merged([line_of("", 1), new]).commit == ""


def changed(line, **fields):
    return json.dumps(line._asdict() | fields)


SECOND = line_of("bbbbbbb", 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"commit": "bbb', "not JSON: Unterminated string"),
        ("", "not JSON"),
        ("<<<<<<< HEAD", "not JSON"),
        ("[1, 2]", "expected the fields commit, date, .*, got list"),
        ("12", "expected the fields .*, got int"),
        ('{"commit": "bbbbbbb", "date": ""}', "expected the fields .*, got commit, date$"),
        (changed(SECOND, host="here"), "expected the fields .*host$"),
        (changed(SECOND, commit="aaaaaaa"), "aaaaaaa has a line already"),
        (changed(SECOND, date="2026-10-31T12:00:00Z"), "the newest commit comes last"),
        (changed(SECOND, date="yesterday"), "yesterday"),
        (changed(SECOND, date="2026-11-02T12:00:00"), "no time zone"),
        (changed(SECOND, date=20261102), "no time zone"),
    ],
)
def test_a_broken_line_is_named(path, text, message):
    good = [json.dumps(line_of(3 * letter, day)._asdict()) for letter, day in (("c", 3), ("d", 4))]
    path.write_text("\n".join([json.dumps(line_of("aaaaaaa", 1)._asdict()), text, *good]) + "\n")
    with pytest.raises(ValueError, match=rf"results\.jsonl, line 2: .*{message}"):
        history.read_history(path)


def test_an_empty_history_has_no_newest(path):
    path.write_text("")
    assert history.read_history(path) == []
    with pytest.raises(ValueError, match="holds no measurement"):
        history.read(path)


def test_the_command_asks_for_a_history(capsys):
    with pytest.raises(SystemExit):
        report.main(["run.json", "--keep", "kept.json"])
    assert ".jsonl file" in capsys.readouterr().err

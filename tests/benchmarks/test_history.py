"""The history of measurements: lines in and out, and the drawing of their ratios."""

import json
import math
from statistics import geometric_mean

import pytest
from benchmarks.report import __main__ as program
from benchmarks.report import history, history_figure, ratios, runs, tables
from benchmarks.report.goals import FAMILIES, Family, Job

from .measurements import KEPT, MACHINE, ROOT

FAMILY = Family("Two jobs", "made up", [Job("first", "first"), Job("second", "second")])


def seconds_of(one, two, peer=12.0):
    return {"scikit-learn": peer, "wordodds, 1 thread": one, "wordodds, 2 threads": two}


def line_of(commit, day, seconds=None, **changes):
    """Return a measurement of a day in November."""
    date = f"2026-11-{day:02}T12:00:00+00:00"
    seconds = {"count": seconds_of(2.0, 1.0)} if seconds is None else seconds
    return runs.Results(commit, date, MACHINE, [], seconds, {})._replace(**changes)


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
    monkeypatch.setattr(program, "described_head", lambda: "aaaaaaa-dirty")
    monkeypatch.setattr(program, "run_suite", lambda: pytest.fail("measured for nothing"))
    with pytest.raises(ValueError, match="uncommitted changes"):
        program.main(["--run", "--keep", str(path)])


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
    commit, date = runs.commit_and_date(info)
    assert (commit, date) == (expected, info["time"] or "")


def test_runs_together_have_the_commit_of_the_last_unless_one_is_unclear():
    old, new = line_of("aaaaaaa", 1), line_of("bbbbbbb", 2)
    both = runs.merged([old, new])
    assert (both.commit, both.date) == ("bbbbbbb", new.date)
    assert runs.merged([line_of("aaaaaaa-dirty", 1), new]).commit == "aaaaaaa-dirty"
    assert runs.merged([line_of("", 1), new]).commit == ""


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


@pytest.mark.parametrize("arguments", [["--keep", "kept.json"], ["--history", "history.svg"]])
def test_the_command_asks_for_a_history(arguments, capsys):
    with pytest.raises(SystemExit):
        program.main(["run.json", *arguments])
    assert ".jsonl file" in capsys.readouterr().err


def test_copied_groups_are_told_from_measured_ones():
    times = [{"count": seconds_of(2.0, 1.0)}, {}, {"count": seconds_of(2.1, 1.0)}]
    lines = [line_of(str(i), i + 1, times[k]) for i, k in enumerate([1, 0, 0, 2, 1])]
    assert history.measured(lines, "count") == [False, True, False, True, False]


def test_a_new_job_does_not_move_the_mean():
    """The first job doubles its ratio, then the second appears with a ratio of 32."""
    nan = math.nan
    assert history.linked_means([[2.0, 4.0, 4.0], [nan, nan, 32.0]]) == pytest.approx(
        [math.sqrt(32.0), math.sqrt(128.0), math.sqrt(128.0)]
    )
    assert history.linked_means([[nan, 4.0], [nan, 9.0]]) == pytest.approx([nan, 6.0], nan_ok=True)
    assert history.linked_means([]) == []


def test_the_means_of_both_threads_are_of_the_same_jobs():
    alone = {"scikit-learn": 100.0, "wordodds, 1 thread": 1.0}
    line = line_of("aaaaaaa", 1, {"first": seconds_of(4.0, 2.0), "second": alone})
    assert history.means_of([line], FAMILY) == {1: [pytest.approx(3.0)], 2: [pytest.approx(6.0)]}
    one_core = line_of("aaaaaaa", 1, {"second": alone})
    assert history.means_of([one_core], FAMILY) == {1: [pytest.approx(100.0)]}


def drawn(axes):
    """Return the ends of the lines of a panel: of jobs, and of means by colour."""
    lines = [line for line in axes.lines if list(line.get_xdata()) != [0, 1]]  # but that of 1x
    jobs = [line.get_ydata()[-1] for line in lines if line.get_color() == history_figure.JOBS]
    means = {
        n: line.get_ydata()[-1]
        for n, colour in history_figure.COLOURS.items()
        for line in lines
        if line.get_color() == colour
    }
    return jobs, means


def test_the_drawing_ends_in_the_ratios_of_the_report():
    lines = history.read_history(KEPT)
    figure = history_figure.make_figure(lines)
    text = tables.markdown(lines[-1])
    assert [axes.get_title(loc="left") for axes in figure.axes] == [
        family.title for family in FAMILIES.values()
    ]
    for axes, family in zip(figure.axes, FAMILIES.values(), strict=True):
        rows = ratios.rows_of(lines[-1], family.jobs)
        jobs, means = drawn(axes)
        assert jobs == [ratio for row in rows for ratio in row.ratios.values()]
        assert all(f"**{tables.ratio_of(ratio)}**" in text for ratio in jobs)
        both = [row.ratios for row in rows if set(row.ratios) == {1, 2}]
        expected = {n: geometric_mean(ratios[n] for ratios in both) for n in (1, 2)}
        assert means == pytest.approx(expected)


def test_dots_show_where_a_family_was_measured():
    times = [seconds_of(2.0, 1.0), seconds_of(2.0, 1.0), seconds_of(3.0, 1.0)]
    lines = [line_of(str(i), i + 1, {"count": time}) for i, time in enumerate(times)]
    (axes,) = history_figure.make_figure(lines).axes
    bold = [line for line in axes.lines if line.get_color() in history_figure.COLOURS.values()]
    assert [line.get_markevery() for line in bold] == [[0, 2], [0, 2]]


@pytest.mark.parametrize(("n_lines", "step"), [(1, 1), (12, 1), (13, 2), (40, 4)])
def test_the_newest_commit_is_always_named(n_lines, step):
    lines = [line_of(f"{i:07}", 1 + i // 2) for i in range(n_lines)]
    (axes,) = history_figure.make_figure(lines).axes
    labels = [label.get_text() for label in axes.get_xticklabels()]
    chosen = lines[::-1][::step][::-1]
    assert labels == [f"{line.date[:10]} {line.commit}" for line in chosen]
    assert len(labels) <= history_figure.MAX_LABELS


def test_the_page_shows_the_newest_commit():
    newest = history.read(KEPT).commit
    command = "python -m benchmarks.report benchmarks/results.jsonl --history"
    svg = (ROOT / "docs" / "figures" / "history.svg").read_text(encoding="utf-8")
    assert f"up to {newest}</dc:title>" in svg, f"run {command} docs/figures/history.svg"

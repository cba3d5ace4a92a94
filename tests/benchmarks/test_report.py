"""The report of the benchmarks: ratios, floors, and the README's tables."""

import json
from xml.etree import ElementTree

import pytest
from benchmarks.report import __main__ as program
from benchmarks.report import bars, goals, history, ratios, runs, tables
from benchmarks.report.goals import Goal, Job
from benchmarks.setup import contenders

from .measurements import KEPT, MACHINE, ROOT

JOB = Job("job", "a job", Goal(4, 6), Goal(10, 10))
# A peer on two threads must not be held against ours on one.
SECONDS = {
    "scikit-learn": 10.0,
    "LIBLINEAR -s 7": 8.0,
    "scikit-learn, 2 threads": 5.0,
    "Numba, 1 thread": 0.001,
    "wordodds, 1 thread": 2.0,
    "wordodds, 2 threads": 0.5,
}


def document(groups, failed=(), **extra):
    """Return what pytest-benchmark would write."""
    return {
        "machine_info": {"node": "", "wordodds": MACHINE},
        "commit_info": {"id": 40 * "a", "time": "2026-11-18T08:57:53+00:00", "dirty": False},
        "failed": list(failed),
        "benchmarks": [
            {
                "group": group,
                "extra_info": {"contender": contender, **extra.get(contender, {})},
                "stats": {"min": best, "mean": 2.0 * best},
            }
            for group, seconds in groups.items()
            for contender, best in seconds.items()
        ],
    }


@pytest.fixture
def stored(tmp_path):
    """Return a function that writes a run and reads it."""

    def write_and_read(*arguments, **options):
        path = tmp_path / "run.json"
        path.write_text(json.dumps(document(*arguments, **options)))
        return history.read(path)

    return write_and_read


def test_a_ratio_is_to_the_fastest_peer_on_as_many_threads():
    row = ratios.compare(JOB, SECONDS)
    assert row.peers == {1: ("LIBLINEAR -s 7", 8.0), 2: ("scikit-learn, 2 threads", 5.0)}
    assert row.ratios == {1: 4.0, 2: 10.0}


def test_a_job_may_look_at_some_peers_alone():
    row = ratios.compare(JOB._replace(peers=("scikit-learn",)), SECONDS)
    assert row.ratios == {1: 5.0, 2: 10.0}
    row = ratios.compare(JOB._replace(peers=("Numba",)), SECONDS)
    assert row.ratios == {1: 0.0005, 2: 0.002}


@pytest.mark.parametrize(
    ("ours", "met"),
    [
        ((0.8, 0.8), "target"),
        ((0.8, 0.81), "floor"),
        ((2.0, 4 / 3), "floor"),
        ((2.1, 1.0), "no: 1 thread"),
        ((1.0, 1.4), "no: 2 threads"),
        ((9.0, 9.0), "no"),
    ],
    ids=str,
)
def test_floors_and_targets(ours, met):
    """The peer takes 8 s: the floor is at 2 s and 4/3 s, the target at 0.8 s."""
    seconds = {"LIBLINEAR": 8.0} | dict(zip(contenders.OURS, ours, strict=True))
    assert tables.met_of(ratios.compare(JOB, seconds)) == met


def test_goals_of_threads_that_did_not_run_are_not_asked_for():
    two = Job("job", "a job", Goal(None, 1), Goal(None, 2))
    row = ratios.compare(two, {"fastText": 3.0, "wordodds, 2 threads": 1.0})
    assert (row.met, tables.goal_of(two.floor)) == ("target", "– / 1x")
    nothing_asked = ratios.compare(Job("job", "a job"), SECONDS)
    assert nothing_asked.met == ""


@pytest.mark.parametrize(("seconds", "met"), [(0.02, "floor"), (0.021, "no")])
def test_a_limit_is_a_time(seconds, met):
    row = ratios.compare(Job("job", "a job", limit=0.02), {"wordodds, 1 thread": seconds})
    assert row.met == met
    assert "| at most 20.0 ms |" in tables.line_of(row)


@pytest.mark.parametrize(
    ("seconds", "told"),
    [
        (43.46, "43.5 s"),
        (3.174, "3.17 s"),
        (0.99951, "1.00 s"),
        (0.0934, "93.4 ms"),
        (0.573, "573 ms"),
        (6.12e-5, "61.2 µs"),
        (2e-7, "0.20 µs"),
    ],
)
def test_times_have_three_digits(seconds, told):
    assert tables.time_of(seconds) == told


def test_a_wrong_answer_wins_nothing(stored):
    failed = {"LIBLINEAR -s 7": {"failed": True}}
    found = stored({"count": SECONDS}, failed=["test_count[LIBLINEAR -s 7]"], **failed)
    assert "LIBLINEAR -s 7" not in found.seconds["count"]
    assert "Left out, as they failed: test_count[LIBLINEAR -s 7]." in tables.markdown(found)


def test_the_table_of_a_run(stored):
    text = tables.markdown(stored({"count": SECONDS, "new_job": SECONDS}))
    assert (
        "| `CountVectorizer().fit_transform` | LIBLINEAR -s 7, 8.00 s; scikit-learn, 2 threads, "
        "5.00 s | 2.00 s, **4.0x** | 500 ms, **10.0x** | 12x / 20x | 25x / 45x | no |" in text
    )
    assert "Measured on 2 cores (avx2), Python 3.11.0, wordodds 0.1.0, NumPy 2.0.0" in text
    assert "Left out, as not installed: vowpalwabbit." in " ".join(text.split())
    assert "Measured without a row here: new_job." in text


def test_twins_are_told_apart_with_the_time_to_compile_them(stored):
    seconds = SECONDS | {"Numba, 1 thread": 6.0}
    text = tables.markdown(
        stored({"sgd_epoch": seconds}, **{"Numba, 1 thread": {"compile_seconds": 1.26}})
    )
    assert "| LIBLINEAR -s 7, 8.00 s | 6.00 s (+ 1.3 s) |  | 2.00 s, **3.0x** |" in text


def test_what_is_kept_gives_the_same_table(stored, tmp_path):
    seconds = {name: time * 1.2344321 for name, time in SECONDS.items()}
    found = stored(
        {"count": seconds, "sgd_epoch": seconds},
        **{"Numba, 1 thread": {"compile_seconds": 1.25}},
    )
    history.keep(found, tmp_path / "kept.jsonl")
    again = history.read(tmp_path / "kept.jsonl")
    assert tables.markdown(again) == tables.markdown(found)
    assert set(json.loads((tmp_path / "kept.jsonl").read_text())) == set(runs.Results._fields)


def test_a_later_run_replaces_whole_groups(stored):
    """The peer of the first run must not be held against ours of the second."""
    first = stored({"count": SECONDS, "hashing": SECONDS}, failed=["test_a"])
    second = stored({"count": {"wordodds, 1 thread": 1.0}}, failed=["test_b"])
    both = runs.merged([first, second])
    assert both.seconds == {"count": {"wordodds, 1 thread": 1.0}, "hashing": SECONDS}
    assert both.failed == ["test_a", "test_b"]
    with pytest.raises(ValueError, match="different machines"):
        runs.merged([first, second._replace(machine=MACHINE | {"cores": 4})])


def test_the_command_writes_what_it_is_asked_for(tmp_path, capsys):
    run, page = tmp_path / "run.json", tmp_path / "page.md"
    run.write_text(json.dumps(document({"count": SECONDS, "hashing": SECONDS})))
    page.write_text(f"before\n{tables.BEGIN}\nold\n{tables.END}\nafter\n")
    svg, kept, over_time = (tmp_path / name for name in ("bars.svg", "kept.jsonl", "history.svg"))
    written = ["--keep", kept, "--figure", svg, "--history", over_time, "--readme", page]
    program.main([str(run), *map(str, written)])
    text = tables.markdown(history.read(kept))
    assert page.read_text() == f"before\n{tables.BEGIN}\n\n{text}\n{tables.END}\nafter\n"
    for path in (svg, over_time):
        assert ElementTree.parse(path).getroot().tag == "{http://www.w3.org/2000/svg}svg"
    assert capsys.readouterr().out == ""
    program.main([str(kept)])
    assert capsys.readouterr().out == text


def test_a_page_without_marks_is_refused():
    with pytest.raises(ValueError, match=r"needs <!-- benchmarks\.report -->"):
        tables.with_block("no marks", "block")


def test_the_figure_shows_ratios_and_floors(stored):
    axes = bars.make_figure(stored({"count": SECONDS, "strip_accents": SECONDS})).axes[0]
    ends = [bar.get_x() + bar.get_width() for bar in axes.patches]
    assert ends == pytest.approx([4.0, 10.0, 4.0, 10.0])
    floors = {line.get_xdata()[0] for line in axes.lines} - {1.0, 0.0}
    assert floors == {12, 20}  # the second job asks for nothing
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels == ["CountVectorizer().fit_transform", 'strip_accents="unicode", the same']


def test_no_two_rows_are_the_same():
    rows = [(job.group, job.peers) for job in goals.all_jobs()]
    assert len(set(rows)) == len(rows)


def test_a_peer_that_is_missing_is_left_out_by_name(monkeypatch):
    monkeypatch.setitem(contenders.PACKAGES, "Vowpal Wabbit", ("no_such_module", "vowpalwabbit"))
    contenders.available.cache_clear()
    try:
        reason = contenders.why_left_out("Vowpal Wabbit")
        assert reason == "vowpalwabbit is not installed: pip install '.[bench]'"
        assert "vowpalwabbit" in contenders.left_out()
        assert contenders.why_left_out("scikit-learn newton-cg") is None
        assert contenders.why_left_out("wordodds, 1 thread") is None
    finally:
        contenders.available.cache_clear()


def test_every_row_was_measured():
    """All rows of goals.py are in the run that is kept, and every group of it has a row."""
    kept = history.read(KEPT)
    absent = [job.title for job in goals.all_jobs() if job.group not in kept.seconds]
    assert absent == []
    assert ratios.unlisted(kept) == ["sgd_softmax"]  # which no peer has
    assert kept.failed == []


def test_the_readme_shows_the_run_that_is_kept():
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    command = "python -m benchmarks.report benchmarks/results.jsonl --readme README.md"
    assert tables.BEGIN in page, f"README.md has no {tables.BEGIN} ... {tables.END}: see {command}"
    current = tables.with_block(page, tables.markdown(history.read(KEPT)))
    assert page == current, f"README.md is not the report of the newest line: run {command}"

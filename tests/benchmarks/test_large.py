"""The corpus that is larger than the memory, and the jobs on it, in their small form."""

from itertools import islice
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from benchmarks.large import __main__ as program
from benchmarks.large import courses
from benchmarks.large.corpus import copies, two_labels, write_corpus

from wordodds import CountVectorizer

TEXTS = [f"word{i} of the {'same' if i % 2 else 'other'} kind" for i in range(100)]
LABELS = ["talk.politics", "sci.space"] * 50


def test_copies_are_shuffled_and_bring_new_words():
    first, second = islice(copies(TEXTS, LABELS), 2)
    again, _ = islice(copies(TEXTS, LABELS), 2)
    assert first == again
    assert first[0] != second[0]
    label_of = dict(zip(TEXTS, LABELS, strict=True))
    known = [(text, label) for text, label in zip(*second, strict=True) if text in label_of]
    assert len(known) == 98
    assert all(label_of[text] == label for text, label in known)
    words = [set(CountVectorizer().fit(part).vocabulary_) for part, _ in (first, second)]
    assert words[0] - words[1]
    assert words[1] - words[0]


def test_labels_of_two_classes():
    assert two_labels(["talk.politics", "sci.space", "alt.atheism"]) == ["talk", "other", "talk"]


def test_a_corpus_in_files(newsgroups_data, tmp_path):
    paths, n_bytes = write_corpus(str(tmp_path), 30_000_000, shard_bytes=20_000_000)
    tables = [pq.read_table(path) for path in paths]
    assert len(paths) == 2
    texts = [text for table in tables for text in table["text"].to_pylist()]
    assert sum(len(text.encode()) for text in texts) == n_bytes
    assert 30_000_000 <= n_bytes < 30_100_000
    ids = [number for table in tables for number in table["id"].to_pylist()]
    assert ids == list(range(len(texts)))


def test_jobs_are_spelt_as_the_shell_spells_them(capsys):
    from wordodds.cli.commands import _parser

    for job in program.jobs("folder", "shards", 10**9):
        options = _parser().parse_args([str(argument) for argument in job.arguments])
        assert options.output.startswith("folder")
    assert capsys.readouterr().err == ""


@pytest.mark.exhaustive
def test_200_megabytes_within_the_memory(newsgroups_data, tmp_path, capsys):
    """The form of `python -m benchmarks.large` that the tests have time for."""
    found = tmp_path / "found.json"
    figure = tmp_path / "figure.svg"
    arguments = ["--size=200MB", "--memory=500MB", f"--json={found}", f"--figure={figure}"]
    assert program.main([*arguments, f"--folder={tmp_path}"]) == 0
    found_courses, _ = courses.from_file(found)
    assert [course.name for course in found_courses] == [
        "train, hashed",
        "train, vocabulary",
        "predict",
    ]
    told = capsys.readouterr().out
    for course in found_courses:
        assert 50e6 < course.peak < 500e6
        assert f"| {course.name} |" in told
    assert "<svg" in figure.read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["figure.svg", "found.json"]


def test_the_page_shows_what_was_measured():
    root = Path(__file__).parents[2]
    table = courses.table(*courses.from_file(root / "benchmarks" / "large.json"))
    assert f"<!-- benchmarks.large -->\n\n{table}\n" in (root / "docs" / "scale.md").read_text()


def test_a_job_that_fails_is_named(tmp_path):
    job = courses.Job("predict", ["predict", str(tmp_path / "nothing.txt"), "--model", "none"])
    with pytest.raises(RuntimeError, match="predict ended with 1"):
        courses.watch(job, 1, 1)

"""More text than memory: python -m benchmarks.large [--size 10GB] [--memory 1GB] [--figure FILE].

Makes a corpus of Parquet files (`large_corpus.py`), trains on it and labels it by `wordodds train`
and `wordodds predict` within a given memory, and watches each process: how much memory it holds and
has read. The exit status is 1 where a process held more than it was given.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from wordodds._files.memory import available_bytes
from wordodds._files.sizes import parse_size

from . import large_figure
from .large_corpus import write_corpus

SECONDS_BETWEEN_LOOKS = 0.1
PAGE = os.sysconf("SC_PAGE_SIZE")


class Job(NamedTuple):
    """A command, and how often it goes through the corpus."""

    name: str
    arguments: list
    passes: int = 1


class Course(NamedTuple):
    """How a job went: at each look the seconds, the bytes of text done, and the bytes held."""

    name: str
    seconds: list
    done: list
    held: list
    passes: int

    @property
    def peak(self):
        """The most memory that it held."""
        return max(self.held)

    @property
    def rate(self):
        """Megabytes of text a second, from the start of the process to its end."""
        return self.done[-1] / self.passes / self.seconds[-1] / 1e6


def jobs(folder, shards, memory):
    """Return the jobs: train on hashed features, train with a vocabulary, label."""
    model, pattern = os.path.join(folder, "model.wordodds"), os.path.join(shards, "*.parquet")
    train = ["train", pattern, "--kind", "naive_bayes", "--memory", str(memory), "--json"]
    scratch = ["--scratch", folder]
    labelled = os.path.join(folder, "labelled", "")
    return [
        Job("train, hashed", [*train, "--hashed", str(2**20), "--model", model]),
        Job(
            "train, vocabulary",
            [*train, *scratch, "--min-df", "5", "--model", os.path.join(folder, "words.wordodds")],
            passes=2,
        ),
        Job(
            "predict", ["predict", pattern, "--model", model, "--output", labelled, "--keep", "id"]
        ),
    ]


def watch(job, text_bytes, file_bytes):
    """Run a job and return how it went.

    What it has read of the files tells how far it has come; what it reads before it opens the first
    of them, its own modules above all, does not count.
    """
    command = [sys.executable, "-m", "wordodds", *job.arguments]
    course = Course(job.name, [], [], [], job.passes)
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    before = None
    while process.poll() is None:
        try:
            held = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1]) * PAGE
            read = int(Path(f"/proc/{process.pid}/io").read_text().split()[1])
            if before is None and reads_parquet(process.pid):
                before = read
        except (OSError, IndexError, ValueError):  # it has just ended
            break
        done = 0 if before is None else (read - before) / file_bytes * text_bytes
        course.seconds.append(time.perf_counter() - start)
        course.done.append(min(done, text_bytes * job.passes))
        course.held.append(held)
        time.sleep(SECONDS_BETWEEN_LOOKS)
    output, _ = process.communicate()
    course.seconds.append(time.perf_counter() - start)
    course.done.append(text_bytes * job.passes)
    # The kernel's own note of the peak is of all children so far: ours can only miss a moment.
    course.held.append(course.held[-1])
    if process.returncode:
        raise RuntimeError(f"{job.name} ended with {process.returncode}: {output}")
    return course


def reads_parquet(pid):
    """Tell whether a process has one of the files open."""
    folder = Path(f"/proc/{pid}/fd")
    for name in os.listdir(folder):
        try:
            if os.readlink(folder / name).endswith(".parquet"):
                return True
        except OSError:  # closed meanwhile
            continue
    return False


def table(courses, memory):
    """Return what each job came to, as Markdown."""
    rows = ["| job | MB/s of text | peak memory | given |", "|---|---|---|---|"]
    given = f"{memory / 1e6:.0f} MB"
    rows += [
        f"| {course.name} | {course.rate:.0f} | {course.peak / 1e6:.0f} MB | {given} |"
        for course in courses
    ]
    return "\n".join(rows)


def from_file(path):
    """Return the courses of a file that `main` wrote, and the memory that they were given."""
    found = json.loads(Path(path).read_text())
    return [Course(**course) for course in found["courses"]], found["memory"]


def thinned(course, n=150):
    """Return a course of so many looks, for a file; peaks stay."""
    borders = np.unique(np.linspace(0, len(course.seconds), n + 1).astype(int))
    parts = list(pairwise(borders.tolist()))
    return Course(
        course.name,
        [round(course.seconds[end - 1], 2) for _, end in parts],
        [int(course.done[end - 1]) for _, end in parts],
        [max(course.held[begin:end]) for begin, end in parts],
        course.passes,
    )


def measure(size, memory, folder):
    """Make the corpus, run the jobs, and return their courses and the bytes of text."""
    shards = os.path.join(folder, "shards")
    started = time.perf_counter()
    paths, text_bytes = write_corpus(shards, size)
    seconds = time.perf_counter() - started
    file_bytes = sum(map(os.path.getsize, paths))
    print(
        f"{text_bytes / 1e9:.2f} GB of text in {len(paths)} files, {file_bytes / 1e9:.2f} GB, "
        f"written in {seconds:.0f} s",
        file=sys.stderr,
    )
    courses = []
    for job in jobs(folder, shards, memory):
        courses.append(watch(job, text_bytes, file_bytes))
        print(f"{job.name}: {courses[-1].seconds[-1]:.0f} s", file=sys.stderr)
    return [thinned(course) for course in courses], text_bytes


def main(arguments=None):
    """Measure, print the table and draw the figure; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.large", description=__doc__)
    parser.add_argument("--size", type=parse_size, default=10**10, help="of text (default: 10GB)")
    parser.add_argument("--memory", type=parse_size, default=10**9, help="(default: 1GB)")
    parser.add_argument("--folder", help="with room for about the size (default: the system's)")
    parser.add_argument("--figure", type=Path, metavar="FILE", help="draw the courses into an SVG")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the courses down")
    parsed = parser.parse_args(arguments)
    if available_bytes() < 2 * parsed.memory:
        print("other processes leave too little memory for this to say much", file=sys.stderr)
    with tempfile.TemporaryDirectory(prefix="wordodds-large-", dir=parsed.folder) as folder:
        courses, text_bytes = measure(parsed.size, parsed.memory, folder)
    print(table(courses, parsed.memory))
    if parsed.json is not None:
        found = {"text_bytes": text_bytes, "memory": parsed.memory}
        found["courses"] = [course._asdict() for course in courses]
        parsed.json.write_text(json.dumps(found))
    if parsed.figure is not None:
        large_figure.draw(courses, text_bytes, parsed.memory, parsed.figure)
    return int(any(course.peak > parsed.memory for course in courses))


if __name__ == "__main__":
    sys.exit(main())

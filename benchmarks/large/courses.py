"""Commands that are watched while they run: their progress, and how much memory they hold."""

import json
import os
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

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
    """Return whether a process has a Parquet file open."""
    folder = Path(f"/proc/{pid}/fd")
    for name in os.listdir(folder):
        try:
            if os.readlink(folder / name).endswith(".parquet"):
                return True
        except OSError:  # closed meanwhile
            continue
    return False


def table(courses, memory):
    """Return rate and peak memory of each job, as Markdown."""
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
    """Return a course with `n` samples, for a file; peaks stay."""
    borders = np.unique(np.linspace(0, len(course.seconds), n + 1).astype(int))
    parts = list(pairwise(borders.tolist()))
    return Course(
        course.name,
        [round(course.seconds[end - 1], 2) for _, end in parts],
        [int(course.done[end - 1]) for _, end in parts],
        [max(course.held[begin:end]) for begin, end in parts],
        course.passes,
    )

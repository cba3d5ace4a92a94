"""More text than memory: python -m benchmarks.large [--size 10GB] [--memory 1GB] [--figure FILE].

Writes a corpus of Parquet files (corpus.py), trains on it and labels it by `wordodds train` and
`wordodds predict` within a given memory, and watches each process (courses.py): how much memory it
holds and how much it has read. The exit status is 1 where a process held more than it was given.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path

from wordodds._files.memory import available_bytes
from wordodds._files.sizes import parse_size

from . import figure
from .corpus import write_corpus
from .courses import Job, table, thinned, watch


def jobs(folder, shards, memory):
    """Return the jobs: train on hashed features, train with a vocabulary, label."""
    model, pattern = os.path.join(folder, "model.wordodds"), os.path.join(shards, "*.parquet")
    train = ["train", pattern, "--model", "naive_bayes", "--memory", str(memory), "--json"]
    scratch = ["--scratch", folder]
    labelled = os.path.join(folder, "labelled", "")
    return [
        Job("train, hashed", [*train, "--n-hashed", str(2**20), "--output", model]),
        Job(
            "train, vocabulary",
            [*train, *scratch, "--min-df", "5", "--output", os.path.join(folder, "words.wordodds")],
            passes=2,
        ),
        Job(
            "predict", ["predict", pattern, "--model", model, "--output", labelled, "--keep", "id"]
        ),
    ]


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
        figure.draw(courses, text_bytes, parsed.memory, parsed.figure)
    return int(any(course.peak > parsed.memory for course in courses))


if __name__ == "__main__":
    sys.exit(main())

"""How cost grows: python -m benchmarks.scaling [--figure FILE] [--quick].

Time and peak memory against documents (1/16 to 16 copies of the train part of 20 Newsgroups),
classes (2 to 2,000) and threads (1 and 2). The exponent of a curve is the slope of a straight line
through the logarithms; its standard error is small where the curve is straight, and large where a
constant share (starting threads, weights of a fixed vocabulary) bends it. What the project promises
about growth is measured as well: the exit status is 1 where a promise is broken.
"""

import argparse
import sys
import time
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path

import numpy as np
from threadpoolctl import ThreadpoolController

from wordodds._border.execution import instruction_set, usable_cores
from wordodds.datasets import DatasetUnavailable, load_newsgroups

from . import figure, promises
from .costs import best_times, peak_memory
from .curves import THREADS, Curve, growth_table, thread_table
from .jobs import CLASS_NUMBERS, COPIES, Corpus, Job, class_jobs, document_jobs

# Of best_times, for each point.
FULL = {"budget": 0.8, "n_rounds_min": 2}
QUICK = {"budget": 0.2, "n_rounds_min": 1}


def measure(job: Job, **effort: float) -> Curve:
    """Measure time and peak memory of a job at each of its sizes, on each number of threads."""
    curve = Curve(job.name, job.against, [], {n: [] for n in THREADS}, {n: [] for n in THREADS})
    blas = ThreadpoolController()
    for size in job.sizes:
        run = job.prepare(size)
        curve.sizes.append(size)
        for n_threads in THREADS:
            with blas.limit(limits=n_threads):
                seconds = best_times([partial(run, n_threads)], **effort)[0]
                curve.seconds[n_threads].append(seconds)
                curve.peaks[n_threads].append(peak_memory(partial(run, n_threads)))
    return curve


def measure_all(jobs: Iterable[Job], **effort: float) -> list[Curve]:
    """Measure one job after the other, and print the seconds of each."""
    curves = []
    for job in jobs:
        print(f"{job.name}, {job.against} ...", end=" ", file=sys.stderr, flush=True)
        start = time.perf_counter()
        curves.append(measure(job, **effort))
        print(f"{time.perf_counter() - start:.0f} s", file=sys.stderr)
    return curves


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the tables and draw the figure; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.scaling",
        description="Time and peak memory against documents, classes and threads.",
    )
    parser.add_argument("--figure", type=Path, metavar="FILE", help="draw the curves into an SVG")
    parser.add_argument(
        "--quick", action="store_true", help="up to one copy and 200 classes, without promises"
    )
    parsed = parser.parse_args(arguments)
    try:
        train = load_newsgroups("bydate", "train")
    except DatasetUnavailable as error:
        print(error, file=sys.stderr)
        return 2
    corpus = Corpus(train.texts, np.asarray(train.labels))
    copies = [size for size in COPIES if size <= 1 or not parsed.quick]
    numbers = [number for number in CLASS_NUMBERS if number <= 200 or not parsed.quick]
    jobs = [*document_jobs(corpus, copies), *class_jobs(corpus, numbers)]
    curves = measure_all(jobs, **(QUICK if parsed.quick else FULL))
    print(f"{usable_cores()} cores, {instruction_set()}; best times\n")
    print(growth_table(curves, len(corpus.texts)), thread_table(curves), sep="\n\n")
    if parsed.figure is not None:
        figure.draw(curves, len(corpus.texts), parsed.figure)
    if parsed.quick:
        return 0
    kept = [
        *promises.eight_copies(corpus.texts),
        *promises.hash_flooding(),
        *promises.long_documents(),
        *promises.memory_of_bigrams(corpus.texts),
    ]
    print(f"\n{promises.table(kept)}")
    return int(not all(promise.kept for promise in kept))


if __name__ == "__main__":
    sys.exit(main())

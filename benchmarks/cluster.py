"""Processes of a Dask cluster beside the threads of one process: python -m benchmarks.cluster.

From Parquet files (`large/corpus.py`) to a naive Bayes model, both ways in turns: two workers of
one thread each against one process with two threads, reading included. The best of each counts; the
models must be equal to the last bit. The exit status is 1 where the cluster takes more than 1.5
times as long.
"""

import argparse
import os
import sys
import tempfile
import time

import numpy as np
import pyarrow as pa

from wordodds import TextClassifier, corpora
from wordodds._files.sizes import parse_size

from .large.corpus import write_corpus

FLOOR = 1.5
SHARDS = 8


def in_memory(pattern):
    """Return the model of one process with two threads."""
    table = pa.Table.from_batches(list(corpora.read(pattern, label="label")))
    return TextClassifier("naive_bayes", n_jobs=2).fit(table["text"], table["label"].to_pylist())


def timed(work):
    """Return what a call gives, and its seconds."""
    start = time.perf_counter()
    return work(), time.perf_counter() - start


def measure(pattern, rounds):
    """Return the seconds of both ways in each round but the first, in which workers import."""
    from distributed import Client, LocalCluster

    import wordodds.dask

    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    seconds = []
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        for _ in range(rounds + 1):
            one, alone = timed(lambda: in_memory(pattern))
            classifier = TextClassifier("naive_bayes")
            other, together = timed(
                lambda c=classifier: wordodds.dask.fit(c, pattern, client=client)
            )
            np.testing.assert_array_equal(other.linear_model_.weights, one.linear_model_.weights)
            seconds.append((alone, together))
    return np.array(seconds[1:])


def main(arguments=None):
    """Measure and print; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster", description=__doc__)
    parser.add_argument("--size", type=parse_size, default=2 * 10**8, help="(default: 200MB)")
    parser.add_argument("--rounds", type=int, default=5, help="(default: 5)")
    parsed = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="wordodds-cluster-") as folder:
        write_corpus(folder, parsed.size, shard_bytes=parsed.size // SHARDS)
        alone, together = measure(os.path.join(folder, "*.parquet"), parsed.rounds).min(axis=0)
    ratio = together / alone
    print(
        f"{parsed.size / 1e6:.0f} MB of text, naive Bayes, files to model, best of {parsed.rounds}"
    )
    print(f"one process, 2 threads   {alone:.2f} s")
    print(f"Dask, 2 processes        {together:.2f} s, {ratio:.2f} times as long (floor {FLOOR})")
    return int(ratio > FLOOR)


if __name__ == "__main__":
    sys.exit(main())

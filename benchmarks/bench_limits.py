"""How cost grows, in time and memory: python -m pytest benchmarks/bench_limits.py -s.

Ratios of our own times, each printed and held against what the project promises.
"""

import itertools
import random
import subprocess
import sys
import time

import pytest

import wordodds

from .conftest import PEER

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def best_time(job, rounds=5):
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        job()
        times.append(time.perf_counter() - start)
    return min(times)


def report(what, ratio, promise):
    print(f"\n{what}: {ratio:.2f} (at most {promise})", end="")
    assert ratio <= promise


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_eight_copies(newsgroups, n_jobs):
    texts = newsgroups[0].texts
    vectorizer = wordodds.CountVectorizer(n_jobs=n_jobs)
    once = best_time(lambda: vectorizer.fit_transform(texts), rounds=9)
    eight = best_time(lambda: vectorizer.fit_transform(texts * 8), rounds=3)
    report(f"8 copies of the corpus, {n_jobs} thread(s), times one copy", eight / once, 8.8)


def test_hash_flooding():
    # With the key (0, 0) the hash of eight letters is a multiple of their number, so that all
    # words which share their first four letters collide; the key is drawn for each vocabulary.
    crafted = ["aaaa" + "".join(tail) for tail in itertools.product(LETTERS, repeat=4)][:300_000]
    draw = random.Random(1)
    plain = ["".join(draw.choices(LETTERS, k=8)) for _ in crafted]
    vectorizer = wordodds.CountVectorizer(n_jobs=1)
    usual = best_time(lambda: vectorizer.fit([" ".join(plain)]))
    flooded = best_time(lambda: vectorizer.fit([" ".join(crafted)]))
    report("words made to collide, times random words", flooded / usual, 2)


@pytest.mark.parametrize("analyzer", ["word", "char_wb", "unicode_word"])
@pytest.mark.parametrize("unit", ["word ", "x" * (1 << 20) + " "], ids=["words", "1 MB tokens"])
def test_long_documents(analyzer, unit):
    vectorizer = wordodds.CountVectorizer(n_jobs=1, analyzer=analyzer)
    # Both beyond the caches: from 10 MB on, the step out of them would pass for growth.
    short, long = (unit * (size // len(unit)) for size in (25 << 20, 100 << 20))
    ratio = best_time(lambda: vectorizer.fit([long]), 3) / best_time(
        lambda: vectorizer.fit([short]), 3
    )
    report(f"a document of 100 MB, times one of 25 MB, {analyzer}", ratio, 4.8)


MEMORY = """
from wordodds.datasets import load_newsgroups
from {module} import CountVectorizer
texts = load_newsgroups("bydate", "train").texts
def peak():
    with open("/proc/self/status") as status:
        return int(next(line for line in status if line.startswith("VmHWM")).split()[1]) / 1024
CountVectorizer().fit_transform(texts[:10])
with open("/proc/self/clear_refs", "w") as reset:  # the peak starts anew from here
    reset.write("5")
before = peak()
CountVectorizer(ngram_range=(1, 2){options}).fit_transform(texts)
print(peak() - before)
"""


def test_memory_of_bigrams(newsgroups):
    peaks = {}
    for contender, module, options in (
        (PEER, "sklearn.feature_extraction.text", ""),
        ("wordodds, 1 thread", "wordodds", ", n_jobs=1"),
        ("wordodds, 2 threads", "wordodds", ", n_jobs=2"),
    ):
        program = MEMORY.format(module=module, options=options)
        result = subprocess.run(
            [sys.executable, "-c", program], check=True, capture_output=True, text=True
        )
        peaks[contender] = float(result.stdout)
        print(f"\npeak extra memory, bigrams, {contender}: {peaks[contender]:.0f} MB", end="")
    report(
        "peak memory, bigrams, times scikit-learn's", peaks["wordodds, 1 thread"] / peaks[PEER], 0.5
    )

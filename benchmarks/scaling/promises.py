"""What the project promises about growth, each a ratio of two measurements that has a limit."""

import itertools
import random
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from sklearn.feature_extraction.text import CountVectorizer as Peer

from wordodds import CountVectorizer

from .costs import best_times, peak_memory

LETTERS = "abcdefghijklmnopqrstuvwxyz"
ANALYZERS = ("word", "char_wb", "unicode_word")
MEGABYTE = 1 << 20


class Promise(NamedTuple):
    """A ratio, and what it may be at most."""

    what: str
    ratio: float
    at_most: float

    @property
    def kept(self) -> bool:
        """Whether the ratio is within its limit."""
        return self.ratio <= self.at_most


def eight_copies(texts: list[str]) -> Iterator[Promise]:
    """Time grows with the documents, and with nothing else."""
    many = texts * 8
    for n_jobs in (1, 2):
        vectorizer = CountVectorizer(n_jobs=n_jobs)
        ratio = _ratio(vectorizer.fit_transform, many, texts, 8)
        yield Promise(f"8 copies of the corpus times one, time, {n_jobs} thread(s)", ratio, 8.8)


def hash_flooding(n_words: int = 300_000) -> Iterator[Promise]:
    """Words that were made to collide cost what others cost.

    With the key (0, 0) the hash of eight letters is a multiple of their number, so that all words
    which share their first four letters collide; the key is drawn for each vocabulary.
    """
    tails = itertools.islice(itertools.product(LETTERS, repeat=4), n_words)
    crafted = ["aaaa" + "".join(tail) for tail in tails]
    draw = random.Random(1)
    plain = ["".join(draw.choices(LETTERS, k=8)) for _ in crafted]
    vectorizer = CountVectorizer(n_jobs=1)
    texts = [[" ".join(words)] for words in (crafted, plain)]
    ratio = _ratio(vectorizer.fit, *texts, 1)
    yield Promise("words made to collide times random ones, time", ratio, 2.0)


def long_documents(megabytes: int = 25) -> Iterator[Promise]:
    """A document of four times the length takes four times the time.

    Both are beyond the caches: from 10 MB on, the step out of them would pass for growth.
    """
    for name, unit in (("words", "word "), ("1 MB tokens", "x" * MEGABYTE + " ")):
        short, long = (unit * (size * MEGABYTE // len(unit)) for size in (megabytes, 4 * megabytes))
        for analyzer in ANALYZERS:
            vectorizer = CountVectorizer(n_jobs=1, analyzer=analyzer)
            ratio = _ratio(vectorizer.fit, [long], [short], 4)
            sizes = f"{4 * megabytes} MB in one document times {megabytes} MB"
            yield Promise(f"{sizes}, time, {analyzer}, {name}", ratio, 4.8)


def memory_of_bigrams(texts: list[str]) -> Iterator[Promise]:
    """Pairs of words take at most half of scikit-learn's memory."""
    ours, theirs = (
        peak_memory(partial(vectorizer.fit_transform, texts))
        for vectorizer in (CountVectorizer(ngram_range=(1, 2), n_jobs=1), Peer(ngram_range=(1, 2)))
    )
    yield Promise("peak memory of bigrams times scikit-learn's, 1 thread", ours / theirs, 0.5)


def _ratio(
    job: Callable[[list[str]], object], large: list[str], small: list[str], n_small: int
) -> float:
    """Return the time of a large job over that of a small one.

    The small one runs `n_small` times in a row, so that both take about as long: on a busy machine
    a short job would sometimes run undisturbed, and a long one never.
    """

    def repeat() -> None:
        for _ in range(n_small):
            job(small)

    times = best_times([partial(job, large), repeat], n_rounds=5)
    return n_small * times[0] / times[1]


def table(promises: list[Promise]) -> str:
    """Return the promises as Markdown."""
    lines = ["| promise | ratio | at most | kept? |", "|---|--:|--:|---|"]
    lines += [
        f"| {promise.what} | {promise.ratio:.2f} | {promise.at_most:g} | "
        f"{'yes' if promise.kept else 'NO'} |"
        for promise in promises
    ]
    return "\n".join(lines)

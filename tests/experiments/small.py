"""A small run for the tests of small experiments."""

from functools import cache

from wordodds.datasets import make_corpus
from wordodds.experiments.experiment import Run
from wordodds.experiments.newsgroups import Data, count_texts


@cache
def _bags():
    common = {"n_classes": 3, "n_words": 300, "document_length": 40, "separation": 2.0}
    train = make_corpus(240, **common, random_state=0)
    return count_texts(train, make_corpus(150, **common, random_state=1))


def small_run(n_jobs=1, seed=0):
    """Return a run on a made-up corpus of 240 and 150 documents of three groups."""
    data = Data()
    data.__dict__["bags"] = _bags()
    return Run(data, n_jobs=n_jobs, seed=seed)


def settled(results):
    """Return the rows without what differs between two runs."""
    return [
        {name: value for name, value in row.items() if not name.endswith("seconds")}
        for row in results.rows
    ]


def verdicts(findings):
    return [finding.verdict for finding in findings]

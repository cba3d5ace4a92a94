"""The jobs whose growth benchmarks.scaling measures.

Copies of a corpus repeat its documents, so from one copy on the vocabulary stays as it is; parts
of it take every n-th document, and have fewer words. Where the number of classes grows, labels are
dealt out to documents at random: the time does not depend on what a class means.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from wordodds import (
    CountVectorizer,
    LogisticRegression,
    MultinomialNB,
    TextClassifier,
    TfidfVectorizer,
)
from wordodds.bayes.tally import DENSE_CELLS_MAX

DOCUMENTS, CLASSES = "documents", "classes"
COPIES = (1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16)
CLASS_NUMBERS = (2, 6, 20, 63, 200, 500, 632, 1125, 2000)
COPIES_OF_TRAINING_MAX = 4
CLASSES_OF_SOFTMAX_MAX = 200
SOFTMAX_STEPS = 3  # all of one cost; how many it takes is another question

Run = Callable[[int], object]  # of a number of threads


class Corpus(NamedTuple):
    """Texts and their labels."""

    texts: list[str]
    labels: np.ndarray


class Job(NamedTuple):
    """What is run at each size; prepare does what must not be measured."""

    name: str
    against: str
    sizes: Sequence[float]
    prepare: Callable[[float], Run]


def resize(corpus: Corpus, copies: float) -> Corpus:
    """Return `copies` of a corpus, or a part with documents from all over it."""
    if copies < 1:
        step = round(1 / copies)
        return Corpus(corpus.texts[::step], corpus.labels[::step])
    return Corpus(corpus.texts * int(copies), np.tile(corpus.labels, int(copies)))


def document_jobs(corpus: Corpus, copies: Sequence[float]) -> list[Job]:
    """Return the jobs that are run on parts and copies of a corpus."""
    counted = TextClassifier(MultinomialNB(alpha=0.01)).fit(*corpus)
    model = counted.linear_model_

    def count(size: float) -> Run:
        texts = resize(corpus, size).texts
        return lambda n_jobs: CountVectorizer(n_jobs=n_jobs).fit_transform(texts)

    def fit(size: float) -> Run:
        texts, labels = resize(corpus, size)
        X = CountVectorizer().fit_transform(texts)
        return lambda n_jobs: MultinomialNB(n_jobs=n_jobs).fit(X, labels)

    def label(size: float) -> Run:
        texts = resize(corpus, size).texts

        def run(n_jobs: int) -> object:
            model.n_jobs = n_jobs
            return model.predict(texts)

        return run

    def train(size: float) -> Run:
        texts, labels = resize(corpus, size)
        return lambda n_jobs: TextClassifier(n_jobs=n_jobs).fit(texts, labels)

    few = [size for size in copies if size <= COPIES_OF_TRAINING_MAX]
    return [
        Job("CountVectorizer.fit_transform", DOCUMENTS, copies, count),
        Job("MultinomialNB.fit", DOCUMENTS, copies, fit),
        Job("LinearModel.predict, from text", DOCUMENTS, copies, label),
        Job("TextClassifier.fit", DOCUMENTS, few, train),
    ]


def is_last_step(entry: dict[str, float]) -> bool:
    """Return whether an iteration of softmax was the last to run."""
    return entry["iteration"] >= SOFTMAX_STEPS


def class_jobs(corpus: Corpus, numbers: Sequence[int]) -> list[Job]:
    """Return the jobs that are run with more and more classes on one corpus."""
    X = CountVectorizer().fit_transform(corpus.texts)
    weighed = TfidfVectorizer(sublinear_tf=True, min_df=5).fit_transform(corpus.texts)
    order = np.random.default_rng(0).permutation(len(corpus.texts))

    def deal(n_classes: float) -> np.ndarray:
        return order % int(n_classes)

    def fit(n_classes: float) -> Run:
        labels = deal(n_classes)
        return lambda n_jobs: MultinomialNB(n_jobs=n_jobs).fit(X, labels)

    def predict(n_classes: float) -> Run:
        model = MultinomialNB().fit(X, deal(n_classes))
        return lambda n_jobs: model.set_params(n_jobs=n_jobs).predict(X)

    def softmax(n_classes: float) -> Run:
        labels = deal(n_classes)
        # A callback ends it: a fit that max_iter ends warns by how much it missed the optimum, and
        # to bound that takes longer than the steps.
        options = {"solver": "lbfgs", "tol": 0.0, "callback": is_last_step}
        return lambda n_jobs: LogisticRegression(n_jobs=n_jobs, **options).fit(weighed, labels)

    # Above this a tally is a sparse matrix, and the cost another one.
    dense_max = DENSE_CELLS_MAX // X.shape[1]
    dense = [number for number in numbers if number <= dense_max]
    sparse = [number for number in numbers if number > dense_max]
    few = [number for number in numbers if number <= CLASSES_OF_SOFTMAX_MAX]
    jobs = [
        Job("MultinomialNB.fit, dense tally", CLASSES, dense, fit),
        Job("MultinomialNB.fit, sparse tally", CLASSES, sparse, fit),
        Job("MultinomialNB.predict, dense tally", CLASSES, dense, predict),
        Job("MultinomialNB.predict, sparse tally", CLASSES, sparse, predict),
        Job(f"softmax, {SOFTMAX_STEPS} L-BFGS steps", CLASSES, few, softmax),
    ]
    return [job for job in jobs if job.sizes]

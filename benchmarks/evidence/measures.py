"""The measurements of benchmarks.evidence: each fits a method and returns its numbers."""

import itertools
from functools import lru_cache
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import average_precision_score

import wordodds
from wordodds.model.calibration import expected_calibration_error

from ..setup import corpora
from ..setup.corpora import Labels, Split
from . import draws, methods, unlabelled
from .draws import Rows
from .methods import family
from .tables import N_ORDERS, N_SEEDS, OURS, SHARES, SIZES, Numbers

N_DRAWS = 5
N_RARE_DRAWS = 20  # of few rare documents: one draw says little
RATIO = 100  # documents of the common class for each of the rare one
LEAST_RARE = 20  # training documents of the rare class
N_BINS = 15


def share_right(labels: Labels, truth: Labels) -> float:
    """Return the accuracy."""
    return float(np.mean(np.asarray(labels) == truth))


def calibration_error(outcome: methods.Outcome, truth: Labels) -> float | None:
    """Return the expected calibration error; None for a method without probabilities."""
    if outcome.probabilities is None:
        return None
    codes = np.searchsorted(outcome.classes, truth)
    return expected_calibration_error(outcome.probabilities, codes, n_bins=N_BINS)


@lru_cache(maxsize=1)
def counts_of(name: str, limit: int | None) -> tuple[sp.csr_matrix, sp.csr_matrix]:
    """Return the counts of both parts, for peers of scikit-learn in parts without times.

    The columns are words of the training part. Each fit uses those of its own documents, so that
    counting once gives the same models as counting for each of them.
    """
    split, vectorizer = corpora.load(name, limit), methods.counter()
    return vectorizer.fit_transform(split.texts), vectorizer.transform(split.new)


def fit_peer(method: str, counts: sp.csr_matrix, labels: Labels, **options: Any) -> Any:
    """Return a fitted peer: tuned, or with its parameter at 1 if its name ends with "-1"."""
    if method.endswith("-1"):
        return methods.fixed(family(method), 1.0, counts, labels)
    return methods.tuned(family(method), counts, labels, **options)


def predictions(method: str, split: Split, rows: Rows, labels: Labels, limit: int | None) -> Labels:
    """Return the labels of the test part after a fit to some rows of the training part."""
    if method in unlabelled.IDEAS:
        return unlabelled.predictions(method, split, rows, limit)
    if method == OURS:
        classifier = wordodds.TextClassifier().fit([split.texts[i] for i in rows], labels)
        return classifier.predict(split.new)
    counts, new = counts_of(split.name, limit)
    return fit_peer(method, counts[rows], labels).predict(new)


def measure_accuracy(method: str, split: Split, seconds: int) -> Numbers:
    """Fit to the whole training part and score the test part."""
    methods.warm_up(method)
    outcome = methods.run(method, split, seconds)
    return {
        "right": int(np.sum(outcome.labels == split.truth)),
        "n": len(split.truth),
        "calibration_error": calibration_error(outcome, split.truth),
        "seconds": outcome.seconds,
        "chosen": outcome.chosen,
    }


def measure_noise(method: str, split: Split, limit: int | None) -> Numbers:
    """Score fits to training labels of which some are random, several draws of each share."""
    rows = np.arange(len(split.texts))

    def one(share: float, seed: int) -> float:
        labels = draws.with_noise(split.labels, share, seed)
        return share_right(predictions(method, split, rows, labels, limit), split.truth)

    return {"accuracy": [[one(share, seed) for seed in range(N_DRAWS)] for share in SHARES]}


def measure_few(method: str, split: Split, limit: int | None) -> Numbers:
    """Score fits to a few documents of each class, several draws of each size."""

    def one(size: int, seed: int) -> float:
        rows = draws.few_of_each(split.labels, size, seed)
        return share_right(predictions(method, split, rows, split.labels[rows], limit), split.truth)

    return {"accuracy": [[one(size, seed) for seed in range(N_DRAWS)] for size in SIZES]}


def measure_imbalance(method: str, split: Split, limit: int | None) -> Numbers:
    """Score the ranking of documents by the probability of the rare class, several draws."""
    rare = draws.smaller_class(split.labels)
    values, n_rare = [], []
    for seed in range(N_RARE_DRAWS):
        rows = draws.thinned(split.labels, rare, seed, RATIO, LEAST_RARE)
        new = draws.thinned(split.truth, rare, seed, RATIO)
        chances = rare_chances(method, split, rows, new, split.labels == rare, limit)
        truth = split.truth[new] == rare
        values.append(float(average_precision_score(truth, chances)))
        n_rare.append([int(np.sum(split.labels[rows] == rare)), int(truth.sum())])
    return {"average_precision": values, "n_rare": n_rare}


def rare_chances(
    method: str, split: Split, rows: Rows, new: Rows, is_rare: Labels, limit: int | None
) -> Any:
    """Return the probability of the rare class of the test rows `new`."""
    options = {"class_weight": "balanced"} if method.endswith("-balanced") else {}
    if method.startswith(OURS):
        texts = [split.texts[i] for i in rows]
        classifier = wordodds.TextClassifier(**options).fit(texts, is_rare[rows])
        return classifier.predict_proba([split.new[i] for i in new])[:, 1]
    counts, new_counts = counts_of(split.name, limit)
    options["scoring"] = "average_precision"
    model = fit_peer(method, counts[rows], is_rare[rows], **options)
    return model.predict_proba(new_counts[new])[:, 1]


def measure_seeds(split: Split) -> Numbers:
    """Score fits that differ in the seed alone, and compare their labels."""
    found = []
    for seed in range(N_SEEDS):
        classifier = wordodds.TextClassifier(random_state=seed).fit(split.texts, split.labels)
        found.append(classifier.predict(split.new))
    agreement = min(share_right(one, other) for one, other in itertools.combinations(found, 2))
    accuracy = [share_right(labels, split.truth) for labels in found]
    return {"accuracy": accuracy, "least_agreement": agreement}


def measure_contradiction() -> Numbers:
    """Return probabilities after learning from equal texts with different labels."""
    texts = np.repeat(["yes please", "no thanks"], 100)
    labels = np.array(["a"] * 70 + ["b"] * 30 + ["b"] * 70 + ["a"] * 30)
    chances = []
    for seed in range(N_ORDERS):
        order = np.random.default_rng(seed).permutation(len(texts))
        classifier = wordodds.TextClassifier().fit(texts[order].tolist(), labels[order])
        (yes, _), (_, no) = classifier.predict_proba(["yes please", "no thanks"])
        chances.append([float(yes), float(no)])
    four = wordodds.TextClassifier().fit(["one text"] * 4, ["a", "b", "a", "b"])
    return {"chances": chances, "four": float(four.predict_proba(["one text"])[0, 0])}

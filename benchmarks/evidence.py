"""The default classifier beside tuned peers: python -m benchmarks.evidence [--json FILE].

Prints Markdown tables about ``wordodds.TextClassifier()`` as it comes and about the peers of
`evidence_peers.py`, on the corpora of ``$WORDODDS_DATA``:

- accuracy: accuracy, calibration and seconds of a fit;
- noise: accuracy when 10, 20 and 30 % of the training labels are random, the mean of 5 draws;
- few: accuracy from 8, 16 and 64 documents a class, the mean of 5 draws;
- imbalance: average precision of a class with one document in a hundred, the mean of 20 draws;
- seeds: how far accuracy and labels depend on the seed;
- contradiction: probabilities after learning from equal texts with different labels.

Settings are chosen on training parts alone; the test part only scores final models. A fit is timed
once, by the wall clock, after a fit to a few words that loads everything.

``--json FILE`` keeps the numbers of each part, set and method as soon as they are measured. A later
run with the same file measures only what is missing or was measured with other settings. It does
not notice changes of the package: ``--again wordodds`` measures wordodds again, ``--fresh`` all.
``--limit N`` is for trials. The exit status is 1 if a method failed.
"""

import argparse
import itertools
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import average_precision_score

import wordodds
from wordodds.model.calibration import expected_calibration_error

from . import evidence_peers as peers
from . import evidence_sets as sets
from .evidence_sets import Labels, Split
from .evidence_tables import (
    N_ORDERS,
    N_SEEDS,
    OURS,
    SHARES,
    SIZES,
    Found,
    Numbers,
    accuracy_lines,
    contradiction_lines,
    few_lines,
    imbalance_lines,
    noise_lines,
    seeds_lines,
)

N_DRAWS = 5
N_RARE_DRAWS = 20  # of few rare documents: one draw says little
RATIO = 100  # documents of the common class for each of the rare one
LEAST_RARE = 20  # training documents of the rare class
N_BINS = 15

PEERS = ["svc", "lr", "cnb", "nbsvm", "fasttext"]
# The methods of each part that has peers; those of a peer begin with its name.
METHODS = {
    "accuracy": [OURS, *PEERS],
    "noise": [OURS, "svc", "lr", "cnb"],
    "few": [OURS, "lr-1", "lr", "svc-1", "cnb-1", "cnb"],
    "imbalance": [OURS, "wordodds-balanced", "lr", "lr-balanced"],
}
PACKAGES = ("wordodds", "numpy", "scipy", "scikit-learn", "fasttext-numpy2")


def family(method: str) -> str:
    """Return the name of the peer, or of wordodds, that a method is a variant of."""
    return method.partition("-")[0]


class Plan(NamedTuple):
    """What a run measures."""

    sets: list[str]
    named_sets: bool  # whether the user named them
    peers: list[str]
    seconds: int
    limit: int | None

    def methods(self, part: str) -> list[str]:
        """Return the methods of a part, wordodds and the variants of the peers asked for."""
        chosen = {OURS, *self.peers}
        return [name for name in METHODS[part] if family(name) in chosen]

    def load(self, name: str) -> Split:
        """Return a corpus."""
        return sets.load(name, self.limit)


class Store:
    """Numbers by part, set and method, in memory and in a file that continues earlier runs.

    Parameters
    ----------
    path : Path or None
        JSON file to read and to write; None keeps the numbers in memory.
    fresh : bool
        Whether to ignore what the file contains.
    again : sequence of str
        Methods whose numbers, with those of their variants, are dropped and measured again.
    """

    def __init__(self, path: Path | None, fresh: bool = False, again: tuple[str, ...] = ()):
        self.path = path
        self.results: dict[str, Found] = {}
        self.failed: list[str] = []
        if path is not None and path.exists() and not fresh:
            self.results = json.loads(path.read_text(encoding="utf-8"))["results"]
        for found in self.results.values():
            for methods in found.values():
                for method in [name for name in methods if family(name) in again]:
                    del methods[method]

    def get(
        self, part: str, name: str, method: str, settings: Numbers, measure: Callable[[], Numbers]
    ) -> Numbers | None:
        """Return the numbers of a method on a set; measure and keep them if they are not there.

        A method that raises is reported and returns None; nothing is kept of it.
        """
        kept = self.results.setdefault(part, {}).setdefault(name, {})
        if method in kept and kept[method]["settings"] == settings:
            return kept[method]
        label, start = f"{part} {name} {method}", time.perf_counter()
        try:
            numbers = measure()
        except Exception as error:  # one peer that fails must not end a run of hours
            self.failed.append(label)
            print(f"{label} failed: {type(error).__name__}: {error}", file=sys.stderr)
            return None
        seconds = time.perf_counter() - start
        print(f"{label}: {seconds:.1f} s", file=sys.stderr, flush=True)
        kept[method] = {"settings": settings, **numbers}
        self.write()
        return kept[method]

    def write(self) -> None:
        """Write the file, if there is one; an interrupt leaves the old one or the new one."""
        if self.path is None:
            return
        text = json.dumps({"machine": machine(), "results": self.results}, indent=1)
        temporary = self.path.with_name(self.path.name + ".tmp")
        temporary.write_text(text + "\n", encoding="utf-8")
        os.replace(temporary, self.path)


def machine() -> Numbers:
    """Return where the last numbers were measured."""

    def version_of(package: str) -> str | None:
        try:
            return version(package)
        except PackageNotFoundError:
            return None

    versions = {package: version_of(package) for package in PACKAGES}
    return {"cores": os.cpu_count(), "python": platform.python_version(), "versions": versions}


def share_right(labels: Labels, truth: Labels) -> float:
    """Return the accuracy."""
    return float(np.mean(np.asarray(labels) == truth))


def calibration_error(outcome: peers.Outcome, truth: Labels) -> float | None:
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
    split, vectorizer = sets.load(name, limit), peers.counter()
    return vectorizer.fit_transform(split.texts), vectorizer.transform(split.new)


def fit_peer(method: str, counts: sp.csr_matrix, labels: Labels, **options: Any) -> Any:
    """Return a fitted peer: tuned, or with its parameter at 1 if its name ends with "-1"."""
    if method.endswith("-1"):
        return peers.fixed(family(method), 1.0, counts, labels)
    return peers.tuned(family(method), counts, labels, **options)


def predictions(method: str, plan: Plan, split: Split, rows: sets.Rows, labels: Labels) -> Labels:
    """Return the labels of the test part after a fit to some rows of the training part."""
    if method == OURS:
        classifier = wordodds.TextClassifier().fit([split.texts[i] for i in rows], labels)
        return classifier.predict(split.new)
    counts, new = counts_of(split.name, plan.limit)
    return fit_peer(method, counts[rows], labels).predict(new)


def measure_accuracy(method: str, split: Split, seconds: int) -> Numbers:
    """Fit to the whole training part and score the test part."""
    peers.warm_up(method)
    outcome = peers.run(method, split, seconds)
    return {
        "right": int(np.sum(outcome.labels == split.truth)),
        "n": len(split.truth),
        "calibration_error": calibration_error(outcome, split.truth),
        "seconds": outcome.seconds,
        "chosen": outcome.chosen,
    }


def measure_noise(method: str, plan: Plan, split: Split) -> Numbers:
    """Score fits to training labels of which some are random, several draws of each share."""
    rows = np.arange(len(split.texts))

    def one(share: float, seed: int) -> float:
        labels = sets.with_noise(split.labels, share, seed)
        return share_right(predictions(method, plan, split, rows, labels), split.truth)

    return {"accuracy": [[one(share, seed) for seed in range(N_DRAWS)] for share in SHARES]}


def measure_few(method: str, plan: Plan, split: Split) -> Numbers:
    """Score fits to a few documents of each class, several draws of each size."""

    def one(size: int, seed: int) -> float:
        rows = sets.few_of_each(split.labels, size, seed)
        return share_right(predictions(method, plan, split, rows, split.labels[rows]), split.truth)

    return {"accuracy": [[one(size, seed) for seed in range(N_DRAWS)] for size in SIZES]}


def measure_imbalance(method: str, plan: Plan, split: Split) -> Numbers:
    """Score the ranking of documents by the probability of the rare class, several draws."""
    rare = sets.smaller_class(split.labels)
    values, n_rare = [], []
    for seed in range(N_RARE_DRAWS):
        rows = sets.thinned(split.labels, rare, seed, RATIO, LEAST_RARE)
        new = sets.thinned(split.truth, rare, seed, RATIO)
        chances = rare_chances(method, plan, split, rows, new, split.labels == rare)
        truth = split.truth[new] == rare
        values.append(float(average_precision_score(truth, chances)))
        n_rare.append([int(np.sum(split.labels[rows] == rare)), int(truth.sum())])
    return {"average_precision": values, "n_rare": n_rare}


def rare_chances(
    method: str, plan: Plan, split: Split, rows: sets.Rows, new: sets.Rows, is_rare: Labels
) -> Any:
    """Return the probability of the rare class of the test rows `new`."""
    options = {"class_weight": "balanced"} if method.endswith("-balanced") else {}
    if method.startswith(OURS):
        texts = [split.texts[i] for i in rows]
        classifier = wordodds.TextClassifier(**options).fit(texts, is_rare[rows])
        return classifier.predict_proba([split.new[i] for i in new])[:, 1]
    counts, new_counts = counts_of(split.name, plan.limit)
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


def each_set(
    part: str,
    plan: Plan,
    store: Store,
    settings: Callable[[str], Numbers],
    measure: Callable[[str, Split], Numbers],
    names: list[str] | None = None,
) -> Found:
    """Return the numbers of a part's methods on each set; those that failed are missing."""
    found: Found = {}
    for name in plan.sets if names is None else names:
        found[name] = {}
        for method in plan.methods(part):
            wanted = {"limit": plan.limit, **settings(method)}
            numbers = store.get(
                part, name, method, wanted, lambda m=method, n=name: measure(m, plan.load(n))
            )
            if numbers is not None:
                found[name][method] = numbers
    return found


def accuracy(plan: Plan, store: Store) -> Iterator[str]:
    """Measure accuracy, calibration and seconds."""
    found = each_set(
        "accuracy",
        plan,
        store,
        lambda method: {"seconds": plan.seconds} if method == "fasttext" else {},
        lambda method, split: measure_accuracy(method, split, plan.seconds),
    )
    yield from accuracy_lines(found, plan.methods("accuracy"))


def noise(plan: Plan, store: Store) -> Iterator[str]:
    """Measure accuracy under random labels; 20 Newsgroups only if it was named."""
    names = [name for name in plan.sets if plan.named_sets or name != sets.NEWSGROUPS]
    found = each_set(
        "noise",
        plan,
        store,
        lambda _: {"shares": SHARES, "draws": N_DRAWS},
        lambda method, split: measure_noise(method, plan, split),
        names,
    )
    yield from noise_lines(found, plan.methods("noise"))


def few(plan: Plan, store: Store) -> Iterator[str]:
    """Measure accuracy from few documents."""
    found = each_set(
        "few",
        plan,
        store,
        lambda _: {"sizes": SIZES, "draws": N_DRAWS},
        lambda method, split: measure_few(method, plan, split),
    )
    yield from few_lines(found, plan.methods("few"))


def imbalance(plan: Plan, store: Store) -> Iterator[str]:
    """Measure the ranking of a rare class, on the sets of two classes."""
    names = [name for name in plan.sets if len(plan.load(name).classes) == 2]
    if not names:
        yield "None of the sets has two classes."
        yield ""
        return
    found = each_set(
        "imbalance",
        plan,
        store,
        lambda _: {"ratio": RATIO, "least": LEAST_RARE, "draws": N_RARE_DRAWS},
        lambda method, split: measure_imbalance(method, plan, split),
        names,
    )
    yield from imbalance_lines(found, plan.methods("imbalance"))


def seeds(plan: Plan, store: Store) -> Iterator[str]:
    """Measure how much depends on the seed."""
    found: Found = {}
    for name in plan.sets:
        settings = {"limit": plan.limit, "seeds": N_SEEDS}
        numbers = store.get(
            "seeds", name, OURS, settings, lambda n=name: measure_seeds(plan.load(n))
        )
        found[name] = {} if numbers is None else {OURS: numbers}
    yield from seeds_lines(found)


def contradiction(plan: Plan, store: Store) -> Iterator[str]:
    """Measure probabilities under contradicting labels."""
    settings = {"orders": N_ORDERS}
    numbers = store.get("contradiction", "toy", OURS, settings, measure_contradiction)
    if numbers is not None:
        yield from contradiction_lines(numbers)


PARTS = {
    "accuracy": accuracy,
    "noise": noise,
    "few": few,
    "imbalance": imbalance,
    "seeds": seeds,
    "contradiction": contradiction,
}


def options_of(arguments: list[str] | None) -> argparse.Namespace:
    """Return the options of the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.evidence", description=(__doc__ or "").partition("\n")[0]
    )
    add = parser.add_argument
    add("--only", nargs="+", choices=list(PARTS), default=list(PARTS), help="parts (default: all)")
    add("--sets", nargs="+", choices=list(sets.SETS), help="corpora (default: all)")
    add("--peers", nargs="*", choices=PEERS, default=PEERS, help="peers (default: all)")
    add("--seconds", type=int, default=60, help="duration of fastText's autotune (default: 60)")
    add("--json", type=Path, help="file to continue from, and to keep all numbers in")
    add("--fresh", action="store_true", help="ignore what the file of --json contains")
    add("--again", nargs="+", choices=[OURS, *PEERS], default=[], help="methods to measure again")
    add("--limit", type=int, help="documents of each part of a corpus, for trials")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Measure what is asked for and print the tables; return the exit status."""
    options = options_of(arguments)
    named = options.sets is not None
    names = options.sets if named else list(sets.SETS)
    plan = Plan(names, named, options.peers, options.seconds, options.limit)
    store = Store(options.json, options.fresh, tuple(options.again))
    for part in options.only:
        lines = list(PARTS[part](plan, store))
        print("\n".join([f"## {part}", "", *lines]), flush=True)
    for label in store.failed:
        print(f"failed: {label}", file=sys.stderr)
    return 1 if store.failed else 0


if __name__ == "__main__":
    sys.exit(main())

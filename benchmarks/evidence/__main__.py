"""The default classifier beside tuned peers: python -m benchmarks.evidence [--json FILE].

Prints Markdown tables about ``wordodds.TextClassifier()`` with its defaults and about the peers of
methods.py, on the corpora of ``$WORDODDS_DATA``:

- accuracy: accuracy, calibration and seconds of a fit;
- tune: the same of `TextClassifier.tune` and of fastText's autotune, in equal times;
- noise: accuracy when 10, 20 and 30 % of the training labels are random, the mean of 5 draws;
- few: accuracy from 8, 16 and 64 documents a class, the mean of 5 draws;
- unlabelled: the same of the ideas of unlabelled.py, which learn from texts without labels too;
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
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from ..setup import corpora
from ..setup.corpora import Split
from .measures import (
    LEAST_RARE,
    N_DRAWS,
    N_RARE_DRAWS,
    RATIO,
    measure_accuracy,
    measure_contradiction,
    measure_few,
    measure_imbalance,
    measure_noise,
    measure_seeds,
)
from .methods import PEERS, family
from .store import Store
from .tables import (
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
from .unlabelled import IDEAS

# The methods of each part that has peers; those of a peer begin with its name.
METHODS = {
    "accuracy": [OURS, "wordodds-characters", *PEERS],
    "tune": ["wordodds-tuned", "fasttext"],
    "noise": [OURS, "svc", "lr", "cnb"],
    "few": [OURS, "lr-1", "lr", "svc-1", "cnb-1", "cnb"],
    "imbalance": [OURS, "wordodds-balanced", "lr", "lr-balanced"],
    "unlabelled": [OURS, *IDEAS],
}
TIMED = ("fasttext", "wordodds-tuned")  # search for as long as --seconds


class Plan(NamedTuple):
    """What a run measures."""

    sets: list[str]
    named_sets: bool  # whether the user named them
    peers: list[str]
    seconds: int
    limit: int | None

    def methods(self, part: str) -> list[str]:
        """Return the methods of a part, wordodds and the variants of the peers asked for."""
        chosen = {OURS, *IDEAS, *self.peers}
        return [name for name in METHODS[part] if chosen & {name, family(name)}]

    def load(self, name: str) -> Split:
        """Return a corpus."""
        return corpora.load(name, self.limit)


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
    yield from _accuracy("accuracy", plan, store)


def tune(plan: Plan, store: Store) -> Iterator[str]:
    """Measure accuracy, calibration and seconds of settings that were searched for."""
    yield from _accuracy("tune", plan, store)


def _accuracy(part: str, plan: Plan, store: Store) -> Iterator[str]:
    found = each_set(
        part,
        plan,
        store,
        lambda method: {"seconds": plan.seconds} if method in TIMED else {},
        lambda method, split: measure_accuracy(method, split, plan.seconds),
    )
    yield from accuracy_lines(found, plan.methods(part))


def noise(plan: Plan, store: Store) -> Iterator[str]:
    """Measure accuracy under random labels; 20 Newsgroups only if it was named."""
    names = [name for name in plan.sets if plan.named_sets or name != corpora.NEWSGROUPS]
    found = each_set(
        "noise",
        plan,
        store,
        lambda _: {"shares": SHARES, "draws": N_DRAWS},
        lambda method, split: measure_noise(method, split, plan.limit),
        names,
    )
    yield from noise_lines(found, plan.methods("noise"))


def few(plan: Plan, store: Store) -> Iterator[str]:
    """Measure accuracy from few documents."""
    yield from _few("few", plan, store)


def unlabelled_texts(plan: Plan, store: Store) -> Iterator[str]:
    """Measure accuracy from few documents, beside ideas that learn from texts without labels."""
    yield from _few("unlabelled", plan, store)


def _few(part: str, plan: Plan, store: Store) -> Iterator[str]:
    found = each_set(
        part,
        plan,
        store,
        lambda _: {"sizes": SIZES, "draws": N_DRAWS},
        lambda method, split: measure_few(method, split, plan.limit),
    )
    yield from few_lines(found, plan.methods(part))


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
        lambda method, split: measure_imbalance(method, split, plan.limit),
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
    "tune": tune,
    "noise": noise,
    "few": few,
    "unlabelled": unlabelled_texts,
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
    add("--sets", nargs="+", choices=list(corpora.SETS), help="corpora (default: all)")
    add("--peers", nargs="*", choices=PEERS, default=PEERS, help="peers (default: all)")
    add(
        "--seconds",
        type=int,
        default=60,
        help="duration of fastText's autotune and of TextClassifier.tune (default: 60)",
    )
    add("--json", type=Path, help="file to continue from, and to keep all numbers in")
    add("--fresh", action="store_true", help="ignore what the file of --json contains")
    add("--again", nargs="+", choices=[OURS, *PEERS], default=[], help="methods to measure again")
    add("--limit", type=int, help="documents of each part of a corpus, for trials")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Measure what is asked for and print the tables; return the exit status."""
    options = options_of(arguments)
    named = options.sets is not None
    names = options.sets if named else list(corpora.SETS)
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

"""The tables of benchmarks.evidence, made from the numbers of its measurements."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

SHARES = [0.1, 0.2, 0.3]  # of random labels
SIZES = [8, 16, 64]  # documents a class
N_SEEDS = 10
N_ORDERS = 20

OURS = "wordodds"
TITLES = {
    OURS: "wordodds, default",
    "wordodds-balanced": "wordodds, balanced",
    "wordodds-characters": "wordodds, characters=True",
    "wordodds-tuned": "wordodds, tuned",
    "views": "LogisticRegression, both views",
    "views-smoothed": "the same, smoothed",
    "bayes": "naive Bayes",
    "bayes-em": "the same, EM",
    "svc": "LinearSVC, tuned",
    "svc-1": "LinearSVC, C=1",
    "lr": "LogisticRegression, tuned",
    "lr-1": "LogisticRegression, C=1",
    "lr-balanced": "LogisticRegression, tuned, balanced",
    "cnb": "ComplementNB, tuned",
    "cnb-1": "ComplementNB, alpha=1",
    "nbsvm": "NBSVM",
    "fasttext": "fastText, autotuned",
}

Numbers = dict[str, Any]
Found = dict[str, dict[str, Numbers]]  # set -> method -> numbers


def wilson_interval(right: int, n: int, z: float = 1.959963984540054) -> tuple[float, float]:
    """Return the 95 % interval of a share by Wilson's score method (1927)."""
    share = right / n
    middle = share + z * z / (2 * n)
    half = z * math.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    scale = 1 + z * z / n
    return (middle - half) / scale, (middle + half) / scale


def table(heads: list[str], rows: list[list[str]]) -> Iterator[str]:
    """Yield the lines of a Markdown table."""
    yield f"| {' | '.join(heads)} |"
    yield "|---|" + "---:|" * (len(heads) - 1)
    for row in rows:
        yield f"| {' | '.join(row)} |"
    yield ""


def cell(value: float | None, form: str = ".4f") -> str:
    """Return a number as text; a dash where there is none."""
    return "-" if value is None else format(value, form)


def mean_cell(values: list[float | None], form: str = ".4f") -> str:
    """Return the mean as text; a dash if a value is missing."""
    known = [value for value in values if value is not None]
    return cell(float(np.mean(known)) if known and len(known) == len(values) else None, form)


def accuracy_row(method: str, numbers: Numbers | None) -> list[str]:
    """Return the cells of a method on one set."""
    if numbers is None:
        return [TITLES[method], "failed", "-", "-", "-", ""]
    right, n = numbers["right"], numbers["n"]
    low, high = wilson_interval(right, n)
    chosen = ", ".join(
        f"{name}={value:.4g}"
        for name, value in numbers["chosen"].items()
        if name != "minCount" and not isinstance(value, str)
    )
    error = cell(numbers["calibration_error"])
    interval, seconds = f"{low:.4f} to {high:.4f}", f"{numbers['seconds']:.2f}"
    return [TITLES[method], cell(right / n), interval, error, seconds, chosen]


def accuracy_lines(found: Found, methods: list[str]) -> Iterator[str]:
    """Yield a table of all sets, then one for each set with a row for each method."""

    def share(name: str, method: str) -> float | None:
        numbers = found[name].get(method)
        return None if numbers is None else numbers["right"] / numbers["n"]

    shares = {method: [share(name, method) for name in found] for method in methods}
    rows = [
        [TITLES[method], *map(cell, values), mean_cell(values)] for method, values in shares.items()
    ]
    yield from table(["accuracy", *found, "mean"], rows)
    heads = ["accuracy", "95 % interval", "calibration error", "fit, s", "chosen"]
    for name, by_method in found.items():
        rows = [accuracy_row(method, by_method.get(method)) for method in methods]
        yield from table([name, *heads], rows)


def noise_lines(found: Found, methods: list[str]) -> Iterator[str]:
    """Yield a table for each set: a row for each method, and the lead over the best peer."""
    heads = [f"{share:.0%} random" for share in SHARES]
    for name, by_method in found.items():
        values = {
            m: np.mean(by_method[m]["accuracy"], axis=1).tolist() for m in methods if m in by_method
        }
        rows = [[TITLES[m], *map(cell, values.get(m, [None] * len(SHARES)))] for m in methods]
        others = [values[m] for m in values if m != OURS]
        if OURS in values and others:
            lead = np.array(values[OURS]) - np.max(others, axis=0)
            rows.append(["wordodds minus best peer", *(cell(x, "+.4f") for x in lead)])
        yield from table([name, *heads], rows)


def few_lines(found: Found, methods: list[str]) -> Iterator[str]:
    """Yield a table for each number of documents: a row for each set, and their mean."""
    for i, size in enumerate(SIZES):
        means = {
            name: [
                float(np.mean(by_method[m]["accuracy"][i])) if m in by_method else None
                for m in methods
            ]
            for name, by_method in found.items()
        }
        rows = [[name, *map(cell, values)] for name, values in means.items()]
        rows.append(
            ["mean", *(mean_cell(list(values)) for values in zip(*means.values(), strict=True))]
        )
        yield from table([f"{size} a class", *(TITLES[m] for m in methods)], rows)


def imbalance_lines(found: Found, methods: list[str]) -> Iterator[str]:
    """Yield a table: a row for each method, mean and standard deviation over the draws."""

    def text(name: str, method: str) -> str:
        numbers = found[name].get(method)
        if numbers is None:
            return "-"
        values = numbers["average_precision"]
        return f"{np.mean(values):.4f} ± {np.std(values, ddof=1):.4f}"

    rows = [[TITLES[method], *(text(name, method) for name in found)] for method in methods]
    n_rare = [next(iter(m.values()))["n_rare"][0] if m else ["-", "-"] for m in found.values()]
    rows.append(["rare documents, training + test", *(f"{a} + {b}" for a, b in n_rare)])
    yield from table(["average precision", *found], rows)


def seeds_lines(found: Found) -> Iterator[str]:
    """Yield a table: a row for each set."""
    rows = [
        [name, cell(min(accuracy)), cell(max(accuracy)), cell(numbers["least_agreement"])]
        for name, by_method in found.items()
        for numbers in by_method.values()
        for accuracy in [numbers["accuracy"]]
    ]
    heads = [f"{N_SEEDS} seeds", "least accuracy", "greatest", "least agreement of two"]
    yield from table(heads, rows)


def contradiction_lines(numbers: Numbers) -> Iterator[str]:
    """Yield a table: a row for each question."""
    yes, no = np.array(numbers["chances"]).T
    rows = [
        ['P(a given "yes please")', "0.7", cell(yes.min()), cell(yes.max())],
        ['P(b given "no thanks")', "0.7", cell(no.min()), cell(no.max())],
        ["P(a), one text labelled a, b, a, b", "0.5", *[cell(numbers["four"])] * 2],
    ]
    yield from table([f"{N_ORDERS} orders", "share of the labels", "least", "greatest"], rows)

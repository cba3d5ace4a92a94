"""Compare settings of the text classifier's default model by repeated cross-validation.

Run ``python docs/text_classifier_settings.py``: it prints a markdown table. The first row has the
error rates, in percent, of the default; each other row changes one thing and has the difference to
the default, with its standard error over documents (paired: both see the same folds). Only training
parts are read, which is what the default was chosen by:

- sms: the SMS Spam Collection without rows 4, 9, 14, ..., five folds, three times;
- r8: Reuters R8, five folds, twice;
- r8 late: the last three sixths of R8, in the order of the file, which is that of time, each after
  learning from all that is before it;
- late: the last third of each group of 20 Newsgroups, by file number, after the first two thirds;
- ng: 20 Newsgroups, three folds, once.

``--test`` learns from the whole training parts instead and counts the errors on the test parts. The
corpora are those of ``WORDODDS_DATA``; LinearSVC is scikit-learn's, with its own defaults.
"""

import argparse
import gzip
import os
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import StratifiedKFold
from sklearn.svm import LinearSVC

from wordodds import NBLogisticRegression, TfidfVectorizer
from wordodds.datasets import load_newsgroups

Labels: TypeAlias = npt.NDArray[Any]
Rows: TypeAlias = npt.NDArray[np.intp]
Fold: TypeAlias = tuple[Rows, Rows]  # to learn from, to score
Options: TypeAlias = dict[str, Any]

CORPORA = {"sms": (5, 3), "r8": (5, 2), "r8 late": (0, 1), "late": (0, 1), "ng": (3, 1)}
TEXT: Options = {
    "ngram_range": (1, 2),
    "token_pattern": r"(?u)\b\w+\b",
    "min_df": 2,
    "sublinear_tf": True,
    "n_jobs": 1,
}
OF_PEER: Options = {"token_pattern": r"(?u)\b\w\w+\b", "min_df": 1, "sublinear_tf": False}
# Name -> what is changed of the text options, and what of the model; None: LinearSVC.
VARIANTS: dict[str, tuple[Options, Options | None]] = {
    "the default": ({}, {}),
    "no ratio": ({}, {"floor": 1e6, "C": 0.001, "intercept_scaling": 300.0}),  # C is 1,000 again
    "`floor` 0": ({}, {"floor": 0.0}),
    "`floor` 1": ({}, {"floor": 1.0}),
    "`floor` 4": ({}, {"floor": 4.0}),
    "`alpha` 0.1": ({}, {"alpha": 0.1}),
    "`alpha` 1": ({}, {"alpha": 1.0}),
    "`C` 10": ({}, {"C": 10.0}),
    "`C` 100": ({}, {"C": 100.0}),
    "`C` 10,000": ({}, {"C": 10_000.0}),
    "`intercept_scaling` 1": ({}, {"intercept_scaling": 1.0}),
    "`max_iter` 2": ({}, {"max_iter": 2}),
    "`max_iter` 20": ({}, {"max_iter": 20}),
    "single words": ({"ngram_range": (1, 1)}, {}),
    "up to three words": ({"ngram_range": (1, 3)}, {}),
    r"words of two letters or more, `\w\w+`": ({"token_pattern": r"(?u)\b\w\w+\b"}, {}),
    "`min_df` 1": ({"min_df": 1}, {}),
    "`min_df` 3": ({"min_df": 3}, {}),
    "plain counts, not their logarithm": ({"sublinear_tf": False}, {}),
    "no inverse document frequency": ({"use_idf": False}, {}),
    "LinearSVC, its words": (OF_PEER | {"ngram_range": (1, 1)}, None),
    "LinearSVC, and pairs of them": (OF_PEER, None),
}


def _pairs(lines: list[str]) -> tuple[list[str], Labels]:
    rows = [line.split("\t", 1) for line in lines if line]
    return [row[1] for row in rows], np.array([row[0] for row in rows])


@cache
def corpus(name: str, subset: Literal["train", "test"]) -> tuple[list[str], Labels]:
    """Return texts and labels of the "train" or "test" part."""
    if name in ("ng", "late"):
        messages = load_newsgroups("bydate", subset)
        return list(messages.texts), np.asarray(messages.labels)
    if "WORDODDS_DATA" not in os.environ:
        raise SystemExit("set WORDODDS_DATA to the folder of the corpora")
    folder = Path(os.environ["WORDODDS_DATA"]) / "text"
    if name in ("r8", "r8 late"):
        with gzip.open(folder / f"reuters-r8-{subset}.tab.gz", "rt", encoding="utf-8") as file:
            return _pairs(file.read().split("\n")[3:])
    texts, labels = _pairs((folder / "sms-spam.tsv").read_text(encoding="utf-8").split("\n"))
    rows = np.flatnonzero((np.arange(len(texts)) % 5 == 4) == (subset == "test"))
    return [texts[i] for i in rows], labels[rows]


def folds(name: str) -> list[Fold]:
    """Return the folds of all repetitions."""
    labels = corpus(name, "train")[1]
    n_folds, n_times = CORPORA[name]
    if name == "r8 late":
        ends = [len(labels) * sixths // 6 for sixths in (3, 4, 5, 6)]
        return [(np.arange(a), np.arange(a, b)) for a, b in pairwise(ends)]
    if name == "late":
        groups = [np.flatnonzero(labels == label) for label in np.unique(labels)]
        early = [rows[: len(rows) * 2 // 3] for rows in groups]
        late = [rows[len(rows) * 2 // 3 :] for rows in groups]
        return [(np.concatenate(early), np.concatenate(late))]
    splits = (StratifiedKFold(n_folds, shuffle=True, random_state=seed) for seed in range(n_times))
    return [fold for split in splits for fold in split.split(labels, labels)]


def tables(changes: Options, texts: list[str], new: list[str]) -> tuple[Any, Any]:
    """Return the matrices of texts to learn from and of new ones."""
    vectorizer = TfidfVectorizer(**TEXT | changes)
    return vectorizer.fit_transform(texts), vectorizer.transform(new)


def model_of(changes: Options | None, seed: int) -> Any:
    """Return what is to be fitted."""
    if changes is None:
        return LinearSVC(random_state=seed)
    return NBLogisticRegression(random_state=seed, n_jobs=1, **changes)


def wrong(name: str, variants: list[str]) -> dict[str, npt.NDArray[np.float64]]:
    """Return how often each document that was scored got a wrong label, by variant."""
    texts, labels = corpus(name, "train")
    errors = {variant: np.zeros(len(texts)) for variant in variants}
    times = np.zeros(len(texts))
    for number, (learn, score) in enumerate(folds(name)):
        times[score] += 1
        made: tuple[Options, Any] = ({}, None)  # variants with the same words come together
        for variant in variants:
            of_text, of_model = VARIANTS[variant]
            if made[1] is None or made[0] != of_text:
                parts = [texts[i] for i in learn], [texts[i] for i in score]
                made = of_text, tables(of_text, *parts)
            model = model_of(of_model, number).fit(made[1][0], labels[learn])
            errors[variant][score] += model.predict(made[1][1]) != labels[score]
    return {variant: error[times > 0] / times[times > 0] for variant, error in errors.items()}


def compare(names: list[str], variants: list[str]) -> Iterator[str]:
    """Yield the lines of the table of cross-validation."""
    found = {name: wrong(name, variants) for name in names}
    yield f"| changed | {' | '.join(names)} |"
    yield "|---|" + "---|" * len(names)
    for variant in variants:
        cells = []
        for name in names:
            errors, base = 100 * found[name][variant], 100 * found[name][variants[0]]
            spread = np.std(errors - base) / np.sqrt(len(base))
            more = f"{np.mean(errors - base):+.2f} ± {spread:.2f}"
            cells.append(f"{np.mean(base):.2f}" if variant == variants[0] else more)
        yield f"| {variant} | {' | '.join(cells)} |"


def test(names: list[str], variants: list[str]) -> Iterator[str]:
    """Yield the lines of the table of the test parts."""
    names = [name for name in names if "late" not in name]  # splits of a training part
    yield f"| | {' | '.join(names)} |"
    yield "|---|" + "---|" * len(names)
    for variant in variants:
        cells = []
        for name in names:
            (texts, labels), (new, truth) = corpus(name, "train"), corpus(name, "test")
            X, Z = tables(VARIANTS[variant][0], texts, new)
            n = int(np.sum(model_of(VARIANTS[variant][1], 0).fit(X, labels).predict(Z) != truth))
            cells.append(f"{1 - n / len(truth):.4f} ({n} of {len(truth):,} wrong)")
        yield f"| {variant} | {' | '.join(cells)} |"


def main() -> None:
    """Print the table that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--corpora", nargs="+", choices=list(CORPORA), default=list(CORPORA))
    parser.add_argument("--variants", nargs="+", choices=list(VARIANTS), default=list(VARIANTS))
    parser.add_argument("--test", action="store_true", help="count errors on the test parts")
    options = parser.parse_args()
    lines = (test if options.test else compare)(options.corpora, options.variants)
    for line in lines:
        print(line, flush=True)


if __name__ == "__main__":
    main()

"""fastText's models of several kinds, and ours converted from them: for bench_fasttext.py."""

import os
from typing import NamedTuple

import numpy as np

from wordodds import from_fasttext, load

from . import command_lines, made_up_languages


class Pair(NamedTuple):
    """A model of fastText's and ours of it, with texts to label."""

    theirs: str  # paths
    ours: str
    texts: list
    right: list


def is_computing(label):
    """Return which side of the two-class job a newsgroup is on."""
    return "comp" if label.startswith("comp.") else "other"


def newsgroups_pair(folder, newsgroups, label_of, **options):
    """Train on the words of the train part; to be labelled are those of the test part."""
    train, test = (
        [
            (command_lines.words_of(text), label_of(label))
            for text, label in zip(part.texts, part.labels, strict=True)
        ]
        for part in newsgroups
    )
    return _pair(folder, train, test, **options)


def languages_pair(folder, **options):
    """Train on made-up languages, in vectors of 16 dimensions."""
    train, new = made_up_languages.corpus(n_train=200, n_new=250)
    # All of its numbers are divisible into tenths.
    n_words = 1 + len({word for line, _ in train for word in line.split()})
    bucket = 2_000_000 + -(n_words + 2_000_000) % 5
    return _pair(folder, train, new, dim=16, minn=2, maxn=4, bucket=bucket, **options)


def _pair(folder, train, new, **options):
    command_lines.write_lines(folder, train, [])
    theirs, ours = str(folder / "model.bin"), str(folder / "model.wordodds")
    model = command_lines.train_fasttext(folder / "train.ft", **options)
    model.save_model(theirs)
    from_fasttext(theirs).save(ours)
    return Pair(theirs, ours, *map(list, zip(*new, strict=True)))


def agreement(pair, labels, probabilities):
    """Return how well ours agrees with what fastText said: facts for the report."""
    model = load(pair.ours)
    values = model.predict_proba(pair.texts)
    codes = {label: code for code, label in enumerate(model.labels.tolist())}
    said = np.array([codes[label[0]] for label in labels])
    theirs = np.array([numbers[0] for numbers in probabilities])
    differences = np.abs(values[np.arange(len(values)), said] - theirs)
    return {
        "texts": len(pair.texts),
        "same_label": int((model.predict(pair.texts) == model.labels[said]).sum()),
        "within_1e-6": int((differences <= 1e-6).sum()),
        "largest_difference": float(differences.max()),
        "bytes": (os.path.getsize(pair.theirs), os.path.getsize(pair.ours)),
    }

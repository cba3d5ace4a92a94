"""fastText, Vowpal Wabbit and wordodds as programs that read files: for bench_classifier.py."""

import re
import subprocess
import sys
from typing import NamedTuple

import numpy as np

N_TRAIN, N_LABELLED = 50_000, 100_000
VW = [sys.executable, "-m", "vowpalwabbit", "--quiet"]
VW_TRAIN = ["--oaa", "20", "-b", "22", "--passes", "5", "-c", "-k"]
FASTTEXT = """
import sys, fasttext
fasttext.FastText.eprint = lambda message: None
model = fasttext.load_model(sys.argv[1])
with open(sys.argv[2], encoding="utf-8") as lines, open(sys.argv[3], "w") as out:
    labels, _ = model.predict([line.rstrip("\\n") for line in lines])
    out.writelines(f"{label[0].removeprefix('__label__')}\\n" for label in labels)
"""


class Lines(NamedTuple):
    """A folder with texts to learn from, and new ones, in the forms that the programs read."""

    folder: object
    labels: list  # of the new ones
    codes: dict  # label -> number, from 1, as Vowpal Wabbit wants it


def run(command):
    """Run a program in silence."""
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def plain(text):
    """Return a text on one line, without what has a meaning in Vowpal Wabbit's input."""
    return " ".join(text.replace("|", " ").replace(":", " ").split())


def write_lines(folder, train, new):
    """Write (text, label) pairs for each program; those to learn from in any order but by class."""
    train = [train[i] for i in np.random.default_rng(0).permutation(len(train))]
    codes = {label: i + 1 for i, label in enumerate(sorted({label for _, label in train}))}
    files = {
        "new.txt": [text for text, _ in new],
        "new.vw": [f"| {text}" for text, _ in new],
        "train.vw": [f"{codes[label]} | {text}" for text, label in train],
        "train.ft": [f"__label__{label} {text}" for text, label in train],
    }
    for name, lines in files.items():
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return Lines(folder, [label for _, label in new], codes)


def words_of(text):
    """Return the words of a text, in small letters and on one line."""
    return " ".join(re.findall(r"\w\w+", text.lower()))


def short_lines(parts):
    """Return short lines of messages with their groups, (train, new)."""
    pairs = [
        (plain(line), label)
        for part in parts
        for text, label in zip(part.texts, part.labels, strict=True)
        for line in text.splitlines()
        if 20 <= len(line.strip()) <= 120 and line.isascii()
    ]
    order = np.random.default_rng(0).permutation(len(pairs))[: N_TRAIN + N_LABELLED]
    return [pairs[i] for i in order[:N_TRAIN]], [pairs[i] for i in order[N_TRAIN:]]


# Thread i of fastText initializes the i-th tenth of its matrix, so that fewer than eleven threads
# leave a part of it as it was. Twelve is the default of its command line.
FASTTEXT_THREADS = 12


def train_fasttext(path, **options):
    """Return fastText's model."""
    import fasttext

    fasttext.FastText.eprint = lambda message: None
    return fasttext.train_supervised(
        str(path), lr=0.5, verbose=0, thread=FASTTEXT_THREADS, **options
    )


def our_command(lines, n_jobs):
    """Return the command that labels the new lines with the model that is in the folder."""
    model, new, out = (str(lines.folder / name) for name in ("ours.wordodds", "new.txt", "labels"))
    command = [sys.executable, "-m", "wordodds", "predict", new, "--format", "lines"]
    return [
        *command,
        *("--model", model, "--output", out, "--output-format", "lines", "--n-jobs", str(n_jobs)),
    ]


def fasttext_command(lines):
    """Train fastText, and return the command that labels the new lines."""
    model = train_fasttext(lines.folder / "train.ft", wordNgrams=2, epoch=25)
    model.save_model(str(lines.folder / "fasttext.bin"))
    names = ("fasttext.bin", "new.txt", "labels")
    return [sys.executable, "-c", FASTTEXT, *(str(lines.folder / name) for name in names)]


def vw_training(lines, *options):
    """Return the command that trains Vowpal Wabbit."""
    data, model = (str(lines.folder / name) for name in ("train.vw", "vw.model"))
    return [*VW, *VW_TRAIN, *options, "-d", data, "-f", model]


def vw_command(lines):
    """Return the command that labels the new lines by the model of `vw_training`."""
    model, new, out = (str(lines.folder / name) for name in ("vw.model", "new.vw", "labels"))
    return [*VW, "-t", "-i", model, "-d", new, "-p", out]


def labels_of(lines, *, numbered):
    """Return what a program wrote; Vowpal Wabbit numbers the labels."""
    labels = (lines.folder / "labels").read_text(encoding="utf-8").splitlines()
    if numbered:
        names = {str(code): label for label, code in lines.codes.items()}
        labels = [names[label] for label in labels]
    return np.array(labels)

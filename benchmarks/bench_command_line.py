"""Whole processes at 100,000 short lines: python -m pytest benchmarks/bench_command_line.py.

Lines of 20 Newsgroups with the group as label; each program has trained its own model, of words and
pairs of words, on 50,000 others. Start of the process, loading the model, reading and writing are
all counted.
"""

import subprocess
import sys

import numpy as np
import pytest

from wordodds import TextClassifier

N_TRAIN, N_LABELLED = 50_000, 100_000
FASTTEXT = """
import sys, fasttext
fasttext.FastText.eprint = lambda message: None
model = fasttext.load_model(sys.argv[1])
with open(sys.argv[2], encoding="utf-8") as lines, open(sys.argv[3], "w") as out:
    labels, _ = model.predict([line.rstrip("\\n") for line in lines])
    out.writelines(f"{label[0].removeprefix('__label__')}\\n" for label in labels)
"""


@pytest.fixture(scope="module")
def lines(newsgroups, tmp_path_factory):
    """Return a folder with the lines, and the labels of those to be labelled."""
    folder = tmp_path_factory.mktemp("lines")
    pairs = [
        (" ".join(line.replace("|", " ").replace(":", " ").split()), label)
        for part in newsgroups
        for text, label in zip(part.texts, part.labels, strict=True)
        for line in text.splitlines()
        if 20 <= len(line.strip()) <= 120 and line.isascii()
    ]
    order = np.random.default_rng(0).permutation(len(pairs))[: N_TRAIN + N_LABELLED]
    train = [pairs[i] for i in order[:N_TRAIN]]
    new = [pairs[i] for i in order[N_TRAIN:]]
    (folder / "new.txt").write_text("".join(f"{text}\n" for text, _ in new))
    codes = {label: i + 1 for i, label in enumerate(sorted({label for _, label in pairs}))}
    (folder / "new.vw").write_text("".join(f"| {text}\n" for text, _ in new))
    (folder / "train.vw").write_text("".join(f"{codes[label]} | {text}\n" for text, label in train))
    (folder / "train.ft").write_text("".join(f"__label__{label} {text}\n" for text, label in train))
    TextClassifier().fit(*map(list, zip(*train, strict=True))).save(folder / "ours.wordodds")
    return folder, [label for _, label in new], codes


def run(command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def our_command(folder):
    model, new, out = (str(folder / name) for name in ("ours.wordodds", "new.txt", "labels"))
    command = [sys.executable, "-m", "wordodds", "predict", new, "--format", "lines"]
    return [*command, "--model", model, "--output", out, "--output-format", "lines"]


def fasttext_command(folder):
    import fasttext

    fasttext.FastText.eprint = lambda message: None
    model = fasttext.train_supervised(
        str(folder / "train.ft"), wordNgrams=2, epoch=25, lr=0.5, thread=2, verbose=0
    )
    model.save_model(str(folder / "fasttext.bin"))
    names = ("fasttext.bin", "new.txt", "labels")
    return [sys.executable, "-c", FASTTEXT, *(str(folder / name) for name in names)]


def vw_command(folder):
    vw = [sys.executable, "-m", "vowpalwabbit", "--quiet"]
    model = str(folder / "vw.model")
    train = ["--oaa", "20", "--ngram", "2", "-b", "22", "--passes", "5", "-c", "-k"]
    run([*vw, *train, "-d", str(folder / "train.vw"), "-f", model])
    return [*vw, "-t", "-i", model, "-d", str(folder / "new.vw"), "-p", str(folder / "labels")]


COMMANDS = {
    "fastText": fasttext_command,
    "Vowpal Wabbit": vw_command,
    "wordodds, 2 threads": our_command,
}


@pytest.mark.parametrize("program", COMMANDS)
def test_predict_100_000_lines(lines, program, benchmark):
    folder, right, codes = lines
    benchmark.group = "predict_100_000_lines"
    benchmark.extra_info["contender"] = program
    command = COMMANDS[program](folder)
    benchmark.pedantic(lambda: run(command), rounds=5, warmup_rounds=1)
    labels = (folder / "labels").read_text().splitlines()
    assert len(labels) == N_LABELLED
    if program == "Vowpal Wabbit":
        names = {str(code): label for label, code in codes.items()}
        labels = [names[label] for label in labels]
    accuracy = np.mean(np.array(labels) == np.array(right))
    benchmark.extra_info["accuracy"] = round(float(accuracy), 4)
    assert accuracy > 0.25

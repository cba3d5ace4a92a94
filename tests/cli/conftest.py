"""A small mail corpus, a model of it, and a way to call the command line."""

import io
import json
import random
import sys
from types import SimpleNamespace

import pytest

from wordodds.cli import main
from wordodds.cli.hold_out import HoldOut

SPAM = ["free", "prize", "money", "claim", "winner", "cash", "cheap", "pills", "offer", "reply"]
HAM = [
    "lunch",
    "meeting",
    "notes",
    "thanks",
    "tomorrow",
    "you",
    "friend",
    "report",
    "coffee",
    "train",
]


def make_mail(n, seed=0):
    """Return ``n`` texts and their labels, in turn spam and ham."""
    chance = random.Random(seed)
    labels = ["spam" if row % 2 else "ham" for row in range(n)]
    words = {"spam": SPAM, "ham": HAM}
    texts = [
        " ".join(chance.choices(words[label] + ["the"], k=8)) + f" {row}"
        for row, label in enumerate(labels)
    ]
    return texts, labels


def write_jsonl(path, texts, labels=None):
    columns = {"text": texts} if labels is None else {"text": texts, "label": labels}
    rows = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
    path.write_text("".join(json.dumps({"id": n, **row}) + "\n" for n, row in enumerate(rows)))
    return path


def hold_out(holdout=None, calibrate_on=None, seed=0):
    """Return what divides the documents of `train` with these options."""
    calibrate = None if calibrate_on is None else "temperature"
    return HoldOut(
        SimpleNamespace(
            holdout=holdout, calibrate=calibrate, calibrate_on=calibrate_on or 0.1, seed=seed
        )
    )


@pytest.fixture(scope="session")
def mail():
    return make_mail(120)


@pytest.fixture(scope="session")
def files(tmp_path_factory, mail):
    """Return a folder with the mail as JSONL and as lines, and a model of it."""
    folder = tmp_path_factory.mktemp("mail")
    write_jsonl(folder / "mail.jsonl", *mail)
    (folder / "mail.txt").write_text("".join(text + "\n" for text in mail[0]))
    code = main(["train", str(folder / "mail.jsonl"), "--output", str(folder / "mail.wordodds")])
    assert code == 0
    return folder


@pytest.fixture(scope="session")
def model(files):
    from wordodds import load

    return load(files / "mail.wordodds")


class Stdin(io.BytesIO):
    def peek(self, size):
        return self.getvalue()[self.tell() : self.tell() + size]


@pytest.fixture
def wordodds(capsys, monkeypatch):
    """Return a function that runs a command in this process: exit code, output, errors."""

    def run(*arguments, stdin=None):
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=Stdin(stdin), isatty=bool))
        capsys.readouterr()
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as error:  # argparse
            code = error.code
        out, err = capsys.readouterr()
        return SimpleNamespace(code=code, out=out, err=err)

    return run

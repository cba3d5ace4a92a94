"""Old spellings of options keep working, with a warning on standard error alone."""

import json

import pytest

from wordodds import load

from .conftest import make_mail, write_jsonl


@pytest.fixture
def data(tmp_path):
    return write_jsonl(tmp_path / "mail.jsonl", *make_mail(40))


def warnings(*pairs):
    return "".join(f"wordodds: warning: {old} is deprecated: use {new}\n" for old, new in pairs)


KIND, HASHED = ("--kind", "--model"), ("--hashed", "--n-hashed")
FILE = ("train --model FILE", "--output FILE")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (["--model", "m"], ["--output", "m"], [FILE]),
        (
            ["--kind", "naive_bayes", "--model", "m"],
            ["--model", "naive_bayes", "--output", "m"],
            [KIND, FILE],
        ),
        (
            ["--model", "logistic", "--kind", "complement"],  # a file of that name
            ["--output", "logistic", "--model", "complement"],
            [KIND, FILE],
        ),
        (
            ["--output", "m", "--kind", "complement", "--hashed", "512"],
            ["--output", "m", "--model", "complement", "--n-hashed", "512"],
            [KIND, HASHED],
        ),
    ],
)
def test_train(wordodds, data, tmp_path, monkeypatch, old, new, expected):
    monkeypatch.chdir(tmp_path)
    files = []
    for arguments, pairs in ((old, expected), (new, [])):
        result = wordodds("train", data, *arguments, "--json")
        assert (result.code, result.err) == (0, warnings(*pairs))
        report = json.loads(result.out)
        assert report["kind"] == report["model"]
        files.append((report["output"], report["model"]))
    assert files[0] == files[1]
    assert {path.name for path in tmp_path.iterdir()} == {data.name, files[0][0]}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--model", "naive-bayes"], "no model 'naive-bayes', did you mean naive_bayes?"),
        (["--model", "Logistics"], "pass --output Logistics"),
        ([], "name the file to save the model to: --output M.wordodds"),
        (["--model", "logistic"], "name the file to save the model to: --output M.wordodds"),
        (["--model", "forest", "--output", "m"], "--model must be one of nb_logistic, logistic"),
        (["--kind", "logistic", "--model", "logistic", "--output", "m"], "pass one of them"),
    ],
)
def test_usage_of_train(wordodds, data, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    result = wordodds("train", data, *arguments)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
    assert list(tmp_path.iterdir()) == [data]


def test_old_spellings_are_not_in_the_help(wordodds):
    for command, old in (("train", ["--kind", " --hashed"]), ("convert", ["--model"])):
        out = wordodds(command, "--help").out
        assert not [option for option in old if option in out]


def test_convert(wordodds, tmp_path):
    from ..model.fasttext.models import hand_made

    source, target = tmp_path / "made.bin", tmp_path / "m.wordodds"
    hand_made().write(source)
    result = wordodds("convert", source, "--model", target)
    assert (result.code, result.err) == (0, warnings(("--model", "convert SOURCE M.wordodds")))
    assert result.out.splitlines()[-1].startswith(f"saved      {target}")
    assert load(target).n_classes

"""``wordodds evaluate``, ``explain``, ``inspect`` and ``convert``."""

import io
import json
import sys
from types import SimpleNamespace

import joblib
import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from wordodds import load
from wordodds.cli import main
from wordodds.cli.printing import print_json
from wordodds.model.label_spelling import label_of, labels_like

from .conftest import make_mail, write_jsonl


@pytest.fixture
def other_mail(tmp_path):
    texts, labels = make_mail(30, seed=1)
    labels[0], labels[3] = labels[3], labels[0]
    return write_jsonl(tmp_path / "other.jsonl", texts, labels), texts, labels


def test_evaluate(wordodds, tmp_path, files, model, other_mail):
    path, texts, labels = other_mail
    arguments = ["evaluate", path, "--model", files / "mail.wordodds"]
    result = wordodds(*arguments, "--figure", tmp_path / "confusion.svg")
    assert (result.code, result.err) == (0, "")
    expected = model.evaluate(texts, labels)
    assert result.out == f"{expected}\n"
    assert "accuracy" in result.out
    assert (tmp_path / "confusion.svg").read_text().startswith("<?xml")
    report = json.loads(wordodds(*arguments, "--json").out)
    assert report["accuracy"] == model.score(texts, labels) < 1
    assert report["skipped"] == 0


def test_evaluate_with_bad_rows(wordodds, tmp_path, files):
    path = write_jsonl(tmp_path / "mail.jsonl", ["free", "lunch", None], ["spam", "ham", "ham"])
    arguments = ["--model", files / "mail.wordodds", "--on-error", "skip", "--json"]
    result = wordodds("evaluate", path, *arguments)
    assert (result.code, json.loads(result.out)["skipped"]) == (3, 1)


def test_evaluate_goes_on_with_labels_that_the_model_does_not_know(wordodds, tmp_path, files):
    texts = ["free money", "lunch", "cheap pills", "coffee", "train"]
    path = write_jsonl(tmp_path / "mail.jsonl", texts, ["spam", "eggs", "bacon", "ham", "eggs"])
    arguments = ["evaluate", path, "--model", files / "mail.wordodds"]
    result = wordodds(*arguments, "--json")
    assert result.code == 0
    assert result.err == (
        "wordodds: warning: 3 documents have labels that the model does not know, counted as "
        "wrong: eggs 2, bacon 1\n"
    )
    report = json.loads(result.out)
    assert report["accuracy"] == 2 / 5
    assert report["unknown"] == [{"label": "eggs", "n": 2}, {"label": "bacon", "n": 1}]
    assert "log loss" in wordodds(*arguments).out


def test_evaluate_names_the_first_unknown_labels(wordodds, tmp_path, files):
    labels = ["spam", *(f"of\n{row}" for row in range(12))]
    path = write_jsonl(tmp_path / "mail.jsonl", ["free money"] * 13, labels)
    result = wordodds("evaluate", path, "--model", files / "mail.wordodds")
    assert (result.code, result.err.count("\n")) == (0, 1)
    assert result.err.endswith("of\\n9 1; and 2 more labels\n")


def test_labels_of_another_kind():
    assert labels_like(["0", "1"], [False, True]) == ["0", "1"]
    assert labels_like([1, 2], [1, 2]) == [1, 2]
    assert labels_like(["2", "9"], [1, 2]) == [2, "9"]
    assert labels_like([3, True], ["3", "True"]) == ["3", "True"]
    model = SimpleNamespace(labels=np.array([1, 2]))
    assert label_of(model, "2") == 2
    with pytest.raises(ValueError, match="no label 'x'; it has 1, 2"):
        label_of(model, "x")


def test_explain(wordodds, files, model):
    text = "claim your free lunch"
    arguments = ["--model", files / "mail.wordodds"]
    result = wordodds("explain", text, *arguments)
    assert (result.code, result.err) == (0, "")
    assert "free" in result.out
    assert "\x1b" not in result.out
    report = json.loads(wordodds("explain", text, *arguments, "--json").out)
    assert report == json.loads(json.dumps(model.explain(text).to_dict()))
    ham = wordodds("explain", "-", *arguments, "--label", "ham", "--json", stdin=text.encode())
    assert json.loads(ham.out) == json.loads(json.dumps(model.explain(text, "ham").to_dict()))
    result = wordodds("explain", text, *arguments, "--label", "eggs")
    assert (result.code, result.out) == (1, "")
    assert result.err == "wordodds: the model has no label 'eggs'; it has ham, spam\n"


def test_explain_in_colour_on_a_terminal(wordodds, files, monkeypatch):
    arguments = ["explain", "claim your free lunch", "--model", files / "mail.wordodds"]
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda stream: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    coloured = wordodds(*arguments).out
    assert "\x1b[" in coloured
    monkeypatch.setenv("NO_COLOR", "1")
    plain = wordodds(*arguments).out
    assert "\x1b" not in plain
    assert coloured.endswith(plain)


def test_inspect(wordodds, files, model):
    path = files / "mail.wordodds"
    result = wordodds("inspect", path, "--top", "2")
    assert (result.code, result.err) == (0, "")
    assert "load_seconds" in result.out
    table = result.out.split("\n\n")[-1].splitlines()
    assert [line.split()[0] for line in table[2:]] == ["ham", "spam"]
    report = json.loads(wordodds("inspect", path, "--json", "--top", "3").out)
    assert report["bytes"] == path.stat().st_size
    assert {label: len(best) for label, best in report["top_features"].items()} == {
        "ham": 3,
        "spam": 3,
    }
    assert report.items() >= json.loads(json.dumps(model.describe())).items()
    assert "top_features" not in wordodds("inspect", path, "--json").out
    damaged = bytearray(path.read_bytes())
    damaged[-1] ^= 1
    (files / "damaged.wordodds").write_bytes(damaged)
    result = wordodds("inspect", files / "damaged.wordodds")
    assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory, mail):
    path = tmp_path_factory.mktemp("pipeline") / "pipeline.joblib"
    pipeline = make_pipeline(TfidfVectorizer(), LogisticRegression()).fit(*mail)
    joblib.dump(pipeline, path)
    return path, pipeline


def test_convert(wordodds, tmp_path, pipeline, mail):
    path, fitted = pipeline
    target = tmp_path / "m.wordodds"
    result = wordodds("convert", path, target, "--trust-pickle")
    assert result.code == 0
    assert result.err.startswith("wordodds: warning: ")
    assert "a pickle runs whatever code its maker put into it" in result.err
    assert str(target) in result.out
    np.testing.assert_allclose(
        load(target).predict_proba(mail[0]), fitted.predict_proba(mail[0]), atol=1e-12
    )
    report = json.loads(wordodds("convert", path, target, "--trust-pickle", "--json").out)
    assert report["bytes"] == target.stat().st_size


def test_convert_asks_on_a_terminal(wordodds, tmp_path, pipeline, monkeypatch):
    target = tmp_path / "m.wordodds"
    arguments = ["convert", pipeline[0], target]
    result = wordodds(*arguments, stdin=b"y\n")  # not a terminal: nobody is asked
    assert result.code == 2
    assert result.err.endswith(
        "wordodds: not loaded; --trust-pickle says that you trust the file\n"
    )
    for answer, code in [("n", 2), ("", 2), ("y", 0)]:
        stdin = io.StringIO(answer + "\n")
        stdin.isatty = lambda: True
        monkeypatch.setattr(sys, "stdin", stdin)
        monkeypatch.setattr(type(sys.stderr), "isatty", lambda stream: True)
        result = wordodds(*arguments)
        assert "Load it? [y/N] " in result.err
        assert (result.code, target.exists()) == (code, code == 0)


def test_convert_what_is_no_pipeline(wordodds, tmp_path):
    target = tmp_path / "m.wordodds"
    path = tmp_path / "p.joblib"
    arguments = ["convert", path, target, "--trust-pickle"]
    assert wordodds(*arguments).err == f"wordodds: {path}: No such file or directory\n"
    path.write_bytes(b"not a pickle")
    result = wordodds(*arguments)
    assert result.code == 1
    assert f"{path}: not a pickle that can be loaded here" in result.err
    joblib.dump({"a": 1}, path)
    result = wordodds(*arguments)
    assert (result.code, result.out, result.err.count("\n")) == (1, "", 2)
    assert not target.exists()


def test_json_is_standard_json(capsys):
    print_json({1: np.float64(0.5), "x": np.array([1, 2]), "y": (float("inf"), None, True, "ü")})
    out = capsys.readouterr().out
    assert out == '{"1": 0.5, "x": [1, 2], "y": [null, null, true, "ü"]}\n'


def test_nothing_of_a_label_steers_the_terminal(tmp_path, capsys):
    data, model = tmp_path / "data.jsonl", tmp_path / "model.wordodds"
    rows = [("free money", "a\x1b[31m"), ("cheap money", "a\x1b[31m"), ("lunch", "b"), ("you", "b")]
    data.write_text("".join(json.dumps({"text": t, "label": y}) + "\n" for t, y in rows))
    assert main(["train", str(data), "--output", str(model)]) == 0
    assert main(["inspect", str(model), "--top", "2"]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert "a\\x1b[31m" in out

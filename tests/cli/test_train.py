"""``wordodds train``: every format, what is held out, and what goes wrong."""

import json

import numpy as np
import pytest

from wordodds import TextClassifier, load
from wordodds.cli import train

from .conftest import hold_out, make_mail, write_jsonl


def as_folder(path, texts, labels):
    for row, (text, label) in enumerate(zip(texts, labels, strict=True)):
        (path / label).mkdir(parents=True, exist_ok=True)
        (path / label / f"{row:03}").write_text(text)


def as_lines(path, texts, labels):
    rows = zip(texts, labels, strict=True)
    path.write_text("".join(f"__label__{label} {text}\n" for text, label in rows))


def as_tsv(path, texts, labels):
    path.write_text("".join(f"{y}\t{x}\n" for x, y in zip(texts, labels, strict=True)))


@pytest.mark.parametrize(
    ("write", "name", "options"),
    [
        (write_jsonl, "mail.jsonl", []),
        (as_folder, "mail", []),
        (as_lines, "mail.txt", []),
        (as_tsv, "mail.tsv", ["--no-header"]),
    ],
)
def test_formats_train_the_same_model(wordodds, tmp_path, mail, write, name, options):
    write(tmp_path / name, *mail)
    target = tmp_path / "m.wordodds"
    # Counts do not depend on the order of the documents, which is another one in a folder.
    arguments = ["--model", "naive_bayes", "--output", target, *options]
    result = wordodds("train", tmp_path / name, *arguments)
    assert (result.code, result.err) == (0, "")
    assert "classes    2: " in result.out
    expected = TextClassifier("naive_bayes").fit(*mail).predict_proba(mail[0])
    np.testing.assert_allclose(load(target).predict_proba(mail[0]), expected, atol=1e-12)


def test_options_reach_the_classifier(wordodds, tmp_path, files, mail):
    target = tmp_path / "m.wordodds"
    result = wordodds(
        "train", files / "mail.jsonl", "--output", target, "--model", "naive_bayes",
        "--ngrams", "1,3", "--min-df", "3", "--n-jobs", "1", "--json",
    )  # fmt: skip
    report = json.loads(result.out)
    assert result.out.count("\n") == 1
    expected = TextClassifier("naive_bayes", ngram_range=(1, 3), min_df=3).fit(*mail)
    assert report["features"] == expected.linear_model_.n_features
    assert report["classes"] == {"ham": 60, "spam": 60}
    assert (report["documents"], report["trained_on"], report["skipped"]) == (120, 120, 0)
    assert report["bytes"] == target.stat().st_size
    np.testing.assert_array_equal(
        load(target).predict_proba(mail[0]), expected.predict_proba(mail[0])
    )


@pytest.mark.parametrize("method", ["temperature", "platt", "isotonic"])
def test_holdout_and_calibration(wordodds, tmp_path, files, mail, method):
    target = tmp_path / "m.wordodds"
    arguments = ["train", files / "mail.jsonl", "--output", target, "--holdout", "0.25",
                 "--calibrate", method, "--calibrate-on", "0.2"]  # fmt: skip
    report = json.loads(wordodds(*arguments, "--json").out)
    texts, labels = mail
    # Of 120 documents, by the seed 0 and their positions; test_hold_out.py has the rule.
    assert (report["documents"], report["trained_on"]) == (120, 74)
    assert report["holdout"]["documents"] == 28
    assert report["calibration"] == {"method": method, "documents": 18}
    parts = hold_out(0.25, 0.2).divide(labels)
    rows = np.flatnonzero(parts["holdout"])
    model = load(target)
    assert report["holdout"]["accuracy"] == model.score(
        [texts[row] for row in rows], [labels[row] for row in rows]
    )
    assert method in repr(model)
    lines = wordodds(*arguments).out.splitlines()
    assert [line.split()[0] for line in lines] == [
        "read", "classes", "train", "chosen", "calibrate", "accuracy", "saved",
    ]  # fmt: skip


def test_characters_beside_words(wordodds, tmp_path, files):
    target = tmp_path / "m.wordodds"
    arguments = ["train", files / "mail.jsonl", "--output", target, "--json"]
    found = {}
    for option in ("--characters", "--no-characters", None):
        report = json.loads(wordodds(*arguments, *([option] if option else [])).out)
        found[option] = report["chosen"]["analyzer"], report["chosen"]["why_characters"]
    assert found["--characters"] == (["word", "char_wb"], "yes: as asked")
    assert found["--no-characters"] == ("word", "no: as asked")
    assert found[None][1].startswith(("yes: log loss ", "no: log loss "))
    assert "chosen why_characters" in wordodds("inspect", target).out


def test_several_analyzers(wordodds, tmp_path, files):
    target = tmp_path / "m.wordodds"
    arguments = ["train", files / "mail.jsonl", "--output", target, "--analyzer", "word,char_wb"]
    report = json.loads(wordodds(*arguments, "--ngrams", "word=1,char_wb=3-4", "--json").out)
    assert report["chosen"]["ngram_range"] == [[1, 1], [3, 4]]
    assert list(load(target).describe()["text"]["views"]) == ["word", "char_wb"]
    assert "char_wb=" in wordodds("inspect", target).out
    assert "characters of money" in wordodds("explain", "--model", target, "free money").out
    for order in ("word,char_wb", "char_wb,word"):
        options = ["--analyzer", order, "--ngrams", "word=1-2,char_wb=3-4"]
        lines = wordodds(*arguments[:4], *options).out.splitlines()
        (chosen,) = (line for line in lines if line.startswith("chosen"))
        assert "characters within words (3-4)" in chosen
        assert "words" in chosen
        assert (chosen.index("characters") < chosen.index("words")) == (order == "char_wb,word")
    for wrong in ("word=1,2", "word=2-1", "word=1-2,word=3", "=1-2"):
        result = wordodds(*arguments, "--ngrams", wrong)
        assert result.code == 2
        assert "must be" in result.err
    for wrong in ("word,words", "word,word"):
        result = wordodds("train", files / "mail.jsonl", "--output", target, "--analyzer", wrong)
        assert result.code == 2
        assert "or several such as word,char_wb" in result.err


def test_bad_rows(wordodds, tmp_path):
    texts, labels = make_mail(40)
    path = write_jsonl(tmp_path / "mail.jsonl", [*texts, None], [*labels, "ham"])
    target = tmp_path / "m.wordodds"
    result = wordodds("train", path, "--output", target)
    assert (result.code, result.out) == (1, "")
    assert result.err == f"wordodds: {path}, line 41: the text is missing\n"
    assert not target.exists()
    result = wordodds("train", path, "--output", target, "--on-error", "skip", "--json")
    assert result.code == 3
    assert result.err.startswith(f"wordodds: skipped 1 bad row: {path}, line 41: ")
    assert json.loads(result.out)["skipped"] == 1
    assert target.exists()


@pytest.mark.parametrize(
    ("labels", "options", "message"),
    [
        (["ham"] * 4, [], "class"),
        (["ham", "spam", 3, 4], [], "of one kind"),
        (["ham", "spam", "a", "b"], ["--holdout", "0.5"], "4 documents are too few for --holdout"),
    ],
)
def test_data_that_teaches_nothing(wordodds, tmp_path, labels, options, message):
    path = write_jsonl(tmp_path / "mail.jsonl", ["one two", "three", "four", "five"], labels)
    result = wordodds("train", path, "--output", tmp_path / "m.wordodds", *options)
    assert (result.code, result.out) == (1, "")
    assert message in result.err
    assert result.err.count("\n") == 1
    assert [file.name for file in tmp_path.iterdir()] == ["mail.jsonl"]


def test_a_target_that_cannot_be_written_is_found_before_training(
    wordodds, tmp_path, files, monkeypatch
):
    monkeypatch.setattr(train, "classifier_of", None)
    for target, message in [
        (tmp_path / "missing" / "m.wordodds", "No such file or directory"),
        (tmp_path, "is a folder; name a file"),
    ]:
        result = wordodds("train", files / "mail.jsonl", "--output", target)
        assert (result.code, result.err.count("\n")) == (1, 1)
        assert message in result.err
    monkeypatch.setattr(train.os, "access", lambda path, mode: False)
    result = wordodds("train", files / "mail.jsonl", "--output", tmp_path / "m.wordodds")
    assert result.err == f"wordodds: {tmp_path}: the folder may not be written to\n"


@pytest.mark.parametrize(
    "options",
    [
        ["--holdout", "1"],
        ["--holdout", "much"],
        ["--ngrams", "2,1"],
        ["--ngrams", "1,2,3"],
        ["--ngrams", "0"],
        ["--model", "forest"],
        ["--min-df", "0"],
        ["--on-error", "panic"],
    ],
)
def test_usage(wordodds, options):
    result = wordodds("train", "mail.jsonl", "--output", "m", *options)
    assert result.code == 2
    assert options[0] in result.err

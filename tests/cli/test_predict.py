"""``wordodds predict``: what is asked for, of every format, in order."""

import csv
import io
import json
import os

import numpy as np
import pyarrow.parquet
import pytest

from wordodds import SGDClassifier, TextClassifier
from wordodds.corpora import open_writer

from .conftest import write_jsonl


@pytest.fixture
def predict(wordodds, files):
    def run(*arguments, **streams):
        return wordodds("predict", "--model", files / "mail.wordodds", *arguments, **streams)

    return run


def test_lines_from_standard_input(predict, mail, model):
    stdin = "".join(text + "\n" for text in mail[0]).encode()
    for arguments in ([], ["-"]):
        result = predict(*arguments, stdin=stdin)
        assert (result.code, result.err) == (0, "")
        assert result.out.splitlines() == model.predict(mail[0]).tolist()
    assert predict("--format", "jsonl", stdin=b'{"text": "free money"}').out == "spam\n"
    assert predict(stdin=b"").out == ""


def test_an_empty_line_is_a_document(predict, model):
    result = predict(stdin=b"free money\n\nlunch\n")
    assert result.out.split("\n") == ["spam", str(model.predict([""])[0]), "ham", ""]


@pytest.mark.parametrize("name", ["mail.csv.gz", "mail.tsv", "mail.parquet", "mail.jsonl.zst"])
def test_input_formats(predict, tmp_path, mail, model, name):
    path = tmp_path / name
    with open_writer(path, {"body": str, "n": int}) as writer:
        writer.write({"body": mail[0], "n": list(range(len(mail[0])))})
    result = predict(path, "--text-column", "body", "--output-format", "jsonl", "--keep", "n")
    assert (result.code, result.err) == (0, "")
    rows = [json.loads(line) for line in result.out.splitlines()]
    assert [row["label"] for row in rows] == model.predict(mail[0]).tolist()
    assert [int(row["n"]) for row in rows] == list(range(len(mail[0])))


def test_a_folder(predict, tmp_path):
    for name, text in {"b/1": "free money", "a": "lunch"}.items():
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_text(text)
    result = predict(tmp_path / "in", "--keep", "file")
    assert result.out == "a\tham\nb/1\tspam\n"


def test_batches_change_nothing(predict, files):
    one, whole = (
        predict(files / "mail.txt", "--proba", *size).out for size in (["--batch-size", "7"], [])
    )
    assert one == whole != ""
    assert one == predict(files / "mail.txt", "--proba", "--n-jobs", "1").out


def rows_of(path):
    if path.suffix == ".parquet":
        return pyarrow.parquet.read_table(path).to_pylist()
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text().splitlines()]
    return list(csv.DictReader(io.StringIO(path.read_text())))


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
def test_output_formats(predict, tmp_path, files, mail, model, suffix):
    target = tmp_path / f"out{suffix}"
    result = predict(
        files / "mail.jsonl", "--output", target, "--top", "2", "--keep", "id", "--number-rows",
        "--proba-all", "--label-column-out", "class", "--batch-size", "50", "--json",
    )  # fmt: skip
    assert (result.code, result.err) == (0, "")
    report = json.loads(result.out)
    assert (report["documents"], report["skipped"]) == (120, 0)
    assert report["output"] == str(target)
    rows = rows_of(target)
    assert list(rows[0]) == [
        "row", "id", "class", "probability", "class_2", "probability_2",
        "probability of ham", "probability of spam",
    ]  # fmt: skip
    labels, chances = model.predict_top(mail[0], 2)
    assert [[row["class"], row["class_2"]] for row in rows] == labels.tolist()
    written = [[float(row["probability"]), float(row["probability_2"])] for row in rows]
    np.testing.assert_array_equal(written, chances)
    np.testing.assert_array_equal(
        [float(row["probability of spam"]) for row in rows], model.predict_proba(mail[0])[:, 1]
    )
    assert [int(row["row"]) for row in rows] == list(range(1, 121))
    assert [int(row["id"]) for row in rows] == list(range(120))


def test_probability_of_the_label(predict, model):
    text = "free money lunch"
    label, chance = predict("--proba", stdin=text.encode()).out.split("\t")
    labels, chances = model.predict_top([text], 1)
    assert label == labels[0, 0]
    assert float(chance) == pytest.approx(chances[0, 0], rel=1e-5)
    assert predict("--top", "9", stdin=b"free money").out.count("\t") == 3


def test_threshold(predict, mail, model):
    stdin = "".join(text + "\n" for text in [*mail[0], "the", "free lunch"]).encode()
    best = model.predict_proba([*mail[0], "the", "free lunch"]).max(axis=1)
    limit = f"{np.median(best):.6f}"
    result = predict("--threshold", limit, stdin=stdin)
    sure = [bool(line) for line in result.out.splitlines()]
    assert sure == (best >= float(limit)).tolist()
    assert 0 < sum(sure) < len(sure)
    result = predict("--threshold", "1", "--output-format", "jsonl", stdin=b"the\n")
    assert json.loads(result.out) == {"label": None}


def test_bad_rows(predict, tmp_path):
    path = write_jsonl(tmp_path / "mail.jsonl", ["free money", None, "lunch", 7])
    target = tmp_path / "out.jsonl"
    result = predict(path, "--output", target)
    assert result.code == 1
    assert result.err == f"wordodds: {path}, line 2: the text is missing\n"
    assert not target.exists()
    result = predict(path, "--output", target, "--on-error", "skip", "--number-rows")
    assert result.code == 3
    assert result.err == (
        f"wordodds: skipped 2 bad rows: {path}, line 2: the text is missing; "
        f"{path}, line 4: the text must be text, got 7\n"
    )
    assert rows_of(target) == [{"row": 1, "label": "spam"}, {"row": 3, "label": "ham"}]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["missing.jsonl"], 1, "missing.jsonl: No such file or directory"),
        (["--output", "missing/out.txt"], 1, "missing: No such file or directory"),
        (["--output", "out.xyz"], 1, "out.xyz: the name must tell the format"),
        (["--encoding", "klingon"], 1, "encoding must be one that Python knows"),
        (["--json"], 2, "--json reports on the run and needs --output FILE"),
        (["--keep", "text", "--label-column-out", "text"], 2, "would be called 'text'"),
        (["--threshold", "1.5"], 2, "--threshold"),
        (["--threshold", "nan"], 2, "--threshold"),
        (["--top", "0"], 2, "--top"),
        (["--output-format", "xml"], 2, "--output-format"),
    ],
)
def test_errors(predict, tmp_path, monkeypatch, arguments, code, message):
    monkeypatch.chdir(tmp_path)
    result = predict(*arguments, stdin=b"free money\n")
    assert (result.code, result.out) == (code, "")
    assert message in result.err
    assert "Traceback" not in result.err
    assert not list(tmp_path.iterdir())


def test_files_that_are_no_models(wordodds, tmp_path):
    path = tmp_path / "m.wordodds"
    for content in (b"", b"{}", b"\x00" * 100):
        path.write_bytes(content)
        result = wordodds("predict", "--model", path, stdin=b"x\n")
        assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)
        assert "m.wordodds" in result.err
    result = wordodds("predict", "--model", tmp_path / "none", stdin=b"x\n")
    assert result.err == f"wordodds: {tmp_path / 'none'}: No such file or directory\n"


@pytest.fixture
def predict_with(wordodds, tmp_path, mail):
    """Return a function that saves a classifier of the mail and runs `predict` with it."""

    def run(classifier, labels, *arguments, **streams):
        path = tmp_path / "other.wordodds"
        classifier.fit(mail[0], labels).save(path)
        return wordodds("predict", "--model", path, *arguments, **streams)

    return run


def test_margins_are_no_probabilities(predict_with, mail):
    margins = TextClassifier(SGDClassifier("hinge", random_state=0))
    result = predict_with(margins, mail[1], "--proba", stdin=b"free\n")
    assert (result.code, result.out) == (1, "")
    assert "the model has no probabilities; calibrate it" in result.err
    options = ["--top", "1", "--output-format", "jsonl"]
    result = predict_with(margins, mail[1], *options, stdin=b"free\n")
    assert list(json.loads(result.out)) == ["label", "score"]
    assert predict_with(margins, mail[1], stdin=b"free\n").out == "spam\n"


def test_a_label_that_breaks_lines_needs_another_format(predict_with, mail):
    classifier = TextClassifier("naive_bayes")
    labels = ["tab\there" if label == "spam" else "a\nb" for label in mail[1]]
    result = predict_with(classifier, labels, stdin=b"free\n")
    assert result.code == 1
    assert r"the label 'a\nb' does not fit on a line: pass --output-format jsonl" in result.err
    result = predict_with(classifier, labels, "--output-format", "jsonl", stdin=b"free\n")
    assert json.loads(result.out) == {"label": "tab\there"}


def test_the_label_does_not_depend_on_its_probability(wordodds, tmp_path):
    """Probabilities may round to the same number where scores differ; the scores decide."""
    from wordodds.model import LinearModel

    texts = ["one", "two", "three"]
    known = TextClassifier("logistic", C=1.0).fit(texts, ["a", "b", "c"]).linear_model_
    bias = np.array([40.0, 50.0, 0.0])
    model = LinearModel(
        known.labels, np.zeros_like(known.weights), bias, known.features, link="one_vs_rest",
        name="saturated",
    )  # fmt: skip
    assert model.predict(["one"]).tolist() == ["b"]
    model.save(tmp_path / "m.wordodds")
    for options in ([], ["--proba"], ["--threshold", "0.1"]):
        result = wordodds("predict", "--model", tmp_path / "m.wordodds", *options, stdin=b"one\n")
        assert result.out.split()[0] == "b"


def test_the_input_is_not_overwritten(predict, tmp_path):
    path = write_jsonl(tmp_path / "in.jsonl", ["free money"])
    other = write_jsonl(tmp_path / "other.jsonl", ["lunch"])
    before = path.read_bytes()
    (tmp_path / "link.jsonl").symlink_to(path)
    for target in (path, tmp_path / "link.jsonl"):
        for sources in ([path], [other, tmp_path / "i*.jsonl"]):
            result = predict(*sources, "--output", target)
            assert (result.code, result.err.count("\n")) == (2, 1)
            assert f"{target} would be written onto {path}, which is read" in result.err
    assert path.read_bytes() == before


def test_results_do_not_lie_inside_an_input(predict, tmp_path):
    (tmp_path / "corp").mkdir()
    (tmp_path / "corp" / "1").write_text("free money")
    for target in ("corp/out.jsonl", "corp/out/"):
        result = predict(tmp_path / "corp", "--output", f"{tmp_path}/{target}")
        assert (result.code, result.err.count("\n")) == (2, 1)
        assert f"would lie inside {tmp_path / 'corp'}, which is read" in result.err
    assert [path.name for path in (tmp_path / "corp").iterdir()] == ["1"]
    assert predict(tmp_path / "corp", "--output", tmp_path / "corp.jsonl").code == 0


def test_a_device_may_be_read_and_written(predict):
    # As a terminal is, which is both standard input and standard output.
    arguments = ("--format", "lines", "--output-format", "lines", "--output", os.devnull)
    result = predict(os.devnull, *arguments)
    assert (result.code, result.err) == (0, "")

"""What a shell user must hear of: empty texts, doubtful labels, absent columns and files."""

import json
import os
import subprocess
import sys
import threading

import pytest

from wordodds import load
from wordodds.corpora import open_writer

from .conftest import make_mail, write_jsonl

KEPT = "--empty skip leaves them out, --empty error stops at the first\n"


@pytest.fixture
def with_empty(tmp_path):
    """Return a file of 40 rows, of which three have no text."""
    texts, labels = make_mail(40)
    texts[3], texts[4], texts[20] = "", " \t ", "\N{NO-BREAK SPACE}"
    return write_jsonl(tmp_path / "mail.jsonl", texts, labels)


@pytest.fixture(params=["train", "train piece by piece", "evaluate", "predict", "into a folder"])
def command(request, wordodds, files, tmp_path, with_empty):
    """Run each command that reads documents, with ``--json``."""
    model, out = files / "mail.wordodds", tmp_path / "out"
    arguments = {
        "train": ["train", with_empty, "--output", tmp_path / "m.wordodds"],
        "train piece by piece": [
            "train", with_empty, "--output", tmp_path / "m.wordodds", "--memory", "8GB",
        ],
        "evaluate": ["evaluate", with_empty, "--model", model],
        "predict": ["predict", with_empty, "--model", model, "--output", f"{out}.csv"],
        "into a folder": ["predict", with_empty, "--model", model, "--output", f"{out}/"],
    }[request.param]  # fmt: skip
    return lambda *more: wordodds(*arguments, "--json", *more)


def n_documents(report):
    return report["documents"] if "documents" in report else report["n"]


def test_empty_texts_are_kept_and_counted(command):
    result = command()
    assert (result.code, result.err) == (0, f"wordodds: kept 3 empty texts: {KEPT}")
    report = json.loads(result.out)
    assert (n_documents(report), report["empty"], report["skipped"]) == (40, 3, 0)


def test_empty_texts_are_skipped_without_an_error(command):
    result = command("--empty", "skip")
    assert (result.code, result.err) == (0, "wordodds: skipped 3 empty texts\n")
    report = json.loads(result.out)
    assert (n_documents(report), report["empty"], report["skipped"]) == (37, 3, 0)


def test_empty_texts_are_bad_rows(command, with_empty, tmp_path):
    result = command("--empty", "error")
    assert (result.code, result.out) == (1, "")
    assert result.err == f"wordodds: {with_empty}, line 4: the text is empty\n"
    (tmp_path / "out" / "_wordodds.json").unlink(missing_ok=True)
    result = command("--empty", "error", "--on-error", "skip")
    assert (result.code, json.loads(result.out)["skipped"]) == (3, 3)


def test_one_empty_text(wordodds, files):
    result = wordodds("predict", "--model", files / "mail.wordodds", stdin=b"free\n\nlunch\n")
    assert result.out.count("\n") == 3
    assert result.err == f"wordodds: kept 1 empty text: {KEPT}"


def test_what_is_learnt_without_empty_texts(wordodds, tmp_path, with_empty):
    texts, labels = make_mail(40)
    rows = [row for row in range(40) if row not in (3, 4, 20)]
    other = write_jsonl(
        tmp_path / "other.jsonl", [texts[row] for row in rows], [labels[row] for row in rows]
    )
    for path, option in ((with_empty, ["--empty", "skip"]), (other, [])):
        assert wordodds("train", path, "--output", f"{path}.wordodds", *option).code == 0
    ours, theirs = (load(f"{path}.wordodds") for path in (with_empty, other))
    assert (ours.predict_proba(texts) == theirs.predict_proba(texts)).all()


def test_empty_texts_of_finished_parts_are_counted_once(wordodds, files, tmp_path, with_empty):
    command = [
        "predict", with_empty, "--model", files / "mail.wordodds", "--batch-size", "5",
        "--part-size", "300", "--output", f"{tmp_path}/out/", "--empty", "skip", "--json",
    ]  # fmt: skip
    whole = wordodds(*command)
    journal_path = tmp_path / "out" / "_wordodds.json"
    journal = json.loads(journal_path.read_text())
    assert (sum(part["empty"] for part in journal["parts"]), len(journal["parts"])) == (3, 4)
    for n in (0, 1, 3, 4):
        for part in journal["parts"][n:]:
            (tmp_path / "out" / part["file"]).unlink()
        journal_path.write_text(json.dumps({**journal, "parts": journal["parts"][:n]}))
        again = wordodds(*command, "--resume")
        assert (again.code, again.err) == (0, whole.err)
        assert json.loads(again.out)["empty"] == 3
    refused = wordodds(*command, "--resume", "--empty", "keep")
    assert refused.code == 2
    assert "the options changed (empty was 'skip', and is 'keep')" in refused.err


@pytest.fixture
def countries(tmp_path):
    path = tmp_path / "mail.csv"
    texts, labels = make_mail(20)
    labels[:4] = ["NA", "NA", "null", "None"]
    rows = "".join(f"{label},{text}\n" for label, text in zip(labels, texts, strict=True))
    path.write_text(f"label,text\n{rows}")
    return path


@pytest.mark.parametrize("more", [[], ["--memory", "8GB"]])
def test_labels_that_may_be_missing_ones(wordodds, tmp_path, countries, more):
    command = ["train", countries, "--output", tmp_path / "m.wordodds", *more, "--json"]
    result = wordodds(*command)
    assert (result.code, json.loads(result.out)["classes"]["NA"]) == (0, 2)
    assert result.err == (
        "wordodds: warning: the labels of 4 rows may mean a missing value, but count as classes: "
        "NA 2, None 1, null 1. Pass --missing-label NA to treat such rows as bad, or "
        "--missing-label '' to silence this warning\n"
    )
    missing = ["--missing-label", "NA", "--missing-label", "null"]
    result = wordodds(*command, *missing)
    assert result.code == 1
    assert result.err == f"wordodds: {countries}, line 2: the label is missing ('NA')\n"
    result = wordodds(*command, *missing, "--on-error", "skip")
    report = json.loads(result.out)
    assert (result.code, report["skipped"]) == (3, 3)
    assert set(report["classes"]) == {"ham", "spam", "None"}
    assert "the label of 1 row may mean a missing value" in result.err
    result = wordodds(*command, "--missing-label", "")
    assert (result.code, result.err) == (0, "")


def test_a_kept_column_may_be_in_one_of_several_files(wordodds, tmp_path, files):
    model = files / "mail.wordodds"
    (tmp_path / "0.jsonl").write_text('{"text": "free money"}\n')
    (tmp_path / "1.jsonl").write_text('{"text": "free money", "note": "x"}\n')
    inputs = [tmp_path / "0.jsonl", tmp_path / "1.jsonl"]
    output = tmp_path / "out.jsonl"
    result = wordodds("predict", *inputs, "--model", model, "--keep", "note", "--output", output)
    assert (result.code, result.err) == (0, "")
    notes = [json.loads(line)["note"] for line in output.read_text().splitlines()]
    assert notes == [None, "x"]
    output.unlink()
    result = wordodds("predict", *inputs, "--model", model, "--keep", "nope", "--output", output)
    assert (result.code, output.exists()) == (1, False)
    assert "no column 'nope' to keep in the first records of any file" in result.err


def test_options_that_would_do_nothing_and_figures_onto_the_data(wordodds, tmp_path, files):
    data = write_jsonl(tmp_path / "mail.svg", ["free money"] * 4, ["spam", "ham"] * 2)
    train = ["train", data, "--format", "jsonl", "--output", tmp_path / "m.wordodds"]
    result = wordodds(*train, "--calibrate-on", "0.2")
    assert (result.code, result.err) == (2, "wordodds: --calibrate-on needs --calibrate\n")
    before = data.read_bytes()
    evaluate = ["evaluate", data, "--format", "jsonl", "--model", files / "mail.wordodds"]
    result = wordodds(*evaluate, "--figure", data)
    assert (result.code, data.read_bytes()) == (2, before)
    assert "would be written onto" in result.err


def test_named_pipes(wordodds, tmp_path, files):
    pipe = tmp_path / "mail.jsonl"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=('{"text": "free money"}\n',))
    writer.start()
    result = wordodds("predict", pipe, "--model", files / "mail.wordodds")
    writer.join()
    assert (result.code, result.out, result.err) == (0, "spam\n", "")


@pytest.mark.needs("pyarrow>=24")
def test_parquet_in_odd_forms(wordodds, tmp_path, files):
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    model = files / "mail.wordodds"
    texts = arrow.array(["free money", ""])
    parquet.write_table(
        arrow.table({"text": texts.cast(arrow.string_view())}), tmp_path / "view.parquet"
    )
    result = wordodds("predict", tmp_path / "view.parquet", "--model", model, "--empty", "skip")
    assert (result.code, result.out) == (0, "spam\n")
    twice = arrow.Table.from_arrays([texts, texts], names=["text", "text"])
    parquet.write_table(twice, tmp_path / "twice.parquet")
    result = wordodds("predict", tmp_path / "twice.parquet", "--model", model)
    assert (result.code, result.out) == (1, "")
    assert result.err.endswith("several columns are called 'text'\n")


def test_an_empty_label_is_a_missing_one(wordodds, tmp_path, countries):
    countries.write_text(countries.read_text().replace("null,", ","))
    result = wordodds("train", countries, "--output", tmp_path / "m.wordodds")
    assert result.code == 1
    assert result.err == f"wordodds: {countries}, line 4: the label is missing\n"


@pytest.mark.parametrize("name", ["late.jsonl", "late.csv", "late.parquet"])
def test_every_input_is_looked_at_before_anything_is_written(wordodds, files, tmp_path, name):
    """The second of two files lacks a column, and the first is large enough for output."""
    texts, labels = make_mail(40)
    good = write_jsonl(tmp_path / "good.jsonl", texts, labels)
    with open_writer(tmp_path / name, {"body": str, "id": int}) as writer:
        writer.write({"body": texts, "id": list(range(40))})
    model, out = ["--model", files / "mail.wordodds"], tmp_path / "out"
    both = [good, tmp_path / name]
    for command, column in [
        (["train", *both, "--output", tmp_path / "m.wordodds"], "text"),
        (["train", *both, "--output", tmp_path / "m.wordodds", "--memory", "8GB"], "text"),
        (["evaluate", tmp_path / name, *model, "--text-column", "body"], "label"),
        (["predict", *both, *model], "text"),
        (["predict", *both, *model, "--output", f"{out}.txt"], "text"),
        (["predict", *both, *model, "--output", f"{out}/", "--batch-size", "5"], "text"),
        (["predict", tmp_path / name, *model, "--text-column", "body", "--keep", "id,idd",
          "--output", f"{out}/"], "idd"),
    ]:  # fmt: skip
        result = wordodds(*command)
        assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)
        assert f"{tmp_path / name}: no column {column!r} among 'body', 'id'" in result.err
    assert {path.name for path in tmp_path.iterdir()} == {"good.jsonl", name}


def test_columns_of_standard_input_are_looked_at_as_it_arrives(wordodds, files):
    arguments = ["predict", "--model", files / "mail.wordodds", "--format", "jsonl", "--keep"]
    lines = b'{"text": "free money"}\n' * 3
    result = wordodds(*arguments, "idd", stdin=lines)
    assert result.code == 1
    assert result.err == (
        "wordodds: standard input: no column 'idd' among 'text' in the first 3 records\n"
    )
    assert wordodds(*arguments, "id", stdin=lines + b'{"text": "lunch", "id": 7}\n').code == 0


def test_a_wrong_name_is_reported_before_anything_heavy_is_imported(tmp_path, files):
    data, model = files / "mail.jsonl", files / "mail.wordodds"
    gone = tmp_path / "gone.jsonl"
    commands = [
        ["train", gone, "--output", tmp_path / "m"],
        ["train", data, "--output", tmp_path / "gone" / "m"],
        ["train", data, "--output", tmp_path / "m", "--memory", "1GB", "--scratch", gone],
        ["predict", gone, "--model", model],
        ["predict", data, "--model", gone],
        ["predict", data, "--model", model, "--output", tmp_path / "gone" / "x.csv"],
        ["evaluate", gone, "--model", model],
        ["evaluate", data, "--model", gone],
        ["explain", "free", "--model", gone],
        ["inspect", gone],
        ["convert", gone, tmp_path / "m"],
    ]
    program = (
        "import json, sys; from wordodds.cli import main\n"
        "for command in json.loads(sys.argv[1]):\n"
        "    assert main(command) == 1\n"
        "    assert 'numpy' not in sys.modules, command\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", program, json.dumps([list(map(str, x)) for x in commands])],
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr
    lines = result.stderr.splitlines()
    assert len(lines) == len(commands)
    for line, command in zip(lines, commands, strict=True):
        assert "gone" in line, command
        assert line.endswith(": No such file or directory"), command


def test_scratch_must_be_a_folder(wordodds, tmp_path, files):
    command = ["train", files / "mail.jsonl", "--output", tmp_path / "m", "--memory", "8GB"]
    result = wordodds(*command, "--scratch", files / "mail.txt")
    assert (result.code, result.err) == (1, f"wordodds: {files / 'mail.txt'}: is not a folder\n")

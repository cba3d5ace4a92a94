"""``wordodds predict --output FOLDER/``: parts of each input, and a journal to resume by."""

import json
import os
import re

import pyarrow.parquet
import pytest

from wordodds.cli import predict as predict_module
from wordodds.corpora import open_writer
from wordodds.corpora import readers as readers_module

from .conftest import make_mail, write_jsonl


@pytest.fixture
def predict(wordodds, files, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(*arguments, **streams):
        return wordodds("predict", "--model", files / "mail.wordodds", *arguments, **streams)

    return run


@pytest.fixture
def shards(tmp_path):
    """Return the texts of three files of JSONL, one of them without rows."""
    texts, _ = make_mail(90)
    (tmp_path / "in").mkdir()
    for name, rows in (("a", texts[:50]), ("b", []), ("c", texts[50:])):
        write_jsonl(tmp_path / "in" / f"{name}.jsonl", rows)
    return texts


SMALL = ("--batch-size", "10", "--part-size", "800")


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def parts(folder):
    return {name: data for name, data in contents(folder).items() if name != "_wordodds.json"}


def journal_of(folder):
    return json.loads((folder / "_wordodds.json").read_text())


def put_journal(folder, journal):
    (folder / "_wordodds.json").write_text(json.dumps(journal, indent=1) + "\n")


@pytest.fixture
def small_blocks(monkeypatch):
    """Read a few lines at a time."""
    real = predict_module.read_options
    monkeypatch.setattr(
        predict_module, "read_options", lambda *args, **more: real(*args, **more, batch_bytes=400)
    )


def test_parts(predict, tmp_path, shards, model):
    result = predict("in/*.jsonl", "--output", "out/", "--keep", "id", "--json", *SMALL)
    assert (result.code, result.err) == (0, "")
    report = json.loads(result.out)
    names = sorted(parts(tmp_path / "out"))
    assert names == [
        "a.part-00000.jsonl", "a.part-00001.jsonl", "a.part-00002.jsonl", "b.part-00000.jsonl",
        "c.part-00000.jsonl", "c.part-00001.jsonl",
    ]  # fmt: skip
    assert (report["documents"], report["parts"], report["skipped"]) == (90, 6, 0)
    rows = [
        json.loads(line)
        for name in names
        for line in (tmp_path / "out" / name).read_text().splitlines()
    ]
    assert [row["label"] for row in rows] == model.predict(shards).tolist()
    assert [row["id"] for row in rows] == [*range(50), *range(40)]
    journal = journal_of(tmp_path / "out")
    assert [part["file"] for part in journal["parts"]] == names
    assert [part["rows"] for part in journal["parts"]] == [20, 20, 10, 0, 20, 20]
    assert [part["first_batch"] for part in journal["parts"]] == [0, 2, 4, 0, 0, 2]
    sizes = [os.path.getsize(tmp_path / "out" / name) for name in names]
    assert [part["bytes"] for part in journal["parts"]] == sizes
    # Each part has the text that was asked for, but the last of an input.
    texts = {"a": shards[:50], "c": shards[50:]}
    for part in journal["parts"]:
        first = 10 * part["first_batch"]
        if not part["last"]:
            some = texts[part["file"][0]][first : first + part["rows"]]
            assert sum(map(len, some[:-10])) < 800 <= sum(map(len, some))


def test_the_format_is_that_of_the_input(predict, tmp_path, files, mail, model):
    (tmp_path / "in").mkdir()
    for name in ("x.csv.gz", "y.tsv", "z.parquet", "w.txt"):
        with open_writer(tmp_path / "in" / name, {"text": str}) as writer:
            writer.write({"text": mail[0]})
    (tmp_path / "in" / "folder").mkdir()
    (tmp_path / "in" / "folder" / "1").write_text("free money")
    result = predict("in/*.*", "in/folder", "--output", "out/")
    assert (result.code, result.out) == (0, "")
    assert re.fullmatch(r"wordodds: 481 documents in 5 parts in out/, [0-9.]+ s\n", result.err)
    assert sorted(parts(tmp_path / "out")) == [
        "folder.part-00000.jsonl", "w.part-00000.txt", "x.part-00000.csv", "y.part-00000.tsv",
        "z.part-00000.parquet",
    ]  # fmt: skip
    expected = model.predict(mail[0]).tolist()
    table = pyarrow.parquet.read_table(tmp_path / "out" / "z.part-00000.parquet")
    assert table.column("label").to_pylist() == expected
    assert (tmp_path / "out" / "x.part-00000.csv").read_text().split() == ["label", *expected]
    assert predict("in/*.*", "--output", "again/", "--output-format", "jsonl").code == 0
    assert {name.split(".")[-1] for name in parts(tmp_path / "again")} == {"jsonl"}


def test_several_files_into_one(predict, tmp_path, shards, model):
    result = predict("in/c.jsonl", "in/a*", "--output", "out.txt", "--json")
    assert (result.code, json.loads(result.out)["documents"]) == (0, 90)
    expected = model.predict(shards[50:] + shards[:50]).tolist()
    assert (tmp_path / "out.txt").read_text().split() == expected


class TestResume:
    @pytest.fixture
    def whole(self, predict, tmp_path, shards):
        assert predict("in/*.jsonl", "--output", "whole/", *SMALL).code == 0
        return contents(tmp_path / "whole")

    @pytest.fixture
    def cut(self, whole, tmp_path):
        """Return a function that makes a folder with the first finished parts."""

        def make(n):
            folder = tmp_path / "out"
            folder.mkdir()
            journal = json.loads(whole["_wordodds.json"])
            journal["parts"] = journal["parts"][:n]
            for part in journal["parts"]:
                (folder / part["file"]).write_bytes(whole[part["file"]])
            put_journal(folder, journal)
            return folder

        return make

    @pytest.mark.parametrize("n", range(7))
    def test_from_every_part(self, predict, cut, whole, tmp_path, n, monkeypatch):
        folder = cut(n)
        finished = {name: (folder / name).stat().st_mtime_ns for name in parts(folder)}
        opened = []
        real = readers_module.open_input
        monkeypatch.setattr(
            readers_module, "open_input", lambda path: opened.append(path) or real(path)
        )
        result = predict("in/*.jsonl", "--output", "out/", "--resume", "--json", *SMALL)
        assert (result.code, result.err) == (0, "")
        assert contents(folder) == whole
        for name, time in finished.items():
            assert (folder / name).stat().st_mtime_ns == time
        report = json.loads(result.out)
        assert (report["documents"], report["parts"]) == (90, 6)
        unfinished = ["abc", "abc", "abc", "bc", "c", "c", ""][n]
        assert opened == [f"in/{name}.jsonl" for name in unfinished]

    def test_nothing_finished_yet(self, predict, whole, tmp_path):
        assert predict("in/*.jsonl", "--output", "out/", "--resume", *SMALL).code == 0
        assert contents(tmp_path / "out") == whole

    def test_a_part_that_the_journal_does_not_have_is_done_again(self, predict, cut, whole):
        folder = cut(1)
        (folder / "a.part-00001.jsonl").write_text("finished, but killed before it was noted")
        assert predict("in/*.jsonl", "--output", "out/", "--resume", *SMALL).code == 0
        assert contents(folder) == whole

    @pytest.mark.parametrize("n", [0, 2, 6])
    def test_what_a_killed_run_left_is_cleared(self, predict, cut, whole, n):
        folder = cut(n)
        (folder / ".wordodds-0123456789abcdef.part").write_text("half of a part")
        assert predict("in/*.jsonl", "--output", "out/", "--resume", *SMALL).code == 0
        assert contents(folder) == whole

    @pytest.mark.parametrize(
        ("change", "message"),
        [
            ({"options": ["--proba"]}, "the options changed (proba was False, and is True)"),
            ({"options": ["--part-size", "900"]}, "(part_size was 800, and is 900)"),
            ({"options": ["--keep", "id"]}, "(keep was '', and is 'id')"),
            ({"input": "b"}, "the inputs changed ("),
            ({"more": "d"}, "the inputs changed (there were 3, and there are 4)"),
            ({"model": True}, "the model changed"),
        ],
    )
    def test_refused_when_something_changed(
        self, wordodds, predict, cut, tmp_path, files, change, message
    ):
        folder = cut(2)
        before = contents(folder)
        model = files / "mail.wordodds"
        if "input" in change:
            write_jsonl(tmp_path / "in" / "b.jsonl", ["now there is one"])
        if "more" in change:
            write_jsonl(tmp_path / "in" / "d.jsonl", [])
        if "model" in change:
            model = tmp_path / "other.wordodds"
            assert wordodds("train", files / "mail.jsonl", "--output", model, "--model",
                            "naive_bayes").code == 0  # fmt: skip
        result = wordodds(
            "predict", "--model", model, "in/*.jsonl", "--output", "out/", "--resume", *SMALL,
            *change.get("options", []),
        )  # fmt: skip
        assert (result.code, result.out, result.err.count("\n")) == (2, "", 1)
        assert "out/: cannot be resumed, as " in result.err
        assert message in result.err
        assert contents(folder) == before

    def test_other_threads_change_nothing(self, predict, cut, whole):
        folder = cut(2)
        code = predict("in/*.jsonl", "--output", "out", "--resume", "--n-jobs", "1", *SMALL).code
        assert (code, contents(folder)) == (0, whole)

    @pytest.mark.parametrize("damage", ["missing", "short"])
    def test_a_finished_part_must_be_there(self, predict, cut, damage):
        folder = cut(2)
        path = folder / "a.part-00001.jsonl"
        if damage == "missing":
            path.unlink()
        else:
            path.write_bytes(path.read_bytes()[:-1])
        result = predict("in/*.jsonl", "--output", "out/", "--resume", *SMALL)
        assert (result.code, result.err.count("\n")) == (1, 1)
        assert "a.part-00001.jsonl: " in result.err
        assert "and the journal has it with" in result.err

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ("{", "the journal is damaged"),
            ("[]", "the journal is damaged"),
            ("[" * 100_000, "the journal is damaged"),
            ('{"format": 1, "parts": [{}]}', "the journal is damaged"),
            ('{"format": true}', "the journal is damaged"),
            ('{"format": 2}', "a journal of format 2, and this program knows 1"),
        ],
        ids=lambda value: value[:30],
    )
    def test_a_damaged_journal(self, predict, cut, content, message):
        (cut(2) / "_wordodds.json").write_text(content)
        result = predict("in/*.jsonl", "--output", "out/", "--resume", *SMALL)
        assert (result.code, result.err.count("\n")) == (1, 1)
        assert message in result.err

    def resume_damaged(self, predict, folder, journal):
        put_journal(folder, journal)
        before = contents(folder)
        result = predict("in/*.jsonl", "--output", "out/", "--resume", *SMALL)
        assert (result.code, result.out, result.err.count("\n")) == (1, "", 1)
        assert "out/_wordodds.json: the journal is damaged (" in result.err
        assert result.err.endswith("): name another folder\n")
        assert contents(folder) == before

    def test_fields_of_the_wrong_kind(self, predict, cut):
        folder = cut(5)
        journal = journal_of(folder)
        deep = json.loads("[" * 500 + "]" * 500)
        for name in ("model", "options", "inputs", "parts"):
            for value in (None, 7, {"x": [1]}, [deep]):
                self.resume_damaged(predict, folder, {**journal, name: value})
        self.resume_damaged(predict, folder, {**journal, "more": 1})
        for name in journal["parts"][1]:
            for value in (None, -1, 7.0, "x", [1], {}, deep):
                changed = [dict(part) for part in journal["parts"]]
                changed[1][name] = value
                self.resume_damaged(predict, folder, {**journal, "parts": changed})

    @pytest.mark.parametrize(
        "change",
        [
            {"input": 3},
            {"input": True},
            {"input": 1},
            {"first_batch": 1},
            {"n_batches": 0},
            {"n_batches": 3},
            {"last": True},
            {"last": 0},
            {"skipped": True},
            {"bad_rows": ["more than were skipped"]},
            {"file": "a.part-00000.jsonl"},
            {"file": "../in/a.jsonl"},
        ],
        ids=str,
    )
    def test_a_part_that_cannot_be(self, predict, cut, change):
        folder = cut(5)
        journal = journal_of(folder)
        journal["parts"][1] |= change
        self.resume_damaged(predict, folder, journal)

    @pytest.mark.parametrize("order", ["1234", "0234", "0124", "0134", "00", "0112", "34", "01223"])
    def test_parts_that_are_missing_or_doubled(self, predict, cut, order):
        folder = cut(5)
        journal = journal_of(folder)
        journal["parts"] = [journal["parts"][int(n)] for n in order]
        self.resume_damaged(predict, folder, journal)

    @pytest.mark.parametrize("kind", ["pipe", "folder", "dangling"])
    def test_a_journal_that_is_no_file(self, predict, cut, kind):
        path = cut(2) / "_wordodds.json"
        path.unlink()
        {
            "pipe": lambda: os.mkfifo(path),
            "folder": path.mkdir,
            "dangling": lambda: path.symlink_to("gone"),
        }[kind]()
        result = predict("in/*.jsonl", "--output", "out/", "--resume", *SMALL)
        assert (result.code, result.err.count("\n")) == (1, 1)
        assert "the journal is damaged (not a file): name another folder" in result.err


def test_bad_rows_of_finished_parts_count(predict, tmp_path, shards, small_blocks):
    lines = (tmp_path / "in" / "a.jsonl").read_text().splitlines()
    lines[3] = lines[25] = "no json"
    (tmp_path / "in" / "a.jsonl").write_text("\n".join([*lines, *["the end"] * 100]))
    command = ["in/*.jsonl", "--output", "out/", "--json", *SMALL, "--on-error"]
    first = predict(*command, "stop")
    assert (first.code, parts(tmp_path / "out")) == (1, {})
    whole = predict(*command, "skip")
    assert (whole.code, json.loads(whole.out)["skipped"]) == (3, 102)
    places = [f"in/a.jsonl, line {line}: not JSON" for line in (4, 26, 51, 52, 53)]
    assert [place in whole.err for place in places] == [True] * 5
    assert whole.err.endswith("; and 97 more\n")
    expected = contents(tmp_path / "out")
    journal = journal_of(tmp_path / "out")
    assert [part["skipped"] for part in journal["parts"]][:3] == [1, 1, 100]
    for n in range(len(journal["parts"])):
        for part in journal["parts"][n:]:
            (tmp_path / "out" / part["file"]).unlink()
        put_journal(tmp_path / "out", {**journal, "parts": journal["parts"][:n]})
        again = predict(*command, "skip", "--resume")
        assert (again.code, json.loads(again.out)["skipped"]) == (3, 102)
        assert (again.err, contents(tmp_path / "out")) == (whole.err, expected)
    refused = predict(*command, "stop", "--resume")
    assert "(on_error was 'skip', and is 'stop')" in refused.err


def test_a_run_that_stopped_at_a_bad_row_may_go_on_without_it(
    predict, tmp_path, shards, small_blocks
):
    path = tmp_path / "in" / "c.jsonl"
    path.write_text(path.read_text() + "no json\n")
    stopped = predict("in/*.jsonl", "--output", "out/", *SMALL)
    assert stopped.code == 1
    n_parts = len(parts(tmp_path / "out"))
    assert n_parts > 1
    command = ["in/*.jsonl", *SMALL, "--on-error", "skip", "--output"]
    assert predict(*command, "out/", "--resume").code == 3
    assert predict(*command, "whole/").code == 3
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")
    # All that was finished before the bad row was kept.
    assert n_parts == len(parts(tmp_path / "out")) - 1


class TestRefusals:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["--output", "new/"], "standard input cannot be resumed"),
            (["-", "--output", "new/", "--resume"], "standard input cannot be resumed"),
            (["in/a.jsonl", "--output", "x.jsonl", "--resume"], "--resume needs parts"),
            (["in/a.jsonl", "--resume"], "--resume needs parts: pass --output FOLDER/"),
            (["in/a.jsonl", "--part-size", "1MB"], "--part-size needs parts"),
            (["in/a.jsonl", "--output", "new/", "--part-size", "0"], "must be a size such as"),
            (["in/a.jsonl", "--output", "in"], "the results would lie beside in/a.jsonl"),
            (["in", "--output", "in/"], "the results would lie beside in"),
            (["in/a.jsonl", "./in/a.jsonl", "--output", "new/"],
             "the results of in/a.jsonl and ./in/a.jsonl would both be called a.part-00000.jsonl"),
            (["pipe", "--format", "lines", "--output", "new/"], "pipe cannot be resumed"),
        ],
    )  # fmt: skip
    def test_commands_that_make_no_sense(self, predict, tmp_path, shards, arguments, message):
        os.mkfifo(tmp_path / "pipe")
        before = sorted(tmp_path.rglob("*"))
        result = predict(*arguments, stdin=b"free money\n")
        assert (result.code, result.out) == (2, "")
        assert message in result.err
        assert sorted(tmp_path.rglob("*")) == before

    def test_a_folder_that_has_a_run(self, predict, tmp_path, shards):
        assert predict("in/a.jsonl", "--output", "out/").code == 0
        before = contents(tmp_path / "out")
        result = predict("in/c.jsonl", "--output", "out")
        assert (result.code, result.err) == (
            2, "wordodds: out has a run already: pass --resume or another folder\n",
        )  # fmt: skip
        (tmp_path / "out" / "_wordodds.json").unlink()
        result = predict("in/a.jsonl", "--output", "out", "--resume")
        assert (result.code, "a.part-00000.jsonl is there" in result.err) == (2, True)
        before.pop("_wordodds.json")
        assert contents(tmp_path / "out") == before

    @pytest.mark.parametrize("name", ["a.part-00003.jsonl", "c.part-100000.jsonl"])
    def test_a_folder_that_has_a_later_part(self, predict, tmp_path, shards, name):
        (tmp_path / "out").mkdir()
        for other in ("a.part-00000.csv", "x.part-00000.jsonl", "a.part-1.jsonl"):
            (tmp_path / "out" / other).write_text("not of these inputs")
        assert predict("in/*.jsonl", "--output", "out/").code == 0
        (tmp_path / "new").mkdir()
        (tmp_path / "new" / name).write_text("of another run")
        result = predict("in/*.jsonl", "--output", "new/")
        assert (result.code, f"new/{name} is there" in result.err) == (2, True)
        assert os.listdir(tmp_path / "new") == [name]

    def test_inputs_that_are_not_there(self, predict, tmp_path, shards):
        for name, message in (
            ("in/*.csv", "wordodds: in/*.csv: no file matches this pattern\n"),
            ("in/x.jsonl", "wordodds: in/x.jsonl: No such file or directory\n"),
        ):
            result = predict(name, "--output", "new/")
            assert (result.code, result.err) == (1, message)
        assert not (tmp_path / "new").exists()

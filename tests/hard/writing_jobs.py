"""Jobs that write files, each with what must be there when it is done and when it has failed."""

import io
import os
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from tests.hard.mail import make_mail, write_corpus

__all__ = ["Job", "jobs_in"]

TEXTS, LABELS = make_mail(1200)
OLD = b"an older file"
_JOURNAL = "_wordodds.json"


class Job(NamedTuple):
    """Something that writes into a folder."""

    name: str
    prepare: Callable[[Path], None]
    run: Callable[[Path], bool]  # True: done; False: failed as it should, with an OSError
    check_done: Callable[[Path], None]
    check_failed: Callable[[Path], None]
    n_bytes: int  # that it writes, roughly


def jobs_in(shared: Path) -> list[Job]:
    """Write inputs and a model into a folder; return all jobs, which read them."""
    from wordodds import TextClassifier

    classifier = TextClassifier("naive_bayes", n_jobs=1).fit(TEXTS, LABELS)
    classifier.save(shared / "m.wordodds")
    (shared / "in").mkdir()
    for part, name in enumerate(("a.jsonl", "b.csv", "c.parquet")):
        rows = slice(part * 400, part * 400 + 400)
        write_corpus(shared / "in" / name, TEXTS[rows], LABELS[rows])
    outputs = ("p.jsonl", "p.parquet", "p.csv.gz", "p.tsv.zst")
    return [
        _saving(shared, classifier),
        _training(shared, "naive_bayes", streamed=False),
        *(_training(shared, kind, streamed=True) for kind in ("naive_bayes", "logistic")),
        *(_predicting_to(shared, name) for name in outputs),
        *(_writing(shared, name) for name in outputs),
        _predicting_into(shared),
    ]


def _attempt(call: Callable[[], object]) -> bool:
    """Make a call of the library; return whether it worked, if not by an OSError with a name."""
    try:
        call()
    except OSError as error:
        caught = error
    else:
        return True
    assert str(caught.filename).startswith("/"), f"{caught!r} names {caught.filename}"
    return False


def _command(*arguments: object) -> bool:
    """Run the command line; return whether it worked, if not by one line and exit code 1."""
    from wordodds.cli import main

    errors = io.StringIO()
    with redirect_stdout(io.StringIO()), redirect_stderr(errors):
        code = main([str(argument) for argument in arguments])
    said = errors.getvalue()
    if code == 0:
        return True
    assert code == 1, f"exit code {code}: {said}"
    assert said.count("\n") == 1, said
    assert said.startswith("wordodds: /"), said  # the file or folder
    return False


def _contents(folder: Path) -> dict[str, bytes]:
    found = {}
    for path in folder.rglob("*"):
        if path.is_file():
            found[str(path.relative_to(folder))] = path.read_bytes()
    return found


def _one_file(name: str, run: Callable[[Path], bool], expected: bytes, n_bytes: int = 0) -> Job:
    """Return a job that replaces one file by known bytes."""
    target = name.split()[-1]

    def prepare(folder: Path) -> None:
        (folder / target).write_bytes(OLD)

    def check(content: bytes) -> Callable[[Path], None]:
        def checked(folder: Path) -> None:
            found = _contents(folder)
            assert sorted(found) == [target], sorted(found)
            assert found[target] == content, "neither the old file nor the new one"

        return checked

    return Job(name, prepare, run, check(expected), check(OLD), n_bytes or len(expected))


def _done_in(shared: Path, run: Callable[[Path], bool]) -> dict[str, bytes]:
    """Return what a job writes where nothing goes wrong."""
    folder = shared / "done"
    folder.mkdir()
    assert run(folder)
    found = _contents(folder)
    for name in found:
        (folder / name).unlink()
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir()
    folder.rmdir()
    return found


def _saving(shared: Path, classifier: Any) -> Job:
    def run(folder: Path) -> bool:
        return _attempt(lambda: classifier.save(folder / "m"))

    return _one_file("save m", run, _done_in(shared, run)["m"])


def _predicting_to(shared: Path, name: str) -> Job:
    def run(folder: Path) -> bool:
        return _command(
            "predict", shared / "in" / "a.jsonl", shared / "in" / "b.csv",
            "--model", shared / "m.wordodds", "--output", folder / name, "--proba-all",
            "--batch-size", 50,
        )  # fmt: skip

    return _one_file(f"predict {name}", run, _done_in(shared, run)[name])


def _writing(shared: Path, name: str) -> Job:
    def run(folder: Path) -> bool:
        from wordodds import load
        from wordodds.corpora import read, write

        def stream() -> None:
            batches = read(shared / "in" / "a.jsonl", batch_bytes=8000)
            write(
                load(shared / "m.wordodds").predict_stream(batches, proba_all=True), folder / name
            )

        return _attempt(stream)

    return _one_file(f"predict_stream {name}", run, _done_in(shared, run)[name])


def _training(shared: Path, kind: str, streamed: bool) -> Job:
    """Return a job whose file differs from run to run, as its hash table has a random key."""
    from wordodds import load

    def run(folder: Path) -> bool:
        from wordodds.classifier import stream
        from wordodds.text import spill

        stream.TERMS_SHARE, spill.TERMS_MIN = 0.0, 5000  # terms go to disk, as of a large corpus
        (folder / "scratch").mkdir(exist_ok=True)
        scratch = ["--memory", "8GB", "--scratch", folder / "scratch"] if streamed else []
        return _command(
            "train", shared / "in" / "*", "--output", folder / "m", "--model", kind,
            "--n-jobs", 1, *scratch,
        )  # fmt: skip

    def prepare(folder: Path) -> None:
        (folder / "m").write_bytes(OLD)

    def scores(model: Path) -> Any:
        return load(model, verify=True, mmap=False).decision_function(TEXTS)

    def check_done(folder: Path) -> None:
        assert sorted(_contents(folder)) == ["m"], sorted(_contents(folder))
        np.testing.assert_array_equal(scores(folder / "m"), expected)

    def check_failed(folder: Path) -> None:
        assert _contents(folder) == {"m": OLD}, sorted(_contents(folder))

    whole = _done_in(shared, run)["m"]
    (shared / "trained").write_bytes(whole)
    expected = scores(shared / "trained")
    os.unlink(shared / "trained")
    how = " --scratch" if streamed else ""
    n_bytes = len(whole) + streamed * 1_000_000
    return Job(f"train {kind}{how}", prepare, run, check_done, check_failed, n_bytes)


def _predicting_into(shared: Path) -> Job:
    def run(folder: Path) -> bool:
        return _command(
            "predict", shared / "in" / "*", "--model", shared / "m.wordodds",
            "--output", f"{folder}/out/", "--resume", "--proba-all", "--batch-size", 40,
            "--part-size", "12KB",
        )  # fmt: skip

    def check_done(folder: Path) -> None:
        assert _contents(folder) == expected, sorted(_contents(folder))

    def check_failed(folder: Path) -> None:
        found = _contents(folder)
        found.pop(f"out/{_JOURNAL}", None)  # names the parts that are finished
        assert found.items() <= expected.items(), sorted(found)

    expected = _done_in(shared, run)
    n_bytes = 4096 * len(expected) + sum(map(len, expected.values()))
    return Job("predict out/", lambda folder: None, run, check_done, check_failed, n_bytes)

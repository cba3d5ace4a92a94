"""Shard: kill -9 at random moments of saving, training, predicting into a folder, and writing.

After each kill the old file is there or the new one, whole; the next run of the same kind leaves
nothing beside its result; what is resumed has the bytes of an undisturbed run.
"""

import io
import multiprocessing
import os
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import numpy as np
from tests.hard.battery import Line, scaled
from tests.hard.killing import kill_after, run_whole, seconds_of
from tests.hard.mail import make_mail, write_corpus
from tests.hard.steps import kill_at_step, steps_of
from tests.hard.workers import failing_cases

__all__ = ["run"]

MOMENTS = ("before", "in", "after")
KILLS_PER_RUN = 3  # of a folder, before it is let run to its end

TEXTS, LABELS = make_mail(1500)


class Kills:
    """Kills jobs at moments spread over their duration, and counts where they hit."""

    def __init__(self, seconds: float) -> None:
        self._measured = seconds
        fork = multiprocessing.get_context("fork")
        self._seconds = fork.Value("d", seconds)
        self._counts = fork.Array("q", len(MOMENTS) + 1)

    def kill(
        self, chance: random.Random, folder: Path, job: Callable[[], object], rest: float = 1.0
    ) -> None:
        """Run a job that writes into a folder in a child, and kill it at a random moment.

        ``rest`` is the expected share of the job that is still to do.
        """
        # One in 22 before the job, one in 22 when it should have ended.
        moment = kill_after(chance.uniform(-0.05, 1.05) * rest * self._seconds.value, job)
        with self._counts.get_lock():
            # The duration changes with the load of the machine: about a fifth shall hit too late.
            self._seconds.value *= {"before": 1.0, "in": 1.03, "after": 0.9}[moment]
            self._counts[MOMENTS.index(moment)] += 1
            if folder.exists() and any(".wordodds-" in name for name in os.listdir(folder)):
                self._counts[-1] += 1

    @property
    def n(self) -> int:
        """The number of kills so far."""
        return sum(self._counts[:-1])

    @property
    def detail(self) -> str:
        """The counts as text."""
        hits = ", ".join(
            f"{n} {moment}" for n, moment in zip(self._counts[:-1], MOMENTS, strict=True)
        )
        left = f", {self._counts[-1]} with a temporary file left" if self._counts[-1] else ""
        return f"{hits} the job of {self._measured * 1e3:.0f} ms{left}"


def run(share: float) -> Iterator[Line]:
    """Kill processes 1,000 times at random, and once at every step of a save and of a run."""
    _import_all()
    yield from _saving(scaled(250, share))
    for streamed in (False, True):
        yield from _training(scaled(150, share), streamed)
    yield from _predicting(scaled(240, share))
    yield from _writing(scaled(210, share))
    yield from _every_step(share)


@contextmanager
def _folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="hard-killed-"))
    try:
        yield path
    finally:
        shutil.rmtree(path)


def _import_all() -> None:
    """Run each kind of job here, so that children spend their time on the job, not on imports."""
    quiet = io.StringIO()
    with _folder() as folder, redirect_stdout(quiet), redirect_stderr(quiet):
        _write_inputs(folder)
        _predict_into(folder, folder / "out")()
        for extra in ([], ["--memory", "4GB"]):
            _command("train", folder / "in" / "a.jsonl", "--output", folder / "n", *extra)()


def _command(*arguments: object) -> Callable[[], None]:
    """Return a job that runs the command line, and fails unless it returns 0."""
    from wordodds.cli import main

    def job() -> None:
        code = main([str(argument) for argument in arguments])
        assert code == 0, f"exit code {code}"

    return job


def _two_models() -> tuple[Any, Any]:
    from wordodds import TextClassifier

    first = TextClassifier("naive_bayes", n_jobs=1).fit(TEXTS, LABELS)
    second = TextClassifier("logistic", n_jobs=1, ngram_range=(1, 2)).fit(TEXTS, LABELS)
    return first, second


def _bytes_of(model: Any) -> bytes:
    with _folder() as folder:
        model.save(folder / "m")
        return (folder / "m").read_bytes()


def _saving(n: int) -> Iterator[Line]:
    models = _two_models()
    contents = [_bytes_of(model) for model in models]

    def case(number: int) -> None:
        chance = random.Random(number)
        old = number % 2
        with _folder() as folder:
            path = folder / "m.wordodds"
            path.write_bytes(contents[old])
            kills.kill(chance, folder, lambda: models[1 - old].save(path))
            assert path.read_bytes() in contents, "neither the old model nor the new one"
            models[old].save(path)
            assert path.read_bytes() == contents[old]
            assert os.listdir(folder) == [path.name], os.listdir(folder)

    with _folder() as folder:
        path = folder / "m.wordodds"
        path.write_bytes(contents[0])
        kills = Kills(seconds_of(lambda: models[1].save(path), lambda: None))
    yield Line(
        "kill -9 while a model is saved over another", n, failing_cases(case, n), kills.detail
    )


def _training(n: int, streamed: bool) -> Iterator[Line]:
    from wordodds import load

    kinds = ("naive_bayes", "nb_logistic", "logistic")
    with _folder() as shared:
        data = write_corpus(shared / "mail.jsonl", TEXTS, LABELS)

        def job_of(kind: str, folder: Path) -> Callable[[], None]:
            # Words alone, which are few enough for the little room that _spilling leaves.
            streaming = ["--memory", "4GB", "--scratch", folder / "scratch", "--no-characters"]
            scratch = streaming if streamed else []
            train = _command(
                "train", data, "--output", folder / "m.wordodds", "--model", kind, "--n-jobs", 1,
                *scratch,
            )  # fmt: skip
            return _spilling(train) if streamed else train

        def prepare(folder: Path) -> None:
            (folder / "scratch").mkdir(exist_ok=True)
            (folder / "m.wordodds").write_bytes(b"old")

        expected, seconds = {}, {}
        for kind in kinds:
            with _folder() as folder:
                prepare(folder)
                job = job_of(kind, folder)
                seconds[kind] = seconds_of(job, lambda: None)
                expected[kind] = load(folder / "m.wordodds", mmap=False).decision_function(TEXTS)
        kills = {kind: Kills(seconds[kind]) for kind in kinds}

        def check(kind: str, folder: Path) -> None:
            model = load(folder / "m.wordodds", verify=True, mmap=False)
            np.testing.assert_array_equal(model.decision_function(TEXTS), expected[kind])

        def case(number: int) -> None:
            kind = kinds[number % len(kinds)]
            with _folder() as folder:
                prepare(folder)
                kills[kind].kill(random.Random(number), folder, job_of(kind, folder))
                assert os.listdir(folder / "scratch") == []
                if (folder / "m.wordodds").read_bytes() != b"old":
                    check(kind, folder)
                run_whole(job_of(kind, folder))
                check(kind, folder)
                assert sorted(os.listdir(folder)) == ["m.wordodds", "scratch"], os.listdir(folder)
                assert os.listdir(folder / "scratch") == []

        failures = failing_cases(case, n)
    how = "with --memory and --scratch" if streamed else "in memory"
    detail = "; ".join(f"{kind}: {kills[kind].detail}" for kind in kinds)
    yield Line(f"kill -9 while the command line trains {how}", n, failures, detail)


def _spilling(job: Callable[[], None]) -> Callable[[], None]:
    """Return a job in which terms go to disk too, as those of a large corpus do."""

    def spilling() -> None:
        from wordodds.classifier import stream
        from wordodds.text import spill

        stream.TERMS_SHARE, spill.TERMS_MIN = 0.0, 5000
        job()

    return spilling


def _write_inputs(folder: Path) -> Path:
    """Write a model and three inputs; return a pattern for the inputs."""
    _two_models()[0].save(folder / "m.wordodds")
    (folder / "in").mkdir()
    for part, name in enumerate(("a.jsonl", "b.csv", "c.parquet")):
        rows = slice(part * 500, part * 500 + 500)
        write_corpus(folder / "in" / name, TEXTS[rows], LABELS[rows])
    return folder / "in" / "*"


def _predict_into(shared: Path, folder: Path) -> Callable[[], None]:
    return _command(
        "predict", shared / "in" / "*", "--model", shared / "m.wordodds", "--output", f"{folder}/",
        "--resume", "--proba", "--batch-size", 40, "--part-size", "12KB",
    )  # fmt: skip


def _contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def _predicting(n: int) -> Iterator[Line]:
    with _folder() as shared:
        _write_inputs(shared)
        with _folder() as folder:
            seconds = seconds_of(
                _predict_into(shared, folder / "out"),
                lambda: shutil.rmtree(folder / "out", ignore_errors=True),
            )
            expected = _contents(folder / "out")
        kills = Kills(seconds)

        def case(number: int) -> None:
            chance = random.Random(number)
            with _folder() as folder:
                job = _predict_into(shared, folder / "out")
                for n_before in range(KILLS_PER_RUN):
                    kills.kill(chance, folder / "out", job, rest=0.6**n_before)
                run_whole(job)
                found = _contents(folder / "out")
                assert sorted(found) == sorted(expected), sorted(found)
                assert found == expected, [name for name in found if found[name] != expected[name]]

        n_cases = -(-n // KILLS_PER_RUN)
        failures = failing_cases(case, n_cases)
    detail = f"{kills.detail}; {len(expected)} files"
    yield Line("kill -9 while predicting into a folder, then --resume", kills.n, failures, detail)


def _writing(n: int) -> Iterator[Line]:
    names = ("p.parquet", "p.jsonl", "p.csv", "p.jsonl.gz", "p.tsv.zst")
    with _folder() as shared:
        _write_inputs(shared)

        def job_of(target: Path) -> Callable[[], None]:
            from wordodds import load
            from wordodds.corpora import read, write

            def job() -> None:
                model = load(shared / "m.wordodds")
                batches = read(shared / "in" / "a.jsonl", batch_bytes=8000)
                write(model.predict_stream(batches, proba_all=True), target)

            return job

        expected, kills = {}, {}
        for name in names:
            with _folder() as folder:
                kills[name] = Kills(seconds_of(job_of(folder / name), lambda: None))
                expected[name] = (folder / name).read_bytes()

        def case(number: int) -> None:
            name = names[number % len(names)]
            with _folder() as folder:
                target = folder / name
                old = number % 3 == 0
                if old:
                    target.write_bytes(b"old")
                kills[name].kill(random.Random(number), folder, job_of(target))
                found = target.read_bytes() if target.exists() else None
                assert found in (b"old" if old else None, expected[name]), "half a file"
                job_of(target)()
                assert _contents(folder) == {name: expected[name]}, os.listdir(folder)

        failures = failing_cases(case, n)
    detail = "; ".join(f"{name}: {kills[name].detail}" for name in names)
    yield Line("kill -9 while a stream of predictions is written", n, failures, detail)


def _every_step(share: float) -> Iterator[Line]:
    """Kill before and after each system call of a save, and of a run into a folder."""
    models = _two_models()
    contents = [_bytes_of(model) for model in models]
    with _folder() as shared:
        _write_inputs(shared)
        with _folder() as folder:
            run_whole(_predict_into(shared, folder / "out"))
            expected = _contents(folder / "out")

        def save_case(number: int) -> None:
            with _folder() as folder:
                path = folder / "m.wordodds"
                path.write_bytes(contents[0])
                kill_at_step(number, lambda: models[1].save(path))
                assert path.read_bytes() in contents, "neither the old model nor the new one"
                models[0].save(path)
                assert _contents(folder) == {path.name: contents[0]}, os.listdir(folder)

        def predict_case(number: int) -> None:
            with _folder() as folder:
                job = _predict_into(shared, folder / "out")
                kill_at_step(number, job)
                run_whole(job)
                assert _contents(folder / "out") == expected, os.listdir(folder / "out")

        def line(what: str, case: Callable[[int], None], job: Callable[[], object]) -> Line:
            every = max(1, round(1 / share))  # a part of the steps where a part is asked for
            n = -(-2 * steps_of(job) // every)
            failures = failing_cases(lambda number: case(number * every), n)
            return Line(f"kill -9 before and after each system call of {what}", n, failures)

        with _folder() as folder:
            yield line("saving", save_case, lambda: models[1].save(folder / "m.wordodds"))
            into = _predict_into(shared, folder / "out")
            yield line("predicting into a folder", predict_case, into)

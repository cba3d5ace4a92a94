"""Shard: forks while threads score, many threads on one model, and calls that must not leak."""

import ctypes
import gc
import multiprocessing
import os
import pickle
import random
import shutil
import signal
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from tests.hard.battery import Line, scaled
from tests.hard.mail import make_mail
from tests.hard.public_calls import READING, missing_calls, public_calls
from tests.hard.workers import failing_cases

__all__ = ["run"]

THREADS = 32
SCORING_THREADS = 4  # of the process that forks
CALLS_PER_CHILD = 8
CHILD_SECONDS_MAX = 60
WARM_UP_ROUNDS, ROUNDS = 50, 200
SPANS = 4  # caches fill at first; a leak adds as much in every span of rounds
# What 150 rounds may add: a leak of one small array in each round is above both.
MALLOC_SLACK, BLOCKS_SLACK, RSS_SLACK = 32_000, 140, 1_000_000


def run(share: float) -> Iterator[Line]:
    """Fork, share, start and repeat."""
    warnings.simplefilter("ignore")  # fits of few rows that do not converge
    with _folder() as folder:
        calls = public_calls(folder)
        missing = [f"{name} is public and not called" for name in missing_calls(calls)]
        yield Line("public names without a call in this battery", len(calls), missing)
        yield _forks(_reading(calls), scaled(1000, share))
        yield _many_threads(_reading(calls), scaled(10, share))
        yield _first_calls(scaled(200, share))
        yield from _started(scaled(100, share))
        yield _flat(calls, share)


@contextmanager
def _folder() -> Iterator[Path]:
    path = Path(tempfile.mkdtemp(prefix="hard-processes-"))
    try:
        yield path
    finally:
        shutil.rmtree(path)


def _reading(calls: dict[str, Callable[[], Any]]) -> dict[str, Callable[[], Any]]:
    """Return the calls that leave their object as it is."""
    return {name: call for name, call in calls.items() if name.rpartition(".")[2] in READING}


def _fingerprint(value: Any) -> Any:
    """Return a value that is equal for equal bits, and for nothing else."""
    if isinstance(value, np.ndarray):
        content = value.tolist() if value.dtype == object else value.tobytes()
        return value.dtype.str, value.shape, content
    if hasattr(value, "indptr"):
        return [_fingerprint(part) for part in (value.data, value.indices, value.indptr)]
    if isinstance(value, list | tuple):
        return [_fingerprint(part) for part in value]
    if isinstance(value, dict):
        return [(key, _fingerprint(part)) for key, part in value.items()]
    if hasattr(value, "to_pylist"):
        return repr(value.to_pylist())
    return repr(value)


def _in_child(job: Callable[[], list[str]]) -> list[str]:
    """Return the failures that a job finds in a child, or that the child did not end well."""
    receiver, sender = multiprocessing.Pipe(duplex=False)

    def work() -> None:
        sender.send(job())

    child = multiprocessing.get_context("fork").Process(target=work)
    child.start()
    sender.close()
    try:
        failures: list[str] = receiver.recv()
    except EOFError:
        failures = []
    child.join()
    return failures if child.exitcode == 0 else [*failures, f"exit code {child.exitcode}"]


def _forks(calls: dict[str, Callable[[], Any]], n: int) -> Line:
    """Fork while threads score; each child makes some of the same calls."""
    names = sorted(calls)
    expected = {name: _fingerprint(call()) for name, call in calls.items()}
    n_scored = multiprocessing.get_context("fork").Array("q", SCORING_THREADS)

    def host() -> list[str]:
        ended = threading.Event()

        def score(thread: int) -> None:
            chance = random.Random(thread)
            while not ended.is_set():
                calls[chance.choice(names)]()
                n_scored[thread] += 1

        threads = [threading.Thread(target=score, args=(i,)) for i in range(SCORING_THREADS)]
        for thread in threads:
            thread.start()
        failures = []
        for number in range(n):
            chosen = random.Random(number).sample(names, CALLS_PER_CHILD)
            child = os.fork()
            if child == 0:
                _child(chosen, calls, expected)
            code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            if code != 0:
                why = f"call {chosen[code - 1]} differs" if code > 0 else signal.Signals(-code).name
                failures.append(f"fork {number}: {why}; calls: {', '.join(chosen)}")
        ended.set()
        for thread in threads:
            thread.join()
        return failures

    failures = _in_child(host)
    detail = f"{SCORING_THREADS} threads made {sum(n_scored):,} calls meanwhile"
    return Line(f"forks while threads score, {CALLS_PER_CHILD} calls in each", n, failures, detail)


def _child(
    chosen: list[str], calls: dict[str, Callable[[], Any]], expected: dict[str, Any]
) -> None:
    """Make calls and leave with the number of the first that is not as expected; 0 for none."""
    signal.alarm(CHILD_SECONDS_MAX)  # ends a child that hangs
    for place, name in enumerate(chosen):
        try:
            same = _fingerprint(calls[name]()) == expected[name]
        except BaseException:
            same = False
        if not same:
            os._exit(place + 1)
    os._exit(0)


def _together(n_threads: int, work: Callable[[int], None]) -> list[str]:
    """Run threads that begin at the same time; return what they raised."""
    failures: list[str] = []
    barrier = threading.Barrier(n_threads)

    def begin(thread: int) -> None:
        barrier.wait()
        try:
            work(thread)
        except BaseException as error:
            failures.append(f"thread {thread}: {error!r}"[:300])

    threads = [threading.Thread(target=begin, args=(i,)) for i in range(n_threads)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return failures


def _many_threads(calls: dict[str, Callable[[], Any]], n_rounds: int) -> Line:
    expected = {name: _fingerprint(call()) for name, call in calls.items()}

    def shared() -> list[str]:
        def work(thread: int) -> None:
            for number in range(n_rounds):
                names = sorted(calls)
                random.Random(thread * 1000 + number).shuffle(names)
                for name in names:
                    assert _fingerprint(calls[name]()) == expected[name], f"{name} differs"

        return _together(THREADS, work)

    failures = _in_child(shared)
    n = THREADS * n_rounds * len(calls)
    return Line(f"calls by {THREADS} threads on one object", n, failures, f"{n_rounds} rounds each")


def _first_calls(n: int) -> Line:
    """Let threads make the first call of a new object, which computes what it has put off."""
    from wordodds import CountVectorizer, LinearModel, MultinomialNB, TextClassifier, load

    texts, labels = make_mail(60)
    X = CountVectorizer().fit_transform(texts)

    def objects(folder: Path) -> list[Callable[[], Any]]:
        path = folder / "m.wordodds"
        if not path.exists():
            TextClassifier("logistic").fit(texts, labels).save(path)
        model: LinearModel = load(path)
        bayes = MultinomialNB(n_jobs=2).partial_fit(X, labels, classes=sorted(set(labels)))
        words = CountVectorizer().partial_fit(texts)
        return [
            lambda: model.predict_proba(texts),
            lambda: str(model.explain(texts[0])),
            lambda: bayes.predict_proba(X),
            lambda: words.transform(texts),
        ]

    def rounds() -> list[str]:
        failures = []
        with _folder() as folder:
            expected = [_fingerprint(call()) for call in objects(folder)]
            for _ in range(n):
                calls = objects(folder)

                def work(thread: int, calls: list[Callable[[], Any]] = calls) -> None:
                    place = thread % len(calls)
                    assert _fingerprint(calls[place]()) == expected[place], f"call {place}"

                failures += _together(THREADS, work)
        return failures

    name = f"first calls of {THREADS} threads on new objects"
    return Line(name, n * THREADS, _in_child(rounds), f"{n} rounds")


def _predict_pickled(content: bytes, texts: list[str]) -> Any:
    return _fingerprint(pickle.loads(content).predict_proba(texts))


def _predict_loaded(path: str, texts: list[str]) -> Any:
    from wordodds import load

    return _fingerprint(load(path).predict_proba(texts))


def _started(n: int) -> Iterator[Line]:
    """Predict in processes that are started, not forked."""
    from joblib import Parallel, delayed

    from wordodds import TextClassifier

    texts, labels = make_mail(60)
    classifier = TextClassifier("logistic", n_jobs=2).fit(texts, labels)
    expected = _fingerprint(classifier.predict_proba(texts))
    with _folder() as folder:
        path = str(folder / "m.wordodds")
        classifier.save(path)
        content = pickle.dumps(classifier), pickle.dumps(classifier.linear_model_)
        jobs = [
            (_predict_loaded, path) if number % 3 == 2 else (_predict_pickled, content[number % 3])
            for number in range(n)
        ]

        def line(name: str, answers: list[Any]) -> Line:
            failures = [f"job {i} differs" for i, one in enumerate(answers) if one != expected]
            return Line(f"predictions in processes by {name}", n, failures)

        for method in ("spawn", "forkserver"):
            with multiprocessing.get_context(method).Pool(2) as pool:
                results = [pool.apply_async(job, (given, texts)) for job, given in jobs]
                yield line(method, [result.get(timeout=300) for result in results])
        tasks = [delayed(job)(given, texts) for job, given in jobs]
        yield line("loky", Parallel(n_jobs=2, backend="loky", timeout=300)(tasks))


class _Mallinfo(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_size_t)
        for name in (
            "arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks",
            "fordblks", "keepcost",
        )
    ]  # fmt: skip


def _held() -> dict[str, int]:
    """Return what this process holds, after all that can go is gone."""
    libc = ctypes.CDLL(None)
    libc.mallinfo2.restype = _Mallinfo
    gc.collect()
    libc.malloc_trim(0)
    info = libc.mallinfo2()
    resident = int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")
    return {
        "bytes of malloc": info.uordblks + info.hblkhd,
        "Python objects": sys.getallocatedblocks(),
        "resident bytes": resident,
        "descriptors": len(os.listdir("/proc/self/fd")),
        "threads of Python": threading.active_count(),
        "threads": len(os.listdir("/proc/self/task")),
    }


_SLACK = {
    "bytes of malloc": MALLOC_SLACK,
    "Python objects": BLOCKS_SLACK,
    "resident bytes": RSS_SLACK,
    "descriptors": 0,
    "threads of Python": 0,
    "threads": 0,
}


def _flat(calls: dict[str, Callable[[], Any]], share: float) -> Line:
    """Repeat each call, and compare what the process holds after some rounds and after all."""
    every = max(1, round(1 / share))  # a part of the calls, each with all rounds
    names = sorted(calls)[::every]
    grown = multiprocessing.get_context("fork").Array("q", len(names))

    def case(number: int) -> None:
        call = calls[names[number]]
        for _ in range(WARM_UP_ROUNDS):
            call()
        for _ in range(SPANS):
            before = _held()
            for _ in range(ROUNDS - WARM_UP_ROUNDS):
                call()
            after = _held()
            more = {what: after[what] - before[what] for what in before}
            grown[number] = more["resident bytes"]
            too_much = {what: n for what, n in more.items() if n > _SLACK[what]}
            if not too_much:
                return
        rounds = ROUNDS - WARM_UP_ROUNDS
        raise AssertionError(f"{names[number]}: {rounds} rounds always added {too_much}")

    failures = failing_cases(case, len(names), seconds_max=120.0)
    detail = f"{len(names)} calls, {ROUNDS} rounds each; resident memory grew by at most "
    detail += f"{max(grown) / 1e3:,.0f} kB (slack {RSS_SLACK / 1e3:,.0f} kB)"
    return Line("rounds of every public call", ROUNDS * len(names), failures, detail)

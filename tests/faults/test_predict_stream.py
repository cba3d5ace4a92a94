"""A long prediction that is killed, interrupted or runs out of disk can be finished later."""

import json
import os
import resource
import signal
import subprocess
import sys
import threading
import time

import pytest

from wordodds import TextClassifier
from wordodds.cli import main

N_ROWS = 400
COMMAND = ("--batch-size", "10", "--part-size", "600", "--keep", "id", "--proba")

# Imports take longer than the jobs: each child is forked from one process that has them. A hook
# ends it, or waits to be ended, when so many parts are finished.
PROGRAM = """
import os, signal, sys, time
from wordodds.cli import journal, main
import pyarrow.parquet

real = journal.Journal.add
def add(self, part):
    n = len(self.parts)
    if where == "before" and n == wanted:
        os.kill(os.getpid(), signal.SIGKILL)
    real(self, part)
    if where == "after" and n == wanted:
        os.kill(os.getpid(), signal.SIGKILL)
journal.Journal.add = add

for line in sys.stdin:
    where, wanted, *arguments = line.split()
    wanted = int(wanted)
    child = os.fork()
    if not child:
        os._exit(main(arguments))
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with a model and two files."""
    folder = tmp_path_factory.mktemp("stream")
    texts = [f"{'free money' if n % 3 else 'lunch with you'} number {n}" for n in range(N_ROWS)]
    labels = ["spam" if n % 3 else "ham" for n in range(N_ROWS)]
    TextClassifier("naive_bayes").fit(texts, labels).save(folder / "m.wordodds")
    (folder / "in").mkdir()
    for name, rows in (("a", range(250)), ("b", range(250, N_ROWS))):
        lines = [json.dumps({"id": n, "text": texts[n]}) + "\n" for n in rows]
        (folder / "in" / f"{name}.jsonl").write_text("".join(lines))
    return folder


def arguments(folder, output, *more):
    command = ["predict", f"{folder}/in/*.jsonl", "--model", f"{folder}/m.wordodds", *COMMAND]
    return [*command, "--output", f"{folder}/{output}/", *more]


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.fixture(scope="module", params=["jsonl", "parquet"])
def whole(request, folder):
    """Return the format, and what a run that nothing happened to has written."""
    name = f"whole-{request.param}"
    assert main(arguments(folder, name, "--output-format", request.param)) == 0
    files = contents(folder / name)
    assert len(files) > 12
    return request.param, files


def test_killed_and_resumed(folder, whole):
    format, expected = whole
    n_parts = len(expected) - 1
    moments = (0, 1, 5, n_parts - 1) if format == "jsonl" else (0, 5)
    runs = [(when, n) for n in moments for when in ("before", "after")]
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as parent:

        def run(name, when, n, *more):
            command = arguments(folder, name, "--output-format", format)
            parent.stdin.write(" ".join([when, str(n), *command, *more]) + "\n")
            parent.stdin.flush()
            return int(parent.stdout.readline())

        for when, n in runs:
            killed = folder / f"killed-{format}-{when}-{n}"
            assert run(killed.name, when, n) == -signal.SIGKILL
            names = set(os.listdir(killed))
            assert names <= set(expected)  # no litter
            # The journal knows the finished parts, but perhaps the last.
            assert len(names - {"_wordodds.json"}) == n + 1
            if n == 5:  # killed once more
                assert run(killed.name, "after", 7, "--resume") == -signal.SIGKILL
            assert main(arguments(folder, killed.name, "--output-format", format, "--resume")) == 0
            assert contents(killed) == expected
        parent.stdin.close()


def test_a_full_disk(folder, whole, capsys):
    format, expected = whole
    largest = max(len(data) for name, data in expected.items() if name != "_wordodds.json")
    command = arguments(folder, f"full-{format}", "--output-format", format)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        # The journal grows until it does not fit any more.
        resource.setrlimit(resource.RLIMIT_FSIZE, (max(largest, 2500), limits[1]))
        code = main(command)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    error = capsys.readouterr().err
    assert (code, error.count("\n")) == (1, 1)
    assert "File too large" in error
    full = folder / f"full-{format}"
    journal = json.loads((full / "_wordodds.json").read_text())
    assert 0 < len(journal["parts"]) < len(expected) - 1
    for part in journal["parts"]:
        assert (full / part["file"]).read_bytes() == expected[part["file"]]
    assert main([*command, "--resume", "--json"]) == 0
    assert contents(full) == expected
    assert json.loads(capsys.readouterr().out)["documents"] == N_ROWS


def test_a_part_that_does_not_fit(folder, capsys):
    command = arguments(folder, "large", "--output-format", "jsonl", "--part-size", "1GB")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, limits[1]))
        assert main(command) == 1
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert "a.part-00000.jsonl: File too large" in capsys.readouterr().err
    assert os.listdir(folder / "large") == ["_wordodds.json"]
    assert not [thread for thread in threading.enumerate() if thread.name == "wordodds"]


# Each job would run for ever. It says "ready" when it is well inside.
INTERRUPTED = """
import sys, threading, time
import pyarrow
from wordodds import load
from wordodds.cli import main
from wordodds.corpora import in_background, prefetched, write

model = load(sys.argv[1])

def said(items):
    for n, item in enumerate(items):
        if n == 20:
            print("ready", flush=True)
        yield item

def texts():
    while True:
        yield ["free money"] * 10_000

def slow_reading():
    yield from [["free money"]] * 20
    print("ready", flush=True)
    while True:
        time.sleep(0.01)
        yield ["free money"]

jobs = [
    lambda: [None for _ in said(model.predict_stream(texts()))],
    lambda: [None for _ in model.predict_stream(slow_reading())],
    lambda: write(said(model.predict_stream(texts())), sys.argv[2]),
    lambda: in_background(lambda items: [time.sleep(0.01) for _ in items], said(texts()), len, 9),
]
for job in jobs:
    try:
        job()
    except KeyboardInterrupt:
        pass
    while any(thread.name == "wordodds" for thread in threading.enumerate()):
        time.sleep(0.001)
    print("went on", flush=True)
"""


def test_ctrl_c(folder, tmp_path):
    program = [sys.executable, "-c", INTERRUPTED, folder / "m.wordodds", tmp_path / "out.parquet"]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as child:
        guard = threading.Timer(60, child.kill)  # a hang guard, not a speed limit
        guard.start()
        for _ in range(4):
            assert child.stdout.readline() == "ready\n"
            time.sleep(0.05)
            child.send_signal(signal.SIGINT)
            assert child.stdout.readline() == "went on\n"
        assert child.wait() == 0
        guard.cancel()
    assert os.listdir(tmp_path) == []


def test_ctrl_c_on_the_command_line(folder, tmp_path):
    """What is finished stays, and the rest is done later."""
    lines = (folder / "in" / "a.jsonl").read_text()
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "large.jsonl").write_text(lines * 2000)
    command = [
        "predict", f"{tmp_path}/in/*.jsonl", "--model", f"{folder}/m.wordodds", "--output",
        f"{tmp_path}/out/", "--part-size", "1MB",
    ]  # fmt: skip
    with subprocess.Popen(
        [sys.executable, "-m", "wordodds", *command], stderr=subprocess.PIPE, text=True
    ) as child:
        while not (tmp_path / "out" / "_wordodds.json").exists():
            assert child.poll() is None
            time.sleep(0.001)
        child.send_signal(signal.SIGINT)
        assert child.stderr.read() == "wordodds: interrupted\n"
        assert child.wait() == 130
    n_finished = len(os.listdir(tmp_path / "out"))
    assert main([*command, "--resume"]) == 0
    assert n_finished < len(os.listdir(tmp_path / "out"))
    rows = sum(path.read_text().count("\n") for path in (tmp_path / "out").glob("*.part-*.jsonl"))
    assert rows == 250 * 2000

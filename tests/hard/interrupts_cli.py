"""Ctrl-C at random moments of commands: one line and exit code 130, and no half-written file.

The signal is sent once the entry point runs: before that, while Python itself starts and imports
the package, there is no code of ours that could handle it.
"""

import functools
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.hard.battery import Line, scaled
from tests.hard.workers import failing_cases

from wordodds import load

__all__ = ["command_line_lines"]

FULL_COUNT = 300
_N_DOCUMENTS = 20_000
# What the script that pip installs does, with a mark for us when the handler is there.
_ENTRY = """
import os, wordodds.__main__ as entry
class Marked(entry.Interrupts):
    def __init__(self):
        super().__init__()
        os.write({fd}, b".")
entry.Interrupts = Marked
entry.run()
"""
_PARTS = "--part-size 200KB --batch-size 1000"
_COMMANDS = {
    "train": "train {data}.jsonl --output {out}/model.wordodds",
    "train --memory": "train {data}.jsonl --output {out}/model.wordodds "
    "--memory 2GB --n-hashed 4096",
    "predict": "predict {data}.jsonl --model {model} --output {out}/labels.csv --proba",
    "predict to stdout": "predict {data}.jsonl --model {model}",
    "predict to a folder": "predict {data}.jsonl --model {model} --output {out}/ {parts}",
    "evaluate": "evaluate {data}.jsonl --model {model}",
    "inspect": "inspect {model} --top 3",
    "explain": "explain free --model {model}",
    "--help": "--help",
}


def command_line_lines(share: float) -> Iterator[Line]:
    """Yield one line: commands that were interrupted at random moments."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        _write_mail(root / "mail.jsonl")
        _finished(root, "train")  # whose model the others need
        n = scaled(FULL_COUNT, share)
        failures = failing_cases(functools.partial(_interrupt, root), n)
        yield Line(f"Ctrl-C in {len(_COMMANDS)} commands, after their start", n, failures)


def _write_mail(path: Path) -> None:
    chance = random.Random(0)
    words = [f"w{k}" for k in range(2000)]
    with path.open("w") as file:
        for row in range(_N_DOCUMENTS):
            text = " ".join(chance.choices(words, k=20))
            file.write(f'{{"text": "{text} {row % 3}", "label": "{row % 3}"}}\n')


class _Run:
    """One run of a command, with a folder for its output and one for its temporary files."""

    def __init__(self, root: Path, name: str) -> None:
        self.out = Path(tempfile.mkdtemp(dir=root))
        self.scratch = Path(tempfile.mkdtemp(dir=root))
        model = root / "model.wordodds"
        command = _COMMANDS[name].format(
            parts=_PARTS, data=root / "mail", out=self.out, model=model
        )
        mark, their_mark = os.pipe()
        self.process = subprocess.Popen(
            [sys.executable, "-c", _ENTRY.format(fd=their_mark), *command.split()],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=[their_mark],
            env={**os.environ, "TMPDIR": str(self.scratch)},
        )
        os.close(their_mark)
        os.read(mark, 1)
        os.close(mark)
        self.began = time.perf_counter()

    def end(self) -> tuple[int, str]:
        """Return exit code and standard error."""
        error = self.process.communicate()[1].decode()
        return self.process.returncode, error

    def files(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.out.iterdir()}


@functools.cache
def _finished(root: Path, name: str) -> tuple[float, dict[str, bytes]]:
    """Return the seconds and the files of an undisturbed run."""
    run = _Run(root, name)
    code, error = run.end()
    seconds = time.perf_counter() - run.began
    assert code == 0, error
    files = run.files()
    if name == "train":
        (root / "model.wordodds").write_bytes(files["model.wordodds"])
    return seconds, files


def _interrupt(root: Path, number: int) -> None:
    chance = random.Random(number)
    name = list(_COMMANDS)[number % len(_COMMANDS)]
    seconds, expected = _finished(root, name)
    # Half of them early, while modules are imported.
    delay = chance.uniform(0.0, min(seconds, 0.3) if number % 2 else 1.05 * seconds)
    run = _Run(root, name)
    time.sleep(delay)
    run.process.send_signal(signal.SIGINT)
    code, error = run.end()
    told = f"{name}, {delay:.4f} of {seconds:.2f} s: exit code {code}, {error!r}"
    if code == 130:
        assert error == "wordodds: interrupted\n", told
    else:
        done = error.startswith("wordodds: ") and error.count("\n") == 1 and "part" in error
        assert code == 0, told
        assert error == "" or (name == "predict to a folder" and done), told
        assert run.files().keys() == expected.keys(), told
    assert not list(run.scratch.iterdir()), f"{told}: left {list(run.scratch.iterdir())}"
    for file in run.files():
        assert file in expected, f"{told}: left {file}"
        assert _is_whole(run.out / file, expected[file], root), f"{told}: {file} is not whole"


def _is_whole(path: Path, expected: bytes, root: Path) -> bool:
    if path.name == "_wordodds.json":  # grows with the parts, and names the model of its run
        return bool(json.loads(path.read_bytes())["parts"]) or len(list(path.parent.iterdir())) == 1
    if path.suffix != ".wordodds":
        return path.read_bytes() == expected
    # The key of the vocabulary's hash table is another one in each run.
    complete = root / f"{len(expected)}-{os.getpid()}.wordodds"
    complete.write_bytes(expected)
    ours, theirs = (load(file).predict_proba(["w1 w2 w3", "0"]) for file in (path, complete))
    return bool((ours == theirs).all())

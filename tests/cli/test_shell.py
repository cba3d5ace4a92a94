"""The command line in a shell: pipes, signals, and what is imported."""

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
import time

import pytest

WORDODDS = [sys.executable, "-m", "wordodds"]


def test_train_and_predict_in_a_shell(tmp_path, files, mail, model):
    command = (
        f"{sys.executable} -m wordodds train - --format jsonl --output m.wordodds < mail.jsonl "
        f"&& cut -c 1-1000 mail.txt | gzip | {sys.executable} -m wordodds predict "
        "--model m.wordodds > labels.txt"
    )
    for name in ("mail.jsonl", "mail.txt"):
        (tmp_path / name).write_bytes((files / name).read_bytes())
    result = subprocess.run(command, shell=True, cwd=tmp_path, capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")
    assert "saved      m.wordodds" in result.stdout
    assert (tmp_path / "labels.txt").read_text().splitlines() == model.predict(mail[0]).tolist()


def test_predict_imports_nothing_heavy(files, tmp_path):
    program = (
        "import sys; from wordodds.cli import main; code = main(sys.argv[1:]); "
        "heavy = {'sklearn', 'numba', 'pandas', 'pyarrow', 'scipy', 'joblib', 'rich', 'matplotlib'}"
        "; assert not heavy & set(sys.modules), heavy & set(sys.modules); sys.exit(code)"
    )
    arguments = ["predict", files / "mail.jsonl", "--model", files / "mail.wordodds"]
    result = subprocess.run(
        [sys.executable, "-c", program, *arguments, "--output", tmp_path / "out.csv", "--proba"],
        capture_output=True,
        text=True,
    )
    assert (result.returncode, result.stderr) == (0, "")


@pytest.fixture
def running(files):
    """Start a prediction whose input stays open; end it whatever happens."""
    children = []

    def start(*arguments, **streams):
        child = subprocess.Popen(
            [*WORDODDS, "predict", "--model", files / "mail.wordodds", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=streams.pop("stderr", subprocess.PIPE),
            **streams,
        )
        children.append(child)
        return child

    yield start
    for child in children:
        child.kill()
        child.wait()
        for stream in (child.stdin, child.stdout, child.stderr):
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()


def test_labels_appear_while_the_input_is_open_and_ctrl_c_ends(running, tmp_path):
    child = running()
    child.stdin.write(b"free money\nlun")
    child.stdin.flush()
    assert child.stdout.readline() == b"spam\n"
    child.stdin.write(b"ch\n")
    child.stdin.flush()
    assert child.stdout.readline() == b"ham\n"
    child.send_signal(signal.SIGINT)
    assert child.wait() == 130
    assert child.stderr.read() == b"wordodds: interrupted\n"


def test_ctrl_c_leaves_no_file(running, tmp_path):
    child = running("--output", tmp_path / "out.jsonl", "--on-error", "skip")
    child.stdin.write(b"free money\n")
    child.stdin.flush()
    while not _has_open(child.pid, tmp_path):
        assert child.poll() is None
        time.sleep(0.01)
    child.send_signal(signal.SIGINT)
    assert child.wait() == 130
    assert not list(tmp_path.iterdir())


def _has_open(pid, folder):
    """Tell whether a process has a file of a folder open; files come and go while we look."""
    for descriptor in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(FileNotFoundError):
            if str(folder) in os.readlink(f"/proc/{pid}/fd/{descriptor}"):
                return True
    return False


def test_a_reader_that_stops_early(running):
    child = running()
    child.stdout.close()
    child.stdin.write(b"free money\n")
    child.stdin.close()
    assert child.wait() == 141
    assert child.stderr.read() == b""


def test_terminal(files, tmp_path, running):
    """A bar on standard error for people; what a program reads stays clean."""
    ours, theirs = pty.openpty()
    child = running(files / "mail.jsonl", "--output-format", "jsonl", stderr=theirs)
    os.close(theirs)
    lines = child.stdout.read().splitlines()
    assert child.wait() == 0
    assert b"predicting: [####" in os.read(ours, 10_000)
    os.close(ours)
    assert all(json.loads(line)["label"] in ("ham", "spam") for line in lines)
    assert len(lines) == 120

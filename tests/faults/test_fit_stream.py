"""fit_stream under Ctrl-C, on a full disk, and within the memory that it was given."""

import errno
import os
import signal
import subprocess
import sys

import pytest

from wordodds import TextClassifier
from wordodds.classifier import stream

# A corpus that never ends, so that every phase goes on until it is ended. It says "ready" when the
# phase has begun; the parent then sends SIGINT.
INTERRUPTED = """
import os, sys
from wordodds import TextClassifier
from wordodds.linear import row_store, streamed

text = " ".join(f"w{{i}}" for i in range(3000))

class Batches:
    def __init__(self, endless):
        self.endless, self.passes = endless, 0
    def __iter__(self):
        self.passes += 1
        n = 0
        while n < 4 or self.passes == self.endless:
            n += 1
            if n == 4 and self.passes == self.endless:
                print("ready", flush=True)
            yield [text] * 60, ["spam", "ham"] * 30

if {endless} == 0:  # neither pass: the epochs
    blocks = row_store.RowStore.blocks
    def told(self, n_bytes):
        print("ready", flush=True)
        return blocks(self, n_bytes)
    row_store.RowStore.blocks = told

classifier = TextClassifier({model!r}).fit(["old words", "new ones"], ["a", "b"])
before = classifier.linear_model_
try:
    classifier.fit_stream(
        Batches({endless}), memory="2GB", epochs=10**6, folder=sys.argv[1]
    )
except KeyboardInterrupt:
    assert classifier.linear_model_ is before
    assert classifier.predict(["old"]).tolist() == ["a"]
    assert os.listdir(sys.argv[1]) == []
    print("interrupted", flush=True)
"""


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("model", "endless"),
    [
        ("naive_bayes", 1),
        ("naive_bayes", 2),
        ("nb_logistic", 2),
        ("nb_logistic", 0),
        ("logistic", 0),
    ],
)
def test_ctrl_c_in_every_phase(model, endless, tmp_path):
    program = INTERRUPTED.format(model=model, endless=endless)
    child = subprocess.Popen(
        [sys.executable, "-c", program, os.fspath(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert child.stdout.readline() == "ready\n"
        child.send_signal(signal.SIGINT)
        assert "interrupted\n" in child.communicate(timeout=60)[0]
    finally:
        child.kill()
        child.wait()
    assert child.returncode == 0


@pytest.mark.parametrize("model", ["naive_bayes", "nb_logistic"])
def test_a_full_disk_is_told_and_changes_nothing(model, monkeypatch, tmp_path):
    def full(*arguments):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("wordodds._files.scratch.os.pwrite", full)
    monkeypatch.setattr("wordodds.text.spill.TERMS_MIN", 1)
    monkeypatch.setattr(stream, "TERMS_SHARE", 0.0)
    classifier = TextClassifier(model).fit(["old words", "new ones"], ["a", "b"])
    before = classifier.linear_model_
    with pytest.raises(OSError, match="No space left") as caught:
        classifier.fit_stream([(["aa bb cc", "dd ee"], [1, 2])], memory="8GB", folder=str(tmp_path))
    assert str(tmp_path) in caught.value.filename
    assert classifier.linear_model_ is before
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize(("model", "term_share"), [("naive_bayes", 0.0), ("nb_logistic", 0.05)])
def test_a_disk_that_cannot_be_read_is_told(model, term_share, monkeypatch, tmp_path):
    def broken(*arguments):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr("wordodds._files.scratch.os.preadv", broken)
    monkeypatch.setattr("wordodds.text.spill.TERMS_MIN", 3)
    monkeypatch.setattr(stream, "TERMS_SHARE", term_share)
    batches = [(["aa bb cc", "dd ee"], [1, 2]), (["aa bb", "ff ee"], [1, 2])]
    with pytest.raises(OSError, match="Input/output error") as caught:
        TextClassifier(model).fit_stream(batches, memory="8GB", folder=str(tmp_path))
    assert caught.value.filename == str(tmp_path)
    assert os.listdir(tmp_path) == []

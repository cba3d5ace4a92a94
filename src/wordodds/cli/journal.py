"""The journal of a folder of predictions: what is finished, and of what it was made."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields
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
    """A finished file of results."""

    file: str  # name in the folder
    input: int  # number of the input
    first_batch: int  # of the input
    n_batches: int
    rows: int  # documents
    skipped: int  # bad rows among them
    bytes: int  # size of the file
    last: bool  # whether it is the last part of its input
    bad_rows: list[str]  # places of the first bad rows
    empty: int  # empty texts, kept or skipped


class Journal:
    """Finished parts, known again after the process was killed."""

    def __init__(self, folder: str, run: Mapping[str, Any]) -> None:
        self._path = os.path.join(folder, JOURNAL)
        self._folder = folder
        self._run = dict(run)
        self.parts: list[Part] = []

    def exists(self) -> bool:
        """Tell whether there is one in the folder already."""
        return os.path.lexists(self._path)

    def resume(self, name_of: Callable[[int, int], str]) -> None:
        """Take over the parts of the run before."""
        from wordodds._files.litter import clear_litter

        written = self._load()
        self._check_same(written)
        parts = [Part(**part) for part in written["parts"]]
        self._check_order(parts, name_of)
        for part in parts:
            self._check_there(part)
        self.parts = parts
        clear_litter(self._folder)  # here, as a finished run writes nothing more

    def add(self, part: Part) -> None:
        """Note that a part is finished."""
        self.parts.append(part)
        self.save()

    def save(self) -> None:
        """Replace the file."""
        content = {"format": _FORMAT, **self._run, "parts": [asdict(part) for part in self.parts]}
        with open_output(self._path) as stream:
            stream.write(json.dumps(content, indent=1).encode() + b"\n")

    def of(self, number: int) -> list[Part]:
        """Return the finished parts of an input."""
        return [part for part in self.parts if part.input == number]

    def _load(self) -> dict[str, Any]:
        if not os.path.isfile(self._path):  # a pipe would be waited for
            raise self._damaged("not a file")
        with open(self._path, "rb") as stream:
            data = stream.read()
        try:
            written = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise self._damaged("not JSON") from error
        version = written.get("format") if isinstance(written, dict) else None
        if type(version) is int and version != _FORMAT:
            raise CorpusError(
                f"{self._path}: a journal of format {version!r}, and this program knows {_FORMAT}: "
                "resume with the version that began"
            )
        fault = _fault_of(written)
        if fault is not None:
            raise self._damaged(fault)
        return dict(written)

    def _damaged(self, reason: str) -> CorpusError:
        return CorpusError(f"{self._path}: the journal is damaged ({reason}): name another folder")

    def _check_order(self, parts: list[Part], name_of: Callable[[int, int], str]) -> None:
        """Refuse parts that are not the first ones of a run, each after the one before it."""
        number = part_number = first_batch = 0
        for place, part in enumerate(parts):
            if part.input != number or number >= len(self._run["inputs"]):
                raise self._damaged(f"parts[{place}] is of another input than expected")
            name = name_of(number, part_number)
            if part.file != name or part.first_batch != first_batch:
                raise self._damaged(f"parts[{place}] is not {name} from batch {first_batch} on")
            if part.last:
                number, part_number, first_batch = number + 1, 0, 0
            else:
                part_number, first_batch = part_number + 1, first_batch + part.n_batches

    def _check_same(self, written: dict[str, Any]) -> None:
        options = written["options"]
        if options.get("on_error") == "stop":
            # Up to the bad row that ended it, such a run does what one that skips does.
            written["options"] = {**options, "on_error": self._run["options"]["on_error"]}
        for name, what in _PARTS_OF_A_RUN.items():
            before, now = written[name], self._run[name]
            if json.dumps(before, sort_keys=True) != json.dumps(now, sort_keys=True):
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
    """Return a checksum of a file's bytes."""
    with open(path, "rb") as stream:
        return "sha256:" + hashlib.file_digest(stream, "sha256").hexdigest()


def _fault_of(written: object) -> str | None:
    """Return what is wrong with the content of a journal, None if each field is of its kind."""
    if not isinstance(written, dict) or set(written) != {"format", "parts", *_PARTS_OF_A_RUN}:
        return "not the fields of one"
    inputs, parts = written["inputs"], written["parts"]
    right = {
        "format": type(written["format"]) is int,
        "model": isinstance(written["model"], str),
        "options": _is_flat(written["options"]),
        "inputs": isinstance(inputs, list) and all(map(_is_flat, inputs)),
        "parts": isinstance(parts, list),
    }
    for name, is_right in right.items():
        if not is_right:
            return name
    for place, part in enumerate(parts):
        fault = _fault_of_part(part)
        if fault is not None:
            return f"parts[{place}]: {fault}"
    return None


def _fault_of_part(part: object) -> str | None:
    if not isinstance(part, dict) or set(part) != {field.name for field in fields(Part)}:
        return "not the fields of one"
    for name in ("input", "first_batch", "n_batches", "rows", "skipped", "bytes", "empty"):
        if type(part[name]) is not int or part[name] < 0:  # True is an int to isinstance
            return name
    if not isinstance(part["file"], str):
        return "file"
    if not isinstance(part["last"], bool):
        return "last"
    if not part["n_batches"] and not part["last"]:
        return "n_batches"
    places = part["bad_rows"]
    if not isinstance(places, list) or not all(isinstance(place, str) for place in places):
        return "bad_rows"
    return "bad_rows" if len(places) > part["skipped"] else None


def _is_flat(value: object) -> bool:
    """Tell whether a value is an object of text, numbers, true, false and null."""
    plain = str | int | float | None
    return isinstance(value, dict) and all(isinstance(item, plain) for item in value.values())


def _difference(before: object, now: object) -> str:
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

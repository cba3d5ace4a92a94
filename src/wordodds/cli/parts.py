"""Predictions into a folder: parts that are whole or not there, so that a run can be resumed."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from wordodds.cli.file_checks import not_inside
from wordodds.cli.journal import JOURNAL, Journal, Part
from wordodds.cli.options import UsageError
from wordodds.cli.pipeline import Step
from wordodds.corpora import OUTPUT_FORMATS, corpus_size, input_format, may_wait, open_writer

__all__ = ["PartsOf", "check_free", "identity", "parts_of_inputs", "write_parts"]

_ENDINGS = {"lines": "txt"}
_PART = re.compile(r"(.+)\.part-[0-9]{5,}\.([^.]+)", re.DOTALL)


@dataclass(frozen=True)
class PartsOf:
    """The files that the results of an input go to."""

    path: str
    format: str

    def name(self, number: int) -> str:
        """Return the name of a part.

        Examples
        --------
        >>> PartsOf("mail/2024.jsonl.gz", "lines").name(7)
        '2024.part-00007.txt'
        """
        return f"{self.stem}.part-{number:05d}.{self.ending}"

    @property
    def ending(self) -> str:
        """What the names end in."""
        return _ENDINGS.get(self.format, self.format)

    @property
    def stem(self) -> str:
        """What the names begin with."""
        name = os.path.basename(os.path.abspath(self.path))
        if os.path.isdir(self.path):
            return name
        plain, packing = os.path.splitext(name)
        return os.path.splitext(plain if packing in (".gz", ".zst") else name)[0]


def parts_of_inputs(
    paths: Sequence[str], folder: str, format: str | None, output_format: str | None
) -> list[PartsOf]:
    """Decide where the results of each input go."""
    found: dict[str, PartsOf] = {}
    for path in paths:
        _check_input(path, folder)
        kind = output_format or input_format(path, format)
        parts = PartsOf(path, kind if kind in OUTPUT_FORMATS else "jsonl")
        other = found.setdefault(parts.name(0), parts)
        if other is not parts:
            raise UsageError(
                f"the results of {other.path} and {path} would both be called {parts.name(0)}: "
                "predict them into two folders"
            )
    return list(found.values())


def _check_input(path: str, folder: str) -> None:
    if may_wait([path]):
        name = "standard input" if path == "-" else path
        raise UsageError(f"{name} cannot be resumed: name files, or an output file")
    above = path if os.path.isdir(path) else os.path.dirname(path) or os.curdir
    if os.path.realpath(above) == os.path.realpath(folder):
        raise UsageError(f"the results would lie beside {path}: name another folder")
    not_inside(folder, path)


def identity(path: str) -> dict[str, Any]:
    """Return path, size and time of an input, by which a changed one is recognized."""
    times = [os.stat(path).st_mtime_ns]
    for folder, _, names in os.walk(path):  # nothing, if it is a file
        times += [os.lstat(os.path.join(folder, name)).st_mtime_ns for name in names]
    return {"path": os.path.abspath(path), "bytes": corpus_size([path]), "mtime_ns": max(times)}


def check_free(folder: str, inputs: Sequence[PartsOf]) -> None:
    """Refuse a folder that has a journal or parts of another run."""
    there = set(os.listdir(folder)) if os.path.isdir(folder) else set()
    if JOURNAL in there:
        raise UsageError(f"{folder} has a run already: pass --resume or another folder")
    ours = {(parts.stem, parts.ending) for parts in inputs}
    for name in sorted(there):
        # With any number: a reader of the folder would take it for a part of this run.
        part = _PART.fullmatch(name)
        if part is not None and part.groups() in ours:
            raise UsageError(f"{os.path.join(folder, name)} is there: name another folder")


def write_parts(
    results: Iterator[Step],
    folder: str,
    inputs: Sequence[PartsOf],
    journal: Journal,
    kinds: Mapping[str, type | None],
    part_size: int,
) -> None:
    """Write results to parts, and each finished one into the journal."""
    following = next(results, None)
    if following is not None:
        journal.save()  # before there is a part that no journal lists
    while following is not None:
        following = _write_part(following, results, folder, inputs, journal, kinds, part_size)


def _write_part(
    first: Step,
    results: Iterator[Step],
    folder: str,
    inputs: Sequence[PartsOf],
    journal: Journal,
    kinds: Mapping[str, type | None],
    part_size: int,
) -> Step | None:
    """Write one part; return the result that comes after it."""
    before = journal.of(first.input)
    name = inputs[first.input].name(len(before))
    path = os.path.join(folder, name)
    n_rows = n_bytes = 0
    written, following = first, first
    with open_writer(path, kinds, format=inputs[first.input].format) as writer:
        while following.columns is not None and n_bytes < part_size:
            written = following
            writer.write(following.columns)
            n_rows += following.n_rows
            n_bytes += max(following.text_bytes, 1)
            following = next(results)
    last = following.columns is None
    # Bad rows after the last good one belong to the last part.
    end = following if last else written
    part = Part(
        file=name,
        input=first.input,
        first_batch=first.number,
        n_batches=following.number - first.number,
        rows=n_rows,
        skipped=end.skipped - sum(part.skipped for part in before),
        bytes=os.path.getsize(path),
        last=last,
        bad_rows=end.bad_rows[sum(len(part.bad_rows) for part in before) :],
        empty=end.empty - sum(part.empty for part in before),
    )
    journal.add(part)
    return next(results, None) if last else following

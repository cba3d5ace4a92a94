"""The pipeline of ``wordodds predict``: batches are read, scored and written at the same time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing
from typing import Any, NamedTuple

from wordodds.corpora import (
    BadRows,
    Batch,
    ReadOptions,
    in_background,
    may_wait,
    prefetched,
    read_batches,
)

__all__ = ["Scored", "Step", "read_steps", "run_pipeline"]

_BYTES_AHEAD = 32 << 20


class Step(NamedTuple):
    """One batch of an input, or its end.

    Parameters
    ----------
    input : int
        Which of the inputs.
    number : int
        Which of its batches, from 0.
    batch : Batch or None
        None: there are no more.
    text_bytes, n_bytes : int
        How much text it has, and how many more bytes of the input have been read.
    skipped : int
        How many bad rows of this input were left out so far.
    bad_rows : list of str
        The first of them.
    empty : int
        Number of empty texts of this input so far.
    """

    input: int
    number: int
    batch: Batch | None
    text_bytes: int
    n_bytes: int
    skipped: int
    bad_rows: list[str]
    empty: int


class Scored(NamedTuple):
    """What is written of a step, which it no longer needs the texts for.

    Parameters
    ----------
    input, number, skipped, bad_rows, empty
        As in `Step`.
    columns : dict or None
        The results; None at the end of an input.
    n_rows, text_bytes : int
        How many documents there were, and how much text.
    """

    input: int
    number: int
    columns: dict[str, Any] | None
    n_rows: int
    text_bytes: int
    skipped: int
    bad_rows: list[str]
    empty: int


def read_steps(
    paths: Mapping[int, str], options: ReadOptions, skip: bool, first: Mapping[int, int]
) -> Iterator[Step]:
    """Yield the batches of inputs, and after those of each its end.

    Parameters
    ----------
    paths : mapping of int to str
        The inputs, by number.
    options : ReadOptions
        What is wanted.
    skip : bool
        Whether bad rows are left out.
    first : mapping of int to int
        The first batch that is wanted of an input; those before are read and dropped.
    """
    for number, path in paths.items():
        bad_rows = BadRows(skip)
        read: list[int] = []
        n_batches = 0
        for batch in read_batches(path, options, bad_rows, read.append):
            if n_batches >= first.get(number, 0):
                so_far = sum(read), bad_rows.count, bad_rows.first[:], bad_rows.empty
                yield Step(number, n_batches, batch, batch.text_bytes, *so_far)
                read.clear()
            n_batches += 1
            del batch  # which would live on while the next one is read
        whole = sum(read), bad_rows.count, bad_rows.first, bad_rows.empty
        yield Step(number, n_batches, None, 0, *whole)


def run_pipeline(
    steps: Iterator[Step],
    paths: Iterable[str],
    columns: Callable[[Batch], dict[str, Any]],
    write: Callable[[Iterator[Scored]], None],
    advance: Callable[[int, int], None],
    to_file: bool,
) -> None:
    """Read ahead in one thread, score in this one, write in a third.

    Parameters
    ----------
    steps : iterator of Step
        What `read_steps` gives; read here if an input may wait for ever.
    paths : iterable of str
        The inputs.
    columns : callable
        Makes the results of a batch.
    write : callable
        Takes them all, in order.
    advance : callable
        Hears how many more bytes and documents are done.
    to_file : bool
        Whether the output is a file; whoever reads a pipe may make its writer wait for ever.
    """
    if not may_wait(paths):
        steps = prefetched(steps, lambda step: step.text_bytes, _BYTES_AHEAD)
    scored = _scored(steps, columns, advance)
    if to_file:
        in_background(write, scored, lambda result: result.text_bytes, _BYTES_AHEAD)
    else:
        write(scored)


def _scored(
    steps: Any, columns: Callable[[Batch], dict[str, Any]], advance: Callable[[int, int], None]
) -> Iterator[Scored]:
    with closing(steps):
        for step in steps:
            batch = step.batch
            n_rows = 0 if batch is None else len(batch)
            results = None if batch is None else columns(batch)
            yield Scored(step.input, step.number, results, n_rows, step.text_bytes, *step[-3:])
            advance(step.n_bytes, n_rows)

"""The pipeline of ``wordodds predict``: batches are read, scored and written at the same time."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing
from typing import Any, NamedTuple

from wordodds.corpora import BadRows, Batch, ReadOptions, may_wait, read_batches

__all__ = ["Step", "read_steps", "run_pipeline"]


class Step(NamedTuple):
    """One batch of an input, or its end: read with ``batch``, then scored with ``columns``."""

    input: int  # number of the input
    number: int  # number of the batch in the input, from 0
    batch: Batch | None  # None at the end of the input, and once scored
    columns: dict[str, Any] | None  # the results; None at the end of the input
    n_rows: int
    text_bytes: int
    n_bytes: int  # read from the input since the step before
    skipped: int  # bad rows of the input so far
    bad_rows: list[str]  # the first of them
    empty: int  # empty texts of the input so far


def read_steps(
    paths: Mapping[int, str], options: ReadOptions, skip: bool, first: Mapping[int, int]
) -> Generator[Step]:
    """Yield the batches of inputs from the ``first`` wanted one on, and after each input its end.

    Batches before the first wanted one are read and dropped.
    """
    for number, path in paths.items():
        bad_rows = BadRows(skip)
        read: list[int] = []
        n_batches = 0
        for batch in read_batches(path, options, bad_rows, read.append):
            if n_batches >= first.get(number, 0):
                so_far = sum(read), bad_rows.count, bad_rows.first[:], bad_rows.empty
                yield Step(number, n_batches, batch, None, len(batch), batch.text_bytes, *so_far)
                read.clear()
            n_batches += 1
            del batch  # or it would stay in memory while the next one is read
        whole = sum(read), bad_rows.count, bad_rows.first, bad_rows.empty
        yield Step(number, n_batches, None, None, 0, 0, *whole)


def run_pipeline(
    steps: Generator[Step],
    paths: Iterable[str],
    columns: Callable[[Batch], dict[str, Any]],
    write: Callable[[Iterator[Step]], None],
    advance: Callable[[int, int], None],
    to_file: bool,
) -> None:
    """Read ahead in one thread, score in this one, write in a third if the output is a file."""
    from wordodds.model.output import scored, write_all

    def score(step: Step) -> Step:
        if step.batch is None:
            return step
        return step._replace(batch=None, columns=columns(step.batch))

    results = scored(steps, score, _text_bytes, may_wait=may_wait(paths))
    write_all(_reported(results, advance), write, _text_bytes, in_thread=to_file)


def _reported(results: Generator[Step], advance: Callable[[int, int], None]) -> Iterator[Step]:
    """Report each result once it has been taken."""
    with closing(results):
        for result in results:
            yield result
            advance(result.n_bytes, result.n_rows)


def _text_bytes(step: Step) -> int:
    return step.text_bytes

"""A vocabulary of more terms than the memory holds: sorted runs on disk, merged range by range.

Terms are tallied as `partial_fit` does. Whenever they become too many the tally is written down as
a run, in the order of the terms, and begun anew. In the end each run is cut at the same terms; the
pieces between two cuts are added up in memory, and terms in too few documents go. So every document
frequency is exact, and what is left is what a fit in memory would leave.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from wordodds._border.execution import Execution, execution
from wordodds._border.terms import new_hash_key
from wordodds._core import text as core
from wordodds._core.tally import TermTally
from wordodds._files.scratch import Scratch
from wordodds.text.count import CountVectorizer
from wordodds.text.prune import least_documents
from wordodds.typing import DocumentLimit, Ints, RawDocuments

__all__ = ["learn_vocabulary"]

# Of a term in a tally: its bytes, where they begin, its two numbers, and up to three slots of the
# table; the sorted copy that a run is written from.
BYTES_PER_TERM = 240
TERMS_MIN = 1000
FEWER = 4  # pieces are cut to this part of what the memory holds: they are never quite equal


def learn_vocabulary(
    vectorizer: CountVectorizer,
    batches: Iterable[RawDocuments],
    memory: int,
    folder: str,
    min_df: Callable[[int], DocumentLimit] | None = None,
) -> None:
    """Fit a vectorizer to batches of documents, in bounded memory.

    A failure leaves it as it was. ``memory`` is the bytes for terms, ``folder`` where runs are
    written, of which nothing is left; ``min_df`` gives the vectorizer's limit for a number of
    documents, when that is known. Raises MemoryError if the terms that it leaves do not fit.
    """
    how = execution(vectorizer.n_jobs)
    terms_max = max(TERMS_MIN, memory // BYTES_PER_TERM)
    tally = TermTally(new_hash_key())
    runs: list[_Run] = []
    try:
        for documents in batches:
            vectorizer._check_before_fit(documents)
            vectorizer._check_can_grow()
            texts, options = vectorizer._analyze(documents, how)
            vectorizer._add_documents(tally, texts, options, how)
            if len(tally) > terms_max:
                runs.append(_written(tally, folder, how))
                tally = TermTally(new_hash_key())
        if min_df is not None:
            n_documents = tally.n_documents + sum(run.n_documents for run in runs)
            vectorizer.min_df = min_df(n_documents)
        if runs:
            runs.append(_written(tally, folder, how))
            del tally
            tally = _merged(runs, vectorizer, terms_max, how)
    finally:
        for run in runs:
            run.close()
    vectorizer._start_from(tally)


class _Piece(NamedTuple):
    """Some terms in their order, packed, with their documents and occurrences."""

    arena: npt.NDArray[np.uint8]
    offsets: Ints
    frequency: Ints
    totals: Ints

    def tally(self, n_documents: int) -> TermTally:
        return TermTally.unpacked(*self, n_documents, 0, new_hash_key())


class _Run:
    """The terms of a tally on disk, in their order."""

    def __init__(self, piece: _Piece, n_documents: int, folder: str) -> None:
        self.n_terms, self.n_documents = len(piece.frequency), n_documents
        self._scratch = Scratch(folder)
        try:
            self._arena = self._scratch.append(piece.arena)
            self._offsets = self._scratch.append(piece.offsets)
            self._frequency = self._scratch.append(piece.frequency)
            self._totals = self._scratch.append(piece.totals)
        except BaseException:  # a full disk, Ctrl-C: no other code closes this run
            self._scratch.close()
            raise

    def close(self) -> None:
        self._scratch.close()

    def term(self, i: int) -> bytes:
        """Return one term."""
        begin, end = self._numbers(self._offsets, i, i + 2)
        return self._scratch.read(self._arena + begin, end - begin, np.uint8).tobytes()

    def first_from(self, term: bytes) -> int:
        """Return the position of the first term that is not below a given one."""
        return bisect_left(range(self.n_terms), term, key=self.term)

    def piece(self, begin: int, end: int) -> _Piece:
        """Return the terms from one position to another."""
        offsets = self._numbers(self._offsets, begin, end + 1)
        n_bytes = int(offsets[-1] - offsets[0])
        return _Piece(
            self._scratch.read(self._arena + int(offsets[0]), n_bytes, np.uint8),
            offsets - offsets[0],
            self._numbers(self._frequency, begin, end),
            self._numbers(self._totals, begin, end),
        )

    def _numbers(self, start: int, begin: int, end: int) -> Ints:
        return self._scratch.read(start + 8 * begin, end - begin, np.int64)


def _written(tally: TermTally, folder: str, how: Execution) -> _Run:
    vocabulary, frequency, totals, _ = tally.sorted_terms(0, *how)
    return _Run(_piece(vocabulary, frequency, totals), tally.n_documents, folder)


def _piece(vocabulary: core.Vocabulary, frequency: Ints, totals: Ints) -> _Piece:
    arena, offsets = vocabulary.packed()
    return _Piece(np.frombuffer(arena, dtype=np.uint8), offsets, frequency, totals)


def _merged(
    runs: list[_Run], vectorizer: CountVectorizer, terms_max: int, how: Execution
) -> TermTally:
    """Add runs up and drop the terms in too few documents."""
    n_documents = sum(run.n_documents for run in runs)
    least = least_documents(vectorizer, n_documents)
    kept: list[_Piece] = []
    n_kept = 0
    for piece in _sums(runs, terms_max, how):
        enough = piece.frequency >= least
        if enough.all():
            kept.append(piece)
        else:
            vocabulary = core.Vocabulary(piece.arena, piece.offsets, new_hash_key())
            some = vocabulary.subset(enough.astype(np.uint8))
            kept.append(_piece(some, piece.frequency[enough], piece.totals[enough]))
        n_kept += len(kept[-1].frequency)
        if n_kept > terms_max:
            raise MemoryError(
                f"more than {terms_max:,} terms are in {least:g} documents or more, which is what "
                "the memory holds: raise min_df or memory, or use n_hashed"
            )
    ends = np.cumsum([0, *(int(piece.offsets[-1]) for piece in kept)])
    return _Piece(
        np.concatenate([piece.arena for piece in kept]),
        np.concatenate(
            [[0], *(piece.offsets[1:] + end for piece, end in zip(kept, ends, strict=False))]
        ),
        np.concatenate([piece.frequency for piece in kept]),
        np.concatenate([piece.totals for piece in kept]),
    ).tally(n_documents)


def _sums(runs: list[_Run], terms_max: int, how: Execution) -> Iterator[_Piece]:
    """Yield the sum of all runs in pieces, in the order of the terms."""
    longest = max(runs, key=lambda run: run.n_terms)
    n_pieces = 1 + FEWER * sum(run.n_terms for run in runs) // terms_max
    step = -(-longest.n_terms // n_pieces)
    cuts = [longest.term(i) for i in range(step, longest.n_terms, step)]
    begins = [0] * len(runs)
    for cut in [*cuts, None]:
        ends = [run.n_terms if cut is None else run.first_from(cut) for run in runs]
        total = TermTally(new_hash_key())
        for run, begin, end in zip(runs, begins, ends, strict=True):
            if end > begin:
                total.add_tally(run.piece(begin, end).tally(0))
        begins = ends
        yield _piece(*total.sorted_terms(0, *how)[:3])

"""``wordodds train`` on more documents than fit the memory."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, cast

from wordodds.cli.data_options import bad_rows_of, read_options
from wordodds.cli.hold_out import HoldOut
from wordodds.cli.options import UsageError
from wordodds.corpora import BadRows, Batch, corpus_paths, corpus_size, may_wait, read_batches

if TYPE_CHECKING:
    from wordodds.classifier import TextClassifier
    from wordodds.corpora import Corpus
    from wordodds.model import LinearModel
    from wordodds.typing import AnyArray, Booleans, Label

__all__ = ["memory_for", "train_stream"]

# Of the memory that is there: a corpus that takes more than this share of it, as it lies on disk,
# is streamed, and the stream may have the other share.
_IN_MEMORY, _STREAMED = 1 / 8, 1 / 2


def memory_for(options: argparse.Namespace) -> int | None:
    """Return how much memory to stream with; None where all documents fit."""
    if options.memory is not None:
        return int(options.memory)
    from wordodds._files.memory import available_bytes

    paths = corpus_paths(options.data)
    size, there = corpus_size(paths), available_bytes()
    streamed = size is not None and size > _IN_MEMORY * there and not may_wait(paths)
    return int(_STREAMED * there) if streamed else None


def train_stream(
    options: argparse.Namespace, classifier: TextClassifier, memory: int
) -> tuple[LinearModel, dict[str, Any], BadRows]:
    """Train a model; return it, the report, and the rows that were left out."""
    corpus = _SplitCorpus(options)
    if corpus.may_wait and (options.holdout or options.calibrate):
        raise UsageError(
            "--holdout and --calibrate take another pass, and this input can be read only once: "
            "name a file, or leave them"
        )
    start = time.perf_counter()
    classifier.fit_stream(
        cast("Corpus", corpus),  # it has what is used of one: batches, size and may_wait
        memory=memory,
        epochs=options.epochs,
        folder=options.scratch,
    )
    seconds = time.perf_counter() - start
    model, bad_rows, parts = classifier.linear_model_, corpus.bad_rows, corpus.parts
    report: dict[str, Any] = {
        "documents": parts.classes.total(),
        "skipped": bad_rows.count,
        "empty": bad_rows.empty,
        "classes": dict(parts.classes.most_common()),
        "model": options.model,
        "kind": options.model,  # the old name of the key
        "trained_on": parts.counts["train"],
        "features": model.n_features,
        "seconds": {"training": seconds},
        "chosen": model.chosen,
        "memory": memory,
    }
    if options.calibrate:
        texts: list[str] = []
        labels: list[Any] = []
        for batch in corpus.part("calibrate"):
            texts += batch.texts.to_pylist() if hasattr(batch.texts, "to_pylist") else batch.texts
            labels += batch.labels or []
        model = model.calibrate(texts, labels, method=options.calibrate)
        report["calibration"] = {"method": options.calibrate, "documents": len(texts)}
    if options.holdout:
        right = n = 0
        for batch in corpus.part("holdout"):
            n += len(batch)
            right += int((model.predict(batch.texts) == _array(batch.labels)).sum())
        report["holdout"] = {"documents": n, "accuracy": right / n}
    return model, report, bad_rows


def _array(labels: list[Label] | None) -> AnyArray:
    import numpy as np

    return np.array(labels)


class _SplitCorpus:
    """Files whose documents are divided in every pass alike: most are learnt from."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._paths = corpus_paths(options.data)
        self._options = options
        self._reading = read_options(options, labels=True)
        self.size = corpus_size(self._paths)
        self.may_wait = may_wait(self._paths)
        self.bad_rows = bad_rows_of(options)
        self.parts = HoldOut(options)

    def batches(self, advance: Callable[[int], Any] | None = None) -> Iterator[Batch]:
        """Yield the documents to learn from."""
        return self.part("train", advance)

    def part(self, name: str, advance: Callable[[int], Any] | None = None) -> Iterator[Batch]:
        """Yield the documents of a part: train, calibrate or holdout."""
        self.bad_rows = bad_rows_of(self._options)
        self.parts = HoldOut(self._options)
        for batch in read_batches(self._paths, self._reading, self.bad_rows, advance):
            some = _some(batch, self.parts.divide(batch.labels or [])[name])
            if len(some):
                yield some
        self.parts.check()  # in the first whole pass, before anything is learnt


def _some(batch: Batch, rows: Booleans) -> Batch:
    if rows.all():
        return batch
    return batch.take(rows.nonzero()[0].tolist())

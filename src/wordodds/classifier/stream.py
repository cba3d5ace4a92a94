"""Learning from more documents than the memory holds.

A first pass takes the sample that settings are chosen on, if any are. With a vocabulary two more
follow: one finds the terms (`wordodds.text.spill`), the other counts them. Hashed features need
one; where there can be no other, the first documents are the sample. Naive Bayes adds up tallies
as it reads; logistic regression writes its rows to disk and goes through them by epochs
(`wordodds.linear.streamed`).
"""

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from numbers import Integral
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator, clone

from wordodds._border.checks import whole_number
from wordodds._border.classes import union_of_classes
from wordodds._estimator.random_state import random_source
from wordodds._files.memory import resident_bytes
from wordodds._files.progress import Advance, progress
from wordodds._files.sizes import byte_size
from wordodds.bayes import BernoulliNB
from wordodds.bayes.discrete import DiscreteNB
from wordodds.classifier.documents import SAMPLE_LARGE, Documents
from wordodds.classifier.estimators import adopt_steps, least_documents, new_classifier, text_steps
from wordodds.classifier.fitting import choose_for, chooses, temper, with_choice
from wordodds.classifier.named_models import kind_of
from wordodds.classifier.reading import MANY, plain_reading
from wordodds.classifier.stream_parts import Part, Stream, placed
from wordodds.classifier.stream_sample import StreamSample, read_sample
from wordodds.linear import LogisticRegression, NBLogisticRegression, SGDClassifier
from wordodds.linear.problem import penalty_of
from wordodds.linear.ratio_fit import ratio_settings
from wordodds.linear.row_store import RowStore
from wordodds.linear.settings import settings_of
from wordodds.linear.solvers import DESCENTS, STOCHASTIC
from wordodds.linear.streamed import fit_ratio_blocks, fit_sgd_blocks
from wordodds.text import CountVectorizer
from wordodds.text.parts import packed_vocabulary
from wordodds.text.spill import learn_vocabulary
from wordodds.text.vectorizer import CsrMatrix
from wordodds.typing import AnyArray, Codes, Floats, Ints, RandomState

if TYPE_CHECKING:
    from wordodds.classifier.text_classifier import TextClassifier

__all__ = ["fit_stream"]

LEAST = 64 << 20  # with less, batches would be so small that a pass takes for ever
# Text of a part, as a share of the memory: its rows, and what counting and shuffling them needs,
# are a dozen times as much, and the next part is being read.
PART_SHARE, PART_MIN, PART_MAX = 1 / 40, 1 << 20, 32 << 20
TERMS_SHARE = 0.6
# Text of the sample that settings are chosen on: rows and models of it are a dozen times as much.
SAMPLE_SHARE = 1 / 40
BLOCK_SHARE, BLOCK_MIN = 0.25, 8 << 20
# Of a feature: its term in two tables; for each class its tally, its weights, and copies of both
# while one becomes the other.
FEATURE_BYTES, CELL_BYTES = 220, 48
# Steps of one length, and the mean of where they lead from the second epoch on: after eight, text
# is classified as well as at the optimum. A step changes the score of its own row by ten at most.
EPOCHS, STEP = 8, 10.0


def fit_stream(
    owner: "TextClassifier",
    batches: Iterable[Any],
    *,
    text: str,
    label: str,
    memory: int | str,
    epochs: int | None,
    folder: str | os.PathLike[str] | None,
) -> None:
    """Fit a TextClassifier, which changes only when all is done."""
    kind = kind_of(owner.model)
    classifier = new_classifier(owner, kind)
    if epochs is not None:
        epochs = whole_number(epochs, "epochs", wanted="an int")
        if epochs < 1:
            raise ValueError(f"epochs must be >= 1, got {epochs}")
    free = _free_bytes(byte_size(memory, "memory"))
    n_bytes = int(min(max(free * PART_SHARE, PART_MIN), PART_MAX))
    stream = Stream(batches, text, label, n_bytes, owner)
    scratch = tempfile.gettempdir() if folder is None else os.fspath(folder)
    os.stat(scratch)  # a missing folder raises before the first pass
    if owner.n_hashed is None and not stream.can_repeat:
        raise ValueError(
            "a vocabulary takes two passes, and batches can be gone through only once: pass "
            "something that can be iterated again, such as wordodds.corpora.read(...) or a list, "
            "or use n_hashed"
        )
    if owner.n_hashed is not None:
        _check_room(owner.n_hashed, 0, 1, free)
    choice, sample = None, None
    if chooses(owner):
        limit = int(min(SAMPLE_LARGE, free * SAMPLE_SHARE))
        sample = read_sample(stream, owner.class_weight, limit)
        choice = choose_for(owner, kind, sample.documents, is_whole=sample.is_whole)
        classifier = with_choice(classifier, choice)
    reading = plain_reading(owner, kind, MANY) if choice is None else choice.reading
    steps = text_steps(owner, kind, reading)
    steps[0].verbose = False  # there is one bar for the whole pass
    classes = None
    if owner.n_hashed is None:
        min_df = None if choice else lambda n: least_documents(owner, kind, n)
        classes = _learn_vocabulary(steps[0], stream, free, scratch, min_df)
    job = _Job(stream, steps, free, scratch, bool(owner.verbose), classes)
    if isinstance(classifier, DiscreteNB):
        classifier = job.fit_bayes(classifier)
    else:
        classifier = job.fit_linear(classifier, epochs, sample)
    if sample is not None and choice is not None and len(held := sample.held_back()):
        temperature = job.temper(classifier, sample.documents, held)
        choice = choice._replace(temperature=temperature)
    steps[0].verbose = owner.verbose
    adopt_steps(owner, steps, classifier, choice)


def _free_bytes(memory: int) -> int:
    held = resident_bytes()
    if memory - held < LEAST:
        raise ValueError(
            f"memory must be at least {(held + LEAST) / 1e6:.0f} MB, of which the process holds "
            f"{held / 1e6:.0f} MB already; got {memory / 1e6:.0f} MB"
        )
    return memory - held


def _learn_vocabulary(
    vectorizer: CountVectorizer,
    stream: Stream,
    free: int,
    scratch: str,
    min_df: Callable[[int], Any] | None,
) -> AnyArray:
    """Fit the vectorizer by a pass; return the classes that it has met."""
    classes, place = np.empty(0), ""

    def texts() -> Iterator[Any]:
        nonlocal classes, place
        for part in stream.parts("finding terms"):
            with placed(part.place):
                classes = _union(classes, part.classes)
            place = part.place
            yield part.texts
            place = ""

    try:
        learn_vocabulary(vectorizer, texts(), int(free * TERMS_SHARE), scratch, min_df)
    except (ValueError, TypeError):
        if not place:
            raise
        with placed(place):
            raise
    _check_room(len(packed_vocabulary(vectorizer)), FEATURE_BYTES, len(classes), free)
    return classes


def _check_room(n_features: int, bytes_each: int, n_classes: int, free: int) -> None:
    """Refuse a model that does not fit, before the memory is full of it."""
    needed = n_features * (bytes_each + CELL_BYTES * n_classes)
    if needed > free:
        raise MemoryError(
            f"{n_features:,} features and {n_classes} classes need about {needed / 1e6:.0f} MB, "
            f"and memory leaves {free / 1e6:.0f} MB: raise min_df or memory, or use max_features "
            "or a smaller n_hashed"
        )


def _union(known: AnyArray, more: AnyArray) -> AnyArray:
    return union_of_classes(known, more)[0] if len(known) else more


class _Job(NamedTuple):
    """The pass that learns, once the features are known."""

    stream: Stream
    steps: list[Any]
    free: int
    scratch: str
    verbose: bool
    classes: AnyArray | None  # if a pass before has met all of them

    @property
    def n_features(self) -> int:
        """The number of columns."""
        vectorizer = self.steps[0]
        if self.classes is None:
            return int(vectorizer.n_features)
        return len(packed_vocabulary(vectorizer))

    def parts(self, title: str) -> Iterator[Part]:
        """Yield all documents, as long as the model of their classes fits."""
        seen: AnyArray = np.empty(0)
        for part in self.stream.parts(title):
            if self.classes is None:
                with placed(part.place):
                    seen = _union(seen, part.classes)
                _check_room(self.n_features, 0, len(seen), self.free)
            yield part

    def rows(self, part: Part) -> CsrMatrix:
        """Return the rows of some documents."""
        rows = self.steps[0].transform(part.texts)
        for step in self.steps[1:]:  # none of which learns from rows
            rows = step.fit_transform(rows)
        return rows

    def fit_bayes(self, model: DiscreteNB) -> DiscreteNB:
        """Return a naive Bayes model of all documents."""
        grown = _GrowingBayes(model, self.classes)
        for part in self.parts("learning"):
            with placed(part.place):
                grown.add(self.rows(part), part)
        fitted: DiscreteNB = grown.model
        return fitted

    def fit_linear(
        self, model: BaseEstimator, epochs: int | None, sample: StreamSample | None
    ) -> BaseEstimator:
        """Return a logistic regression of all documents but those that the sample holds back."""
        by_ratio = isinstance(model, NBLogisticRegression)
        if by_ratio:
            if epochs is not None:
                model.max_iter = epochs
            ratio_settings(model)  # raises before anything is read what the fit would raise
        elif isinstance(model, LogisticRegression):
            _check_logistic(model)
        epochs = epochs or EPOCHS
        left_out = np.empty(0) if sample is None else sample.positions[sample.held_back()]
        n_before = 0
        presence = _GrowingBayes(BernoulliNB(n_jobs=model.n_jobs), self.classes)
        numbers = _ClassNumbers()
        with RowStore(self.scratch, self.n_features, _store_seed(model.random_state)) as store:
            for part in self.parts("reading"):
                positions = np.arange(n_before, n_before + len(part.codes))
                n_before += len(part.codes)
                with placed(part.place):
                    rows = self.rows(part)
                    if len(left_out):
                        kept = ~np.isin(positions, left_out)
                        rows, part = rows[kept], part._replace(codes=part.codes[kept])
                    store.add(rows, numbers.of(part))
                    if by_ratio:
                        presence.add(rows, part)
            classes, documents, store.ranks = numbers.sorted()
            if len(classes) < 2:
                raise ValueError(
                    f"{type(model).__name__} needs documents of at least 2 classes, got only "
                    f"{classes.tolist()}"
                )
            block = max(int(self.free * BLOCK_SHARE), BLOCK_MIN)
            watch = progress if self.verbose else _unseen
            work = None if by_ratio else epochs * store.n_rows
            with watch("learning", work, "documents") as advance:
                if by_ratio:
                    counts = presence.model.feature_count_
                    fit_ratio_blocks(
                        model,
                        store,
                        classes=classes,
                        class_counts=counts,
                        documents=documents,
                        n_bytes=block,
                        folder=self.scratch,
                        advance=advance,
                    )
                    return model
                sgd = _as_sgd(model, store, epochs)
                fit_sgd_blocks(
                    sgd,
                    store,
                    classes=classes,
                    documents=documents,
                    epochs=epochs,
                    n_bytes=block,
                    advance=advance,
                )
                return sgd

    def temper(self, model: NBLogisticRegression, documents: Documents, held: Ints) -> float:
        """Set the temperature of a model by documents that it has not learnt from; return it."""
        some = documents.taken(held)
        rows = self.rows(Part(some.texts, np.empty(0), np.empty(0, dtype=np.int32), ""))
        return temper(model, rows, documents.classes[some.codes], some.weights)


class _GrowingBayes:
    """Tallies of batches, whatever labels they bring."""

    def __init__(self, model: DiscreteNB, classes: AnyArray | None) -> None:
        self._new = model
        self._classes = classes
        self._known: set[Any] = set()
        self.model: Any = None

    def add(self, rows: CsrMatrix, part: Part) -> None:
        """Learn from rows."""
        if self.model is not None and set(part.classes.tolist()) <= self._known:
            self.model.partial_fit(rows, part.labels)
            return
        classes = part.classes if self._classes is None else self._classes
        batch = clone(self._new).partial_fit(rows, part.labels, classes=classes)
        self.model = batch if self.model is None else self.model.merge(batch)
        self._known = set(self.model.classes_.tolist())


class _ClassNumbers:
    """Labels numbered as they come, and in their order when all are known."""

    def __init__(self) -> None:
        self._classes: AnyArray = np.empty(0)
        self._documents: list[int] = []
        self._number_of: dict[Any, int] = {}

    def of(self, part: Part) -> Codes:
        """Return the number of each document's label."""
        self._classes = _union(self._classes, part.classes)
        numbers = np.empty(len(part.classes), dtype=np.int32)
        counts = np.bincount(part.codes, minlength=len(part.classes)).tolist()
        for code, (label, count) in enumerate(zip(part.classes.tolist(), counts, strict=True)):
            numbers[code] = number = self._number_of.setdefault(label, len(self._documents))
            if number == len(self._documents):
                self._documents.append(0)
            self._documents[number] += count
        return numbers[part.codes]

    def sorted(self) -> tuple[AnyArray, Floats, Codes]:
        """Return the classes, how many documents each has, and the rank of each number."""
        order = [self._number_of[label] for label in self._classes.tolist()]
        ranks = np.empty(len(order), dtype=np.int32)
        ranks[order] = np.arange(len(order))
        return self._classes, np.array(self._documents, dtype=np.float64)[order], ranks


def _store_seed(random_state: RandomState) -> int:
    """Return the seed by which rows are shuffled on disk; a source of numbers gives one of its."""
    if random_state is None:
        return 0
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(random_source(random_state).randint(2**31 - 1))


def _check_logistic(model: LogisticRegression) -> None:
    settings_of(model, ("auto", *DESCENTS, *STOCHASTIC))
    if model.multi_class == "ovo" or model.class_weight is not None:
        raise ValueError(
            'LogisticRegression with multi_class="ovo" or class_weight cannot be streamed: leave '
            "them, or use SGDClassifier"
        )


def _as_sgd(
    model: LogisticRegression | SGDClassifier, store: RowStore, epochs: int
) -> SGDClassifier:
    """Return what minimises the objective of a model by steps of single rows."""
    if isinstance(model, SGDClassifier):
        return model
    penalty = penalty_of(float(model.C), store.n_rows)
    # Steps that are long beside the penalty would throw the weights from side to side.
    longest = 0.1 / penalty if penalty > 0.0 else np.inf
    return SGDClassifier(
        "log_loss" if model.multi_class == "ovr" else "softmax",
        alpha=penalty,
        penalty="elasticnet" if model.l1_ratio else "l2",
        l1_ratio=model.l1_ratio or None,
        fit_intercept=model.fit_intercept,
        learning_rate="constant",
        eta0=min(STEP / (store.mean_square or 1.0), longest),
        average=store.n_rows if epochs > 1 else False,
        random_state=model.random_state,
        n_jobs=model.n_jobs,
    )


@contextmanager
def _unseen(*what: object) -> Iterator[Advance]:
    yield lambda *done: None

"""Fitting a TextClassifier to documents in memory."""

from collections.abc import Sized
from copy import deepcopy
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from sklearn.base import BaseEstimator

from wordodds._border.documents import (
    as_documents,
    as_strings,
    check_collection,
    without_missing,
)
from wordodds._border.execution import execution
from wordodds._border.row_weights import rows_of_fit
from wordodds.classifier.choose import Choice, choose
from wordodds.classifier.cross_validation import Counts, best_temperature
from wordodds.classifier.documents import (
    SAMPLE_LARGE,
    Count,
    Documents,
    Strings,
    documents_most,
)
from wordodds.classifier.estimators import adopt_steps, new_classifier, text_steps, weighting_of
from wordodds.classifier.named_models import Kind, kind_of
from wordodds.classifier.reading import Reading, plain_reading
from wordodds.classifier.sample import held_back, sampled
from wordodds.linear import NBLogisticRegression
from wordodds.linear.ratio_fit import divide_weights, ratio_prior
from wordodds.text.parts import check_parameters, fit_counts, view_begins, weigh_counts
from wordodds.text.vectorizer import CsrMatrix
from wordodds.typing import AnyArray, Floats, Ints, Labels, RawDocuments, Texts, WeightsLike

if TYPE_CHECKING:
    from wordodds.classifier.text_classifier import TextClassifier

__all__ = [
    "Collected",
    "Counter",
    "choose_for",
    "chooses",
    "collect",
    "fit_batch",
    "fit_in_memory",
    "fit_tempered",
    "temper",
    "with_choice",
]


def chooses(owner: "TextClassifier") -> bool:
    """Return whether settings are chosen on held-out documents: where no C is given."""
    return isinstance(owner.model, str) and owner.model == "nb_logistic" and owner.C is None


def fit_in_memory(
    owner: "TextClassifier", texts: Texts, labels: Labels, sample_weight: WeightsLike
) -> None:
    """Fit a TextClassifier, which changes only when all is done."""
    kind = kind_of(owner.model)
    classifier = new_classifier(owner, kind)
    counter = Counter(owner, kind)
    if not chooses(owner):
        steps, rows = counter.steps_and_rows(texts, plain_reading(owner, kind, _length(texts)))
        classifier.fit(rows, labels, sample_weight=sample_weight)
        adopt_steps(owner, steps, classifier)
        return
    collected = collect(owner, kind, classifier, texts, labels, sample_weight)
    if collected.is_whole:  # then the last counts of choosing may be those of the fit
        counter.whole = collected.documents.texts
    choice = choose_for(
        owner, kind, collected.documents, is_whole=collected.is_whole, counter=counter
    )
    classifier = with_choice(classifier, choice)
    steps, rows = counter.steps_and_rows(texts, choice.reading)
    temperature = fit_tempered(classifier, rows, labels, sample_weight, collected.held_back())
    if temperature is not None:
        choice = choice._replace(temperature=temperature)
    adopt_steps(owner, steps, classifier, choice)


def fit_tempered(
    classifier: NBLogisticRegression,
    rows: CsrMatrix,
    labels: Labels,
    sample_weight: WeightsLike,
    held: Ints,
) -> float | None:
    """Fit to all rows but some, by which the temperature is set; return it, None without them."""
    if not len(held):
        classifier.fit(rows, labels, sample_weight=sample_weight)
        return None
    classes, codes, weights = rows_of_fit(classifier, labels, rows.shape[0], sample_weight)
    weights = np.ones(len(codes)) if weights is None else weights
    held_weights, weights[held] = weights[held], 0.0
    class_weight = classifier.class_weight
    classifier.set_params(class_weight=None).fit(rows, classes[codes], sample_weight=weights)
    classifier.set_params(class_weight=class_weight)
    return temper(classifier, rows[held], classes[codes[held]], held_weights)


def fit_batch(
    owner: "TextClassifier", texts: Texts, labels: Labels, classes: Labels | None
) -> None:
    """Learn from one more batch; the TextClassifier changes only when all is done."""
    kind = kind_of(owner.model)
    if owner.n_hashed is None:
        raise ValueError(
            "partial_fit needs n_hashed, such as TextClassifier(..., n_hashed=2**20): a "
            "vocabulary would have to be known before the last batch"
        )
    # A copy: after Ctrl-C the batch has not been learnt, and may be learnt again.
    growing = getattr(owner, "_growing", None)
    classifier = new_classifier(owner, kind) if growing is None else deepcopy(growing)
    if type(classifier) is not type(kind.make()):
        raise ValueError(
            f"this classifier has learnt with {type(classifier).__name__}, and model is now "
            f"{owner.model!r}: begin anew with fit"
        )
    if not hasattr(classifier, "partial_fit"):
        raise ValueError(
            f"{type(classifier).__name__} cannot learn by batches: use model='naive_bayes', "
            "'complement' or SGDClassifier()"
        )
    steps = text_steps(owner, kind, plain_reading(owner, kind, 0))
    rows = texts
    for step in steps:  # none of which learns from the texts
        rows = step.fit_transform(rows)
    classifier.partial_fit(rows, labels, classes=classes)
    adopt_steps(owner, steps, classifier)


def with_choice(classifier: NBLogisticRegression, choice: Choice) -> NBLogisticRegression:
    """Set the parameters of a classifier that were chosen; return it."""
    classifier.set_params(
        C=choice.C, alpha=choice.alpha, lean=choice.lean, temperature=choice.temperature
    )
    return classifier


def temper(
    classifier: NBLogisticRegression,
    rows: CsrMatrix,
    labels: AnyArray,
    weights: Floats | None = None,
) -> float:
    """Set the temperature of a classifier by documents outside its fit; return it.

    Documents with a label that the classifier does not know are left out.
    """
    known = np.flatnonzero(np.isin(labels, classifier.classes_))
    codes = np.searchsorted(classifier.classes_, labels[known]).astype(np.int32)
    if len(np.unique(codes)) >= 2:  # or there is nothing to tell apart
        scores = classifier.decision_function(rows[known]).reshape(len(known), -1)
        weights = np.ones(len(known)) if weights is None else weights[known]
        divide_weights(classifier, best_temperature(scores, codes, weights))
    return float(classifier.temperature)


class Counter:
    """Counts texts by readings, as `choose` wants it, and remembers the last one for the fit."""

    def __init__(self, owner: "TextClassifier", kind: Kind) -> None:
        self.owner, self.kind = owner, kind
        self.whole: Strings | None = None  # all texts, as they are counted
        self._last: tuple[RawDocuments, Reading, list[Any], CsrMatrix] | None = None

    def __call__(self, texts: RawDocuments, reading: Reading) -> Counts:
        """Return counts of texts."""
        self._last = None  # one matrix at a time
        steps = text_steps(self.owner, self.kind, reading)
        counts = fit_counts(steps[0], texts)
        self._last = texts, reading, steps, counts
        return Counts(counts, view_begins(steps[0]))

    def steps_and_rows(self, texts: Texts, reading: Reading) -> tuple[list[Any], CsrMatrix]:
        """Return fitted steps and what they make of texts, counted anew unless they were last."""
        last, self._last = self._last, None
        if last is None or last[0] is not self.whole or last[1].key != reading.key:
            steps, rows = text_steps(self.owner, self.kind, reading), texts
            for step in steps:
                rows = step.fit_transform(rows)
            return steps, rows
        _, _, steps, counts = last
        rows = weigh_counts(steps[0], counts)
        for step in steps[1:]:
            rows = step.fit_transform(rows)
        return steps, rows


def choose_for(
    owner: "TextClassifier",
    kind: Kind,
    documents: Documents,
    *,
    is_whole: bool,
    counter: Count | None = None,
) -> Choice:
    """Choose the settings of a TextClassifier that are not given.

    `is_whole` is whether these are all documents of the fit; `counter` as ``count`` of `choose`.
    """
    prior = ratio_prior(new_classifier(owner, kind))
    return choose(
        documents,
        owner,
        kind,
        weighting_of(owner, kind),
        counter or Counter(owner, kind),
        prior,
        execution(owner.n_jobs),
        is_whole=is_whole,
    )


class Collected(NamedTuple):
    """The documents that settings are chosen on: all of them, or a sample."""

    documents: Documents
    positions: Ints
    n_documents: int  # in all

    @property
    def is_whole(self) -> bool:
        """Whether these are all documents."""
        return len(self.documents) == self.n_documents

    def held_back(self) -> Ints:
        """Return the positions of those to leave out of the fit, as `sample.held_back`."""
        part = self.documents
        return self.positions[held_back(part.codes, part.weights, self.n_documents)]


def collect(
    owner: "TextClassifier",
    kind: Kind,
    classifier: BaseEstimator,
    texts: Texts,
    labels: Labels,
    sample_weight: WeightsLike,
) -> Collected:
    """Check options, documents and labels; return what settings can be chosen on."""
    strings = _strings(owner, kind, texts)
    sizes = _sizes(strings)
    classes, codes, weights = rows_of_fit(classifier, labels, len(sizes), sample_weight)
    weights = np.ones(len(sizes)) if weights is None else weights
    documents = Documents(strings, codes, weights, classes, sizes)
    positions = sampled(sizes, SAMPLE_LARGE, documents_most(len(classes)))
    return Collected(documents.taken(positions), positions, len(sizes))


def _strings(owner: "TextClassifier", kind: Kind, texts: Texts) -> Strings:
    """Check options and documents; return these as a list or tuple, or a large Arrow column."""
    vectorizer = text_steps(owner, kind, plain_reading(owner, kind, 0))[0]
    check_parameters(vectorizer)
    if any(map(callable, (owner.preprocessor, owner.tokenizer, owner.analyzer))):
        check_collection(texts)
        return list(without_missing(texts, owner.missing))
    how = execution(owner.n_jobs)
    checked = as_documents(texts, vectorizer.decode, "content", owner.missing, how)
    if isinstance(checked, tuple):
        return checked
    if checked.n_bytes <= SAMPLE_LARGE:
        return as_strings(checked)
    import pyarrow as pa

    column = texts if isinstance(texts, pa.Array | pa.ChunkedArray) else pa.chunked_array(texts)
    return column.cast(pa.large_string())


def _sizes(texts: Strings) -> Ints:
    """Return the length of each text."""
    if not isinstance(texts, list | tuple):
        import pyarrow.compute as pc

        lengths = pc.fill_null(pc.utf8_length(texts), 0)
        return np.asarray(lengths.to_numpy(zero_copy_only=False), dtype=np.int64)
    lengths = (len(text) if isinstance(text, str | bytes) else 0 for text in texts)
    return np.fromiter(lengths, dtype=np.int64, count=len(texts))


def _length(texts: Texts) -> int:
    try:
        return len(cast("Sized", texts))
    except TypeError:  # the vectorizer's error gives the reason
        return 0

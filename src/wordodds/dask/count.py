"""What workers do with text: count partitions, choose a vocabulary for all, move the columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from wordodds._border.classes import codes_by_label
from wordodds._border.execution import Execution, execution
from wordodds._border.labels import encode_labels
from wordodds._border.row_weights import class_weights
from wordodds._border.structure import CsrArrays
from wordodds.classifier.estimators import text_steps
from wordodds.classifier.named_models import Kind
from wordodds.classifier.reading import Reading, plain_reading
from wordodds.dask.labels import LabelCounts, labels_of, union
from wordodds.dask.partitions import columns_of, located
from wordodds.text import CountVectorizer, EmptyVocabularyError, HashingVectorizer
from wordodds.text.parts import weigh_counts
from wordodds.text.prune import map_columns
from wordodds.text.remap import columns_in, tally_of_fitted
from wordodds.text.vectorizer import CsrMatrix
from wordodds.typing import AnyArray, Codes, Floats, Ints, RawDocuments

if TYPE_CHECKING:
    from wordodds.dask.partitions import Partition

__all__ = ["Chosen", "Counted", "Recipe", "choose", "count", "merge_seen", "rows_of", "see"]


class Recipe(NamedTuple):
    """How text is counted."""

    parameters: Any  # a TextClassifier, for its text options
    kind: Kind  # without its model
    class_weight: Any
    text: str
    label: str
    reading: Reading
    is_chosen: bool  # or it depends on the number of documents
    held: dict[str, Ints]  # rows to leave out, by the name of the partition


class Counted(NamedTuple):
    """A partition, counted; stays on its worker."""

    vectorizer: CountVectorizer | None  # with the partition's own vocabulary; None: hashed
    counts: CsrMatrix  # (n_documents, n_terms); of hashed text the final rows
    classes: AnyArray  # of this partition
    codes: Codes
    name: str


class Seen(NamedTuple):
    """What some partitions have: terms and labels."""

    vectorizer: CountVectorizer | None  # with document frequencies; None: hashed
    labels: LabelCounts


class Chosen(NamedTuple):
    """What all partitions share."""

    steps: list[Any]  # text into rows, fitted
    classes: AnyArray  # those that weigh something
    class_counts: Ints  # documents of each
    factors: Floats | None  # the weight of each; None: all weigh 1
    n_cols: int
    held: dict[str, Ints]  # rows to leave out, by the name of the partition

    @property
    def total_weight(self) -> float:
        """The weight of all documents."""
        factors = 1.0 if self.factors is None else self.factors
        return float(np.sum(self.class_counts * factors))


def count(partition: Partition, name: str, recipe: Recipe) -> Counted:
    """Count a partition with a vocabulary of its own."""
    with located(name):
        texts, labels = columns_of(partition, recipe.text, recipe.label)
        n_documents = len(labels)
        classes, codes = encode_labels(labels, n_documents)
        steps = text_steps(recipe.parameters, recipe.kind, recipe.reading)
        if isinstance(steps[0], HashingVectorizer):
            return Counted(None, _hashed(steps, texts, n_documents), classes, codes, name)
        vectorizer = _own_vectorizer(steps[0])
        return Counted(vectorizer, _counts(vectorizer, texts, n_documents), classes, codes, name)


def see(counted: Counted) -> Seen:
    """Return what the choice of a vocabulary needs of a partition."""
    labels = labels_of(counted.classes, counted.codes, counted.name)
    if counted.vectorizer is None:
        return Seen(None, labels)
    return Seen(tally_of_fitted(counted.vectorizer, counted.counts), labels)


def merge_seen(seen: list[Seen]) -> Seen:
    """Return what several groups of partitions, in their order, have together."""
    labels = union([one.labels for one in seen])
    if seen[0].vectorizer is None:
        return Seen(None, labels)
    merged = clone(seen[0].vectorizer)
    for one in seen:
        merged.merge(one.vectorizer)
    return Seen(merged, labels)


def choose(seen: Seen, recipe: Recipe) -> Chosen:
    """Choose the vocabulary and the classes of the whole collection."""
    classes, class_counts = seen.labels.classes, seen.labels.counts
    n_documents = int(class_counts.sum())
    if not n_documents:
        raise ValueError("the collection has no documents: there is nothing to learn from")
    reading = recipe.reading
    if not recipe.is_chosen:
        reading = plain_reading(recipe.parameters, recipe.kind, n_documents)
    steps = text_steps(recipe.parameters, recipe.kind, reading)
    if seen.vectorizer is None:
        rows: Any = [""]
        for step in steps:  # none of which learns from the text
            rows = step.fit_transform(rows)
        n_cols = rows.shape[1]
    else:
        steps[0].merge(seen.vectorizer)
        # Chooses the terms, or says why none is left.
        n_cols = CountVectorizer.transform(steps[0], []).shape[1]
    factors = None
    if recipe.class_weight is not None:
        codes = np.arange(len(classes), dtype=np.int32)
        factors = class_weights(recipe.class_weight, classes, codes, class_counts.astype(float))
        weighs = factors > 0.0
        if not weighs.any():
            raise ValueError("the weight of every row is zero: there is nothing to learn from")
        classes, class_counts, factors = classes[weighs], class_counts[weighs], factors[weighs]
    return Chosen(steps, classes, class_counts, factors, n_cols, recipe.held)


def rows_of(counted: Counted, chosen: Chosen) -> tuple[CsrMatrix, Codes]:
    """Return the rows of a partition under the vocabulary of all, and their classes.

    Documents of classes that weigh nothing are left out.
    """
    rows = counted.counts
    if counted.vectorizer is not None:
        columns = columns_in(counted.vectorizer, chosen.steps[0])
        how = execution(counted.vectorizer.n_jobs)
        rows = _moved(rows, columns, chosen.n_cols, how)
        if rows.shape[0]:
            rows = weigh_counts(chosen.steps[0], rows)
    position_of = codes_by_label(chosen.classes)
    positions = [position_of.get(label, -1) for label in counted.classes.tolist()]
    codes = np.array(positions, dtype=np.int32)[counted.codes]
    codes[chosen.held.get(counted.name, [])] = -1
    if (codes < 0).any():
        rows, codes = rows[codes >= 0], codes[codes >= 0]
    return rows, codes


def _own_vectorizer(step: CountVectorizer) -> CountVectorizer:
    """Return a vectorizer that finds the same features and keeps them all."""
    names = CountVectorizer().get_params()
    options = {name: value for name, value in step.get_params().items() if name in names}
    unlimited = {"min_df": 1, "max_df": 1.0, "max_features": None, "dtype": np.int64}
    return CountVectorizer(**options | unlimited)


def _counts(vectorizer: CountVectorizer, texts: RawDocuments, n_documents: int) -> CsrMatrix:
    try:
        return vectorizer.fit_transform(texts)
    except EmptyVocabularyError:  # other partitions may have words
        vectorizer.vocabulary_ = {}
        return sp.csr_matrix((n_documents, 0), dtype=np.int64)


def _hashed(steps: list[Any], texts: RawDocuments, n_documents: int) -> CsrMatrix:
    if not n_documents:
        return sp.csr_matrix((0, steps[0].n_features))
    rows = texts
    for step in steps:
        rows = step.fit_transform(rows)
    return rows


def _moved(counts: CsrMatrix, columns: Ints, n_cols: int, how: Execution) -> CsrMatrix:
    """Renumber columns; both vocabularies are sorted, so that rows stay so."""
    rows = CsrArrays.of(counts)
    moved = map_columns(rows, columns, n_cols, how, binary=False, sums=False)
    return sp.csr_matrix(moved.to_scipy())

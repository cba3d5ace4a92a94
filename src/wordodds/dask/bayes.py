"""Naive Bayes over partitions: tallies of classes add up, and one model is made of their sum."""

from __future__ import annotations

from copy import copy
from typing import cast

import numpy as np
import scipy.sparse as sp

from wordodds._border.csr import as_csr
from wordodds._border.execution import execution
from wordodds.bayes import BernoulliNB
from wordodds.bayes.discrete import CountedNB
from wordodds.bayes.tally import tally_entries, tally_rows
from wordodds.dask.cluster import FEW, FutureOf, Work
from wordodds.dask.count import Chosen, Counted, rows_of

__all__ = ["fit_bayes"]

# Up to here it is quicker to sum into a table and to look for what is not zero.
CELLS_PER_ENTRY = 4


def fit_bayes(
    classifier: CountedNB,
    counted: list[FutureOf[Counted]],
    chosen: FutureOf[Chosen],
    work: Work,
) -> CountedNB:
    """Fit a naive Bayes model to futures of `Counted` and `Chosen`, and return it."""
    # Weights of classes are numbers by now; threads are a matter of each process.
    alone = copy(classifier).set_params(class_weight=None, n_jobs=None)
    if isinstance(classifier, BernoulliNB):
        parts = work.map(learn, counted, chosen=chosen, classifier=alone)
        # Not None: `choose` raises where there are no documents.
        learnt = cast(BernoulliNB, work.result(work.tree(merge_learnt, parts, FEW)))
    else:
        sums = work.tree(add_sums, work.map(class_sums, counted, chosen=chosen), FEW)
        learnt = _learnt_of_sums(alone, *work.result([sums, chosen]))
    asked = {name: getattr(classifier, name) for name in ("class_weight", "n_jobs")}
    return cast(CountedNB, learnt.set_params(**asked))


def class_sums(counted: Counted, chosen: Chosen) -> sp.csr_array:
    """Return the sum of the rows of each class, sparse, (n_classes, n_cols)."""
    rows, codes = rows_of(counted, chosen)
    how = execution(None)
    checked = as_csr(rows, non_negative=True, execution=how)
    n_classes = len(chosen.classes)
    if n_classes * checked.n_cols <= CELLS_PER_ENTRY * len(checked.data):
        return sp.csr_array(tally_rows(checked, codes, n_classes, None, how).table())
    return sp.csr_array(tally_entries(checked, codes, n_classes, None, how).T)


def add_sums(sums: list[sp.csr_array]) -> sp.csr_array:
    """Return the sum of sparse matrices, added in order."""
    total = sums[0]
    for one in sums[1:]:
        total = total + one
    return total


def _learnt_of_sums(classifier: CountedNB, sums: sp.csr_array, chosen: Chosen) -> CountedNB:
    """Fit a model that sees of each class one document with all its words, and the others empty.

    Where documents are summed up anyway, that is the fit to all of them.
    """
    n_classes = len(chosen.classes)
    rows = sp.vstack([sums, sp.csr_array(sums.shape)], format="csr")
    factors = np.ones(n_classes) if chosen.factors is None else chosen.factors
    weights = np.concatenate([factors, factors * (chosen.class_counts - 1)])
    labels = np.concatenate([chosen.classes, chosen.classes])
    return classifier.fit(rows, labels, sample_weight=weights)


def learn(counted: Counted, chosen: Chosen, classifier: BernoulliNB) -> BernoulliNB | None:
    """Return what a partition teaches; None if it has no documents."""
    rows, codes = rows_of(counted, chosen)
    if not len(codes):
        return None
    labels = chosen.classes[codes]
    weights = None if chosen.factors is None else chosen.factors[codes]
    return copy(classifier).partial_fit(rows, labels, chosen.classes, sample_weight=weights)


def merge_learnt(models: list[BernoulliNB | None]) -> BernoulliNB | None:
    """Return one model of what several have learnt."""
    learnt = [model for model in models if model is not None]
    if not learnt:
        return None
    merged = copy(learnt[0])
    for model in learnt[1:]:
        merged.merge(model)
    return merged

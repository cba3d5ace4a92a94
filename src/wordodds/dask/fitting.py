"""Fit a TextClassifier to a collection that lies on a cluster, or that its workers can read."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from wordodds.dask.cluster import FEW, Work, client_of
from wordodds.dask.partitions import partitions_of

if TYPE_CHECKING:
    import distributed
    from sklearn.base import BaseEstimator

    from wordodds.classifier import TextClassifier
    from wordodds.classifier.choose import Choice
    from wordodds.classifier.named_models import Kind
    from wordodds.dask.partitions import DaskCollection, Partitions

__all__ = ["fit"]


def fit(
    classifier: TextClassifier,
    collection: DaskCollection,
    *,
    text: str = "text",
    label: str = "label",
    client: distributed.Client | None = None,
) -> TextClassifier:
    """Learn from texts and labels on the workers of a Dask cluster.

    Each partition is read once and stays on its worker as counts; vocabulary and class tallies are
    put together in a tree. The result does not depend on the number of workers, and a worker that
    dies changes nothing in it: its partitions are read again.

    Naive Bayes is that of `TextClassifier.fit` on all documents, bit for bit, where it counts whole
    words. Logistic regression is minimised by rounds of sums over the partitions, to the optimum of
    the same objective. "nb_logistic" is fitted on one worker if that can hold the rows (67 million
    entries), else by rounds of dual ascent on random groups of rows; its settings are chosen as by
    `TextClassifier.fit`, on a sample of at most 33 million characters that comes to the client, for
    which partitions are read once more.

    Parameters
    ----------
    classifier : TextClassifier
        Classifier to fit, which is also returned; unchanged if something is raised. ``n_jobs`` is
        for its predictions: workers use as many threads as their environment allows.
    collection : Dask bag, Dask dataframe, list of delayed objects or futures, path, glob or list \
of paths
        A bag of mappings or of pairs (text, label); a dataframe; objects that return Arrow
        record batches or tables; or files that workers can read, each a partition.
    text : str, default="text"
        Name of the column of texts, or their key in mappings.
    label : str, default="label"
        Name of the column of labels, or their key in mappings.
    client : distributed.Client or None, default=None
        Client of the cluster. None: the current one.

    Returns
    -------
    TextClassifier
        The classifier.

    Raises
    ------
    ValueError, TypeError
        If a row is bad, naming the file and the row, or the partition and the row in it; if the
        model cannot be fitted in this way.

    Examples
    --------
    >>> import dask.bag, distributed, wordodds.dask
    >>> mail = [("free money now", "spam"), ("cheap money", "spam"), ("see you at lunch", "ham")]
    >>> with distributed.Client(processes=False, dashboard_address=":0") as client:
    ...     bag = dask.bag.from_sequence(mail, npartitions=2)
    ...     classifier = wordodds.dask.fit(wordodds.TextClassifier("naive_bayes"), bag)
    >>> classifier.predict(["money for lunch money"])
    array(['spam'], dtype='<U4')
    """
    from sklearn.base import clone

    from wordodds.classifier import TextClassifier
    from wordodds.classifier.estimators import adopt_steps, new_classifier, text_steps
    from wordodds.classifier.fitting import chooses, temper, with_choice
    from wordodds.classifier.named_models import kind_of
    from wordodds.classifier.reading import MANY, plain_reading
    from wordodds.dask.count import Recipe, choose, count, merge_seen, see

    if not isinstance(classifier, TextClassifier):
        raise TypeError(f"classifier must be a TextClassifier, got {type(classifier).__name__}")
    kind = kind_of(classifier.model)
    learner = new_classifier(classifier, kind)
    train = _trainer(learner)
    reading = plain_reading(classifier, kind, MANY)
    text_steps(classifier, kind, reading)  # raises here what every worker would raise
    # A callback of the model may hold anything, and workers need the text options alone.
    parameters = clone(classifier).set_params(model=None, n_jobs=None, verbose=False)
    options = kind._replace(make=dict), learner.class_weight, text, label
    choice, held = None, _NOTHING
    with Work(client_of(client)) as work:
        partitions = partitions_of(collection, work)
        if chooses(classifier):
            choice, held = _choose(classifier, kind, partitions, text, label, work)
            learner, reading = with_choice(learner, choice), choice.reading
        recipe = Recipe(parameters, *options, reading, choice is not None, held.rows)
        counted = partitions.apply(work, count, recipe)
        seen = work.tree(merge_seen, work.map(see, counted), FEW)
        chosen = work.submit(choose, seen, recipe)
        fitted = train(learner, counted, chosen, work)
        steps = work.result(chosen).steps
    if choice is not None and held.texts:
        rows: Any = held.texts
        for step in steps:
            rows = step.transform(rows)
        choice = choice._replace(temperature=temper(fitted, rows, held.labels))
    adopt_steps(classifier, steps, fitted, choice)
    return classifier


class _HeldBack(NamedTuple):
    """Documents that are left out of the fit, to find its temperature on them."""

    rows: dict[str, Any]  # by the name of the partition
    texts: list[str]
    labels: Any


_NOTHING = _HeldBack({}, [], [])


def _choose(
    classifier: TextClassifier,
    kind: Kind,
    partitions: Partitions,
    text: str,
    label: str,
    work: Work,
) -> tuple[Choice, _HeldBack]:
    """Choose settings on a sample that comes to the client."""
    from wordodds.classifier.estimators import text_steps
    from wordodds.classifier.fitting import choose_for
    from wordodds.classifier.reading import MANY, plain_reading
    from wordodds.dask.sample import Columns, look, merge_samples

    decode = text_steps(classifier, kind, plain_reading(classifier, kind, MANY))[0].decode
    columns = Columns(text, label, decode, classifier.missing)
    looked = partitions.apply(work, look, columns)
    sample = work.result(work.tree(merge_samples, looked, FEW))
    documents = sample.documents(classifier.class_weight)
    choice = choose_for(classifier, kind, documents, is_whole=sample.is_whole)
    rows: dict[str, list[int]] = {}
    held = sample.held_back(documents)
    for i in held.tolist():
        name, row = sample.places[i]
        rows.setdefault(name, []).append(row)
    texts = [sample.texts[i] for i in held.tolist()]
    labels = documents.classes[documents.codes[held]]
    return choice, _HeldBack({name: np.array(at) for name, at in rows.items()}, texts, labels)


def _trainer(learner: BaseEstimator) -> Callable[..., Any]:
    """Return the function that fits a model by partitions; raise if it needs all rows at once."""
    from wordodds.bayes import BernoulliNB, ComplementNB, MultinomialNB
    from wordodds.dask.bayes import fit_bayes
    from wordodds.dask.logistic import (
        check_logistic,
        check_nb_logistic,
        fit_logistic,
        fit_nb_logistic,
    )
    from wordodds.linear import LogisticRegression, NBLogisticRegression

    if isinstance(learner, MultinomialNB | BernoulliNB | ComplementNB):
        return fit_bayes
    if isinstance(learner, LogisticRegression):
        # Once: a Generator as random_state gives another seed each time.
        return partial(fit_logistic, settings=check_logistic(learner))
    if isinstance(learner, NBLogisticRegression):
        check_nb_logistic(learner)
        return fit_nb_logistic
    raise ValueError(
        f"{type(learner).__name__} visits one row after the other, which a cluster does not speed "
        'up: use model="logistic"'
    )

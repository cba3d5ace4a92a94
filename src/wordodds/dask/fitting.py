"""Fit a TextClassifier to a collection that lies on a cluster, or that its workers can read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from wordodds.dask.partitions import partitions_of
from wordodds.dask.work import FEW, Work, client_of

if TYPE_CHECKING:
    from wordodds.classifier import TextClassifier

__all__ = ["fit"]


def fit(
    classifier: TextClassifier,
    collection: Any,
    *,
    text: str = "text",
    label: str = "label",
    client: Any = None,
) -> TextClassifier:
    """Learn from texts and labels on the workers of a Dask cluster.

    Each partition is read once and stays on its worker as counts; vocabulary and class tallies are
    put together in a tree. The result does not depend on the number of workers, and a worker that
    dies changes nothing in it: its partitions are read again.

    Naive Bayes is that of `TextClassifier.fit` on all documents, bit for bit, where it counts whole
    words. Logistic regression is minimised by rounds of sums over the partitions, to the optimum of
    the same objective; "nb_logistic" goes there too, until no component of its gradient is above
    1e-6 or after 300 iterations, while `TextClassifier.fit` stops on its way.

    Parameters
    ----------
    classifier : TextClassifier
        Fitted, and returned; as it was if something is raised. ``n_jobs`` is for its predictions:
        workers use as many threads as their environment says.
    collection : Dask bag, Dask dataframe, list of delayed objects or futures, path, glob or list \
of paths
        A bag of mappings or of pairs (text, label); a dataframe; objects that give Arrow record
        batches or tables; or files that workers can read, each a partition.
    text, label : str
        Names of columns, or keys of mappings.
    client : distributed.Client or None
        Of the cluster; None: the current one.

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
    from wordodds.classifier.kinds import kind_of
    from wordodds.classifier.steps import adopt_steps, new_classifier, text_steps
    from wordodds.dask.count import Recipe, choose, count, merge_seen, see

    if not isinstance(classifier, TextClassifier):
        raise TypeError(f"classifier must be a TextClassifier, got {type(classifier).__name__}")
    kind = kind_of(classifier.model)
    learner = new_classifier(classifier, kind)
    train = _trainer(learner)
    text_steps(classifier, kind)  # raises here what every worker would raise
    # A callback of the model may hold anything, and workers need the text options alone.
    parameters = clone(classifier).set_params(model=None, n_jobs=None, verbose=False)
    recipe = Recipe(parameters, kind._replace(make=dict), learner.class_weight, text, label)
    with Work(client_of(client)) as work:
        counted = partitions_of(collection, work).apply(work, count, recipe)
        seen = work.tree(merge_seen, work.map(see, counted), FEW)
        chosen = work.submit(choose, seen, recipe)
        fitted = train(learner, counted, chosen, work)
        steps = work.result(chosen).steps
    adopt_steps(classifier, steps, fitted)
    return classifier


def _trainer(learner: Any) -> Callable[..., Any]:
    """Return what fits a model by partitions; refuse one that needs all rows in one place."""
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
        check_logistic(learner)
        return fit_logistic
    if isinstance(learner, NBLogisticRegression):
        check_nb_logistic(learner)
        return fit_nb_logistic
    raise ValueError(
        f"{type(learner).__name__} visits one row after the other, which a cluster does not speed "
        'up: use model="logistic"'
    )

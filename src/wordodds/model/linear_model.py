"""LinearModel: what is left after training, scoring raw text without a matrix in between.

A model is composed of parts, each with a file of its own:

- `TextFeatures` (features.py): which features a text has;
- `Weights` (weights.py): what each feature adds to the scores;
- `Scorer` (scoring.py): both at once, from documents to scores;
- `ColumnLink` (links.py) or `TreeLink` (tree.py): from scores to probabilities and classes;
- `Calibration` (calibration/): probabilities that hold, in the place of the link's.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from wordodds._border.checks import whole_number
from wordodds._border.features import FeatureNames, asked_labels, checked_count, given_names
from wordodds._border.labels import encode_known_labels, encode_labels
from wordodds.model.calibration import Calibration, Method, fit_calibration, threshold_for
from wordodds.model.features import TextFeatures
from wordodds.model.links import LinkName, base_link
from wordodds.model.old_calls import takes_label_alone, takes_label_first
from wordodds.model.scoring import Scorer, row_of
from wordodds.model.tree import link_of
from wordodds.model.weights import Weights
from wordodds.typing import AnyArray, AnyFloats, Codes, Floats, Label, Labels, Positions, Texts

if TYPE_CHECKING:
    import pyarrow

    from wordodds.model.evaluation import Evaluation
    from wordodds.model.explanation import Explanation

__all__ = ["LinearModel"]


class LinearModel:
    """A fitted classifier of text, without what trained it.

    Made by `TextClassifier.fit`, `from_sklearn` and `load`. Scores raw text: each feature is found
    and adds its weights at once, on several threads, with the same result for any number of them.
    Never changes, so that any number of threads may share one, and needs no scikit-learn.

    Parameters
    ----------
    labels : ndarray of shape (n_classes,)
        The classes, at least two.
    weights : ndarray of shape (n_features, n_columns)
        Log-odds that one unit of a feature adds; one column for two classes (for the second of
        them), else one for each class. May be padded to a multiple of four columns. Float64,
        float32 or float16, which a file keeps.
    bias : ndarray of shape (n_columns,)
        What the scores start from.
    features : TextFeatures
        How text becomes features.
    link : str
        One of `wordodds.model.links.LINKS` or its FASTTEXT_LINKS: how scores become probabilities.
    calibration : Calibration or None
        What probabilities are made by instead of the link.
    factor : ndarray of shape (rank, n_columns) or None
        If given, weights have shape (n_features, rank) and are multiplied by it.
    tree : ndarray of shape (n_classes - 1, 2) or None
        If given, columns are the decisions of a tree of labels, as in `wordodds.model.tree`.
    name, source, chosen : str, dict or None, dict or None
        For people: what trained it, what it was made from, and settings that were chosen on
        held-out documents.

    Attributes
    ----------
    labels, classes_ : ndarray of shape (n_classes,)
        The classes, in the order of all columns.
    n_classes, n_features : int
        The numbers of labels, and of features with weights.
    n_jobs : int or None
        Threads, as in the vectorizers; may be set.

    Examples
    --------
    >>> from wordodds import TextClassifier
    >>> texts = ["free money now", "cheap money", "see you at lunch", "lunch with you"]
    >>> model = TextClassifier().fit(texts, ["spam", "spam", "ham", "ham"]).linear_model_
    >>> model
    <LinearModel NBLogisticRegression: 122 features, 2 labels ('ham', 'spam')>
    >>> model.predict(["money for lunch money"])
    array(['spam'], dtype='<U4')
    >>> labels, probabilities = model.predict_above(["money money", "you"], threshold=0.6)
    >>> labels
    [['spam'], ['ham']]
    >>> [word for word, _ in model.top_features(1, labels=["spam"])["spam"]]
    ['word__money']
    """

    def __init__(
        self,
        labels: AnyArray,
        weights: AnyFloats,
        bias: Floats,
        features: TextFeatures,
        *,
        link: LinkName,
        name: str,
        calibration: Calibration | None = None,
        factor: AnyFloats | None = None,
        tree: Codes | None = None,
        source: dict[str, Any] | None = None,
        chosen: dict[str, Any] | None = None,
    ) -> None:
        self.labels = self.classes_ = np.array(labels)
        self.labels.flags.writeable = False  # any number of threads share them
        self.features = features
        self.name = name
        self.calibration = calibration
        self.source, self.chosen = source, chosen
        self.link, self.tree = link, tree
        self.dtype = weights.dtype  # of the weights in a file
        self.n_jobs: int | None = None
        self._link = link_of(link, tree, len(labels), len(bias))
        self._weights = Weights(weights, bias, factor)
        self._scorer = Scorer(features, self._weights)
        self.bias = self._weights.bias
        self.n_classes, self.n_features = len(self.labels), len(self._weights)
        self._seen: tuple[Floats, Codes] | None = None  # probabilities and codes, by `calibrate`

    @property
    def weights(self) -> AnyFloats:
        """Log-odds that one unit of a feature adds, (n_features, n_columns); copied if low-rank."""
        return self._weights.rows(slice(None))

    @property
    def has_probabilities(self) -> bool:
        """Whether `predict_proba` works."""
        return self.calibration is not None or self.link != "none"

    def decision_function(self, texts: Texts) -> Floats:
        """Return the scores, (n_texts,) for one column and (n_texts, n_classes) for more.

        Of a tree of labels they are the logarithms of probabilities.

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            The documents. The text of an Arrow column is read where it lies.
        """
        scores = self._link.class_scores(self._scores(texts))
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, texts: Texts) -> AnyArray:
        """Return the most probable label of each text.

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            The documents.
        """
        return np.asarray(self.labels[self._codes(self._scores(texts))])

    def predict_proba(self, texts: Texts) -> Floats:
        """Return the probability of each label, (n_texts, n_classes).

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            The documents.

        Raises
        ------
        NoProbabilitiesError
            If the scores are margins and the model was not calibrated.
        """
        return self._probabilities(self._scores(texts))

    def predict_top(self, texts: Texts, k: int = 3) -> tuple[AnyArray, Floats]:
        """Return the k most probable labels of each text and their probabilities.

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            The documents.
        k : int, default=3
            How many; at most the number of labels.

        Returns
        -------
        labels : ndarray of shape (n_texts, k)
            The most probable first.
        probabilities : ndarray of shape (n_texts, k)
            Scores, where the model has no probabilities.
        """
        k = whole_number(k, "k", 1, wrong_type=ValueError)
        values = self._values(self._scores(texts))
        best = self.ranked(values)[:, :k]
        return np.asarray(self.labels[best]), np.take_along_axis(values, best, axis=1)

    def predict_arrow(self, texts: Texts) -> "pyarrow.StructArray":
        """Return label and probability of each text as an Arrow array of structs.

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            The documents.

        Returns
        -------
        pyarrow.StructArray
            With the fields "label" and "score": the probability of the label, or its score where
            the model has no probabilities.
        """
        from wordodds.model.predictions import arrow_structs

        return arrow_structs(self, texts)

    def predict_above(
        self, texts: Texts, threshold: float = 0.5, k: int | None = None
    ) -> tuple[list[list[Label]], list[Floats]]:
        """Return the labels of each text that have at least this probability, the first ones first.

        What ``predict(texts, k, threshold)`` of fastText returns. For models whose labels exclude
        each other, and for those where several may be right.

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            The documents.
        threshold : float, default=0.5
            The least probability; fastText leaves its own 1e-5 out of the comparison.
        k : int or None
            The largest number of labels of a text; None: any number.

        Returns
        -------
        labels : list of lists
            Labels of each text; none where no label is probable enough, nor where fastText finds no
            feature at all.
        probabilities : list of ndarrays
            Their probabilities.
        """
        from wordodds.model.predictions import labels_above

        return labels_above(self, texts, threshold, k)

    def predict_stream(
        self,
        batches: Iterable[Any],
        *,
        text: str = "text",
        keep: Sequence[str] = (),
        proba: bool = False,
        top: int | None = None,
        proba_all: bool = False,
    ) -> Iterator[Any]:
        """Yield labels for any number of batches, in order, while the next ones are being read.

        Parameters
        ----------
        batches, text, keep, proba, top, proba_all
            As for `wordodds.model.stream.predict_stream`, which names the columns of the output.
        """
        from wordodds.model.stream import predict_stream

        return predict_stream(
            self, batches, text=text, keep=keep, proba=proba, top=top, proba_all=proba_all
        )

    def score(self, texts: Texts, labels: Labels) -> float:
        """Return the share of texts whose most probable label is the right one.

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            The documents.
        labels : array-like
            The right labels.
        """
        predicted = self.predict(texts)
        if len(predicted) == 0:
            raise ValueError("there must be a text to score")
        known, codes = encode_labels(labels, len(predicted))
        return float(np.mean(predicted == known[codes]))

    def evaluate(self, texts: Texts, labels: Labels) -> "Evaluation":
        """Return accuracy, precision and recall of each label, log loss and calibration error.

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            The documents.
        labels : array-like
            The right labels. Documents with labels that the model does not know count as wrong;
            ``unknown`` of the result lists them.
        """
        from wordodds.model.evaluation import encode_true_labels, evaluate

        scores = self._scores(texts)
        right, unknown = encode_true_labels(labels, len(scores), self.labels)
        chances = self._probabilities(scores) if self.has_probabilities else None
        if chances is not None:
            np.minimum(chances, 1.0, out=chances)  # fastText's own reach 1.00001
        return evaluate(right, self._codes(scores), chances, self.labels, unknown)

    def explain(
        self, text: str | bytes, label: Label | None = None, against: Label | None = None
    ) -> "Explanation":
        """Return what each feature of a text adds to the log-odds of a label.

        Parameters
        ----------
        text : str
            One document.
        label : label or None
            Whose log-odds; None: the most probable label's.
        against : label or None
            The label to compare with. None: the mean over all others where scores mean something
            only beside each other (softmax, naive Bayes), else all others at once.
        """
        from wordodds.model.contributions import explain

        return explain(self, text, label, against)

    @takes_label_alone
    def log_odds(self, feature: int | str, label: Label, against: Label | None = None) -> float:
        """Return what one unit of a feature adds to the log-odds of a label.

        Parameters
        ----------
        feature : int or str
            A row of the weights, or the name of a feature, such as a word; of a model with several
            analyzers such as "word__money".
        label : label
            The label.
        against : label or None
            The label to compare with; None: as in `explain`.
        """
        row, sign = row_of(self.features, feature)
        return sign * float(self._weights.along(self.contrast(label, against), np.array([row]))[0])

    @takes_label_first
    def top_features(
        self,
        n: int = 10,
        *,
        labels: Labels | None = None,
        feature_names: FeatureNames = None,
    ) -> dict[Label, list[tuple[Any, float]]]:
        """Return for each label the features that speak most for it, the strongest first.

        A weight is what one unit of the feature adds to the log-odds: one occurrence where counts
        are taken as they are; where documents are divided by their norm, a document of nothing
        else. For what a feature adds to one text, see `explain`.

        Parameters
        ----------
        n : int, default=10
            How many for each label.
        labels : list of labels or None
            The labels to look at; None: all.
        feature_names : array-like of shape (n_features,), a vectorizer or None
            What to call the features; None: the names that the model has.

        Returns
        -------
        dict
            Label -> list of (feature, log-odds), compared as in `explain`.
        """
        n = checked_count(n)
        name_of: Callable[[int], Any] = self.features.name_of
        if feature_names is not None:
            name_of = given_names(feature_names, self.n_features).__getitem__
        best = {}
        for label in asked_labels(labels, self.labels):
            found = self._weights.top(self.contrast(label), n)
            best[label] = [(name_of(row), odds) for row, odds in found]
        return best

    def contrast(self, label: Label, against: Label | None = None) -> Floats:
        """Return how the columns of `weights` add up to the log-odds of a label, (n_columns,)."""
        code = self.code_of(label)
        other = None if against is None else self.code_of(against)
        if other == code:
            raise ValueError(f"against must be another label than {label!r}")
        return self._link.contrast(len(self.bias), code, other)

    def code_of(self, label: Label) -> int:
        """Return the position of a label among `labels`."""
        found = [code for code, known in enumerate(self.labels.tolist()) if known == label]
        if not found:
            raise ValueError(f"there is no label {label!r}; the model knows {self._some_labels()}")
        return found[0]

    def ranked(self, values: Floats) -> Positions:
        """Return the positions of labels by their probabilities, the most probable first."""
        return self._link.ranked(values, self.calibration is not None)

    def calibrate(self, texts: Texts, labels: Labels, method: Method = "temperature") -> Self:
        """Return a model with the same scores and probabilities that match these documents.

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            Documents that the model was not trained on, of the kind that it will see.
        labels : array-like
            Their labels.
        method : {"temperature", "platt", "isotonic"}, default="temperature"
            One number that scores are divided by; a sigmoid for each class; a rising curve for
            each class, which needs a thousand documents or more.
        """
        scores = self._scores(texts)
        codes = encode_known_labels(labels, len(scores), self.labels)
        raw, link = self._link.class_scores(scores), base_link(self.link)
        calibrated = copy(self)
        calibrated.calibration = fit_calibration(raw, codes, link, method, self.labels.tolist())
        calibrated._seen = calibrated._probabilities(scores), codes
        return calibrated

    def threshold_for(
        self,
        label: Label,
        *,
        precision: float,
        texts: Texts | None = None,
        labels: Labels | None = None,
    ) -> float:
        """Return the smallest threshold at which predictions of a label reach a precision.

        Parameters
        ----------
        label : label
            The label.
        precision : float
            The share of right ones wanted among documents with at least that probability.
        texts, labels : documents and their labels, or None
            What to measure on; None: what `calibrate` was given, which a file does not keep.
        """
        if texts is not None:
            chances = self.predict_proba(texts)
            codes = encode_known_labels(labels, len(chances), self.labels)
        elif self._seen is not None:
            chances, codes = self._seen
        else:
            raise ValueError(
                "threshold_for needs documents to measure on: pass texts and labels, or calibrate "
                "this model first"
            )
        code = self.code_of(label)
        return threshold_for(chances[:, code], codes == code, precision)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, whole or not at all.

        Parameters
        ----------
        path : str or path
            By custom ``*.wordodds``. What is there is replaced.
        """
        from wordodds.model.file import save

        save(self, path)

    def describe(self) -> dict[str, Any]:
        """Return what the model is, as plain values."""
        from wordodds.model.file import describe

        return describe(self)

    def __repr__(self) -> str:
        calibrated = f", calibrated by {self.calibration.method}" if self.calibration else ""
        return (
            f"<LinearModel {self.name}: {self.n_features:,} features, {self.n_classes} labels "
            f"({self._some_labels()}){calibrated}>"
        )

    def _scores(self, texts: Texts) -> Floats:
        """Return the scores, (n_texts, n_columns)."""
        return self._scorer.scores(self.features.documents(texts, self.n_jobs), self.n_jobs)

    def _probabilities(self, scores: Floats) -> Floats:
        if self.calibration is not None:
            return self.calibration.probabilities(self._link.class_scores(scores))
        return self._link.probabilities(scores, self.n_jobs)

    def _values(self, scores: Floats) -> Floats:
        """Return probabilities, or else scores, of each class."""
        if self.has_probabilities:
            return self._probabilities(scores)
        return np.concatenate([-scores, scores], axis=1) if scores.shape[1] == 1 else scores

    def _codes(self, scores: Floats) -> Positions:
        """Return the position of the most probable label of each text."""
        calibration = self.calibration
        if calibration is not None and calibration.method != "temperature":
            return np.asarray(self._probabilities(scores).argmax(axis=1))  # in another order
        return self._link.codes(scores, self.n_jobs, calibration is not None)

    def _some_labels(self) -> str:
        shown = [repr(label) for label in self.labels[:5].tolist()]
        return ", ".join(shown) + (", ..." if len(self.labels) > 5 else "")

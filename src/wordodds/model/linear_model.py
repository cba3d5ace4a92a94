"""LinearModel: what is left after training, scoring raw text without a matrix in between."""

import os
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from wordodds._border.labels import encode_known_labels, encode_labels
from wordodds.model import above, stream
from wordodds.model.calibration import Calibration, fit_calibration, threshold_for
from wordodds.model.features import TextFeatures
from wordodds.model.label_weights import padded
from wordodds.model.links import FASTTEXT_LINKS, LINKS, base_link
from wordodds.model.scoring import TextScores
from wordodds.model.tree import check_tree
from wordodds.typing import AnyArray, AnyFloats, Codes, Floats

if TYPE_CHECKING:
    from wordodds.model.evaluation import Evaluation
    from wordodds.model.explanation import Explanation

__all__ = ["LinearModel"]


def _numbers_of_columns(n_labels: int, link: str, tree: object) -> set[int]:
    if tree is not None:
        return {n_labels - 1}
    # One column is the log-odds of the second label, where the two exclude each other.
    return {n_labels} | ({1} if n_labels == 2 and not link.endswith("sigmoid") else set())


class LinearModel(TextScores):
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
        them), else one for each class. Perhaps padded to a multiple of four columns. Float64,
        float32 or float16, which a file keeps.
    bias : ndarray of shape (n_columns,)
        What the scores start from.
    features : TextFeatures
        How text becomes features.
    link : str
        One of `wordodds.model.links.LINKS` or its FASTTEXT_LINKS: how scores become probabilities.
    name : str
        What trained it; for people.
    calibration : Calibration or None
        What probabilities are made by instead of the link.
    factor : ndarray of shape (rank, n_columns) or None
        If given, the weights are of shape (n_features, rank), and times this factor what they are
        otherwise.
    tree : ndarray of shape (n_classes - 1, 2) or None
        If given, there is a column for each decision of a tree of labels, as
        `wordodds.model.tree` has it.
    source : dict or None
        What the model was made from, as plain values; for people.
    chosen : dict or None
        Settings that were chosen on held-out documents, as plain values; for people.

    Attributes
    ----------
    labels : ndarray of shape (n_classes,)
        The classes, in the order of all columns.
    n_jobs : int or None
        Threads, as in the vectorizers; may be set.

    Examples
    --------
    >>> from wordodds import TextClassifier
    >>> texts = ["free money now", "cheap money", "see you at lunch", "lunch with you"]
    >>> model = TextClassifier().fit(texts, ["spam", "spam", "ham", "ham"]).linear_model_
    >>> model
    <LinearModel NBLogisticRegression: 9 features, 2 labels ('ham', 'spam')>
    >>> model.predict(["money for lunch money"])
    array(['spam'], dtype='<U4')
    """

    def __init__(
        self,
        labels: AnyArray,
        weights: AnyFloats,
        bias: Floats,
        features: TextFeatures,
        *,
        link: str,
        name: str,
        calibration: Calibration | None = None,
        factor: AnyFloats | None = None,
        tree: Codes | None = None,
        source: dict[str, Any] | None = None,
        chosen: dict[str, Any] | None = None,
    ) -> None:
        n_columns = len(bias)
        if link not in (*LINKS, *FASTTEXT_LINKS):
            known = ", ".join((*LINKS, *FASTTEXT_LINKS))
            raise ValueError(f"link must be one of {known}, got {link!r}")
        if len(labels) < 2 or n_columns not in _numbers_of_columns(len(labels), link, tree):
            raise ValueError(f"{len(labels)} labels do not go with {n_columns} columns of weights")
        if factor is not None and (factor.ndim != 2 or factor.shape[1] != n_columns):
            raise ValueError(f"a factor of shape {factor.shape} gives no {n_columns} columns")
        if tree is not None:
            check_tree(tree, len(labels))
        if link == "fasttext_tree" if tree is None else link not in ("softmax", "fasttext_tree"):
            raise ValueError(
                f"link {link!r} does not go with {'a' if tree is not None else 'no'} tree"
            )
        self.labels = np.array(labels)
        self.labels.flags.writeable = False  # any number of threads share them
        self.features = features
        self.link = link
        self.name = name
        self.calibration = calibration
        self.n_jobs: int | None = None
        self._bias = np.ascontiguousarray(bias, dtype=np.float64)
        self._weights = padded(weights, n_columns if factor is None else len(factor))
        self._factor = None if factor is None else np.ascontiguousarray(factor, dtype=np.float64)
        self.tree = tree
        self.source = source
        self.chosen = chosen
        self.dtype = weights.dtype  # of the weights in a file
        # Here too: SciPy, which scores what Python analyzed, checks no index.
        n_rows, of_norm = features.n_features, features.norm_weights
        if len(weights) != n_rows or (of_norm is not None and of_norm.shape != (n_rows,)):
            raise ValueError(f"weights and norm_weights must have {n_rows} rows, one a feature")
        # What `calibrate` was given: probabilities and codes.
        self._seen: tuple[Floats, Codes] | None = None
        self._scorer = self._lasting_scorer()

    def decision_function(self, texts: Any) -> Floats:
        """Return the scores, (n_texts,) for one column and (n_texts, n_classes) for more.

        Of a tree of labels they are the logarithms of probabilities.

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            The documents. The text of an Arrow column is read where it lies.
        """
        scores = self._class_scores(self._scores(texts))
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, texts: Any) -> AnyArray:
        """Return the most probable label of each text.

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            The documents.
        """
        return np.asarray(self.labels[self._codes(self._scores(texts))])

    def predict_proba(self, texts: Any) -> Floats:
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

    def predict_top(self, texts: Any, k: int = 3) -> tuple[AnyArray, Floats]:
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
        if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
            raise ValueError(f"k must be a whole number >= 1, got {k!r}")
        values = self._values(self._scores(texts))
        best = self.ranked(values)[:, : int(k)]
        return np.asarray(self.labels[best]), np.take_along_axis(values, best, axis=1)

    def predict_arrow(self, texts: Any) -> Any:
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
        try:
            import pyarrow as pa
        except ImportError:
            raise ImportError(
                "predict_arrow needs pyarrow: pip install 'wordodds[arrow]'"
            ) from None
        scores = self._scores(texts)
        codes = self._codes(scores)
        values = np.take_along_axis(self._values(scores), codes[:, None], axis=1)[:, 0]
        labels = pa.DictionaryArray.from_arrays(codes.astype(np.int32), self.labels.tolist())
        return pa.StructArray.from_arrays([labels.dictionary_decode(), values], ["label", "score"])

    predict_above = above.predict_above
    predict_stream = stream.predict_stream

    def score(self, texts: Any, labels: Any) -> float:
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

    def evaluate(self, texts: Any, labels: Any) -> "Evaluation":
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

    def explain(self, text: str, label: Any = None, against: Any = None) -> "Explanation":
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
        from wordodds.model.explain import explain

        return explain(self, text, label, against)

    def calibrate(
        self,
        texts: Any,
        labels: Any,
        method: Literal["temperature", "platt", "isotonic"] = "temperature",
    ) -> "LinearModel":
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
        names = self.labels.tolist()
        link = base_link(self.link)
        of_classes = self._class_scores(scores)
        calibrated = self._with(fit_calibration(of_classes, codes, link, method, names))
        calibrated._seen = calibrated._probabilities(scores), codes
        return calibrated

    def threshold_for(
        self, label: Any, *, precision: float, texts: Any = None, labels: Any = None
    ) -> float:
        """Return the least probability from which a label is right at least so often.

        Parameters
        ----------
        label : label
            Which one.
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

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_scorer"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._scorer = self._lasting_scorer()

    def _with(self, calibration: Calibration) -> "LinearModel":
        other = LinearModel.__new__(LinearModel)
        vars(other).update(vars(self), calibration=calibration)
        return other

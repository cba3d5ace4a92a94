"""LinearModel: what is left after training, scoring raw text without a matrix in between."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from wordodds._core.score import TextScorer
from wordodds._execution import execution
from wordodds._labels import encode_known_labels, encode_labels
from wordodds.model import stream
from wordodds.model.calibration import Calibration, fit_calibration, threshold_for
from wordodds.model.features import TextFeatures
from wordodds.model.label_weights import LabelWeights, padded
from wordodds.model.links import LINKS, probabilities
from wordodds.text.documents import Documents, as_strings

if TYPE_CHECKING:
    from wordodds.model.evaluation import Evaluation
    from wordodds.model.explanation import Explanation

__all__ = ["LinearModel"]

Floats: TypeAlias = npt.NDArray[np.float64]

_DOCUMENTS_AT_ONCE = 4096  # where Python finds the features, matrices are made of so many


class LinearModel(LabelWeights):
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
        them), else one for each class. Perhaps padded to a multiple of four columns.
    bias : ndarray of shape (n_columns,)
        What the scores start from.
    features : TextFeatures
        How text becomes features.
    link : {"softmax", "one_vs_rest", "modified_huber", "none"}
        How scores become probabilities.
    name : str
        What trained it; for people.
    calibration : Calibration or None
        What probabilities are made by instead of the link.

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
    <LinearModel NBLogisticRegression: 17 features, 2 labels ('ham', 'spam')>
    >>> model.predict(["money for lunch money"])
    array(['spam'], dtype='<U4')
    """

    def __init__(
        self,
        labels: npt.NDArray[Any],
        weights: Floats,
        bias: Floats,
        features: TextFeatures,
        *,
        link: str,
        name: str,
        calibration: Calibration | None = None,
    ) -> None:
        n_columns = len(bias)
        if link not in LINKS:
            raise ValueError(f"link must be one of {', '.join(LINKS)}, got {link!r}")
        if len(labels) < 2 or n_columns not in {len(labels)} | ({1} if len(labels) == 2 else set()):
            raise ValueError(f"{len(labels)} labels do not go with {n_columns} columns of weights")
        self.labels = np.array(labels)
        self.labels.flags.writeable = False  # any number of threads share them
        self.features = features
        self.link = link
        self.name = name
        self.calibration = calibration
        self.n_jobs: int | None = None
        self._bias = np.ascontiguousarray(bias, dtype=np.float64)
        self._weights = padded(weights, n_columns)
        # Here too: SciPy, which scores what Python analyzed, checks no index.
        n_rows, of_norm = features.n_features, features.norm_weights
        if len(weights) != n_rows or (of_norm is not None and of_norm.shape != (n_rows,)):
            raise ValueError(f"weights and norm_weights must have {n_rows} rows, one a feature")
        # What `calibrate` was given: probabilities and codes.
        self._seen: tuple[Floats, npt.NDArray[np.int32]] | None = None
        self._scorer = self._lasting_scorer()

    def decision_function(self, texts: Any) -> Floats:
        """Return the scores, (n_texts,) for one column and (n_texts, n_classes) for more.

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            The documents. The text of an Arrow column is read where it lies.
        """
        scores = self._scores(texts)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict(self, texts: Any) -> npt.NDArray[Any]:
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

    def predict_top(self, texts: Any, k: int = 3) -> tuple[npt.NDArray[Any], Floats]:
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
        best = np.argsort(-values, axis=1, kind="stable")[:, : int(k)]
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
            The right labels, all known to the model.
        """
        from wordodds.model.evaluation import evaluate

        scores = self._scores(texts)
        right = encode_known_labels(labels, len(scores), self.labels)
        chances = self._probabilities(scores) if self.has_probabilities else None
        return evaluate(right, self._codes(scores), chances, self.labels)

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
        calibrated = self._with(fit_calibration(scores, codes, self.link, method, names))
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

    @property
    def has_probabilities(self) -> bool:
        """Whether `predict_proba` works."""
        return self.calibration is not None or self.link != "none"

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

    def _scores(self, texts: Any, advance: Callable[[int], None] | None = None) -> Floats:
        """Return the scores, (n_texts, n_columns)."""
        n_jobs = self.n_jobs
        documents = self.features.documents(texts, n_jobs)
        if self._scorer is not None:
            return self._scorer.score(documents, advance, *execution(n_jobs))
        if self.features.options is None:
            return self._scores_in_python(documents)
        scorer = self._scorer_for(self.features.stemmed_options(documents, n_jobs))
        return scorer.score(documents, advance, *execution(n_jobs))

    def _scores_in_python(self, documents: Documents) -> Floats:
        from scipy.sparse import csr_array

        features, texts = self.features, as_strings(documents)
        parts = [np.empty((0, len(self._bias)))]
        for first in range(0, len(texts), _DOCUMENTS_AT_ONCE):
            some = texts[first : first + _DOCUMENTS_AT_ONCE]
            indptr, indices, counts = features.rows_of(map(features.found_in, some))
            values = features.weighed(counts)
            norms = features.norms(indptr, indices, values)
            rows = csr_array((values, indices, indptr), shape=(len(some), self.n_features))
            rows.eliminate_zeros()  # zero times an infinite weight
            parts.append(self._bias + (rows @ self.weights) / norms[:, None])
        return np.concatenate(parts)

    def _lasting_scorer(self) -> TextScorer | None:
        """Return what scores every text; None if Python must, or for each batch another does."""
        options = self.features.options
        # Words of stems are known only with the text.
        return None if options is None or self.features.stemmer else self._scorer_for(options)

    def _scorer_for(self, options: Any) -> TextScorer:
        features = self.features
        return TextScorer(
            options,
            features.terms,
            features.n_unknown,
            features.n_hashed,
            features.alternate_sign,
            features.binary,
            features.sublinear,
            features.norm,
            features.norm_weights,
            self._weights,
            self._bias,
        )

    def _probabilities(self, scores: Floats) -> Floats:
        if self.calibration is not None:
            return self.calibration.probabilities(scores)
        return probabilities(scores, self.link, self.n_jobs)

    def _values(self, scores: Floats) -> Floats:
        """Return probabilities, or else scores, of each class."""
        if self.has_probabilities:
            return self._probabilities(scores)
        return np.concatenate([-scores, scores], axis=1) if scores.shape[1] == 1 else scores

    def _codes(self, scores: Floats) -> npt.NDArray[np.intp]:
        if self.calibration is not None and self.calibration.method != "temperature":
            scores = self._probabilities(scores)  # curves may change the order
        if scores.shape[1] == 1:
            return (scores[:, 0] > 0.0).astype(np.intp)
        return np.asarray(scores.argmax(axis=1))

"""TextClassifier: the whole job in one object."""

import os
from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any, Literal

from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from wordodds.classifier.choose import Choice
from wordodds.classifier.estimators import adopt_steps, new_classifier, text_steps
from wordodds.classifier.fitting import fit_in_memory
from wordodds.classifier.named_models import kind_of
from wordodds.classifier.reading import plain_reading
from wordodds.model.evaluation import Evaluation
from wordodds.model.explanation import Explanation
from wordodds.model.linear_model import LinearModel
from wordodds.typing import AnyArray, Floats

__all__ = ["TextClassifier"]


class TextClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classify raw text: counts words, weighs them, learns, predicts and explains.

    Parameters
    ----------
    model : {"nb_logistic", "logistic", "naive_bayes", "complement"} or classifier
        "nb_logistic": logistic regression on tf-idf weighted words and pairs of words, under a
        prior that naive Bayes sets (`NBLogisticRegression`); the most accurate. Its settings are
        chosen on held-out documents, see ``choice_``. "logistic": all classes in one softmax,
        without the prior. "naive_bayes": `MultinomialNB` on counts, the quickest. "complement":
        `ComplementNB` on tf-idf. Or an object of one of these classes, `BernoulliNB` or
        `SGDClassifier`, with its own parameters; its text options are those of the name,
        "naive_bayes" and "logistic" for the last two.
    C : float or None, default=None
        Inverse strength of the penalty of the logistic models. None: chosen on held-out documents
        for "nb_logistic", together with the text options that are not given; 30 for "logistic".
        With a number nothing is chosen, which is quicker.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in `LogisticRegression`.
    weighting : {"counts", "binary", "tfidf", "sublinear_tfidf"} or None
        What a word's count becomes; None: what suits the model.
    ngram_range : (int, int) or None
        Lengths of word sequences; None: (1, 2) for the logistic models, else (1, 1). Of up to a
        million characters "nb_logistic" may choose (1, 1).
    token_pattern : str or None
        What a word is; None: runs of letters and digits, of two or more for naive Bayes.
        "nb_logistic" chooses whether punctuation marks are words too.
    min_df : int, float or None
        Documents, or share of them, that a term must occur in. None: 2 for the logistic models from
        a thousand documents on, else 1. Of up to a million characters "nb_logistic" chooses.
    max_df, max_features : as in `CountVectorizer`
        Further limits of the vocabulary.
    analyzer, lowercase, strip_accents, stop_words, stemmer, preprocessor, tokenizer : as in \
`CountVectorizer`
        How text becomes words.
    encoding, decode_error, missing : as in `CountVectorizer`
        What happens to bytes and to missing documents.
    n_hashed : int or None
        Columns to hash words to instead of a vocabulary, such as 2**20: no words are kept, and
        `partial_fit` is possible. Without inverse document frequencies.
    random_state : int, Generator, RandomState or None, default=0
        Seed of the order in which rows are visited. As the fit converges, it affects only the last
        digits. None: a fixed seed.
    n_jobs : int or None
        Threads. None: the usable cores. The result does not depend on it.
    verbose : bool
        Whether to show a progress bar, on a terminal.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels.
    linear_model_ : LinearModel
        What predicts, and what `save` writes.
    choice_ : Choice or None
        The settings that were chosen on held-out documents, with the log loss that they had there,
        and all ``trials`` that they were chosen among; None if nothing was chosen.

    Examples
    --------
    >>> from wordodds import TextClassifier
    >>> texts = ["free money now", "cheap money", "see you at lunch", "lunch with you"]
    >>> classifier = TextClassifier().fit(texts, ["spam", "spam", "ham", "ham"])
    >>> classifier.predict(["money for lunch money"])
    array(['spam'], dtype='<U4')
    """

    linear_model_: LinearModel
    choice_: Choice | None

    def __init__(
        self,
        model: Any = "nb_logistic",
        *,
        C: float | None = None,
        class_weight: Any = None,
        weighting: str | None = None,
        ngram_range: Any = None,
        token_pattern: str | None = None,
        min_df: Any = None,
        max_df: Any = 1.0,
        max_features: int | None = None,
        analyzer: Any = "word",
        lowercase: bool = True,
        strip_accents: Any = None,
        stop_words: Any = None,
        stemmer: str | None = None,
        preprocessor: Any = None,
        tokenizer: Any = None,
        encoding: str = "utf-8",
        decode_error: str = "strict",
        missing: str = "error",
        n_hashed: int | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
        verbose: bool = False,
    ) -> None:
        self.model = model
        self.C = C
        self.class_weight = class_weight
        self.weighting = weighting
        self.ngram_range = ngram_range
        self.token_pattern = token_pattern
        self.min_df = min_df
        self.max_df = max_df
        self.max_features = max_features
        self.analyzer = analyzer
        self.lowercase = lowercase
        self.strip_accents = strip_accents
        self.stop_words = stop_words
        self.stemmer = stemmer
        self.preprocessor = preprocessor
        self.tokenizer = tokenizer
        self.encoding = encoding
        self.decode_error = decode_error
        self.missing = missing
        self.n_hashed = n_hashed
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, texts: Any, labels: Any, sample_weight: Any = None) -> "TextClassifier":
        """Learn from texts and their labels.

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            The documents. The text of an Arrow column is read where it lies.
        labels : array-like
            One for each text: str, whole numbers or truth values of at least two kinds.
        sample_weight : array-like or None
            How much each text counts in the weights of words; all count in the vocabulary.
        """
        if isinstance(texts, Iterator):
            texts = list(texts)
        fit_in_memory(self, texts, labels, sample_weight)
        return self

    def partial_fit(self, texts: Any, labels: Any, classes: Any = None) -> "TextClassifier":
        """Learn from one more batch; needs ``n_hashed`` and a model that learns by batches.

        Goes on from `fit` or the last batch. What `calibrate` found is forgotten: calibrate again
        after the last one.

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            The next documents.
        labels : array-like
            One for each text.
        classes : array-like or None
            All labels that may ever come; needed by the first batch.
        """
        kind = kind_of(self.model)
        if self.n_hashed is None:
            raise ValueError(
                "partial_fit needs n_hashed, such as TextClassifier(..., n_hashed=2**20): a "
                "vocabulary would have to be known before the last batch"
            )
        # A copy: after Ctrl-C the batch has not been learnt, and may be learnt again.
        growing = getattr(self, "_growing", None)
        classifier = new_classifier(self, kind) if growing is None else deepcopy(growing)
        if type(classifier) is not type(kind.make()):
            raise ValueError(
                f"this classifier has learnt with {type(classifier).__name__}, and model is now "
                f"{self.model!r}: begin anew with fit"
            )
        if not hasattr(classifier, "partial_fit"):
            raise ValueError(
                f"{type(classifier).__name__} cannot learn by batches: use model='naive_bayes', "
                "'complement' or SGDClassifier()"
            )
        steps = text_steps(self, kind, plain_reading(self, kind, 0))
        rows = texts
        for step in steps:  # none of which learns from the texts
            rows = step.fit_transform(rows)
        classifier.partial_fit(rows, labels, classes=classes)
        adopt_steps(self, steps, classifier)
        return self

    def fit_stream(
        self,
        batches: Any,
        *,
        text: str = "text",
        label: str = "label",
        memory: int | str = "1GB",
        epochs: int | None = None,
        folder: str | None = None,
    ) -> "TextClassifier":
        """Learn from more documents than fit the memory.

        Batches are gone through twice, to find the terms and to learn; once with ``n_hashed``. The
        default model chooses its settings in one more pass before, unless ``C`` is given; where
        there can be no other pass, on the first documents. Naive Bayes comes to what `fit` comes
        to, to the last bit where it counts whole words. The others write their rows to disk,
        shuffled, and go through them epoch by epoch.

        Parameters
        ----------
        batches : iterable
            Of Arrow record batches or tables, or of pairs (texts, labels), such as
            `wordodds.corpora.read` gives. Needs to be one that can be gone through again, unless
            there is ``n_hashed``.
        text, label : str
            The columns of the texts and of the labels.
        memory : int or str, default="1GB"
            What the process may hold in all, in bytes or such as "500MB". `MemoryError` says if
            the model itself is larger.
        epochs : int or None
            How often each row is learnt from at most, but for naive Bayes; None: until the fit has
            converged for "nb_logistic", else 8 times.
        folder : str or None
            Where there is room for what does not fit the memory: up to some 12 bytes for each
            distinct word of each document. None: where the system keeps temporary files.

        Examples
        --------
        >>> from wordodds import TextClassifier
        >>> batches = [(["free money", "lunch?"], ["spam", "ham"]), (["cheap money"], ["spam"])]
        >>> classifier = TextClassifier("naive_bayes").fit_stream(batches, memory="8GB")
        >>> classifier.predict(["money"])
        array(['spam'], dtype='<U4')
        """
        from wordodds.classifier.stream import fit_stream

        fit_stream(
            self, batches, text=text, label=label, memory=memory, epochs=epochs, folder=folder
        )
        return self

    def predict(self, texts: Any) -> AnyArray:
        """Return the most probable label of each text.

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            The documents.
        """
        return self._fitted().predict(texts)

    def predict_proba(self, texts: Any) -> Floats:
        """Return the probability of each label, (n_texts, n_classes).

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            The documents.
        """
        return self._fitted().predict_proba(texts)

    def predict_top(self, texts: Any, k: int = 3) -> tuple[AnyArray, Floats]:
        """Return the k most probable labels of each text and their probabilities.

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            The documents.
        k : int, default=3
            How many.
        """
        return self._fitted().predict_top(texts, k)

    def predict_arrow(self, texts: Any) -> Any:
        """Return label and probability of each text as an Arrow array of structs.

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            The documents.
        """
        return self._fitted().predict_arrow(texts)

    def predict_stream(
        self,
        batches: Any,
        *,
        text: str = "text",
        keep: Sequence[str] = (),
        proba: bool = False,
        top: int | None = None,
        proba_all: bool = False,
    ) -> Iterator[Any]:
        """Yield labels for batches of any number, in order, while the next ones are being read.

        Parameters
        ----------
        batches, text, keep, proba, top, proba_all
            As for `LinearModel.predict_stream`.
        """
        return self._fitted().predict_stream(
            batches, text=text, keep=keep, proba=proba, top=top, proba_all=proba_all
        )

    def decision_function(self, texts: Any) -> Floats:
        """Return the log-odds, (n_texts,) for two labels and (n_texts, n_classes) for more.

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            The documents.
        """
        return self._fitted().decision_function(texts)

    def score(self, texts: Any, labels: Any, sample_weight: Any = None) -> float:
        """Return the share of texts whose most probable label is the right one.

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            The documents.
        labels : array-like
            The right labels.
        sample_weight : array-like or None
            How much each text counts.
        """
        if sample_weight is not None:
            return float(super().score(texts, labels, sample_weight))
        return self._fitted().score(texts, labels)

    def evaluate(self, texts: Any, labels: Any) -> Evaluation:
        """Return accuracy, precision and recall of each label, log loss and calibration error.

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            The documents.
        labels : array-like
            The right labels.
        """
        return self._fitted().evaluate(texts, labels)

    def explain(self, text: str, label: Any = None, against: Any = None) -> Explanation:
        """Return what each feature of a text adds to the log-odds of a label.

        Parameters
        ----------
        text : str
            One document.
        label : label or None
            Whose log-odds; None: the most probable label's.
        against : label or None
            The label to compare with; None: all others, or their mean where scores mean something
            only beside each other (softmax, naive Bayes).
        """
        return self._fitted().explain(text, label, against)

    def top_features(self, label: Any = None, n: int = 10) -> Any:
        """Return the features that speak most for a label, with their log-odds.

        Parameters
        ----------
        label : label or None
            None: a dict of the lists of all labels.
        n : int, default=10
            How many.
        """
        return self._fitted().top_features(label, n)

    def calibrate(
        self,
        texts: Any,
        labels: Any,
        method: Literal["temperature", "platt", "isotonic"] = "temperature",
    ) -> "TextClassifier":
        """Make probabilities match documents that were not trained on.

        Parameters
        ----------
        texts, labels : documents and their labels
            Of the kind that will be classified.
        method : {"temperature", "platt", "isotonic"}, default="temperature"
            As in `LinearModel.calibrate`.
        """
        self.linear_model_ = self._fitted().calibrate(texts, labels, method)
        return self

    def threshold_for(
        self, label: Any, *, precision: float, texts: Any = None, labels: Any = None
    ) -> float:
        """Return the least probability from which a label is right at least so often.

        Parameters
        ----------
        label : label
            Which one.
        precision : float
            The share of right ones wanted.
        texts, labels : documents and their labels, or None
            What to measure on; None: what `calibrate` was given.
        """
        return self._fitted().threshold_for(label, precision=precision, texts=texts, labels=labels)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write what predicts to a file, for `wordodds.load`.

        Parameters
        ----------
        path : str or path
            By custom ``*.wordodds``.
        """
        self._fitted().save(path)

    def _fitted(self) -> LinearModel:
        check_is_fitted(self, "linear_model_")
        return self.linear_model_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        return tags

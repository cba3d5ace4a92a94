"""TextClassifier: the whole job in one object."""

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

import wordodds.typing as wt
from wordodds._border.features import FeatureNames
from wordodds.classifier.choose import Choice
from wordodds.classifier.fitting import fit_batch, fit_in_memory
from wordodds.classifier.named_models import Model, Weighting
from wordodds.model.calibration import Method
from wordodds.model.evaluation import Evaluation
from wordodds.model.explanation import Explanation
from wordodds.model.linear_model import LinearModel
from wordodds.model.old_calls import takes_label_first
from wordodds.typing import AnyArray, Floats, Label, Labels, Texts, WeightsLike

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["TextClassifier"]


class TextClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classify raw text: count words, weigh them, learn, predict and explain.

    Parameters
    ----------
    model : {"nb_logistic", "logistic", "naive_bayes", "complement"} or classifier, \
default="nb_logistic"
        Model to train. "nb_logistic": logistic regression on tf-idf weighted words and pairs of
        words, under a prior that naive Bayes sets (`NBLogisticRegression`); the most accurate. Its
        settings are chosen on held-out documents, see ``choice_``. "logistic": all classes in one
        softmax, without the prior. "naive_bayes": `MultinomialNB` on counts, the quickest.
        "complement": `ComplementNB` on tf-idf. Or an object of one of these classes, `BernoulliNB`
        or `SGDClassifier`, with its own parameters; its text options are those of the name,
        "naive_bayes" and "logistic" for the last two.
    C : float or None, default=None
        Inverse strength of the penalty of the logistic models. None: chosen on held-out documents
        for "nb_logistic", together with the text options that are not given; 30 for "logistic".
        With a number nothing is chosen, which is quicker.
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes by label; "balanced" gives every class the same total weight.
    weighting : {"counts", "binary", "tfidf", "sublinear_tfidf"} or None, default=None
        Value of a word that occurs in a document: its count, 1, or its tf-idf with the count or 1
        plus the logarithm of the count. None: "counts" for "naive_bayes", else "sublinear_tfidf".
    ngram_range : tuple of (int, int) or None, default=None
        Least and largest length of word sequences. None: (1, 2) for the logistic models, else
        (1, 1), and (3, 5) for characters beside words. Of up to a million characters "nb_logistic"
        may choose (1, 1).
    token_pattern : str or None, default=None
        Regular expression of a word, with ``analyzer="word"``. None: runs of letters and digits,
        of two or more for naive Bayes; "nb_logistic" chooses whether punctuation marks are words.
    min_df : int, float or None, default=None
        Least number of documents (int), or share of them (float), with a term of the vocabulary.
        None: 2 for the logistic models from a thousand documents on, else 1. Of up to a million
        characters "nb_logistic" chooses.
    max_df : int or float, default=1.0
        Largest number of documents (int), or share of them (float), with a term of the vocabulary.
    max_features : int or None, default=None
        Largest size of the vocabulary, of which the most frequent terms are kept. None: no limit.
    analyzer : {"word", "char", "char_wb", "unicode_word"}, tuple or callable, default="word"
        Unit of the features: words by ``token_pattern``, characters, characters within words, or
        words by the boundaries of Unicode. A tuple uses several side by side; options may then have
        a value for each, such as ``ngram_range={"word": (1, 2), "char_wb": (2, 5)}``. A function
        returns the features of a document.
    lowercase : bool, default=True
        Whether text is converted to lower case.
    strip_accents : {"ascii", "unicode"}, callable or None, default=None
        Removal of accents. "ascii" keeps only characters with an ASCII form, "unicode" takes the
        accents off any character, a function returns a text without accents. None: they stay.
    stop_words : "english", list of str or None, default=None
        Words to leave out. None: none.
    stemmer : str or None, default=None
        Snowball language, such as "english", by which words become stems; needs PyStemmer. None:
        words stay as they are.
    preprocessor : callable or None, default=None
        Function of a document that returns its text, instead of lower-casing and accents.
    tokenizer : callable or None, default=None
        Function of a text that returns its words, instead of ``token_pattern``.
    encoding : str, default="utf-8"
        Encoding of documents that are bytes.
    decode_error : {"strict", "ignore", "replace"}, default="strict"
        Treatment of bytes that are not valid in the encoding, as for `bytes.decode`.
    missing : {"error", "empty"}, default="error"
        Whether None, NaN and null raise or count as empty text.
    n_hashed : int or None, default=None
        Number of columns to hash words to instead of a vocabulary, such as 2**20: no words are
        kept, and `partial_fit` is possible. Without inverse document frequencies.
    random_state : int, Generator, RandomState or None, default=0
        Seed of the order in which rows are visited. As the fit converges, it affects only the last
        digits. None: a fixed seed. A Generator or RandomState is drawn from, so that every fit
        differs; one that an estimator passed as ``model`` has is copied with it, so that all fits
        start from the state that it had.
    n_jobs : int or None, default=None
        Number of threads. None: the usable cores. The result does not depend on it.
    verbose : bool, default=False
        Whether to show a progress bar, on a terminal.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Labels, sorted; the order of columns in probabilities and scores.
    linear_model_ : LinearModel
        Model that predicts, which `save` writes.
    choice_ : Choice or None
        Settings that were chosen on held-out documents, with their log loss there, and all
        ``trials`` that they were chosen among; None if nothing was chosen.

    See Also
    --------
    from_sklearn : Convert a fitted pipeline of scikit-learn.
    LinearModel : The fitted model alone, which needs no scikit-learn.

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
        model: Model = "nb_logistic",
        *,
        C: float | None = None,
        class_weight: wt.ClassWeight = None,
        weighting: Weighting | None = None,
        ngram_range: wt.ByView[tuple[int, int]] | None = None,
        token_pattern: str | None = None,
        min_df: wt.ByView[int | float] | None = None,
        max_df: wt.ByView[int | float] = 1.0,
        max_features: wt.ByView[int | None] = None,
        analyzer: wt.Analyzer = "word",
        lowercase: wt.ByView[bool] = True,
        strip_accents: wt.ByView[wt.StripAccents] = None,
        stop_words: wt.ByView[wt.StopWords] = None,
        stemmer: str | None = None,
        preprocessor: wt.Preprocessor = None,
        tokenizer: wt.Tokenizer = None,
        encoding: str = "utf-8",
        decode_error: wt.DecodeError = "strict",
        missing: wt.Missing = "error",
        n_hashed: int | None = None,
        random_state: wt.RandomState = 0,
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

    def fit(
        self, texts: Texts, labels: Labels, sample_weight: WeightsLike = None
    ) -> "TextClassifier":
        """Learn from texts and their labels; return this classifier.

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            The documents. The text of an Arrow column is read where it lies.
        labels : array-like
            Label of each text: str, int or bool, at least two different ones.
        sample_weight : array-like or None, default=None
            Weight of each text in the weights of words; all count equally in the vocabulary.
        """
        if isinstance(texts, Iterator):
            texts = list(texts)
        fit_in_memory(self, texts, labels, sample_weight)
        return self

    def partial_fit(
        self, texts: Texts, labels: Labels, classes: Labels | None = None
    ) -> "TextClassifier":
        """Learn from one more batch; needs ``n_hashed`` and a model that learns by batches.

        Continues from `fit` or the last batch. A calibration is dropped: calibrate again after the
        last batch.

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            The next documents.
        labels : array-like
            Label of each text.
        classes : array-like or None, default=None
            All labels of all batches; needed by the first batch.
        """
        fit_batch(self, texts, labels, classes)
        return self

    def fit_stream(
        self,
        batches: Iterable["tuple[Texts, Labels] | pa.RecordBatch | pa.Table"],
        *,
        text: str = "text",
        label: str = "label",
        memory: int | str = "1GB",
        epochs: int | None = None,
        folder: str | os.PathLike[str] | None = None,
    ) -> "TextClassifier":
        """Learn from more documents than fit the memory; return this classifier.

        Batches are iterated twice, to find the terms and to learn; once with ``n_hashed``. The
        default model chooses its settings in one more pass before, unless ``C`` is given; if
        batches can be iterated only once, it chooses on the first documents. For integer counts
        naive Bayes is bit-for-bit identical to `fit`. The other models write their rows to disk,
        shuffled, and read them once an epoch.

        Parameters
        ----------
        batches : iterable of pyarrow.RecordBatch, pyarrow.Table or (texts, labels)
            Documents, such as `wordodds.corpora.read` returns. Without ``n_hashed`` it must be
            possible to iterate again.
        text : str, default="text"
            Name of the column of texts.
        label : str, default="label"
            Name of the column of labels.
        memory : int or str, default="1GB"
            Limit of the memory of the process, in bytes or such as "500MB". A model that does not
            fit raises `MemoryError`.
        epochs : int or None, default=None
            Largest number of passes over the rows, except for naive Bayes. None: until the fit has
            converged for "nb_logistic", else 8.
        folder : path or None, default=None
            Folder for temporary files: up to some 12 bytes for each distinct word of each document.
            None: the system's folder for temporary files.

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

    def predict(self, texts: Texts) -> AnyArray:
        """Return the most probable label of each text.

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            The documents.
        """
        return self._fitted().predict(texts)

    def predict_proba(self, texts: Texts) -> Floats:
        """Return the probability of each label, (n_texts, n_classes).

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            The documents.
        """
        return self._fitted().predict_proba(texts)

    def predict_top(self, texts: Texts, k: int = 3) -> tuple[AnyArray, Floats]:
        """Return the k most probable labels of each text and their probabilities, (n_texts, k).

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            The documents.
        k : int, default=3
            Number of labels.
        """
        return self._fitted().predict_top(texts, k)

    def predict_arrow(self, texts: Texts) -> "pa.StructArray":
        """Return label and probability of each text as an Arrow array of structs.

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            The documents.
        """
        return self._fitted().predict_arrow(texts)

    def predict_stream(
        self,
        batches: Iterable["Texts | pa.RecordBatch | pa.Table"],
        *,
        text: str = "text",
        keep: Sequence[str] = (),
        proba: bool = False,
        top: int | None = None,
        proba_all: bool = False,
    ) -> Iterator["pa.RecordBatch"]:
        """Yield labels for any number of batches, in order, while the next ones are being read.

        Parameters
        ----------
        batches, text, keep, proba, top, proba_all
            As for `LinearModel.predict_stream`.
        """
        return self._fitted().predict_stream(
            batches, text=text, keep=keep, proba=proba, top=top, proba_all=proba_all
        )

    def decision_function(self, texts: Texts) -> Floats:
        """Return the log-odds, (n_texts,) for two labels and (n_texts, n_classes) for more.

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            The documents.
        """
        return self._fitted().decision_function(texts)

    def score(self, texts: Texts, labels: Labels, sample_weight: WeightsLike = None) -> float:
        """Return the share of texts whose most probable label is the right one.

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            The documents.
        labels : array-like
            The right labels.
        sample_weight : array-like or None, default=None
            Weight of each text.
        """
        if sample_weight is not None:
            return float(super().score(texts, labels, sample_weight))
        return self._fitted().score(texts, labels)

    def evaluate(self, texts: Texts, labels: Labels) -> Evaluation:
        """Return accuracy, precision and recall of each label, log loss and calibration error.

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            The documents.
        labels : array-like
            The right labels.
        """
        return self._fitted().evaluate(texts, labels)

    def explain(self, text: str, label: Label = None, against: Label = None) -> Explanation:
        """Return what each feature of a text adds to the log-odds of a label.

        Parameters
        ----------
        text : str
            One document.
        label : label or None, default=None
            Label of the log-odds. None: the most probable one.
        against : label or None, default=None
            Label to compare with. None: all others, or their mean where only differences of scores
            have a meaning (softmax, naive Bayes).
        """
        return self._fitted().explain(text, label, against)

    def log_odds(self, feature: int | str, label: Label, against: Label | None = None) -> float:
        """Return what one unit of a feature adds to the log-odds of a label.

        Parameters
        ----------
        feature : int or str
            Name of a feature, such as a word, or its row in the weights of ``linear_model_``.
        label : label
            Label whose log-odds are meant.
        against : label or None, default=None
            Label to compare with. None: as in `explain`.
        """
        return self._fitted().log_odds(feature, label, against)

    @takes_label_first
    def top_features(
        self,
        n: int = 10,
        *,
        labels: Labels | None = None,
        feature_names: FeatureNames = None,
    ) -> dict[Label, list[tuple[Any, float]]]:
        """Return for each label the features that speak most for it, the strongest first.

        Parameters
        ----------
        n : int, default=10
            Number of features for each label.
        labels : list of labels or None, default=None
            Labels to look at. None: all.
        feature_names : array-like of shape (n_features,), a vectorizer or None, default=None
            Names of the features. None: those that the model has.

        Returns
        -------
        dict
            Label -> list of (feature, log-odds), compared as in `explain`.
        """
        return self._fitted().top_features(n, labels=labels, feature_names=feature_names)

    def calibrate(
        self,
        texts: Texts,
        labels: Labels,
        method: Method = "temperature",
    ) -> "TextClassifier":
        """Make probabilities match documents that were not trained on; return this classifier.

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            Documents like those that will be classified.
        labels : array-like
            Their labels.
        method : {"temperature", "platt", "isotonic"}, default="temperature"
            As in `LinearModel.calibrate`.
        """
        self.linear_model_ = self._fitted().calibrate(texts, labels, method)
        return self

    def threshold_for(
        self,
        label: Label,
        *,
        precision: float,
        texts: Texts | None = None,
        labels: Labels | None = None,
    ) -> float:
        """Return the smallest probability at which predictions of a label reach a precision.

        Parameters
        ----------
        label : label
            Label that is predicted.
        precision : float
            Share of its predictions that must be right, from 0 to 1.
        texts : iterable of str or bytes, or a column of text, or None, default=None
            Documents to measure on. None: those of `calibrate`.
        labels : array-like or None, default=None
            Their labels.
        """
        return self._fitted().threshold_for(label, precision=precision, texts=texts, labels=labels)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted model to a file, for `wordodds.load`.

        Parameters
        ----------
        path : str or path
            File to write, by custom ``*.wordodds``.
        """
        self._fitted().save(path)

    def _fitted(self) -> LinearModel:
        check_is_fitted(self, "linear_model_")
        return self.linear_model_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        return tags

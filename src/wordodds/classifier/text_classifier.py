"""TextClassifier: the whole job in one object."""

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from sklearn.utils import Tags

import wordodds.typing as wt
from wordodds.classifier.choose import Choice
from wordodds.classifier.fitting import fit_batch, fit_in_memory
from wordodds.classifier.named_models import Model, Weighting
from wordodds.classifier.predictions import Predictions
from wordodds.model.linear_model import LinearModel
from wordodds.typing import Labels, Texts, WeightsLike

if TYPE_CHECKING:
    import pyarrow as pa

    from wordodds.classifier.tuning import Tuning

__all__ = ["TextClassifier"]


class TextClassifier(Predictions):
    """Classify raw text: count words, weigh them, learn, predict and explain.

    Parameters
    ----------
    model : {"nb_logistic", "logistic", "naive_bayes", "complement"} or classifier, \
default="nb_logistic"
        Model to train. "nb_logistic": logistic regression on tf-idf weighted words and pairs of
        words and, where they help, sequences of characters, under a prior that naive Bayes sets
        (`NBLogisticRegression`); the most accurate. Its settings are chosen on held-out documents,
        see ``choice_``. "logistic": all classes in one
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
        (1, 1), and (2, 5) for characters beside words. Of up to a million characters "nb_logistic"
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
    characters : bool or None, default=None
        Whether sequences of characters within words are features beside the words, as with
        ``analyzer=("word", "char_wb")``: more accurate on short, misspelt or inflected texts, at
        several times the time and memory. None: "nb_logistic" chooses for a corpus of up to four
        million characters, unless ``C`` or an option of the words is given; else False.
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
        Seed of the order in which rows are visited, which affects only the last digits of a fit,
        and of the search of `tune`, where it decides what is tried and held out. None: a fixed
        seed. A Generator or RandomState is drawn from, so that every fit differs; one that an
        estimator passed as ``model`` has is copied with it, so that all fits start from the state
        that it had.
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
        ``trials`` that they were chosen among; None if nothing was chosen. ``why_characters`` is
        the reason why characters are features or not.
    tuning_ : Tuning or None
        What `tune` has tried and found, with the best settings as a call to copy; None after `fit`.

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
    tuning_: "Tuning | None"

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
        characters: bool | None = None,
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
        self.characters = characters
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

    def tune(
        self,
        texts: Texts,
        labels: Labels,
        sample_weight: WeightsLike = None,
        *,
        minutes: float | None = None,
        trials: int | None = None,
        metric: str = "accuracy",
    ) -> "TextClassifier":
        """Search for the settings that suit some documents best, and fit with them.

        Ways of reading (words, punctuation, capitals, characters, lengths of sequences),
        weightings, models and their parameters are compared on held-out documents; those that do
        well on a sample go on to larger ones. Options that are given stay as they are, except
        ``lowercase=True``, which is the default and is compared with False; so does a ``model``
        other than "nb_logistic". Afterwards the parameters of this classifier are the best ones
        found, which ``tuning_`` has as a call to copy, and the classifier is fitted to all
        documents. To search once more, start from a new TextClassifier.

        The search uses a sample of a corpus above 33 million characters. The result depends on the
        documents, on ``random_state`` and on the number of trials alone.

        Parameters
        ----------
        texts : iterable of str or bytes, or a column of text
            The documents.
        labels : array-like
            Label of each text, as for `fit`.
        sample_weight : array-like or None, default=None
            Weight of each text, as for `fit`.
        minutes : float or None, default=None
            Time of the search, without the last fit. None: no limit if ``trials`` is given, else 5.
        trials : int or None, default=None
            Largest number of trials. None: no limit.
        metric : str, default="accuracy"
            Metric to maximise on held-out documents: "accuracy", "balanced_accuracy", "f1_macro",
            "f1:" and a label (such as "f1:spam"), or "log_loss", which is minimised. Documents
            count by ``sample_weight``, whatever their classes weigh.

        Returns
        -------
        TextClassifier
            This classifier.

        Raises
        ------
        ValueError
            If too few documents can be held out, or an option is wrong.

        Examples
        --------
        >>> from wordodds import TextClassifier
        >>> from wordodds.datasets import make_corpus
        >>> corpus = make_corpus(200, n_words=100, random_state=0)
        >>> classifier = TextClassifier().tune(corpus.texts, corpus.labels, trials=5)
        >>> len(classifier.tuning_.trials)
        5
        """
        from wordodds.classifier.tuning import tune

        if isinstance(texts, Iterator):
            texts = list(texts)
        tune(self, texts, labels, sample_weight, minutes=minutes, trials=trials, metric=metric)
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

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        return tags

"""NBLogisticRegression: logistic regression where naive Bayes has set the prior."""

import numpy as np
from sklearn.utils import Tags

from wordodds._border.csr import CsrArrays, without_zeros
from wordodds._border.execution import execution
from wordodds._estimator.random_state import random_source
from wordodds.linear.classifier import LinearClassifier, log_probabilities
from wordodds.linear.matrix import csr_of_dense
from wordodds.linear.problem import columns_of_weights, labelled_rows
from wordodds.linear.ratio import first_equal_rows, label_table, ratio_problem
from wordodds.linear.ratio_fit import adopt_ratio_fit, check_scale, ratio_settings, warn_of_gap
from wordodds.typing import ClassWeight, Floats, Labels, MatrixLike, RandomState, WeightsLike

__all__ = ["NBLogisticRegression"]


class NBLogisticRegression(LinearClassifier):
    r"""Logistic regression under a prior that naive Bayes has set.

    Each class stands against the rest. With :math:`d_{jk}` the rows of class k in which feature j
    occurs and :math:`\bar d_{jk}` those of the rest,

    .. math:: r_{jk} = \log \frac{(d_{jk} + \alpha) / \sum_j (d_{jk} + \alpha)}
        {(\bar d_{jk} + \alpha) / \sum_j (\bar d_{jk} + \alpha)}

    is the weight that naive Bayes gives the feature. The weights minimise

    .. math:: C \sum_i \log(1 + e^{-y_{ik} z_{ik}})
        + \frac{1}{2} \sum_j \frac{(w_{jk} - \mathrm{lean} \, r_{jk})^2}{r_{jk}^2 + \mathrm{floor}}

    so that weights start from a share of those of naive Bayes, and features that tell much by
    themselves are free to move. A small C gives naive Bayes, a large one logistic regression. With
    ``lean=0`` and ``floor=0`` this is logistic regression on columns multiplied by the ratio (Wang
    and Manning, "Baselines and Bigrams", 2012, have a support vector machine in its place).

    Parameters
    ----------
    C : float, default=10.0
        Inverse strength of the penalty.
    alpha : float, default=0.5
        Pseudo-count of the ratio, > 0.
    floor : float, default=2.0
        What is added to the squared ratio, >= 0; large: plain logistic regression.
    lean : float, default=0.0
        What the ratio is multiplied by to give the weights that are not penalised, >= 0.
    fit_intercept : bool, default=True
        Whether to fit an intercept, penalised as a column.
    intercept_scaling : float, default=1.0
        The value of that column, > 0.
    temperature : float, default=1.0
        What the weights are divided by after the fit, > 0: above 1, probabilities become more
        cautious. Labels stay the same.
    class_weight : dict, "balanced" or None
        As in `LogisticRegression`.
    max_iter : int, default=10000
        Epochs over the rows at most. Late ones are short: only rows whose probabilities still
        change are visited.
    tol : float, default=3e-6
        A class ends when its objective is at most this far from the optimum, in nats for each of
        its rows or of the other rows, whichever are fewer. Multiplied by 10 / C for C above 10, as
        the loss itself shrinks, and by 1/30 for C above 300. There is a warning if ``max_iter``
        epochs were not enough.
    random_state : int, Generator, RandomState or None, default=0
        Seed of the order in which rows are visited. None: a fixed seed.
    n_jobs : int or None
        Threads; the result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1 or n_classes, n_features)
    intercept_ : ndarray of shape (1 or n_classes,)
    n_iter_ : int
        Epochs of the classes that took longest.
    gap_ : float
        Bound on the distance from the optimum, in nats per row as ``tol``.
    n_features_in_ : int
    feature_names_in_ : ndarray
        Where the columns of X have names.

    References
    ----------
    Wang, S. and Manning, C. D. (2012). Baselines and Bigrams: Simple, Good Sentiment and Topic
    Classification. ACL.

    Yu, H.-F., Huang, F.-L. and Lin, C.-J. (2011). Dual coordinate descent methods for logistic
    regression and maximum entropy models. Machine Learning 85.

    Examples
    --------
    >>> from wordodds import NBLogisticRegression, TfidfVectorizer
    >>> texts = ["free money now", "cheap money", "see you at lunch", "lunch with you"]
    >>> vectorizer = TfidfVectorizer()
    >>> model = NBLogisticRegression()
    >>> _ = model.fit(vectorizer.fit_transform(texts), ["spam", "spam", "ham", "ham"])
    >>> model.predict(vectorizer.transform(["money for lunch money"]))
    array(['spam'], dtype='<U4')
    """

    _non_negative = True

    def __init__(
        self,
        *,
        C: float = 10.0,
        alpha: float = 0.5,
        floor: float = 2.0,
        lean: float = 0.0,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        temperature: float = 1.0,
        class_weight: ClassWeight = None,
        max_iter: int = 10_000,
        tol: float = 3e-6,
        random_state: RandomState = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.alpha = alpha
        self.floor = floor
        self.lean = lean
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.temperature = temperature
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(
        self, X: MatrixLike, y: Labels, sample_weight: WeightsLike = None
    ) -> "NBLogisticRegression":
        """Fit to rows and their labels.

        Parameters
        ----------
        X : sparse matrix or array-like of shape (n_rows, n_features)
            Counts or tf-idf weights, >= 0. A feature occurs in a row where its entry is not zero.
        y : array-like of shape (n_rows,)
            Labels of two or more classes.
        sample_weight : array-like of shape (n_rows,), default=None
            Weights of the rows; a row of weight 0 is ignored, one of weight 2 counts twice.
        """
        settings = ratio_settings(self)
        how = execution(self.n_jobs)
        given = labelled_rows(self, X, y, sample_weight, how, non_negative=True)
        rows = given.rows
        rows = without_zeros(rows) if isinstance(rows, CsrArrays) else csr_of_dense(rows, how)
        rows = rows._replace(data=rows.data.astype(np.float64, copy=False))
        labels = label_table(
            first_equal_rows(rows, how),
            given.codes,
            given.row_weights,
            (rows.n_rows, len(given.classes)),
        )
        largest = float(rows.data.max()) if len(rows.data) else 0.0
        check_scale(settings.C, float(labels.weights.max()), largest)
        n_columns = columns_of_weights(len(given.classes))
        seed = int(random_source(self.random_state).randint(2**31 - 1))
        ascent = ratio_problem(rows, labels, n_columns, settings.prior, seed, how)
        fitted = ascent.fit(
            *how,
            lean=settings.lean,
            strength=settings.C,
            epochs_max=settings.max_iter,
            tolerance=settings.tolerance,
        )
        adopt_ratio_fit(self, X, given.classes, *fitted)
        warn_of_gap(self)
        return self

    def predict_log_proba(self, X: MatrixLike) -> Floats:
        """Return log p(class | row), in the order of ``classes_``: each by itself, scaled to one.

        Parameters
        ----------
        X : sparse matrix or array-like of shape (n_rows, n_features)
            As in `fit`.
        """
        return log_probabilities(self._scores(X), True, execution(self.n_jobs))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True  # where every feature occurs in every row
        return tags

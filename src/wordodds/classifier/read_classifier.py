"""The weights of a fitted classifier, scikit-learn's or ours."""

from typing import NamedTuple

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from wordodds._estimator.inherited import check_inherited
from wordodds.model.links import LinkName
from wordodds.typing import AnyArray, Floats

__all__ = ["FittedClassifier", "read_classifier"]


class FittedClassifier(NamedTuple):
    """What a LinearModel needs of a classifier."""

    labels: AnyArray
    weights: Floats  # (n_features, n_columns)
    bias: Floats  # (n_columns,)
    link: LinkName
    binarize: bool  # whether only the presence of a feature counts


# What a LinearModel does in the place of the classifier.
_METHODS = (
    "predict",
    "predict_proba",
    "predict_log_proba",
    "decision_function",
    "_joint_log_likelihood",
    "_predict_proba_lr",
)

_MARGINS = (
    "LinearSVC",
    "PassiveAggressiveClassifier",
    "Perceptron",
    "RidgeClassifier",
    "RidgeClassifierCV",
)


def read_classifier(classifier: BaseEstimator) -> FittedClassifier:
    """Return the weights of a fitted classifier, known by the name of its class or of a base."""
    names = [kind.__name__ for kind in type(classifier).__mro__]
    for name, read in _READERS.items():
        if name in names:
            check_is_fitted(classifier)
            check_inherited(classifier, _METHODS)
            fitted = read(classifier)
            if np.isnan(fitted.bias).any():  # minus infinity: a class that no batch has shown yet
                raise ValueError("its intercepts are not numbers")
            return fitted._replace(labels=np.asarray(fitted.labels))
    raise ValueError(f"a LinearModel can be made of {', '.join(_READERS)}")


def _of_coefficients(classifier: BaseEstimator, link: LinkName) -> FittedClassifier:
    coefficients = np.asarray(
        classifier.coef_.toarray() if hasattr(classifier.coef_, "toarray") else classifier.coef_,
        dtype=np.float64,
    )
    coefficients = np.atleast_2d(coefficients)
    bias = np.zeros(len(coefficients))
    bias += classifier.intercept_
    if len(coefficients) != (1 if len(classifier.classes_) == 2 else len(classifier.classes_)):
        raise ValueError(f"{len(classifier.classes_)} classes have {len(coefficients)} columns")
    return FittedClassifier(classifier.classes_, coefficients.T, bias, link, False)


def _logistic(classifier: BaseEstimator) -> FittedClassifier:
    kind = getattr(classifier, "multi_class", "multinomial")
    if kind == "ovo":
        raise ValueError('multi_class="ovo" has one column for each pair of classes')
    one_vs_rest = kind == "ovr" or getattr(classifier, "solver", "") == "liblinear"
    return _of_coefficients(classifier, "one_vs_rest" if one_vs_rest else "softmax")


def _stochastic(classifier: BaseEstimator) -> FittedClassifier:
    links: dict[str, LinkName] = {
        "log_loss": "one_vs_rest",
        "softmax": "softmax",
        "modified_huber": "modified_huber",
    }
    return _of_coefficients(classifier, links.get(classifier.loss, "none"))


def _naive_bayes(classifier: BaseEstimator) -> FittedClassifier:
    bias = classifier.bias_ if hasattr(classifier, "bias_") else classifier.class_log_prior_
    return _of_classes(classifier, classifier.feature_log_prob_, bias)


def _complement(classifier: BaseEstimator) -> FittedClassifier:
    # The prior plays no part with two classes or more.
    n_classes = len(classifier.classes_)
    return _of_classes(classifier, classifier.feature_log_prob_, np.zeros(n_classes))


def _bernoulli(classifier: BaseEstimator) -> FittedClassifier:
    if classifier.binarize is None:
        raise ValueError("with binarize=None values between 0 and 1 are expected, not counts")
    present = np.asarray(classifier.feature_log_prob_)
    with np.errstate(divide="ignore"):
        absent = np.log1p(-np.exp(present))
    bias = classifier.class_log_prior_ + absent.sum(axis=1)
    return _of_classes(classifier, present - absent, bias)._replace(binarize=True)


def _of_classes(classifier: BaseEstimator, weights: AnyArray, bias: AnyArray) -> FittedClassifier:
    weights, bias = np.asarray(weights, dtype=np.float64).T, np.asarray(bias, dtype=np.float64)
    if len(bias) < 2:
        raise ValueError("it knows one class only: there is nothing to tell apart")
    if len(bias) == 2:  # the log-odds of the second are all that matters
        weights, bias = weights[:, 1:] - weights[:, :1], bias[1:] - bias[:1]
    return FittedClassifier(classifier.classes_, weights, bias, "softmax", False)


def _one_vs_rest(classifier: BaseEstimator) -> FittedClassifier:
    if classifier.multilabel_:
        raise ValueError("a LinearModel gives each text one label, not several")
    fitted = [read_classifier(one) for one in classifier.estimators_]
    if any(len(one.bias) != 1 or one.binarize for one in fitted):
        raise ValueError("its parts must have one column of weights each, and no binarize")
    weights = np.concatenate([one.weights for one in fitted], axis=1)
    link = "one_vs_rest" if fitted[0].link == "softmax" else fitted[0].link
    return FittedClassifier(
        classifier.classes_, weights, np.concatenate([one.bias for one in fitted]), link, False
    )


def _nb_logistic(classifier: BaseEstimator) -> FittedClassifier:
    return _of_coefficients(classifier, "one_vs_rest")


def _margins(classifier: BaseEstimator) -> FittedClassifier:
    binarizer = getattr(classifier, "_label_binarizer", None)
    if getattr(binarizer, "y_type_", "").startswith("multilabel"):
        raise ValueError("a LinearModel gives each text one label, not several")
    return _of_coefficients(classifier, "none")


_READERS = {
    "MultinomialNB": _naive_bayes,
    "ComplementNB": _complement,
    "BernoulliNB": _bernoulli,
    "LogisticRegression": _logistic,
    "NBLogisticRegression": _nb_logistic,
    "SGDClassifier": _stochastic,
    "OneVsRestClassifier": _one_vs_rest,
    **dict.fromkeys(_MARGINS, _margins),
}

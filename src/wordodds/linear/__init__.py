"""Discriminative classifiers: rows and labels into weights."""

from wordodds.linear.binary import BinaryRegression
from wordodds.linear.custom import custom_link, custom_loss
from wordodds.linear.logistic import LogisticRegression
from wordodds.linear.nb_logistic import NBLogisticRegression
from wordodds.linear.sgd.classifier import SGDClassifier

__all__ = [
    "BinaryRegression",
    "LogisticRegression",
    "NBLogisticRegression",
    "SGDClassifier",
    "custom_link",
    "custom_loss",
]

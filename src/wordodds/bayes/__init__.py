"""Generative classifiers: class tallies into weights."""

from wordodds.bayes.bernoulli import BernoulliNB
from wordodds.bayes.categorical import CategoricalNB
from wordodds.bayes.complement import ComplementNB
from wordodds.bayes.discriminant import GaussianDiscriminant
from wordodds.bayes.fisher import FisherDiscriminant
from wordodds.bayes.gaussian import GaussianNB
from wordodds.bayes.multinomial import MultinomialNB

__all__ = [
    "BernoulliNB",
    "CategoricalNB",
    "ComplementNB",
    "FisherDiscriminant",
    "GaussianDiscriminant",
    "GaussianNB",
    "MultinomialNB",
]

"""The whole job in one object: text and labels in, a classifier out."""

from wordodds.classifier.convert import from_sklearn
from wordodds.classifier.text_classifier import TextClassifier

__all__ = ["TextClassifier", "from_sklearn"]

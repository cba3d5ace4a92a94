"""A search for the settings that suit some documents best, within a time or a number of trials."""

from wordodds.classifier.tuning.result import TunedTrial, Tuning
from wordodds.classifier.tuning.tune import tune

__all__ = ["TunedTrial", "Tuning", "tune"]

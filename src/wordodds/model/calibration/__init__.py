"""Calibration: probabilities that are as often right as they say.

A calibration is fitted to the scores of documents that the model was not trained on. Three methods,
from stiff to flexible:

- "temperature": one number, or two, for all classes (see `wordodds.model.calibration.temperature`);
  which class comes first never changes.
- "platt": for each class a sigmoid of its log-odds, two numbers a class.
- "isotonic": for each class any non-decreasing curve; needs many documents of each class.

The last two treat each class by itself and then scale a row to sum to one. The log-odds of softmax
scores are those at the best temperature; of other scores, each column is taken as it is.
"""

from wordodds.model.calibration.measures import expected_calibration_error, threshold_for
from wordodds.model.calibration.methods import METHODS, Calibration, Method, fit_calibration

__all__ = [
    "METHODS",
    "Calibration",
    "Method",
    "expected_calibration_error",
    "fit_calibration",
    "threshold_for",
]

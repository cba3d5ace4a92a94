"""The experiments behind the project: naive Bayes against logistic regression, to be run again.

``wordodds reproduce`` runs them all. `learning_curve`, `lead` and the displays serve your
own data.
"""

from wordodds.experiments.curves import learning_curve
from wordodds.experiments.display import (
    ConvergenceDisplay,
    LearningCurveDisplay,
    ReliabilityDisplay,
)
from wordodds.experiments.leads import Lead, lead
from wordodds.experiments.table import Results

__all__ = [
    "ConvergenceDisplay",
    "Lead",
    "LearningCurveDisplay",
    "ReliabilityDisplay",
    "Results",
    "lead",
    "learning_curve",
]

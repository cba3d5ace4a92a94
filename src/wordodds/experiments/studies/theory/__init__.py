"""C1, C2, C3: limits of both models on known classes, and the examples that they need.

`worlds` draws the classes, `fits` makes the table, `report` the figures and findings.
"""

from wordodds.experiments.experiment import Experiment, sized
from wordodds.experiments.studies.theory.fits import FULL, QUICK, measure
from wordodds.experiments.studies.theory.report import draw, judge

EXPERIMENT = Experiment(
    name="theory",
    title="Theory: limits, and examples needed",
    protocol=(
        "Two Gaussian classes, equally likely, independent features of variance 1. Gaussian "
        "naive Bayes with variances that the classes share, so that it is linear, against "
        "logistic regression, all but unpenalised (C = 1000). Errors are exact, by a closed "
        "form. Limits: 48 columns, means 2 standard deviations apart, spread over 48 features, "
        "or over 18 of which two come in 16 copies. Growth: 8 to 4,096 features (logistic "
        "regression in the quick form: to 1,024), and the number of examples with which half "
        "of the draws have every weight within 1 of the truth, or keep 81 % of the separation "
        "(an error 0.05 above the best where that is 0.159). Either one feature tells the "
        "classes apart, by 2 standard deviations, and the others are noise; or every feature "
        "tells, by 0.25."
    ),
    run=sized(measure, QUICK, FULL),
    draw=draw,
    judge=judge,
    claims=("C1", "C2", "C3"),
    seconds=(11, 110),
)

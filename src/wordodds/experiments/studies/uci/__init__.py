"""C4: Ng and Jordan's comparison on small tables of the UCI repository.

`fits` makes the table, `report` the figures and findings.
"""

from wordodds.experiments.experiment import Experiment, sized
from wordodds.experiments.studies.uci.fits import FULL, QUICK, measure
from wordodds.experiments.studies.uci.report import draw, judge

EXPERIMENT = Experiment(
    name="uci",
    title="Ng and Jordan's figures: 14 small data sets",
    protocol=(
        "14 of the 15 sets of Ng and Jordan (2002); the other one, sick, is not among the "
        "data. Continuous columns: naive Bayes with normal distributions whose variances the "
        "classes share, as theirs, with a prior of the weight of one row (beside it, Gaussian "
        "NB with a variance for each class). Discrete ones: categorical naive Bayes with "
        "Laplace's rule; a missing value is a category. Against logistic regression, all but "
        "unpenalised (C = 1000), on the same columns, standardised by the training rows, or "
        "on a 0/1 column for each category. Random splits (quick: 50, full: 1,000), training "
        "sizes up to two thirds of the rows, 400 at most, each training set holding the "
        "smaller ones and both classes in proportion; error on the rest, 500 rows at most. "
        "Boston housing: price above the median; lymphography: malign lymph or metastases."
    ),
    run=sized(measure, QUICK, FULL),
    draw=draw,
    judge=judge,
    claims=("C4",),
)

"""C5: how soon the solvers of logistic regression come near the optimum.

`fits` makes the table, `report` the figures and findings.
"""

from wordodds.experiments.experiment import Experiment, sized
from wordodds.experiments.studies.convergence.fits import FULL, QUICK, measure
from wordodds.experiments.studies.convergence.report import NAME, draw, judge

EXPERIMENT = Experiment(
    NAME,
    "Convergence",
    "Logistic regression with C = 1 on one thread, two classes (comp.* or not) and 20: on SVD "
    "columns of the counts, standardised, and on all words (logarithms of the counts, rows of "
    "length one). A seed draws the documents. Gap: objective / optimum - 1, the optimum by "
    "Newton's method; an epoch is an iteration of SGD. Fits end at a gap of 1e-7 or after a "
    "fixed number of iterations. Ratios are geometric means over the seeds, 3 (full: 10). "
    "As in the lecture: test errors after 1 to 96 iterations, three pairs of groups, 90 % of the "
    "documents to train on. Seconds of an iteration: binary, 5 to 50 columns, 2,000 and 16,000 "
    "documents, the quickest of 18 (full: 60).",
    sized(measure, QUICK, FULL),
    draw,
    judge,
    ("C5",),
    seconds=(14, 200),
)

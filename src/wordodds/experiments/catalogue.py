"""All experiments, in the order of the report."""

from wordodds.experiments.experiment import Experiment, Summary
from wordodds.experiments.studies import (
    boundaries,
    calibration,
    closed_form,
    convergence,
    cost,
    duplicates,
    indicator,
    perceptron,
    priors,
    smoothing,
    sparse_counts,
    svd_columns,
    theory,
    uci,
)

__all__ = ["EXPERIMENTS", "SUMMARIES"]

EXPERIMENTS: tuple[Experiment, ...] = (
    *svd_columns.EXPERIMENTS,
    *sparse_counts.EXPERIMENTS,
    *convergence.EXPERIMENTS,
    *theory.EXPERIMENTS,
    *uci.EXPERIMENTS,
    *smoothing.EXPERIMENTS,
    *calibration.EXPERIMENTS,
    *boundaries.EXPERIMENTS,
    *closed_form.EXPERIMENTS,
    *duplicates.EXPERIMENTS,
    *priors.EXPERIMENTS,
    *perceptron.EXPERIMENTS,
    *cost.EXPERIMENTS,
    *indicator.EXPERIMENTS,
)

SUMMARIES = (Summary(("binary-size", "groups-size"), svd_columns.draw_curves),)

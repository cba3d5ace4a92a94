"""Solvers: each a file, each a generator of iterates.

A solver knows objectives, not losses; `wordodds.linear.descent` runs it, writes the history and
decides when it ends.
"""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from wordodds.linear.objective import Objective
from wordodds.linear.solvers.conjugate import conjugate_gradients
from wordodds.linear.solvers.coordinate import sparse_descent
from wordodds.linear.solvers.dual import dual_then_newton, is_quick
from wordodds.linear.solvers.gradient import gradient_descent
from wordodds.linear.solvers.irls import irls, irls_unknowns
from wordodds.linear.solvers.iterate import Iterate
from wordodds.linear.solvers.lbfgs import lbfgs
from wordodds.linear.solvers.newton_cg import newton_cg
from wordodds.linear.solvers.projected import point_inside, projected_gradient, projected_newton
from wordodds.linear.solvers.sag import sag
from wordodds.linear.solvers.sgd import sgd
from wordodds.typing import Floats

__all__ = [
    "DESCENTS",
    "PROJECTED",
    "STOCHASTIC",
    "Iterate",
    "SeededSolver",
    "SolverFunction",
    "choose",
    "point_inside",
    "sparse_descent",
]

SolverFunction: TypeAlias = Callable[[Objective, Floats], Iterator[Iterate]]
SeededSolver: TypeAlias = Callable[[Objective, Floats, int], Iterator[Iterate]]

# Those that need nothing but an objective.
DESCENTS: dict[str, SolverFunction] = {
    "irls": irls,
    "newton-cg": newton_cg,
    "lbfgs": lbfgs,
    "cg": conjugate_gradients,
    "gd": gradient_descent,
}

# Those that visit the rows one by one, in an order that a seed decides.
STOCHASTIC: dict[str, SeededSolver] = {"dual": dual_then_newton, "sag": sag, "sgd": sgd}

# Those that keep every parameter >= 0.
PROJECTED: dict[str, SolverFunction] = {"newton-cg": projected_newton, "gd": projected_gradient}

# Up to here a system is written down and solved: its time does not depend on how columns depend on
# each other, which for conjugate gradients decides between a few products and hundreds.
IRLS_UNKNOWNS = 128


def choose(objective: Objective) -> str:
    """Return the solver that suits an objective's shape best."""
    if objective.loss.non_negative:
        return "newton-cg"
    if irls_unknowns(objective) <= IRLS_UNKNOWNS:
        return "irls"
    return "dual" if objective.matrix.is_sparse and is_quick(objective) else "newton-cg"

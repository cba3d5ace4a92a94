"""A bound on what is left to gain, from dual variables that do not quite sum to zero.

An unpenalised intercept asks for sum_i a_i = 0. Dual ascent meets that in the limit only, so its
own dual value bounds nothing. Mixing every row's probabilities with one distribution q,
p'_i = (1 - theta) p_i + theta q, gives dual variables that do sum to zero; the dual function is
concave, so its value there is at least (1 - theta) D(p) + theta D(q).
"""

import numpy as np
import numpy.typing as npt

from wordodds._core import linear as core
from wordodds._execution import Execution

__all__ = ["GapBound"]


class GapBound:
    """The value of dual variables made feasible.

    Parameters
    ----------
    setup : DualSetup
        Rows and problem.
    is_softmax : bool
        Whether the columns share each row's probability.
    execution : Execution
        Threads and instruction set.
    """

    def __init__(self, setup: core.DualSetup, is_softmax: bool, execution: Execution) -> None:
        self._is_softmax = is_softmax
        n_columns = setup.n_columns
        n_classes = max(2, n_columns)
        codes, costs = setup.codes, setup.costs
        one_hot = np.zeros((setup.n_rows, core.dual_stride(n_classes)))
        one_hot[np.arange(setup.n_rows), codes] = costs
        sums = core.dual_weights(setup, one_hot, *execution)[:, :n_classes]
        everything = sums.sum(axis=1)
        # Columns of a single row, which meet only themselves.
        single = np.bincount(codes, costs**2 * setup.single, minlength=n_classes)
        own = slice(1, 2) if n_columns == 1 else slice(0, n_columns)
        # Inner products of sum_{i in class k} c_i x_i with itself and with the sum over all rows.
        self._squares = ((sums * sums).sum(axis=0) + single)[own]
        self._with_all = ((sums * everything[:, np.newaxis]).sum(axis=0) + single)[own]
        self._all = float((everything * everything).sum() + single.sum())
        self._total = float(costs.sum())
        self._wanted = np.bincount(codes, costs, minlength=n_classes)[own]

    def feasible_value(self, value: float, sums: npt.NDArray[np.float64]) -> float:
        """Return a bound from below on the optimum.

        Parameters
        ----------
        value : float
            Of the dual function, intercept aside, at the dual variables as they are.
        sums : array (n_columns,)
            The sum of the dual variables.
        """
        had = self._wanted - sums  # sum_i c_i p_i
        with np.errstate(divide="ignore", invalid="ignore"):
            need = np.where(sums < 0, -sums / had, 0.0)
            if not self._is_softmax:
                need = np.where(sums > 0, sums / (self._total - had), need)
        theta = float(np.max(need, initial=0.0))
        if theta == 0.0:
            return value
        if not theta < 1.0:
            return self._value_of(self._wanted / self._total)
        mixed = (self._wanted - (1.0 - theta) * had) / (theta * self._total)
        return (1.0 - theta) * value + theta * self._value_of(np.clip(mixed, 0.0, 1.0))

    def _value_of(self, q: npt.NDArray[np.float64]) -> float:
        """Return the dual function where every row has the probabilities q."""
        squares = np.sum(self._squares - 2.0 * q * self._with_all + q**2 * self._all)
        entropy = -float(np.sum(_plogp(q)))
        if not self._is_softmax:
            entropy -= float(np.sum(_plogp(1.0 - q)))
        return self._total * entropy - float(squares) / 2.0


def _plogp(p: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return p * np.log(np.where(p > 0, p, 1.0))

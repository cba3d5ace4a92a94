"""The priors of the lectures: what the counts are smoothed with, and what the classes start from."""

from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["class_log_prior", "pseudo_counts"]

ESTIMATES = ("bayes", "map", "ml")


def pseudo_counts(alpha: Any, estimate: str, name: str = "alpha") -> Any:
    r"""Return what is added to every count.

    Under a Beta or Dirichlet prior with parameters :math:`\alpha`, the estimate of a probability
    from counts :math:`N_j` is

    .. math:: \hat p_j = \frac{N_j + a_j}{\sum_k (N_k + a_k)}, \qquad a =
        \begin{cases} 0 & \text{ml: the most likely value} \\
        \alpha - 1 & \text{map: the mode of the posterior} \\
        \alpha & \text{bayes: its mean} \end{cases}

    Parameters
    ----------
    alpha : float or ndarray
        Hyper-parameters, already checked to be numbers.
    estimate : {"bayes", "map", "ml"}
        Which estimate.
    name : str
        What messages call ``alpha``.

    Raises
    ------
    ValueError
        If there is no such estimate: the posterior has no mode inside for ``alpha < 1``.
    """
    if not isinstance(estimate, str) or estimate not in ESTIMATES:
        raise ValueError(f'estimate must be "bayes", "map" or "ml", got {estimate!r}')
    if estimate == "bayes":
        return alpha
    if estimate == "ml":
        return np.zeros_like(alpha) if isinstance(alpha, np.ndarray) else 0.0
    if np.min(alpha) < 1.0:
        raise ValueError(
            f'estimate="map" needs {name} >= 1, got {np.min(alpha)}: below 1 the posterior has no '
            f'mode inside; use estimate="bayes" with this {name}'
        )
    return alpha - 1.0


def class_log_prior(
    class_count: npt.NDArray[np.float64], prior_alpha: Any, estimate: str
) -> npt.NDArray[np.float64]:
    r"""Return log p(class) from the documents of each class.

    .. math:: \hat p_c = \frac{N_c + a}{N + C a}

    with the pseudo-count a of `pseudo_counts`; minus infinity for a class without documents if it
    is zero, and the same for all classes if there are no documents at all.

    Parameters
    ----------
    class_count : ndarray of shape (n_classes,)
        Documents, or their weights.
    prior_alpha : float, array-like of shape (n_classes,) or None
        Hyper-parameters of the Dirichlet prior over the classes; None: the plain shares.
    estimate : {"bayes", "map", "ml"}
        As in `pseudo_counts`.
    """
    smoothed = class_count
    if prior_alpha is not None:
        alpha = _checked_prior_alpha(prior_alpha, len(class_count))
        smoothed = class_count + pseudo_counts(alpha, estimate, "prior_alpha")
    if not smoothed.any():
        return np.full(len(smoothed), -np.log(len(smoothed)))
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(smoothed) - np.log(smoothed.sum()))


def _checked_prior_alpha(prior_alpha: Any, n_classes: int) -> npt.NDArray[np.float64]:
    if isinstance(prior_alpha, bool | str):
        raise TypeError(f"prior_alpha must be a number or an array of numbers, got {prior_alpha!r}")
    if isinstance(prior_alpha, Real):
        alpha = np.full(n_classes, float(prior_alpha))
    else:
        alpha = np.asarray(prior_alpha, dtype=np.float64)
    if alpha.shape != (n_classes,):
        raise ValueError(
            f"prior_alpha must be a number or hold one for each of the {n_classes} classes, "
            f"got shape {alpha.shape}"
        )
    if not ((alpha >= 0.0) & np.isfinite(alpha)).all():
        raise ValueError(f"prior_alpha must be finite and >= 0, got {prior_alpha!r}")
    return alpha

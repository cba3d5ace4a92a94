"""Priors: what counts are smoothed with, and what classes start from."""

import warnings
from numbers import Real
from typing import Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from wordodds.typing import Floats

__all__ = ["Estimate", "checked_alpha", "class_log_prior", "log_prior", "pseudo_counts"]

Estimate: TypeAlias = Literal["bayes", "map", "ml"]
ESTIMATES: tuple[str, ...] = get_args(Estimate)
ALPHA_MIN = 1e-10


def checked_alpha(
    alpha: npt.ArrayLike, n_classes: int, n_features: int, *, force_alpha: bool
) -> float | Floats:
    """Return the hyper-parameters of the features' prior as a number or an array of doubles.

    Without ``force_alpha`` what is below 1e-10 is raised to that, with scikit-learn's warning.
    """
    if isinstance(alpha, bool | str | bytes) or alpha is None:
        raise TypeError(f"alpha must be a number >= 0 or an array of such, got {alpha!r}")
    if isinstance(alpha, Real):
        checked: float | Floats = _finite_float(alpha)
        if not 0.0 <= checked < np.inf:
            raise ValueError(f"alpha must be finite and >= 0, got {alpha!r}")
    else:
        checked = _checked_alpha_array(alpha, n_classes, n_features)
    if not force_alpha and np.min(checked) < ALPHA_MIN:
        warnings.warn(
            f"alpha too small will result in numeric errors, setting alpha = {ALPHA_MIN:.1e}. Use "
            "`force_alpha=True` to keep alpha unchanged.",
            stacklevel=4,
        )
        checked = np.maximum(checked, ALPHA_MIN)
    return checked


def _finite_float(number: Real) -> float:
    try:
        return float(number)
    except OverflowError:
        return float("inf")


def _checked_alpha_array(alpha: npt.ArrayLike, n_classes: int, n_features: int) -> Floats:
    try:
        array = np.array(alpha, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"alpha must hold numbers: {error}") from error
    # Both messages begin with scikit-learn's words, which its own tests look for.
    if array.shape not in ((n_features,), (n_classes, n_features)):
        raise ValueError(
            "When alpha is an array, it should contains `n_features`. "
            f"Got {len(array) if array.ndim == 1 else array.shape} elements instead of "
            f"{n_features}, or of {(n_classes, n_features)} for one in each class."
        )
    if not (array >= 0.0).all():
        raise ValueError(
            f"All values in alpha must be greater than 0 or equal to it, got {array.min()}"
        )
    if not np.isfinite(array).all():
        raise ValueError("All values in alpha must be finite")
    return array


def pseudo_counts(alpha: float | Floats, estimate: Estimate, name: str = "alpha") -> float | Floats:
    r"""Return what is added to every count.

    Under a Beta or Dirichlet prior with parameters :math:`\alpha`, the estimate of a probability
    from counts :math:`N_j` is

    .. math:: \hat p_j = \frac{N_j + a_j}{\sum_k (N_k + a_k)}, \qquad a =
        \begin{cases} 0 & \text{ml: the most likely value} \\
        \alpha - 1 & \text{map: the mode of the posterior} \\
        \alpha & \text{bayes: its mean} \end{cases}
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
    class_count: Floats, prior_alpha: npt.ArrayLike | None, estimate: Estimate
) -> Floats:
    r"""Return log p(class) from the documents of each class.

    .. math:: \hat p_c = \frac{N_c + a}{N + C a}

    with the pseudo-count a of `pseudo_counts`; minus infinity for a class without documents if it
    is zero, and the same for all classes if there are no documents at all.
    """
    smoothed = class_count
    if prior_alpha is not None:
        alpha = _checked_prior_alpha(prior_alpha, len(class_count))
        smoothed = class_count + pseudo_counts(alpha, estimate, "prior_alpha")
    if not smoothed.any():
        return np.full(len(smoothed), -np.log(len(smoothed)))
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(smoothed) - np.log(smoothed.sum()))


def log_prior(
    class_count: Floats,
    given: npt.ArrayLike | None,
    prior_alpha: npt.ArrayLike | None,
    estimate: Estimate = "bayes",
    *,
    name: str = "priors",
) -> Floats:
    """Return log p(class): as it is given, or else as it is learnt; only ``priors`` sum to 1."""
    if given is None:
        return class_log_prior(class_count, prior_alpha, estimate)
    if prior_alpha is not None:
        raise ValueError(f"pass {name} or prior_alpha, not both: {name} leave nothing to smooth")
    return _given_log_prior(given, len(class_count), name, sum_to_one=name == "priors")


def _given_log_prior(
    priors: npt.ArrayLike, n_classes: int, name: str, *, sum_to_one: bool
) -> Floats:
    try:
        given = np.asarray(priors, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"{name} must be a list of numbers, got {priors!r}") from error
    if given.shape != (n_classes,):
        raise ValueError(
            f"Number of priors must match number of classes: got shape {given.shape} for "
            f"{n_classes} classes"
        )
    if sum_to_one and not np.isclose(given.sum(), 1.0):
        raise ValueError(f"The sum of the priors should be 1, got {given.sum()}")
    if not ((given >= 0.0) & np.isfinite(given)).all() or not given.any():
        raise ValueError(f"Priors must be non-negative, finite and not all zero, got {priors!r}")
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(given))


def _checked_prior_alpha(prior_alpha: npt.ArrayLike, n_classes: int) -> Floats:
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

"""Losses and links that users write: scalar Python functions, compiled by Numba."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from wordodds._border.cached_property import cached_property
from wordodds._border.execution import execution
from wordodds.linear.compiled import Callback, compile_likelihood, compile_loss, compile_scalar
from wordodds.linear.differences import GRID, values_on, wrong_derivative
from wordodds.linear.losses import ScalarLoss
from wordodds.typing import Codes, Floats

__all__ = ["CustomLink", "CustomLoss", "custom_link", "custom_loss"]
Function: TypeAlias = Callable[..., Any]
OfLabelAndScore: TypeAlias = Callable[[float, float], float]
OfScore: TypeAlias = Callable[[float], float]

MIDDLE_RANGE = 1e3  # where a link must pass 1/2
LOSS_ROLES = ("loss", "gradient", "hessian")


class _Custom(ABC):
    """Compiled functions, with the Python ones that they came from.

    It does not change: copies are the object itself, and a pickle holds the Python functions, which
    are compiled again where it is loaded.
    """

    kind: str
    roles: tuple[str, ...]
    n_arguments: int

    def __init__(self, functions: tuple[Function, ...], name: str, convex: bool) -> None:
        self.functions = functions
        self.name = name
        self.convex = convex
        self._scalar = [
            compile_scalar(function, self.n_arguments, str(self), role)
            for function, role in zip(functions, self.roles, strict=True)
        ]

    @abstractmethod
    def _compile(self) -> Callback:
        """Return the batched callback of the functions."""

    @cached_property
    def _batch(self) -> Callback:
        """What owns the machine code."""
        return self._compile()

    def loss(self) -> ScalarLoss:
        """Return what is minimised."""
        # The bound method keeps the machine code alive.
        return ScalarLoss(self._batch.address, check=self._check_sum, convex=self.convex)

    def _check_sum(
        self, codes: Codes, scores: Floats, value: float, gradient: Floats, hessian: Floats
    ) -> None:
        """Refuse numbers that are none; an infinite loss only says that a step was too long."""
        if value == math.inf:
            return
        if math.isfinite(value) and math.isfinite(gradient.sum()) and math.isfinite(hessian.sum()):
            return
        each = self.loss().of_each(
            codes.astype(np.float64), np.ascontiguousarray(scores[:, 0]), execution(1)
        )
        wrong = ~np.isfinite(each) & (each[0] != math.inf)
        if not wrong.any():  # each is finite, only their sum is not
            return
        k, row = (int(at[0]) for at in np.nonzero(wrong))
        raise FloatingPointError(
            f"{self}: {LOSS_ROLES[k]} is {each[k, row]} at score {scores[row, 0]:.6g} for "
            f"y = {codes[row]}; it must be a number at every score, or the loss infinity where a "
            "score is outside its domain"
        )

    def _check_convex(self, y: float, points: Floats) -> None:
        if not self.convex:
            return
        second = self.loss().of_each(np.full(len(points), y), points, execution(1))[2]
        at = int(second.argmin())
        if second[at] < -1e-9 * max(1.0, float(np.abs(second).max())):
            raise ValueError(
                f"{self}: its second derivative is {second[at]:.6g} at score {points[at]:g} for "
                f"y = {y:g}, so it is not convex: pass convex=False"
            )

    def __copy__(self) -> "_Custom":
        return self

    def __deepcopy__(self, memo: object) -> "_Custom":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.functions, self.name, self.convex)

    def __str__(self) -> str:
        return f"custom {self.kind} {self.name!r}"

    def __repr__(self) -> str:
        return f"<{self}>"


class CustomLoss(_Custom):
    """A user-defined loss; made by `custom_loss`."""

    kind = "loss"
    roles = LOSS_ROLES
    n_arguments = 2

    def _compile(self) -> Callback:
        return compile_loss(*self._scalar)

    def check(self) -> None:
        """Refuse functions that do not fit together."""
        for y in (0.0, 1.0):
            where = f" for y = {y:g}"
            of_score = [
                _called(self, partial(function, y), role)
                for function, role in zip(self._scalar, self.roles, strict=True)
            ]
            at_zero = of_score[0](0.0)
            if not math.isfinite(at_zero):
                raise ValueError(
                    f"{self}: loss is {at_zero} at score 0{where}, where every fit begins; it must "
                    "be finite there"
                )
            inside = GRID[values_on(of_score[0], GRID) != math.inf]
            _check_derivatives(self, of_score, inside, where)
            self._check_convex(y, inside)


class CustomLink(_Custom):
    """A user-defined link; made by `custom_link`.

    Attributes
    ----------
    middle : float
        The score at which both classes are equally probable.
    """

    kind = "link"
    roles = ("inverse", "derivative", "second_derivative")
    n_arguments = 1

    def __init__(self, functions: tuple[Function, ...], name: str, convex: bool) -> None:
        super().__init__(functions, name, convex)
        self.middle = _middle(self, _called(self, self._scalar[0], "inverse"))

    def _compile(self) -> Callback:
        return compile_likelihood(*self._scalar)

    def check(self) -> None:
        """Refuse functions that do not fit together, or give no probability."""
        of_score = [_called(self, *pair) for pair in zip(self._scalar, self.roles, strict=True)]
        chances = values_on(of_score[0], GRID)
        for at, p in zip(GRID, chances, strict=True):
            if not 0.0 <= p <= 1.0:
                raise ValueError(f"{self}: inverse is {p:g} at score {at:g}, no probability")
        if (np.diff(chances) < 0.0).any():
            raise ValueError(f"{self}: inverse must not fall as the score grows")
        _check_derivatives(self, of_score, GRID, "")
        for y in (0.0, 1.0):
            self._check_convex(y, GRID)


def custom_loss(
    loss: OfLabelAndScore,
    gradient: OfLabelAndScore,
    hessian: OfLabelAndScore,
    *,
    name: str | None = None,
    convex: bool = True,
) -> CustomLoss:
    """Make a loss of three functions of (y, raw); y is 0.0 or 1.0, raw the score of a row.

    Numba compiles them, so they may use numbers, `math`, NumPy's functions of numbers, and other
    functions that Numba can compile. The derivatives are compared with finite differences at once.

    Parameters
    ----------
    loss : callable
        What a row costs; infinity where a score is outside the loss's domain.
    gradient, hessian : callable
        Its first and second derivative by raw.
    name : str or None
        For messages; None: the name of the first function.
    convex : bool, default=True
        Pass False if the second derivative may be negative. Solvers then end at a stationary point,
        which need not be the optimum.

    Returns
    -------
    CustomLoss
        For `BinaryRegression(loss=...)`. To be pickled, the functions must be at the top of a
        module.

    Raises
    ------
    TypeError
        If Numba cannot compile a function, with its reason.
    ValueError
        If a derivative is wrong, with the score, and what was expected.

    Examples
    --------
    >>> from wordodds import BinaryRegression, custom_loss
    >>> def loss(y, raw):  # the square of what is missing to a margin of 1
    ...     return max(0.0, 1.0 - (2.0 * y - 1.0) * raw) ** 2
    >>> def gradient(y, raw):
    ...     return -2.0 * (2.0 * y - 1.0) * max(0.0, 1.0 - (2.0 * y - 1.0) * raw)
    >>> def hessian(y, raw):
    ...     return 2.0 if (2.0 * y - 1.0) * raw < 1.0 else 0.0
    >>> model = BinaryRegression(loss=custom_loss(loss, gradient, hessian), link=None)
    >>> model.fit([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1]).predict([[0.5], [3.5]]).tolist()
    [0, 1]
    """
    custom = CustomLoss((loss, gradient, hessian), _name(name, loss), bool(convex))
    custom.check()
    return custom


def custom_link(
    inverse: OfScore,
    derivative: OfScore,
    second_derivative: OfScore,
    *,
    name: str | None = None,
    convex: bool = True,
) -> CustomLink:
    """Make a link of three functions of raw, the score of a row.

    What is minimised is minus the log-likelihood of the labels; probabilities nearer to 0 or 1 than
    double can tell are cut. Otherwise as `custom_loss`.

    Parameters
    ----------
    inverse : callable
        The probability of the positive class; it must not fall, and pass 1/2.
    derivative, second_derivative : callable
        Its derivatives by raw.
    name : str or None
        For messages; None: the name of the first function.
    convex : bool, default=True
        Whether minus the logarithms of p and 1 - p are convex.

    Returns
    -------
    CustomLink
        For `BinaryRegression(link=...)`.

    Examples
    --------
    >>> import math
    >>> from wordodds import BinaryRegression, custom_link
    >>> def cauchit(raw):  # tails so heavy that a wrong label does little harm
    ...     return 0.5 + math.atan(raw) / math.pi
    >>> def first(raw):
    ...     return 1.0 / (math.pi * (1.0 + raw**2))
    >>> def second(raw):
    ...     return -2.0 * raw / (math.pi * (1.0 + raw**2) ** 2)
    >>> model = BinaryRegression(link=custom_link(cauchit, first, second, convex=False))
    >>> model.fit([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1]).predict([[0.5], [3.5]]).tolist()
    [0, 1]
    """
    custom = CustomLink(
        (inverse, derivative, second_derivative), _name(name, inverse), bool(convex)
    )
    custom.check()
    return custom


def _name(name: str | None, function: Function) -> str:
    return str(getattr(function, "__name__", "without a name") if name is None else name)


def _called(owner: _Custom, function: Function, role: str) -> Callable[[float], float]:
    """Return a function of a score that names whom an exception came from."""

    def call(raw: float) -> float:
        try:
            return float(function(raw))
        except Exception as error:
            raise ValueError(
                f"{owner}: {role} raised {type(error).__name__} at score {raw:g}: {error}; return "
                "infinity for a loss outside its domain"
            ) from error

    return call


def _check_derivatives(
    owner: _Custom, functions: list[Callable[[float], float]], points: Floats, where: str
) -> None:
    """Refuse functions of which one is not the derivative of the one before."""
    for k, role in enumerate(owner.roles):
        values = values_on(functions[k], points)
        if np.isnan(values).any():
            at = points[np.isnan(values)][0]
            raise ValueError(f"{owner}: {role} is nan at score {at:g}{where}")
        wrong = wrong_derivative(functions[k - 1], functions[k], points) if k else None
        if wrong is not None:
            raise ValueError(
                f"{owner}: {role} is not the derivative of {owner.roles[k - 1]} at score "
                f"{wrong.at:g}{where}: expected {wrong.expected:.6g} by finite differences, got "
                f"{wrong.got:.6g}"
            )


def _middle(owner: _Custom, inverse: Callable[[float], float]) -> float:
    """Return the score at which a link passes 1/2, by bisection."""
    low = high = 1.0  # from near to far: a link may know nothing of scores that no fit reaches
    while not inverse(-low) < 0.5 and low < MIDDLE_RANGE:
        low *= 2.0
    while not inverse(high) >= 0.5 and high < MIDDLE_RANGE:
        high *= 2.0
    low = -low
    if not inverse(low) < 0.5:
        raise ValueError(
            f"{owner}: inverse must fall below 1/2 at some score; at {low:g} it is {inverse(low):g}"
        )
    if not inverse(high) >= 0.5:
        raise ValueError(
            f"{owner}: inverse must reach 1/2 at some score; at {high:g} it is {inverse(high):g}"
        )
    if inverse(0.0) == 0.5:
        return 0.0
    while low < (middle := 0.5 * (low + high)) < high:
        low, high = (middle, high) if inverse(middle) < 0.5 else (low, middle)
    return high

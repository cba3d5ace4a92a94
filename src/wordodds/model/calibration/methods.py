"""A calibration: fitted to scores, applied to scores, and kept in arrays."""

import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from wordodds.model.calibration.curves import fit_isotonic, fit_sigmoid, interpolated
from wordodds.model.calibration.measures import checked_codes
from wordodds.model.calibration.temperature import (
    PLAIN,
    Temperature,
    effective_link,
    fit_temperature,
    tempered,
)
from wordodds.model.links import (
    LARGEST,
    LINKS,
    LinkName,
    checked_scores,
    class_log_odds,
    log_probabilities,
    probabilities,
    scaled_rows,
)
from wordodds.typing import AnyArray, Booleans, Floats, Ints, Label, Positions

__all__ = ["METHODS", "Calibration", "Method", "fit_calibration"]

Arrays: TypeAlias = Mapping[str, AnyArray]
Method: TypeAlias = Literal["temperature", "platt", "isotonic"]

# Method -> the arrays that hold it.
METHODS: dict[Method, dict[str, type[np.generic]]] = {
    "temperature": {"temperature": np.float64},
    "platt": {"temperature": np.float64, "slope": np.float64, "intercept": np.float64},
    "isotonic": {
        "temperature": np.float64,
        "first_knot": np.int64,
        "knot": np.float64,
        "knot_probability": np.float64,
    },
}


@dataclass(frozen=True, eq=False)
class Calibration:
    """What turns the scores of one model into calibrated probabilities.

    Made by `fit_calibration`, or read by `from_arrays`. ``link`` is that of the scores, as in
    `wordodds.model.links.probabilities`, "none" included. Arrays are "temperature" (2,), its value
    and softness; with "platt" also "slope" and "intercept" (n_columns,); with "isotonic", of the
    curve of column c, "knot" and "knot_probability" from first_knot[c] to first_knot[c + 1].

    Examples
    --------
    >>> arrays = {"temperature": np.array([2.0, 0.0])}
    >>> calibration = Calibration("temperature", "softmax", 1, arrays)
    >>> calibration.probabilities([[4.0]]).round(3)
    array([[0.119, 0.881]])
    """

    method: Method
    link: LinkName
    n_columns: int
    arrays: Arrays

    def probabilities(self, scores: npt.ArrayLike) -> Floats:
        """Return the calibrated probability of each class, (n_rows, n_classes)."""
        table = checked_scores(scores)
        if table.shape[1] != self.n_columns:
            raise ValueError(
                f"scores has {table.shape[1]} columns, the calibration was fitted to "
                f"{self.n_columns}: calibrate this model"
            )
        temperature = Temperature(*map(float, self.arrays["temperature"]))
        if self.method == "temperature":
            return probabilities(tempered(table, temperature, self.link), effective_link(self.link))
        odds = _odds(table, temperature, self.link)
        if self.method == "platt":
            with np.errstate(over="ignore", under="ignore"):
                raw = odds * self.arrays["slope"] + self.arrays["intercept"]
            return probabilities(raw, "one_vs_rest")
        return scaled_rows(self._on_curves(odds))

    def _on_curves(self, odds: Floats) -> Floats:
        first = self.arrays["first_knot"]
        for column in range(self.n_columns):
            own = slice(int(first[column]), int(first[column + 1]))
            odds[:, column] = interpolated(
                odds[:, column], self.arrays["knot"][own], self.arrays["knot_probability"][own]
            )
        return odds

    def to_arrays(self) -> tuple[dict[str, str], dict[str, AnyArray]]:
        """Return strings and arrays from which `from_arrays` makes the same calibration."""
        strings = {"method": self.method, "link": self.link, "n_columns": str(self.n_columns)}
        return strings, dict(self.arrays)

    @classmethod
    def from_arrays(cls, metadata: Mapping[str, str], arrays: Arrays) -> Self:
        """Make a calibration of what `to_arrays` gave, which may have been damaged since."""
        # Out of a file anything may come, of any type.
        method, link, number = (str(metadata.get(key)) for key in ("method", "link", "n_columns"))
        if method not in METHODS:
            raise ValueError(f"calibration has method {method[:20]!r}, not {', '.join(METHODS)}")
        if link not in LINKS:
            raise ValueError(f"calibration has link {link[:20]!r}, not {', '.join(LINKS)}")
        if not re.fullmatch("[1-9][0-9]{0,9}", number):
            raise ValueError(f"calibration has n_columns {number[:20]!r}, expected a number")
        n_columns = int(number)
        _check_arrays(method, n_columns, arrays)
        return cls(method, link, n_columns, {name: arrays[name] for name in METHODS[method]})


def fit_calibration(
    scores: npt.ArrayLike,
    codes: npt.ArrayLike,
    link: LinkName,
    method: Method,
    labels: Sequence[Label] | None = None,
) -> Calibration:
    """Fit a calibration to scores and the right classes, of documents that were not trained on.

    ``labels`` are names for messages. With "platt" and "isotonic" a class without documents is
    warned about, and gets 1 / (n_rows + 2) before rows are scaled.

    Examples
    --------
    >>> scores = [[30.0, 0.0], [0.0, 20.0], [10.0, 0.0], [40.0, 0.0]]
    >>> calibration = fit_calibration(scores, [0, 1, 1, 0], "softmax", "temperature")
    >>> calibration.probabilities([[10.0, 0.0]]).round(2)
    array([[0.7, 0.3]])
    """
    if method not in METHODS:
        raise ValueError(f"method must be one of {', '.join(METHODS)}, got {method!r}")
    if link not in LINKS:
        raise ValueError(f"link must be one of {', '.join(LINKS)}, got {link!r}")
    table = checked_scores(scores)
    n_rows, n_columns = table.shape
    n_classes = max(2, n_columns)
    classes = checked_codes(codes, n_rows, n_classes)
    seen = np.bincount(classes, minlength=n_classes) > 0
    names = [str(code if labels is None else labels[code]) for code in range(n_classes)]
    if n_rows < 2 or seen.sum() < 2:
        only = f", all of class {names[classes[0]]}" if n_rows else ""
        raise ValueError(
            f"calibration needs documents of at least two classes, got {n_rows}{only}: pass texts "
            "and labels like those the model will meet, which it was not trained on"
        )
    one_for_all = method == "temperature"
    found = fit_temperature(table, classes, link) if one_for_all or link == "softmax" else PLAIN
    arrays: dict[str, AnyArray] = {"temperature": np.array(found)}
    if not one_for_all:
        _warn_of_unseen(seen, names, n_rows)
        odds = _odds(table, found, link)
        arrays |= _fit_curves(odds, classes, method)
    return Calibration(method, link, n_columns, arrays)


def _fit_curves(odds: Floats, classes: Positions, method: Method) -> dict[str, AnyArray]:
    n_columns = odds.shape[1]
    curves = [
        (odds[:, column], classes == (1 if n_columns == 1 else column))
        for column in range(n_columns)
    ]
    if method == "platt":
        slope, intercept = np.array([fit_sigmoid(*curve) for curve in curves]).T.copy()
        return {"slope": slope, "intercept": intercept}
    knots = [fit_isotonic(*curve) for curve in curves]
    return {
        "first_knot": np.cumsum([0, *(len(at) for at, _ in knots)], dtype=np.int64),
        "knot": np.concatenate([at for at, _ in knots]),
        "knot_probability": np.concatenate([value for _, value in knots]),
    }


def _warn_of_unseen(seen: Booleans, names: list[str], n_rows: int) -> None:
    unseen = [name for name, is_seen in zip(names, seen, strict=True) if not is_seen]
    if unseen:
        more = f" and {len(unseen) - 5} more" if len(unseen) > 5 else ""
        warnings.warn(
            f"{len(unseen)} of {len(names)} classes have no documents to calibrate with "
            f"({', '.join(unseen[:5])}{more}); each gets the constant 1 / {n_rows + 2} before "
            'scaling. Add documents of them, or use method="temperature"',
            UserWarning,
            stacklevel=3,
        )


def _odds(scores: Floats, temperature: Temperature, link: LinkName) -> Floats:
    if link == "softmax":
        scores = tempered(scores, temperature, link)
    elif link == "one_vs_rest" and scores.shape[1] > 1:
        # What a class is worth beside the others: several may be sure of the same text.
        scores, link = log_probabilities(scores, link), "softmax"
    return class_log_odds(scores, link)


def _check_arrays(method: Method, n_columns: int, arrays: Arrays) -> None:
    for name, kind in METHODS[method].items():
        array = arrays.get(name)
        if array is None or array.dtype != kind or array.ndim != 1:
            what = "is absent" if array is None else f"is {array.dtype} of shape {array.shape}"
            raise ValueError(f"calibration {name} {what}, expected one column of {kind.__name__}")
        if not np.isfinite(array).all():
            raise ValueError(f"calibration {name} is not finite")
    temperature = arrays["temperature"]
    if len(temperature) != 2 or not (temperature[0] > 0.0 and temperature[1] >= 0.0):
        raise ValueError(
            f"calibration temperature is {temperature}, expected a value > 0 and a softness >= 0"
        )
    if method == "platt":
        lengths = len(arrays["slope"]), len(arrays["intercept"])
        if lengths != (n_columns, n_columns):
            raise ValueError(f"calibration has {lengths} numbers for {n_columns} columns")
    elif method == "isotonic":
        _check_knots(arrays["first_knot"], arrays["knot"], arrays["knot_probability"], n_columns)


def _check_knots(first: Ints, at: Floats, value: Floats, n_columns: int) -> None:
    ends = len(first) == n_columns + 1 and first[0] == 0 and first[-1] == len(at) == len(value)
    if not (ends and (first[1:] > first[:-1]).all()):
        raise ValueError(f"calibration first_knot does not divide {len(at)} knots into columns")
    inside = np.ones(len(at) - 1, dtype=bool)
    inside[first[1:-1] - 1] = False  # from the last knot of a curve to the first of the next
    if not (at[1:] > at[:-1])[inside].all() or np.abs(at).max() > LARGEST:
        raise ValueError(f"calibration knot must increase within a column, from {-LARGEST} on")
    if not (value[1:] >= value[:-1])[inside].all():
        raise ValueError("calibration knot_probability must not decrease within a column")
    if not ((value >= 0.0) & (value <= 1.0)).all():
        raise ValueError("calibration knot_probability must be within 0 and 1")

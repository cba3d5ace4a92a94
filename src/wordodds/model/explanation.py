"""Explanations: what each feature of a text adds to the score, as numbers and in the text."""

import html
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from wordodds.model.rendering import (
    aligned,
    ansi_text,
    html_table,
    html_text,
    one_line,
    shortened,
    signed,
)
from wordodds.typing import AnyArray, Floats, Ints, Label

__all__ = ["Contribution", "Explanation", "Overlaps", "Span", "exact_sum", "spread"]


class Contribution(NamedTuple):
    """What a feature adds to the score: its value, such as a count, times its weight."""

    feature: str
    value: float
    contribution: float


class Span(NamedTuple):
    """What a piece of the text adds to the score."""

    begin: int
    end: int
    contribution: float


@dataclass(frozen=True)
class Explanation:
    """Why a text has its score.

    Printed it is a table, in a notebook the coloured text, `to_ansi` is that for a terminal.

    Parameters
    ----------
    text : str
        The text as it is shown.
    label : object
        The label that positive contributions speak for.
    against : object or None
        The label that negative contributions speak for; None: the others.
    bias : float
        The score of a text without any feature.
    contributions : sequence of (feature, value, contribution)
        In log-odds; the value is a count or a tf-idf weight. Kept sorted, the largest first.
    spans : sequence of (begin, end, contribution)
        Pieces of the text, sorted and without overlaps, as `spread` makes them.
    summary : sequence of (feature, value, contribution) or None, default=None
        Contributions for people, where features stand side by side: sequences of characters are
        summed by the word that they are in. Kept sorted as well. None: the contributions.

    Attributes
    ----------
    score : float
        ``math.fsum`` of the bias and all contributions, exactly.

    Examples
    --------
    >>> explanation = Explanation(
    ...     "free money now", "spam", "ham", -0.5,
    ...     [("now", 1, -0.25), ("free", 1, 1.5)], [(0, 4, 1.5), (11, 14, -0.25)],
    ... )
    >>> explanation.score
    0.75
    >>> print(explanation)
    spam against ham: score +0.7500
    feature  count  log-odds
    free         1   +1.5000
    now          1   -0.2500
    (bias)           -0.5000
    sum              +0.7500
    """

    text: str
    label: Label
    against: Label | None
    bias: float
    contributions: Sequence[Contribution]
    spans: Sequence[Span]
    summary: Sequence[Contribution] | None = None
    score: float = field(init=False)

    def __post_init__(self) -> None:
        parts = _ordered(self.contributions)
        spans = tuple(Span(int(b), int(e), float(c)) for b, e, c in self.spans)
        _check_spans(spans, len(self.text))
        bias = float(self.bias)
        changed = {
            "label": _plain(self.label),
            "against": _plain(self.against),
            "bias": bias,
            "contributions": parts,
            "spans": spans,
            "summary": parts if self.summary is None else _ordered(self.summary),
            "score": exact_sum([bias, *(part.contribution for part in parts)]),
        }
        for name, value in changed.items():
            object.__setattr__(self, name, value)

    def table(self, n: int | None = None) -> str:
        """Return the summary in columns, with the bias and the sum.

        Parameters
        ----------
        n : int or None
            Number of lines, the largest; the others are summed in one. None: all.
        """
        rows = [["feature", "count", "log-odds"], *self._rows(n)]
        return "\n".join(aligned(rows))

    def __str__(self) -> str:
        return f"{self._title()}\n{self.table(20)}"

    def to_ansi(self, width: int | None = None) -> str:
        """Return the text coloured for a terminal: green for the label, red against it.

        The colours are those of the usual 256; whether to use any is for the caller to decide (by
        ``NO_COLOR`` and whether it is a terminal). Of a very long text the beginning is shown.

        Parameters
        ----------
        width : int or None
            Columns to break lines at, at spaces; None leaves that to the terminal.
        """
        return ansi_text(self.text, self.spans, width)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as dicts, lists, strings and numbers, for JSON.

        JSON has no infinity: an infinite number becomes None.
        """
        return {
            "label": self.label,
            "against": self.against,
            "score": _finite(self.score),
            "bias": _finite(self.bias),
            "contributions": _dicts(self.contributions),
            "summary": _dicts(self.summary or ()),
            "text": self.text,
            "spans": [[span.begin, span.end, _finite(span[2])] for span in self.spans],
        }

    def _repr_html_(self) -> str:
        table = html_table(["feature", "count", "log-odds"], self._rows(10))
        return (
            f"<div><div><b>{html.escape(self._title())}</b></div>"
            '<div style="white-space:pre-wrap;overflow-wrap:anywhere;font-family:monospace">'
            f"{html_text(self.text, self.spans)}</div>"
            f"<details><summary>contributions</summary>{table}</details></div>"
        )

    def _title(self) -> str:
        against = "" if self.against is None else f" against {one_line(self.against)}"
        return f"{one_line(self.label)}{against}: score {signed(self.score)}"

    def _rows(self, n: int | None) -> list[list[str]]:
        parts = self.summary or ()
        # Instead of one line that says "1 more", the one.
        n_shown = len(parts) if n is None else n
        if len(parts) == n_shown + 1:
            n_shown += 1
        rows = [
            [shortened(one_line(part.feature), 40), f"{part.value:.6g}", signed(part.contribution)]
            for part in parts[:n_shown]
        ]
        if left := parts[n_shown:]:
            total = exact_sum([part.contribution for part in left])
            rows.append([f"({len(left):,} more)", "", signed(total)])
        return [*rows, ["(bias)", "", signed(self.bias)], ["sum", "", signed(self.score)]]


class Overlaps:
    """Pieces of a text in any number, summed by where they begin and end."""

    def __init__(self, n_characters: int) -> None:
        self.depth = np.zeros(n_characters + 1, dtype=np.int64)
        self.steps = np.zeros(n_characters + 1)
        self.cuts = np.zeros(n_characters + 1, dtype=bool)

    def add(self, begin: Ints, end: Ints, contribution: Floats) -> None:
        """Lay pieces over the text, each divided evenly among its characters, if it is finite."""
        share = np.where(np.isfinite(contribution), contribution, 0.0) / (end - begin)
        for places, sign in ((begin, 1), (end, -1)):
            self.cuts[places] = True
            np.add.at(self.depth, places, sign)
            np.add.at(self.steps, places, sign * share)

    def divide(self, number: float) -> None:
        """Divide all contributions by a number above zero."""
        self.steps /= number


def spread(
    occurrences: Iterable[tuple[float, Sequence[tuple[int, int]]]],
    n_characters: int,
    overlaps: Overlaps | None = None,
) -> list[Span]:
    """Lay contributions over the text that they come from, as sorted spans without overlaps.

    Each contribution is divided evenly among its pieces, (begin, end). Where pieces overlap, as
    character n-grams do, each is divided evenly among its characters, and what falls on a character
    is summed. Empty pieces get nothing; the contribution of a feature without pieces is not in the
    text. Takes time proportional to the pieces and the characters.

    Examples
    --------
    >>> spread([(3.0, [(0, 2), (5, 7)]), (0.5, [(0, 2)])], 7)
    [Span(begin=0, end=2, contribution=2.0), Span(begin=5, end=7, contribution=1.5)]
    """
    begin, end, value = _columns_of(occurrences, n_characters)
    overlaps = overlaps or Overlaps(n_characters)
    cuts = overlaps.cuts.copy()
    cuts[begin] = cuts[end] = True
    bounds = np.flatnonzero(cuts)
    if len(bounds) == 0:
        return []
    place = np.cumsum(cuts) - 1  # of a character's cut among the bounds
    first, last, n_bounds = place[begin], place[end], len(bounds)
    # Of the pieces over each stretch: their number, and what they give to each of its characters.
    depth = _running(first, last, np.ones(len(begin)), overlaps.depth[bounds])
    infinite = ~np.isfinite(value)
    finite = np.where(infinite, 0.0, value)
    shares = _running(first, last, finite / (end - begin), overlaps.steps[bounds])
    total = shares * np.diff(bounds)
    # A piece that nothing cuts keeps its number to the last bit.
    whole = last == first + 1
    own = np.bincount(first[whole], weights=finite[whole], minlength=n_bounds)[:-1]
    n_whole = np.bincount(first[whole], minlength=n_bounds)[:-1]
    total = np.where(n_whole == depth, own, total)
    if infinite.any():
        sign = _running(first, last, np.where(infinite, np.sign(value), 0.0), np.zeros(n_bounds))
        total[sign != 0.0] = np.copysign(np.inf, sign[sign != 0.0])
    kept = np.flatnonzero(depth > 0)
    columns = (bounds[kept].tolist(), bounds[kept + 1].tolist(), total[kept].tolist())
    return list(map(Span, *columns))


def _columns_of(
    occurrences: Iterable[tuple[float, Sequence[tuple[int, int]]]], n_characters: int
) -> tuple[Ints, Ints, Floats]:
    """Return begin, end and share of every piece that is not empty."""
    begins: list[int] = []
    ends: list[int] = []
    shares: list[float] = []
    for contribution, pieces in occurrences:
        there = [(begin, end) for begin, end in pieces if begin != end]
        for begin, end in there:
            if not 0 <= begin < end <= n_characters:
                raise ValueError(
                    f"occurrences has the piece ({begin}, {end}), which is not in a text of "
                    f"{n_characters} characters"
                )
            begins.append(begin)
            ends.append(end)
            shares.append(contribution / len(there))
    value = np.array(shares, dtype=np.float64)
    if np.isnan(value).any():
        raise ValueError("occurrences has a contribution of NaN")
    return np.array(begins, dtype=np.int64), np.array(ends, dtype=np.int64), value


def _running(
    first: Ints,
    last: Ints,
    weights: Floats,
    others: AnyArray,
) -> Floats:
    """Return, for each stretch between bounds, the sum of the weights of the pieces over it."""
    n_bounds = len(others)  # what begins, less what ends, at each bound beside these pieces
    steps = np.bincount(first, weights, n_bounds) - np.bincount(last, weights, n_bounds) + others
    # Long doubles, where there are any: what began and ended before should leave no trace.
    return np.cumsum(steps, dtype=np.longdouble)[:-1].astype(np.float64)


def _ordered(parts: Sequence[Contribution]) -> tuple[Contribution, ...]:
    """Return contributions as numbers of Python's own, the largest first."""
    plain = (Contribution(str(f), _whole(n), float(c)) for f, n, c in parts)
    return tuple(sorted(plain, key=lambda part: (-abs(part.contribution), part.feature)))


def _dicts(parts: Sequence[Contribution]) -> list[dict[str, Any]]:
    return [
        {"feature": part.feature, "count": part.value, "contribution": _finite(part.contribution)}
        for part in parts
    ]


def exact_sum(numbers: list[float]) -> float:
    """Return the sum, rounded once; infinite numbers of both signs have none."""
    try:
        total = math.fsum(numbers)
    except OverflowError:  # on the way; scaled by a power of two it is as exact
        total = math.fsum(number * 2.0**-64 for number in numbers) * 2.0**64
    except ValueError:
        raise ValueError(
            "contributions are infinite both ways: the score is not defined; smooth the model, "
            "such as by alpha > 0"
        ) from None
    if math.isnan(total):
        raise ValueError("bias or contributions has NaN")
    return total


def _check_spans(spans: Sequence[Span], n_characters: int) -> None:
    done = 0
    for begin, end, _ in spans:
        if not done <= begin < end <= n_characters:
            raise ValueError(
                f"spans must be sorted, without overlaps and within {n_characters} characters, "
                f"got ({begin}, {end}) after {done}"
            )
        done = end


def _plain(value: Label) -> Label:
    return value.item() if isinstance(value, np.generic) else value


def _whole(number: float) -> float:
    value = float(number)
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None

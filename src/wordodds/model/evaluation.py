"""Evaluation: how good predictions are, in numbers, as text and as a figure."""

import html
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from wordodds._border.classes import codes_by_label
from wordodds._border.labels import encode_labels
from wordodds.model.calibration import expected_calibration_error
from wordodds.model.rendering import aligned, html_table, one_line, shortened
from wordodds.typing import AnyArray, Floats, Ints, Label, Labels, Positions

__all__ = [
    "Averages",
    "ClassMetrics",
    "Confusion",
    "Evaluation",
    "encode_true_labels",
    "evaluate",
]

WIDTH = 120  # of the text
# Above that a matrix would take hundreds of megabytes, nearly all of it zeros.
LARGEST_MATRIX = 4096
MOST_ROWS = 50
MOST_CONFUSIONS = 20


class ClassMetrics(NamedTuple):
    """How well one class is found."""

    label: Label
    precision: float
    recall: float
    f1: float
    support: int


class Averages(NamedTuple):
    """Means over classes."""

    precision: float
    recall: float
    f1: float


class Confusion(NamedTuple):
    """How many documents of one class were taken for another."""

    true: Label
    predicted: Label
    n: int


@dataclass(frozen=True, eq=False)
class Evaluation:
    r"""How good predictions are; printed, it is a report.

    Made by `evaluate`.

    Parameters
    ----------
    n : int
        Documents.
    accuracy : float
        Share of right predictions.
    classes : sequence of ClassMetrics
        Label, precision, recall, F1 and support of each class. What would be a share of nothing is
        0, as in scikit-learn with ``zero_division=0``. Labels that the model does not know come
        last; nothing is predicted as one of them, so their recall is 0.
    macro : Averages
        Plain means over the classes that occur, as labels or as predictions.
    weighted : Averages
        Means weighted by support.
    log_loss : float or None
        Mean of -log(probability of the true class), that being at least 2.2e-16; None without
        probabilities. Only over documents whose label the model knows, as it would be infinite for
        the others; None if there is no such document.
    calibration_error : float or None
        See `wordodds.model.calibration.expected_calibration_error`. A document whose label the
        model does not know counts as a wrong prediction.
    confusion : ndarray of int64, shape (n_classes, n_classes), or None
        Documents by true class (row) and predicted class (column); None above 4,096 classes. The
        columns of labels that the model does not know are zero.
    confusions : sequence of Confusion
        The most frequent errors, up to 20, as (true label, predicted label, documents).
    unknown : dict
        Documents of each label that the model does not know; they count as wrong predictions.

    Examples
    --------
    >>> evaluation = evaluate([0, 0, 1, 1], [0, 1, 1, 1], None, ["ham", "spam"])
    >>> print(evaluation)
    4 documents, accuracy 0.7500
    <BLANKLINE>
    class             precision  recall      F1  support
    ham                  1.0000  0.5000  0.6667        2
    spam                 0.6667  1.0000  0.8000        2
    macro average        0.8333  0.7500  0.7333        4
    weighted average     0.8333  0.7500  0.7333        4
    <BLANKLINE>
    true \ predicted  ham  spam
    ham                 1     1
    spam                0     2
    """

    n: int
    accuracy: float
    classes: Sequence[ClassMetrics]
    macro: Averages
    weighted: Averages
    log_loss: float | None
    calibration_error: float | None
    confusion: Ints | None
    confusions: Sequence[Confusion]
    unknown: dict[Label, int] = field(default_factory=dict)

    @property
    def labels(self) -> list[Label]:
        """The labels, in the order of the confusion matrix."""
        return [found.label for found in self.classes]

    def __str__(self) -> str:
        return "\n\n".join([self._headline(), "\n".join(self._class_lines()), self._confusions()])

    def to_dict(self) -> dict[str, Any]:
        """Return everything as dicts, lists, strings and numbers, for JSON."""
        return {
            "n": self.n,
            "accuracy": self.accuracy,
            "log_loss": self.log_loss,
            "calibration_error": self.calibration_error,
            "macro": self.macro._asdict(),
            "weighted": self.weighted._asdict(),
            "classes": [found._asdict() for found in self.classes],
            "confusion": None if self.confusion is None else self.confusion.tolist(),
            "confusions": [found._asdict() for found in self.confusions],
            "unknown": [{"label": label, "n": n} for label, n in self.unknown.items()],
        }

    def figure(self, path: str | os.PathLike[str]) -> None:
        """Draw the confusion matrix into a file.

        Parameters
        ----------
        path : str or path
            Ends in .svg, .png or .pdf. The same evaluation gives the same bytes.

        Raises
        ------
        ImportError
            If matplotlib is not installed.
        ValueError
            If there are too many classes for a figure, or the file is to be of another kind.
        """
        from wordodds.model.evaluation_figure import draw_confusion

        draw_confusion(self.confusion, [one_line(label) for label in self.labels], path)

    def _repr_html_(self) -> str:
        header, *rows = self._class_rows()
        return f"<div><div>{html.escape(self._headline())}</div>{html_table(header, rows)}</div>"

    def _headline(self) -> str:
        found = [f"{self.n:,} document{'s' * (self.n != 1)}", f"accuracy {self.accuracy:.4f}"]
        if self.log_loss is not None:
            known = self.n - sum(self.unknown.values())
            of = f" (of the {known:,} with a known label)" if self.unknown else ""
            found.append(f"log loss {self.log_loss:.4f}{of}")
        if self.calibration_error is not None:
            found.append(f"calibration error {self.calibration_error:.4f}")
        return ", ".join(found)

    def _class_rows(self) -> list[list[str]]:
        shown = list(self.classes)
        rows = [["class", "precision", "recall", "F1", "support"]]
        if len(shown) > MOST_ROWS:
            shown = sorted(shown, key=lambda found: -found.support)[:MOST_ROWS]
        for name, *numbers, support in shown:
            rows.append([shortened(one_line(name), 50), *_decimals(numbers), str(support)])
        if left := len(self.classes) - len(shown):
            rows.append([f"({left:,} more, of no more support)", "", "", "", ""])
        rows.append(["macro average", *_decimals(self.macro), str(self.n)])
        rows.append(["weighted average", *_decimals(self.weighted), str(self.n)])
        return rows

    def _class_lines(self) -> list[str]:
        return aligned(self._class_rows())

    def _confusions(self) -> str:
        named, numbered = self._matrix_of_names(), self._matrix_of_numbers()
        for lines in (aligned(named), aligned(numbered, 2, gap=1)):
            if lines and max(map(len, lines)) <= WIDTH:
                return "\n".join(lines)
        if not self.confusions:
            return "no errors"
        rows = [["most frequent errors: true", "predicted", "documents"]]
        for true, predicted, n in self.confusions:
            names = [shortened(one_line(label), 50) for label in (true, predicted)]
            rows.append([*names, str(n)])
        return "\n".join(aligned(rows, 2))

    def _matrix_of_names(self) -> list[list[str]]:
        """Return the matrix under the names of the classes; nothing if there are too many."""
        if self.confusion is None or len(self.classes) > 10:
            return []
        names = [one_line(label) for label in self.labels]
        counts = [[str(n) for n in row] for row in self.confusion.tolist()]
        rows = [[shortened(name, 40), *row] for name, row in zip(names, counts, strict=True)]
        return [["true \\ predicted", *names], *rows]

    def _matrix_of_numbers(self) -> list[list[str]]:
        """Return the matrix under the numbers of the classes, which are told beside the names."""
        if self.confusion is None or len(self.classes) > WIDTH // 3:
            return []
        counts = [[str(n) if n else "." for n in row] for row in self.confusion.tolist()]
        numbers = [str(number) for number in range(1, len(counts) + 1)]
        widest = max(len(cell) for row in [numbers, *counts] for cell in row)
        left = WIDTH - 1 - len(numbers[-1]) - len(numbers) * (widest + 1)
        names = [shortened(one_line(label), max(left, 8)) for label in self.labels]
        rows = [list(row) for row in zip(names, numbers, *zip(*counts, strict=True), strict=True)]
        return [["true", "", *numbers], *rows]


def evaluate(
    codes: npt.ArrayLike,
    predicted: npt.ArrayLike,
    probabilities: npt.ArrayLike | None,
    labels: npt.ArrayLike,
    unknown: Sequence[Label] = (),
) -> Evaluation:
    """Compare predictions with what is right.

    ``codes`` and ``predicted`` are positions in ``labels``; a true class after the last one is a
    position in ``unknown``, the labels that the model does not know. Such documents count as wrong,
    and are left out of the log loss alone.

    Examples
    --------
    >>> evaluate([0, 1], [0, 1], [[0.5, 0.5], [0.5, 0.5]], ["a", "b"]).log_loss  # log 2
    0.6931471805599453
    >>> evaluate([0, 2], [0, 1], None, ["a", "b"], ["c"]).accuracy
    0.5
    """
    n_known = len(np.asarray(labels))
    names = [*np.asarray(labels).tolist(), *unknown]
    true = _checked_codes(codes, len(names), "codes")
    found = _checked_codes(predicted, n_known, "predicted")
    if len(true) != len(found) or len(true) == 0:
        raise ValueError(
            "codes and predicted must have the same number of documents, at least one, got "
            f"{len(true)} and {len(found)}"
        )
    support = np.bincount(true, minlength=len(names))
    n_predicted = np.bincount(found, minlength=len(names))
    right = np.bincount(true[true == found], minlength=len(names))
    precision, recall = _share(right, n_predicted), _share(right, support)
    f1 = _share(2.0 * right, support + n_predicted)
    table = np.array([precision, recall, f1])
    occurs = (support + n_predicted) > 0
    columns = (names, *table.tolist(), support.tolist())
    log_loss, calibration_error = _of_probabilities(probabilities, true, n_known)
    matrix, confusions = _confusion(true, found, names)
    return Evaluation(
        n=len(true),
        accuracy=float((true == found).mean()),
        classes=tuple(map(ClassMetrics, *columns)),
        macro=Averages(*table[:, occurs].mean(axis=1).tolist()),
        weighted=Averages(*(table @ support / len(true)).tolist()),
        log_loss=log_loss,
        calibration_error=calibration_error,
        confusion=matrix,
        confusions=confusions,
        unknown=dict(zip(unknown, support[n_known:].tolist(), strict=True)),
    )


def encode_true_labels(
    labels: Labels, n_rows: int, known: AnyArray
) -> tuple[Positions, list[Label]]:
    """Return the class of each document, and the labels that are not among the known ones.

    Classes are positions in ``[*known, *unknown]``; the most frequent unknown label comes first. In
    a list, unknown labels may be of another kind than known ones.

    Examples
    --------
    >>> encode_true_labels(["spam", "eggs", "ham"], 3, np.array(["ham", "spam"]))
    (array([1, 2, 0]), ['eggs'])
    """
    if type(labels) is list and len(labels) == n_rows and {*map(type, labels)} <= {str, int, bool}:
        found = list(dict.fromkeys(labels))
        code_of = {label: code for code, label in enumerate(found)}
        codes = np.fromiter(map(code_of.__getitem__, labels), dtype=np.intp, count=n_rows)
    else:
        classes, encoded = encode_labels(labels, n_rows)
        found, codes = classes.tolist(), encoded.astype(np.intp)
    position_of = codes_by_label(known)
    support = np.bincount(codes, minlength=len(found))
    order = np.argsort(-support, kind="stable").tolist()
    unknown = [found[code] for code in order if found[code] not in position_of]
    if found and len(unknown) == len(found):
        raise ValueError(
            f"the model knows none of the labels: got {', '.join(map(repr, unknown[:5]))}, it has "
            f"{', '.join(map(repr, known.tolist()[:5]))}"
        )
    position_of |= {label: len(known) + rank for rank, label in enumerate(unknown)}
    positions = np.array([position_of[label] for label in found], dtype=np.intp)
    return positions[codes], unknown


def _checked_codes(values: npt.ArrayLike, n_classes: int, name: str) -> Positions:
    codes = np.asarray(values)
    if codes.ndim != 1 or (len(codes) and codes.dtype.kind not in "biu"):
        raise ValueError(
            f"{name} must be one column of whole numbers, got {codes.dtype} of shape {codes.shape}"
        )
    if len(codes) and not 0 <= codes.min() <= codes.max() < n_classes:
        raise ValueError(
            f"{name} must be from 0 to {n_classes - 1}, got {codes.min()} to {codes.max()}"
        )
    return codes.astype(np.intp)


def _share(part: AnyArray, whole: AnyArray) -> Floats:
    return np.asarray(np.divide(part, whole, out=np.zeros(len(whole)), where=whole > 0))


def _of_probabilities(
    probabilities: npt.ArrayLike | None, true: Positions, n_known: int
) -> tuple[float | None, float | None]:
    """Return log loss, over the documents of known labels, and calibration error."""
    if probabilities is None:
        return None, None
    table = np.asarray(probabilities, dtype=np.float64)
    if table.shape != (len(true), n_known):
        raise ValueError(
            f"probabilities must have shape ({len(true)}, {n_known}), got {table.shape}"
        )
    if not ((table >= 0.0) & (table <= 1.0)).all():
        raise ValueError("probabilities must be from 0 to 1")
    rows = np.flatnonzero(true < n_known)
    own = np.clip(table[rows, true[rows]], np.finfo(np.float64).eps, None)
    log_loss = -float(np.log(own).mean()) if len(rows) else None
    if len(rows) < len(true):  # one more class, of probability 0, stands for all unknown labels
        table = np.hstack([table, np.zeros((len(true), 1))])
    return log_loss, expected_calibration_error(table, np.minimum(true, n_known))


def _confusion(
    true: Positions, found: Positions, names: list[Label]
) -> tuple[Ints | None, tuple[Confusion, ...]]:
    """Return the matrix, if it is not too large, and the most frequent errors."""
    n_classes = len(names)
    cells, counts = np.unique(true * n_classes + found, return_counts=True)
    rows, columns = np.divmod(cells, n_classes)
    wrong = np.flatnonzero(rows != columns)
    most = wrong[np.argsort(-counts[wrong], kind="stable")[:MOST_CONFUSIONS]]
    confusions = tuple(Confusion(names[rows[k]], names[columns[k]], int(counts[k])) for k in most)
    if n_classes > LARGEST_MATRIX:
        return None, confusions
    matrix = np.zeros((n_classes, n_classes), dtype=np.int64)
    matrix[rows, columns] = counts
    return matrix, confusions


def _decimals(numbers: Sequence[float]) -> list[str]:
    return [f"{number:.4f}" for number in numbers]

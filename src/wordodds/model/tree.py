"""A tree of labels: hierarchical softmax, where each column of scores is a decision.

``tree[i]`` holds the two children of node i. A child below n_labels is a label, any other is node
child - n_labels, and comes before its parent: the root is the last node. With f the sigmoid of its
score, a node leads to its first child with probability 1 - f and to the second with f.
"""

from typing import NoReturn

import numpy as np

from wordodds._border.execution import execution
from wordodds._core import score
from wordodds.model.links import (
    FASTTEXT_FLOOR,
    FASTTEXT_LINKS,
    LINKS,
    ColumnLink,
    LinkName,
    reached_in_fasttext,
)
from wordodds.typing import AnyArray, Booleans, Codes, Floats, Ints, Positions

__all__ = ["TreeLink", "link_of"]

_ROWS_AT_ONCE = 1024  # which stay in the cache, whatever the number of labels


class TreeLink:
    """The link of scores that have a column for each decision of a tree of labels."""

    def __init__(self, name: LinkName, tree: Codes) -> None:
        self.name = name
        self.tree = tree
        self._floor = FASTTEXT_FLOOR if name == "fasttext_tree" else 0.0

    def class_scores(self, scores: Floats) -> Floats:
        """Return the logarithm of the probability of each label."""
        return _leaf_scores(scores, self.tree, self._floor)

    def probabilities(self, scores: Floats, n_jobs: int | None) -> Floats:
        """Return the probability of each label, (n_rows, n_labels)."""
        return _leaf_chances(scores, self.tree, self._floor)

    def codes(self, scores: Floats, n_jobs: int | None, calibrated: bool) -> Ints:
        """Return the most probable label of each row."""
        rows = np.ascontiguousarray(scores)
        return score.rows_find_leaves(rows, self.tree, *execution(n_jobs), floor=self._floor)

    def ranked(self, values: Floats, calibrated: bool) -> Positions:
        """Return the labels of each row by probability, the most probable first."""
        return np.argsort(-values, axis=1, kind="stable")

    def reached(self, values: Floats, threshold: float, calibrated: bool) -> Booleans:
        """Return which labels have at least this probability."""
        if calibrated or not self._floor:
            return values >= threshold
        return reached_in_fasttext(values, threshold)

    def contrast(self, n_columns: int, code: int, against: int | None) -> NoReturn:
        """Raise: no sum of columns is the log-odds of a label."""
        raise ValueError(
            "the labels of a hierarchical softmax share decisions, and none has weights of its "
            "own: explain a model with the loss softmax or one-vs-all"
        )


def link_of(
    name: LinkName, tree: Codes | None, n_labels: int, n_columns: int
) -> ColumnLink | TreeLink:
    """Return the link of scores, or raise if labels, columns and tree do not go with it."""
    known = (*LINKS, *FASTTEXT_LINKS)
    if name not in known:
        raise ValueError(f"link must be one of {', '.join(known)}, got {name!r}")
    allowed = {n_labels if tree is None else n_labels - 1}
    if tree is None and n_labels == 2 and not name.endswith("sigmoid"):
        allowed.add(1)  # the log-odds of the second label, where the two exclude each other
    if n_labels < 2 or n_columns not in allowed:
        raise ValueError(f"{n_labels} labels do not go with {n_columns} columns of weights")
    if tree is not None:
        _check_tree(tree, n_labels)
    if name == "fasttext_tree" if tree is None else name not in ("softmax", "fasttext_tree"):
        raise ValueError(f"link {name!r} does not go with {'a' if tree is not None else 'no'} tree")
    return ColumnLink(name) if tree is None else TreeLink(name, tree)


def _check_tree(tree: AnyArray, n_labels: int) -> None:
    """Raise ValueError unless each label is reached from the root in one way."""
    if tree.dtype != np.int32 or tree.shape != (n_labels - 1, 2):
        raise ValueError(f"a tree of {n_labels} labels must be int32 of shape {(n_labels - 1, 2)}")
    children = np.sort(tree.reshape(-1))
    if not np.array_equal(children, np.arange(2 * n_labels - 2)):
        raise ValueError("every node of the tree but the root must be a child once")
    if (tree.max(axis=1) >= np.arange(n_labels, 2 * n_labels - 1)).any():
        raise ValueError("a node of the tree must come behind its children")


def _leaf_chances(scores: Floats, tree: Codes, floor: float) -> Floats:
    """Return the probability of each label; the floor is added to that of every decision."""
    chances = np.empty((len(scores), len(tree) + 1))
    for first in range(0, len(scores), _ROWS_AT_ONCE):
        some = scores[first : first + _ROWS_AT_ONCE].T
        if (wrong := np.isnan(some).any(axis=0)).any():
            raise ValueError(f"scores must be numbers, row {first + int(wrong.argmax())} has NaN")
        with np.errstate(over="ignore", under="ignore"):
            right = 1.0 / (1.0 + np.exp(-some))
            found = _descended(1.0 - right + floor, right + floor, tree, np.multiply, 1.0)
        chances[first : first + _ROWS_AT_ONCE] = found.T
    return chances


def _leaf_scores(scores: Floats, tree: Codes, floor: float) -> Floats:
    """Return log p of each label, with all digits where p rounds to 0."""
    decided = np.ascontiguousarray(scores.T)
    with np.errstate(over="ignore", under="ignore"):
        left, right = -np.logaddexp(0.0, decided), -np.logaddexp(0.0, -decided)
        if floor:
            left, right = np.log(np.exp(left) + floor), np.log(np.exp(right) + floor)
    return np.ascontiguousarray(_descended(left, right, tree, np.add, 0.0).T)


def _descended(left: Floats, right: Floats, tree: Codes, combine: np.ufunc, root: float) -> Floats:
    """Return what is found at each leaf on the way from the root, (n_labels, n_rows)."""
    n_labels = len(tree) + 1
    found = np.empty((2 * n_labels - 1, left.shape[1]))
    found[-1] = root
    for node, (first, second) in reversed(list(enumerate(tree.tolist()))):
        combine(found[n_labels + node], left[node], out=found[first])
        combine(found[n_labels + node], right[node], out=found[second])
    return found[:n_labels]

"""A tree of labels: hierarchical softmax, where each column of scores is a decision.

``tree[i]`` holds the two children of node i. A child below n_labels is a label, any other is node
child - n_labels, and comes before its parent: the root is the last node. With f the sigmoid of its
score, a node leads to its first child with probability 1 - f and to the second with f.
"""

import numpy as np

from wordodds._border.execution import execution
from wordodds._core import score
from wordodds.typing import AnyArray, Codes, Floats, Ints

__all__ = ["best_leaves", "check_tree", "leaf_chances", "leaf_scores"]

_ROWS_AT_ONCE = 1024  # which stay in the cache, whatever the number of labels


def check_tree(tree: AnyArray, n_labels: int) -> None:
    """Raise ValueError unless each label is reached from the root in one way.

    Parameters
    ----------
    tree : ndarray
        Children of each node.
    n_labels : int
        How many leaves it must have.

    Examples
    --------
    >>> check_tree(np.array([[2, 1], [0, 3]], dtype=np.int32), 3)
    """
    if tree.dtype != np.int32 or tree.shape != (n_labels - 1, 2):
        raise ValueError(f"a tree of {n_labels} labels must be int32 of shape {(n_labels - 1, 2)}")
    children = np.sort(tree.reshape(-1))
    if not np.array_equal(children, np.arange(2 * n_labels - 2)):
        raise ValueError("every node of the tree but the root must be a child once")
    if (tree.max(axis=1) >= np.arange(n_labels, 2 * n_labels - 1)).any():
        raise ValueError("a node of the tree must come behind its children")


def best_leaves(scores: Floats, tree: Codes, floor: float = 0.0, n_jobs: int | None = 1) -> Ints:
    """Return the most probable label of each row, (n_rows,).

    Parameters
    ----------
    scores, tree, floor
        As in `leaf_chances`.
    n_jobs : int or None
        Threads.

    Examples
    --------
    >>> tree = np.array([[2, 1], [0, 3]], dtype=np.int32)
    >>> best_leaves(np.array([[-1.0, 3.0], [0.0, -2.0]]), tree)
    array([2, 0])
    """
    return score.rows_find_leaves(np.ascontiguousarray(scores), tree, floor, *execution(n_jobs))


def leaf_chances(scores: Floats, tree: Codes, floor: float = 0.0) -> Floats:
    """Return the probability of each label, (n_rows, n_labels).

    Parameters
    ----------
    scores : ndarray of shape (n_rows, n_labels - 1)
        Of each decision.
    tree : ndarray of shape (n_labels - 1, 2)
        Children of each node.
    floor : float, default=0.0
        What is added to the probability of every decision; fastText adds 1e-5.

    Raises
    ------
    ValueError
        If a score is NaN.

    Examples
    --------
    >>> tree = np.array([[2, 1], [0, 3]], dtype=np.int32)
    >>> leaf_chances(np.zeros((1, 2)), tree)
    array([[0.5 , 0.25, 0.25]])
    """
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


def leaf_scores(scores: Floats, tree: Codes, floor: float = 0.0) -> Floats:
    """Return log p of each label, with all digits where p rounds to 0.

    Parameters
    ----------
    scores, tree, floor
        As in `leaf_chances`.

    Examples
    --------
    >>> tree = np.array([[2, 1], [0, 3]], dtype=np.int32)
    >>> print(leaf_scores(np.array([[-800.0, 0.0]]), tree)[0, 1].round(3))
    -800.693
    """
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

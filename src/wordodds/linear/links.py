"""Links: how a score becomes the probability of the positive class."""

import math
from typing import Any, Protocol

import numpy as np

from wordodds._border.execution import Execution
from wordodds.linear.losses import ScalarLoss, link_loss
from wordodds.typing import Floats

__all__ = ["LINKS", "Link", "link_named", "log_chances"]

# By name: the score at which both classes are equally probable.
LINKS = {"logit": 0.0, "probit": 0.0, "cloglog": math.log(math.log(2.0)), "noisy_or": math.log(2.0)}


class Link(Protocol):
    """What a model asks of its link."""

    middle: float  # the score at which both classes are equally probable

    def loss(self) -> ScalarLoss:
        """Return minus the log-likelihood."""


class _NamedLink:
    def __init__(self, name: str) -> None:
        self.name = name
        self.middle = LINKS[name]

    def loss(self) -> ScalarLoss:
        return link_loss(self.name)


def link_named(link: Any) -> Link:
    """Return the link that a parameter means.

    Parameters
    ----------
    link : str or CustomLink
        One of `LINKS`, or what `custom_link` returned.
    """
    if isinstance(link, str) and link in LINKS:
        return _NamedLink(link)
    # Asked by what it has: to import its class would import Numba.
    if getattr(link, "kind", None) == "link":
        custom: Link = link
        return custom
    raise ValueError(
        f"link must be one of {', '.join(LINKS)}, or made by custom_link, got {link!r}"
    )


def log_chances(link: Link, scores: Floats, execution: Execution) -> Floats:
    """Return log p(0 | score) and log p(1 | score), (n_rows, 2); stable in both tails.

    Parameters
    ----------
    link : Link
        Whose loss is minus that.
    scores : ndarray of shape (n_rows,)
        Finite.
    execution : Execution
        Threads and instruction set.
    """
    loss = link.loss()
    chances = np.empty((len(scores), 2))
    for y in (0, 1):
        chances[:, y] = 0.0 - loss.of_each(np.full(len(scores), float(y)), scores, execution)[0]
    return chances

"""Token patterns that the compiled scanner knows."""

import re
from typing import Any

__all__ = ["word_min_length"]

# \w\w+ and its relatives: a maximal run of word characters, of at least so many. The \b around
# them changes nothing, as a match of a greedy \w+ always ends where the run ends.
_RUN_OF_WORD_CHARACTERS = re.compile(
    r"(?:\(\?u\))?(?:\\b)?(?:((?:\\w)+)\+|\\w\{(\d{1,9}),\})(?:\\b)?"
)


def word_min_length(token_pattern: Any) -> int | None:
    r"""Return the shortest word that the token pattern takes; None for other patterns.

    Parameters
    ----------
    token_pattern : object
        As in scikit-learn's vectorizers.

    Examples
    --------
    >>> [word_min_length(p) for p in (r"(?u)\b\w\w+\b", r"\w+", r"\w{3,}", r"[a-z]+")]
    [2, 1, 3, None]
    """
    if not isinstance(token_pattern, str):
        return None
    match = _RUN_OF_WORD_CHARACTERS.fullmatch(token_pattern)
    if match is None:
        return None
    run, least = match.groups()
    length = len(run) // 2 if run is not None else int(least)
    return length if length >= 1 else None

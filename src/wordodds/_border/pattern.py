"""Token patterns that the compiled scanner knows."""

import re
from typing import Any, NamedTuple

__all__ = ["TokenPattern", "token_pattern_of"]

# \w\w+ and its relatives: a maximal run of word characters of some least length. The \b around
# them changes nothing, as a match of a greedy \w+ always ends where the run ends. It may be
# followed by [^\w\s]: a single character that is neither part of a word nor white space.
_KNOWN = re.compile(
    r"(?:\(\?u\))?(?:\\b)?(?:((?:\\w)+)\+|\\w\{(\d{1,9}),\})(?:\\b)?(\|\[\^(?:\\w\\s|\\s\\w)\])?"
)


class TokenPattern(NamedTuple):
    """What a known pattern takes for a token."""

    min_length: int  # of a word, in characters
    marks: bool  # whether other characters that are not white space are tokens too

    @property
    def analyzer(self) -> str:
        """The name of the compiled analyzer."""
        return "word_or_mark" if self.marks else "word"


def token_pattern_of(token_pattern: Any) -> TokenPattern | None:
    r"""Return what a token pattern takes; None for patterns that run in Python.

    Parameters
    ----------
    token_pattern : object
        As in scikit-learn's vectorizers.

    Examples
    --------
    >>> [token_pattern_of(p) for p in (r"(?u)\b\w\w+\b", r"[a-z]+")]
    [TokenPattern(min_length=2, marks=False), None]
    >>> token_pattern_of(r"\w+|[^\w\s]")
    TokenPattern(min_length=1, marks=True)
    """
    if not isinstance(token_pattern, str):
        return None
    match = _KNOWN.fullmatch(token_pattern)
    if match is None:
        return None
    run, least, marks = match.groups()
    length = len(run) // 2 if run is not None else int(least)
    return TokenPattern(length, marks is not None) if length >= 1 else None

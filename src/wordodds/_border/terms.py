"""Terms as the engine keeps them: packed one after the other, found by a keyed hash."""

import os
from collections.abc import Iterable
from hashlib import blake2b

import numpy as np

from wordodds._core import text as core
from wordodds.typing import Ints

__all__ = ["frozen_terms", "is_encodable", "new_hash_key", "pack_terms", "pack_vocabulary"]


def is_encodable(text: str) -> bool:
    r"""Return whether a text has no lone surrogates, so that UTF-8 can hold it.

    Examples
    --------
    >>> is_encodable("naïve"), is_encodable("\ud800")
    (True, False)
    """
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def new_hash_key() -> tuple[int, int]:
    """Draw the secret of a vocabulary's hash, so that no text can be made to collide under it."""
    return int.from_bytes(os.urandom(8)), int.from_bytes(os.urandom(8))


def frozen_terms(vocabulary: core.Vocabulary) -> core.FrozenTerms:
    """Return a vocabulary as a model keeps it, under a key that depends on its terms alone.

    Equal models then have equal files. The key is no secret, nor would a random one be: it is
    stored in the file. Lookups insert nothing, so the longest one depends on the model's own terms;
    and every change of these changes the key.

    Examples
    --------
    >>> frozen_terms(pack_vocabulary(["one", "two"])).key == frozen_terms(
    ...     pack_vocabulary(["one", "two"])).key
    True
    """
    arena, offsets = vocabulary.packed()
    digest = blake2b(np.asarray(offsets, dtype="<i8").tobytes(), digest_size=16)
    digest.update(arena)
    key = digest.digest()
    return core.FrozenTerms.of(
        vocabulary, (int.from_bytes(key[:8], "little"), int.from_bytes(key[8:], "little"))
    )


def pack_terms(terms: Iterable[str]) -> tuple[bytes, Ints]:
    """Join terms as UTF-8, with lone surrogates; return the bytes and where each term begins.

    Examples
    --------
    >>> pack_terms(["one", "two"])
    (b'onetwo', array([0, 3, 6]))
    """
    encoded = [_encoded(term) for term in terms]
    offsets = np.zeros(len(encoded) + 1, dtype=np.int64)
    np.cumsum([len(term) for term in encoded], out=offsets[1:])
    return b"".join(encoded), offsets


def _encoded(term: object) -> bytes:
    if not isinstance(term, str):
        raise TypeError(f"terms of a vocabulary must be str, got {type(term).__name__}")
    return term.encode("utf-8", "surrogatepass")


def pack_vocabulary(terms: Iterable[str]) -> core.Vocabulary:
    """Make an engine vocabulary of terms, in their order.

    Examples
    --------
    >>> len(pack_vocabulary(["one", "two"]))
    2
    """
    return core.Vocabulary(*pack_terms(terms), new_hash_key())

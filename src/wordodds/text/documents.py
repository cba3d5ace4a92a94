"""Raw documents at the public border: any iterable of text becomes a tuple of ``str``."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

__all__ = ["BadDocumentError", "as_documents"]


class BadDocumentError(TypeError, ValueError):
    """A document is not text.

    A TypeError; also a ValueError, which is what scikit-learn raises for NaN.
    """


def as_documents(
    raw_documents: Any, decode: Callable[[Any], str], source: str = "content"
) -> tuple[str, ...]:
    """Collect the documents and check that each is text.

    Parameters
    ----------
    raw_documents : iterable of str or bytes, of file names or of files
        A list, tuple, generator, one-dimensional array or column.
    decode : callable
        Makes text of what is not ``str`` yet, or of any document if ``source`` is not "content".
    source : {"content", "filename", "file"}
        What the documents are, as in scikit-learn's parameter ``input``.

    Raises
    ------
    ValueError
        If the whole is not a collection of documents.
    TypeError
        If a document is not text, naming its row.

    Examples
    --------
    >>> as_documents(["one", b"two"], bytes.decode)
    ('one', 'two')
    """
    _check_collection(raw_documents)
    if source != "content":
        return tuple(map(decode, raw_documents))
    # Arrow columns iterate over scalars of their own; to_pylist gives str, bytes and None.
    plain = raw_documents.to_pylist() if hasattr(raw_documents, "to_pylist") else raw_documents
    documents = tuple(plain)
    if set(map(type, documents)) <= {str}:
        return documents
    return tuple(_as_text(document, row, decode) for row, document in enumerate(documents))


def _check_collection(raw_documents: Any) -> None:
    if isinstance(raw_documents, str | bytes | bytearray | memoryview):
        raise ValueError(
            "Iterable over raw text documents expected, string object received: pass a list, "
            "such as [text]"
        )
    if isinstance(raw_documents, Mapping):
        raise ValueError(
            "documents must be a list or column of text, got a mapping: pass its values"
        )
    if isinstance(raw_documents, np.ndarray) and raw_documents.ndim != 1:
        raise ValueError(
            f"documents must have one dimension, got {raw_documents.ndim}: pass one column"
        )
    if hasattr(raw_documents, "columns"):
        raise ValueError("documents must be one column of text, got a table: select the column")
    if not isinstance(raw_documents, Iterable):
        raise ValueError(
            "Iterable over raw text documents expected, "
            f"{type(raw_documents).__name__} object received: pass a list of str"
        )


def _as_text(document: Any, row: int, decode: Callable[[Any], str]) -> str:
    if isinstance(document, str):
        return document
    if isinstance(document, bytes):
        try:
            return decode(document)
        except UnicodeDecodeError as error:
            error.add_note(f"in document {row}; see the parameters encoding and decode_error")
            raise
    missing = (
        document is None
        or type(document).__name__ == "NAType"
        or (isinstance(document, float) and document != document)
    )
    what = f"np.{document}" if isinstance(document, float) and missing else repr(document)[:80]
    kind = "missing" if missing else type(document).__name__
    raise BadDocumentError(
        f"document {row} is {kind}: {what} is an invalid document, expected byte or unicode "
        "string. Drop it or replace it by an empty text"
    )

"""Raw documents at the public border: any iterable of text becomes a tuple of ``str``."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

__all__ = ["as_documents"]


def as_documents(raw_documents: Any) -> tuple[str, ...]:
    """Collect the documents and check that each is text.

    Parameters
    ----------
    raw_documents : iterable of str or bytes
        A list, tuple, generator, one-dimensional array or column. Bytes are decoded as UTF-8.

    Raises
    ------
    ValueError
        If the whole is not a collection of documents.
    TypeError
        If a document is not text, naming its row.

    Examples
    --------
    >>> as_documents(["one", b"two"])
    ('one', 'two')
    """
    _check_collection(raw_documents)
    documents = tuple(raw_documents)
    if set(map(type, documents)) <= {str}:
        return documents
    return tuple(_as_text(document, row) for row, document in enumerate(documents))


def _check_collection(raw_documents: Any) -> None:
    if isinstance(raw_documents, str | bytes):
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


def _as_text(document: Any, row: int) -> str:
    if isinstance(document, str):
        return document
    if isinstance(document, bytes):
        try:
            return document.decode("utf-8")
        except UnicodeDecodeError as error:
            error.add_note(f"in document {row}; decode the bytes yourself and pass str")
            raise
    missing = document is None or (isinstance(document, float) and document != document)
    kind = "missing" if missing else type(document).__name__
    raise TypeError(
        f"document {row} is {kind} ({document!r:.80}), expected str or bytes; "
        "drop it or replace it by an empty text"
    )

"""Raw documents at the public border: any collection of text, as the engine can read it."""

from collections.abc import Callable, Iterable, Mapping
from numbers import Number
from typing import Any, TypeAlias, cast

import numpy as np

from wordodds._border.execution import Execution, execution
from wordodds._core.arrow import TextColumn
from wordodds.typing import RawDocuments

__all__ = [
    "BadDocumentError",
    "Documents",
    "as_documents",
    "as_strings",
    "check_collection",
    "without_missing",
]


class BadDocumentError(TypeError, ValueError):
    """A document is not text.

    A TypeError; also a ValueError, which is what scikit-learn raises for NaN.
    """


Documents: TypeAlias = "tuple[str, ...] | TextColumn"


def as_documents(
    raw_documents: RawDocuments,
    decode: Callable[[Any], str],
    source: str = "content",
    missing: str = "error",
    how: Execution | None = None,
) -> Documents:
    """Collect the documents and check that each is text.

    ``decode`` makes text of what is not ``str`` yet, or of any document if ``source`` is not
    "content". The text of a column that offers Arrow's protocol is borrowed, and checked by the
    threads of ``how``, or by one.

    Examples
    --------
    >>> as_documents(["one", b"two"], bytes.decode)
    ('one', 'two')
    """
    if type(raw_documents) is not list:
        _check_one_column(raw_documents)
        if source == "content":
            column = _as_column(raw_documents, missing, how)
            if column is not None:
                return column
        _check_iterable(raw_documents)
    if source != "content":
        return tuple(
            "" if missing == "empty" and _is_missing(document) else decode(document)
            for document in cast("Iterable[Any]", raw_documents)
        )
    documents = tuple(raw_documents if type(raw_documents) is list else _plain(raw_documents))
    if set(map(type, documents)) <= {str}:
        return documents
    return tuple(_as_text(document, row, decode, missing) for row, document in enumerate(documents))


def as_strings(documents: Documents) -> tuple[str, ...]:
    """Return checked documents as Python's strings, missing ones as empty text."""
    if isinstance(documents, TextColumn):
        return tuple(text or "" for text in documents.to_list())
    return documents


def check_collection(raw_documents: object) -> None:
    """Raise if this is one text, a mapping, a table, or nothing that can be iterated over."""
    _check_one_column(raw_documents)
    _check_iterable(raw_documents)


def without_missing(raw_documents: RawDocuments, missing: str) -> Iterable[Any]:
    """Return documents for Python's own analyzers, which take any kind of them.

    With "empty", missing ones become empty text; else they are left to the analyzer.
    """
    if isinstance(raw_documents, str):
        raise ValueError("Iterable over raw text documents expected, string object received.")
    if missing == "error":
        return _plain(raw_documents)
    return ["" if _is_missing(document) else document for document in _plain(raw_documents)]


def _plain(raw_documents: RawDocuments) -> Iterable[Any]:
    # Arrow columns iterate over scalars of their own; to_pylist gives str, bytes and None.
    to_list = getattr(type(raw_documents), "to_pylist", None)
    return cast("Iterable[Any]", raw_documents if to_list is None else to_list(raw_documents))


def _as_column(raw_documents: object, missing: str, how: Execution | None) -> TextColumn | None:
    """Borrow the text of a column that offers Arrow's protocol; None if there is none."""
    offers = hasattr(raw_documents, "__arrow_c_stream__") or hasattr(
        raw_documents, "__arrow_c_array__"
    )
    # pandas would first copy a column of Python objects.
    if not offers or getattr(raw_documents, "dtype", None) is np.dtype(object):
        return None
    try:
        column = TextColumn.read(raw_documents, *(how or execution(1)))
    except ImportError:  # pandas without pyarrow: its strings are Python's
        return None
    if column is not None and missing == "error" and len(column.null_rows):
        raise _bad_document(None, int(column.null_rows[0]))
    return column


def _check_one_column(raw_documents: object) -> None:
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
    # Of the type: labels of a pandas column are attributes of the object.
    if hasattr(type(raw_documents), "columns"):
        raise ValueError("documents must be one column of text, got a table: select the column")


def _check_iterable(raw_documents: object) -> None:
    try:
        iter(cast("Iterable[object]", raw_documents))
    except TypeError:
        raise ValueError(
            "Iterable over raw text documents expected, "
            f"{type(raw_documents).__name__} object received: pass a list of str"
        ) from None


def _as_text(document: object, row: int, decode: Callable[[Any], str], missing: str) -> str:
    if isinstance(document, str):
        return document
    if isinstance(document, bytes):
        try:
            return decode(document)
        except UnicodeDecodeError as error:
            error.add_note(f"in document {row}; see the parameters encoding and decode_error")
            raise
    if missing == "empty" and _is_missing(document):
        return ""
    raise _bad_document(document, row)


def _is_missing(document: object) -> bool:
    kind = type(document)
    return (
        document is None
        or kind.__name__ in ("NAType", "NaTType")
        or document is np.ma.masked
        or (isinstance(document, Number | np.generic) and bool(document != document))
        # A scalar of Arrow's.
        or (getattr(kind, "is_valid", None) is not None and not getattr(document, "is_valid", True))
    )


def _bad_document(document: object, row: int) -> BadDocumentError:
    missing = _is_missing(document)
    what = f"np.{document}" if isinstance(document, float) and missing else repr(document)[:80]
    kind = "missing" if missing else type(document).__name__
    remedy = 'Pass missing="empty" to treat it as empty text' if missing else "Make it a str"
    return BadDocumentError(
        f"document {row} is {kind}: {what} is an invalid document, expected byte or unicode "
        f"string. {remedy}"
    )

"""What may be passed as documents, and what bad documents get."""

import datetime

import numpy as np
import pandas
import pytest

from wordodds._border.documents import as_documents as as_documents_with
from wordodds._core.arrow import TextColumn


def as_documents(documents, **options):
    taken = as_documents_with(documents, bytes.decode, **options)
    return tuple(taken.to_list()) if isinstance(taken, TextColumn) else taken


class Text(str):
    __slots__ = ()


class Column:
    """Iterates over scalars of its own, as Arrow's columns do."""

    def __init__(self, values):
        self.values = values

    def __iter__(self):
        return map(object, self.values)

    def to_pylist(self):
        return self.values


@pytest.mark.parametrize(
    "documents",
    [
        ["ab", "cd"],
        ("ab", "cd"),
        (text for text in ["ab", "cd"]),
        iter(["ab", "cd"]),
        np.array(["ab", "cd"]),
        np.array(["ab", "cd"], dtype=object),
        np.array(["ab", "cd"], dtype=np.dtypes.StringDType()),
        [b"ab", "cd"],
        [Text("ab"), np.str_("cd")],
        {"ab": 1, "cd": 2}.keys(),
        pandas.Series(["ab", "cd"]),
        Column(["ab", "cd"]),
    ],
    ids=lambda documents: type(documents).__name__,
)
def test_collections_of_text(documents):
    assert as_documents(documents) == ("ab", "cd")


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ("one text", r"pass a list, such as \[text\]"),
        (b"one text", r"pass a list, such as \[text\]"),
        (bytearray(b"one text"), r"pass a list, such as \[text\]"),
        (pandas.DataFrame({"text": ["a"]}), "select the column"),
        ({"a": "text"}, "pass its values"),
        (np.array([["a", "b"]]), "one dimension, got 2"),
        (np.array("a"), "one dimension, got 0"),
        (7, "int object received"),
        (None, "NoneType object received"),
    ],
)
def test_not_a_collection(documents, message):
    with pytest.raises(ValueError, match=message):
        as_documents(documents)


@pytest.mark.parametrize(
    ("bad", "kind"),
    [
        (None, "missing"),
        (pandas.NA, "missing"),
        (float("nan"), "missing"),
        (np.nan, "missing"),
        (7, "int"),
        (1.5, "float"),
        (["a"], "list"),
        (np.array(["a", "b"]), "ndarray"),
        (datetime.date(2000, 1, 1), "date"),
    ],
)
def test_bad_document_is_named_by_row(bad, kind):
    with pytest.raises(TypeError, match=rf"document 2 is {kind}"):
        as_documents(["a", b"b", bad, None])


def test_undecodable_bytes_keep_their_row():
    with pytest.raises(UnicodeDecodeError) as caught:
        as_documents(["a", b"\xff"])
    assert "document 1" in caught.value.__notes__[0]

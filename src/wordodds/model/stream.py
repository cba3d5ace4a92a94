"""Labels for record batches, while the next ones are being read."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from wordodds._border.checks import whole_number
from wordodds.model.output import Output, scored

if TYPE_CHECKING:
    import pyarrow as pa

    from wordodds.model.linear_model import LinearModel

__all__ = ["predict_stream"]

_FILE, _FIRST_ROW = b"wordodds.file", b"wordodds.first_row"
_Piece = tuple[Any, list[Any], dict[bytes, bytes] | None]  # texts, kept columns, metadata


def predict_stream(
    model: LinearModel,
    batches: Iterable[Any],
    *,
    text: str = "text",
    keep: Sequence[str] = (),
    proba: bool = False,
    top: int | None = None,
    proba_all: bool = False,
) -> Iterator[Any]:
    """Yield labels for any number of batches, in order, while the next ones are being read.

    Parameters
    ----------
    model : LinearModel
        The model that predicts.
    batches : iterable of pyarrow.RecordBatch, pyarrow.Table or list of str
        The documents, such as `wordodds.corpora.read` returns. Iterated over in another thread.
    text : str, default="text"
        Name of the column of texts.
    keep : sequence of str
        Names of columns to copy to the output.
    proba : bool, default=False
        Whether to add the probability of the label, or its score where the model has no
        probabilities.
    top : int or None
        Number of labels with their probabilities, the most probable first.
    proba_all : bool, default=False
        Whether to add the probability of every label, in columns "probability of LABEL".

    Yields
    ------
    pyarrow.RecordBatch
        What is kept, "label", and where asked for "probability", or "score" where the model has no
        probabilities; then "label_2" and so on. With the metadata of the batch that it is for.

    Examples
    --------
    >>> from wordodds import TextClassifier
    >>> texts = ["free money now", "cheap money", "see you at lunch", "lunch with you"]
    >>> model = TextClassifier().fit(texts, ["spam", "spam", "ham", "ham"]).linear_model_
    >>> for batch in model.predict_stream([["money", "lunch"], ["see you"]]):
    ...     print(batch.column("label").to_pylist())
    ['spam', 'ham']
    ['ham']
    """
    if isinstance(keep, str):
        raise ValueError(f"keep must be a list of names, got {keep!r}: pass [{keep!r}]")
    kept = tuple(keep) if isinstance(keep, Iterable) else None
    if kept is None or not all(isinstance(name, str) for name in kept):
        raise TypeError(f"keep must be a list of names, got {keep!r}")
    if top is not None:
        wanted = "a whole number >= 1 or None"
        top = whole_number(top, "top", 1, wanted=wanted, wrong_type=ValueError)
    if isinstance(batches, str) or hasattr(type(batches), "schema"):
        raise ValueError(
            f"batches must be an iterable of record batches, got one {type(batches).__name__}: "
            "pass it in a list"
        )
    try:
        import pyarrow  # noqa: F401 - missing, it is reported by this call, not by the first batch
    except ImportError as error:
        raise ImportError("predict_stream needs pyarrow: pip install 'wordodds[arrow]'") from error
    output = Output(model, keep=kept, proba=proba, or_scores=True, top=top, proba_all=proba_all)
    return scored(
        _pieces(batches, text, kept),
        lambda piece: _labelled(piece, output),
        _size,
        may_wait=getattr(batches, "may_wait", False),
    )


def _pieces(batches: Iterable[Any], text: str, keep: tuple[str, ...]) -> Generator[_Piece]:
    """Yield the pieces of each batch: one, or one for each batch of a table."""
    for batch in batches:
        yield from _pieces_of(batch, text, keep)


def _pieces_of(
    batch: pa.RecordBatch | pa.Table | list[str] | tuple[str, ...], text: str, keep: tuple[str, ...]
) -> Iterator[_Piece]:
    if isinstance(batch, list | tuple):
        if keep:
            raise ValueError(f"a list of texts has no column {keep[0]!r} to keep")
        yield batch, [], None
        return
    if not hasattr(batch, "schema"):
        raise TypeError(
            f"batches must hold record batches, tables or lists of str, got {type(batch).__name__}"
        )
    for name in (text, *keep):
        if name not in batch.schema.names:
            names = ", ".join(map(repr, batch.schema.names[:20]))
            raise ValueError(f"a batch has no column {name!r} among {names}")
    for part in batch.to_batches() if hasattr(batch, "to_batches") else [batch]:
        columns = [part.column(name) for name in keep]
        yield part.column(text), columns, part.schema.metadata


def _size(piece: _Piece) -> int:
    texts, kept, _ = piece
    if isinstance(texts, list | tuple):
        # Anything else raises when it is scored, with its row.
        return sum(len(text) for text in texts if isinstance(text, str | bytes))
    return int(texts.nbytes + sum(column.nbytes for column in kept))


def _labelled(piece: _Piece, output: Output) -> pa.RecordBatch:
    """Return the record batch for a piece, with the metadata of its input."""
    import pyarrow

    texts, kept, metadata = piece
    try:
        columns = output.arrow(texts)
    except (TypeError, ValueError) as error:
        if metadata and _FILE in metadata and _FIRST_ROW in metadata:
            file = metadata[_FILE].decode("utf-8", "replace")
            error.add_note(f"in {file}, rows counted from {metadata[_FIRST_ROW].decode()}")
        raise
    arrays = [*kept, *columns.values()]
    made = pyarrow.RecordBatch.from_arrays(arrays, list(output.kinds))
    return made.replace_schema_metadata(metadata)

"""How a corpus is to be read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from wordodds.typing import DecodeError

__all__ = ["FORMATS", "InputFormat", "ReadOptions"]

InputFormat: TypeAlias = Literal["jsonl", "csv", "tsv", "parquet", "folder", "lines", "fasttext"]

FORMATS = ("jsonl", "csv", "tsv", "parquet", "folder", "lines", "fasttext")


@dataclass(frozen=True)
class ReadOptions:
    """How a corpus is to be read.

    Parameters
    ----------
    format : {"jsonl", "csv", "tsv", "parquet", "folder", "lines", "fasttext"}, optional
        Format of the input; by default that of its name.
    labels : bool
        Whether each row must have a label.
    text_column, label_column : str, optional
        Names of columns, by default "text" and "label". Columns without header are named by their
        number from "1"; there the last holds the text and the first the label by default.
    keep : tuple of str
        Further columns, which are kept as they are.
    header, quotes : bool
        Whether CSV and TSV begin with a row of names and may have fields in double quotes.
    encoding, encoding_errors : str
        Encoding of the text and treatment of invalid bytes, as for `bytes.decode`.
    batch_bytes : int
        Approximate size of the texts of a batch.
    batch_rows : int, optional
        Largest number of rows in a batch.
    keep_somewhere : bool
        Whether a file of JSONL may lack a kept column, as another one has it.
    empty : {"keep", "skip", "error"}
        What to do with texts that are empty or white space alone: keep them, leave them out, or
        treat them as bad rows. `BadRows.empty` counts them in the first two cases.
    missing_labels : tuple of str
        Labels that stand for a missing one, such as "NA": rows with them are bad.

    Examples
    --------
    >>> ReadOptions(format="csv", keep=("id",)).text_column is None
    True
    """

    format: InputFormat | None = None
    labels: bool = False
    text_column: str | None = None
    label_column: str | None = None
    keep: tuple[str, ...] = ()
    header: bool = True
    quotes: bool = True
    encoding: str = "utf-8"
    encoding_errors: DecodeError = "strict"
    batch_bytes: int = 4 << 20
    batch_rows: int | None = None
    empty: Literal["keep", "skip", "error"] = "keep"
    missing_labels: tuple[str, ...] = ()
    keep_somewhere: bool = False

    def __post_init__(self) -> None:
        if self.empty not in ("keep", "skip", "error"):
            raise ValueError(f"empty must be keep, skip or error, got {self.empty!r}")
        if self.format is not None and self.format not in FORMATS:
            raise ValueError(f"format must be one of {', '.join(FORMATS)}, got {self.format!r}")
        if self.encoding_errors not in ("strict", "replace", "ignore"):
            raise ValueError(
                f"encoding_errors must be strict, replace or ignore, got {self.encoding_errors!r}"
            )
        for name in ("batch_bytes", "batch_rows"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"{name} must be 1 or more, got {value}")
        if not isinstance(self.encoding, str):
            raise TypeError(f"encoding must be a name such as 'utf-8', got {self.encoding!r}")
        try:
            "\n".encode(self.encoding)
        except LookupError as error:
            raise ValueError(f"encoding must be one that Python knows: {error}") from None

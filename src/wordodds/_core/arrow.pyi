import numpy as np
import numpy.typing as npt

class TextColumn:
    """Text of an Arrow column, borrowed, with the arrays that hold it."""

    @staticmethod
    def read(source: object, n_jobs: int, instruction_set: int) -> TextColumn | None:
        """Read what offers __arrow_c_stream__ or __arrow_c_array__; None if that is not text.

        Text is UTF-8 in Arrow's layouts string, large string and string view, also behind a
        dictionary; a column of type null is text where all rows are null.
        """

    def __len__(self) -> int: ...
    @property
    def n_bytes(self) -> int:
        """The length of all documents in UTF-8."""

    @property
    def null_rows(self) -> npt.NDArray[np.int64]:
        """The rows without text, ascending; to the engine their documents are empty."""

    def to_list(self) -> list[str | None]:
        """Return the documents as Python's strings, None where a row is null."""

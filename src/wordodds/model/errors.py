"""The one error of model files."""

__all__ = ["ModelFileError", "damaged"]


class ModelFileError(ValueError):
    """A file is no model file, or is damaged, hostile, too new, or not a file at all.

    The message names the path, what is wrong with it and what to do. A missing file stays a
    FileNotFoundError, a forbidden one a PermissionError, a full disk an OSError.

    Examples
    --------
    >>> raise damaged("news.wordodds", "its checksum does not match")
    Traceback (most recent call last):
        ...
    wordodds.model.errors.ModelFileError: news.wordodds is truncated or damaged: its checksum does \
not match. Download or save it again
    """


def damaged(path: str, what: str) -> ModelFileError:
    """Return the error for a file that began as a model file; ``what`` is a clause."""
    return ModelFileError(f"{path} is truncated or damaged: {what}. Download or save it again")

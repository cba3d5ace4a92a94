"""Errors of the vectorizers that callers tell apart."""

__all__ = ["EmptyVocabularyError"]


class EmptyVocabularyError(ValueError):
    """The documents of a fit have not a single term."""

    # With a default, as pickle passes the message: an error may come from a worker of Dask.
    def __init__(
        self,
        message: str = (
            "empty vocabulary; perhaps the documents only contain stop words, or no word that "
            "the analyzer or its token_pattern takes"
        ),
    ) -> None:
        super().__init__(message)

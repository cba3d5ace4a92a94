"""PyArrow, imported only where a file needs it."""

from importlib import import_module
from types import ModuleType

__all__ = ["pyarrow_module"]


def pyarrow_module(name: str, purpose: str) -> ModuleType:
    """Import PyArrow or one of its modules, or raise ImportError with the remedy.

    Examples
    --------
    >>> pyarrow_module("pyarrow", "reading Parquet").__name__
    'pyarrow'
    """
    try:
        return import_module(name)
    except ImportError as error:
        raise ImportError(f"{purpose} needs pyarrow: pip install 'wordodds[arrow]'") from error

"""What this installation is and how it runs here."""

import platform

import wordodds
from wordodds._border.execution import instruction_set, resolve_n_jobs
from wordodds._core import base

__all__ = ["show_config"]


def show_config() -> None:
    """Print version, compiler, instruction sets and the default number of threads.

    Examples
    --------
    >>> import wordodds
    >>> wordodds.show_config()  # doctest: +ELLIPSIS
    wordodds ...
    """
    rows = {
        "wordodds": wordodds.__version__,
        "Python": f"{platform.python_version()} ({platform.machine()})",
        "compiler": base.compiler(),
        "Unicode": base.unicode_version(),
        "instruction set in use": instruction_set(),
        "instruction sets available": ", ".join(base.available_instruction_sets()),
        "default threads": str(resolve_n_jobs(None)),
    }
    width = max(map(len, rows))
    for name, value in rows.items():
        print(f"{name:<{width}}  {value}")

"""The command line: ``wordodds COMMAND``."""

from __future__ import annotations

TYPE_CHECKING = False  # typing is imported later, when Ctrl-C ends the process with one line
if TYPE_CHECKING:
    from collections.abc import Sequence

    from wordodds.__main__ import Interrupts

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None, interrupts: Interrupts | None = None) -> int:
    """Run a command and return its exit code.

    Parameters
    ----------
    arguments : sequence of str, optional
        What follows the program's name; by default what the shell passed.
    interrupts : Interrupts, optional
        Handling of Ctrl-C in a process that runs nothing but this command. By default signal
        handlers stay as they are.
    """
    from wordodds.cli.commands import run_command

    return run_command(arguments, interrupts)

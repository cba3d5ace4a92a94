"""The ``wordodds`` command, which is also ``python -m wordodds``.

Whatever Ctrl-C interrupts, it leaves one line on standard error and exit code 130. This module
imports almost nothing, so that the handler is installed before the slow imports.
"""

# Not `signal`: building its enums takes milliseconds, and an interrupt during that time comes out
# as another exception.
import _signal  # type: ignore[import-not-found]
import _thread
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import NoReturn

__all__ = ["Interrupts", "run"]

_REPEAT_S = 0.005


class Interrupts:
    """Handle Ctrl-C: end the process before the command begins, raise KeyboardInterrupt afterwards.

    Nothing is written before the command begins, and an exception raised inside an import may be
    wrapped or dropped by the module that is imported. ``seen`` becomes true when an interrupt is
    raised, ``reported`` when the line about it is written.
    """

    def __init__(self) -> None:
        self.seen = self.reported = False
        self._main_thread = _thread.get_ident()
        # Where it is ignored, as under nohup and in jobs in the background, it stays ignored.
        self._handled = _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler
        if self._handled:
            _signal.signal(_signal.SIGINT, _end)
            sys.unraisablehook = self._dropped

    def begin(self) -> None:
        """Raise KeyboardInterrupt from now on: there may be files to clear away."""
        if self._handled:
            _signal.signal(_signal.SIGINT, self._raise)

    def over(self) -> None:
        """Ignore interrupts from now on: the command is done, and Python shuts down."""
        if self._handled:
            # Not a function, for which Python would put back the default while it shuts down.
            _signal.signal(_signal.SIGINT, _signal.SIG_IGN)

    def _raise(self, number: "int", frame: "FrameType | None") -> "None":
        self.seen = True
        raise KeyboardInterrupt

    def _dropped(self, unraisable: "sys.UnraisableHookArgs") -> "None":
        """Raise an interrupt again that came where Python can only print exceptions."""
        error = unraisable.exc_value
        if isinstance(error, KeyboardInterrupt):
            _thread.start_new_thread(_interrupt, (self._main_thread,))
        elif not (isinstance(error, OSError) and "race condition" in str(error)):
            # The race: a signal arrived just before it was ignored.
            sys.__unraisablehook__(unraisable)


def _interrupt(thread: int) -> None:
    """Send the signal again, when the main thread has left the place that drops exceptions."""
    import time

    time.sleep(_REPEAT_S)
    _signal.pthread_kill(thread, _signal.SIGINT)


def _end(number: "int" = 0, frame: "FrameType | None" = None, quiet: "bool" = False) -> "NoReturn":
    """End the process at once, with the line unless it was written already."""
    try:
        if not quiet and sys.__stderr__ is not None:  # else another file may have its descriptor
            os.write(2, b"wordodds: interrupted\n")
    finally:
        os._exit(130)


def run() -> "NoReturn":
    """Run the command that the shell passed, and end the process."""
    interrupts = None
    try:
        interrupts = Interrupts()
        try:
            from wordodds.cli import main

            code = main(None, interrupts)
        finally:
            interrupts.over()
    except KeyboardInterrupt:
        # Before the handler was installed, or a second Ctrl-C while the first is handled.
        _end(quiet=interrupts is not None and interrupts.reported)
    sys.exit(code)


if __name__ == "__main__":
    run()

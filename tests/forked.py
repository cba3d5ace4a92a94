"""A child of this process, forked while its threads run."""

import os
import signal
import warnings

SECONDS_MAX = 30  # ends a child that hangs


def exit_code_of(call):
    """Return the exit code of a child that makes a call: 0, 1 if it raises, else a signal's."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads: they are the test
        child = os.fork()
    if child == 0:
        signal.alarm(SECONDS_MAX)
        try:
            call()
        except BaseException:
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

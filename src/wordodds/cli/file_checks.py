"""Checks of the files that a command reads and writes, made before any work is done."""

from __future__ import annotations

import os

from wordodds.cli.options import UsageError

__all__ = ["check_model", "check_target", "not_inside", "not_onto"]


def check_target(path: str) -> None:
    """Check that a file can be written, before an hour of work is spent on it."""
    if os.path.isdir(path):
        raise IsADirectoryError(21, "is a folder; name a file", path)
    if path == "-" or (os.path.exists(path) and not os.path.isfile(path)):
        return
    folder = os.path.dirname(os.path.realpath(path))  # a link stays, its target is replaced
    os.stat(folder)
    if not os.access(folder, os.W_OK):
        raise PermissionError(13, "the folder may not be written to", folder)


def check_model(path: str) -> None:
    """Check that a model file is there."""
    os.stat(path)
    if not os.access(path, os.R_OK):
        raise PermissionError(13, "Permission denied", path)


def not_onto(target: str, source: str) -> None:
    """Refuse to write onto what is read."""
    # Not a device: a terminal may be both.
    if "-" in (target, source) or not (os.path.isfile(target) and os.path.exists(source)):
        return
    if os.path.samefile(target, source):
        raise UsageError(f"{target} would be written onto {source}, which is read: name another")


def not_inside(target: str, source: str) -> None:
    """Refuse to write into a folder that is read, where results would be taken for documents."""
    if "-" in (target, source) or not os.path.isdir(source):
        return
    above = os.path.realpath(source)
    if os.path.commonpath([above, os.path.realpath(target)]) == above:
        raise UsageError(f"{target} would lie inside {source}, which is read: name another")

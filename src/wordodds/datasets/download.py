"""Folders of corpora, and downloads: bounded, verified, and complete or not at all."""

from __future__ import annotations

import hashlib
import http.client
import os
import queue
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from wordodds._files.progress import progress

__all__ = [
    "DamagedFileError",
    "DatasetUnavailable",
    "atomic_file",
    "cache_folder",
    "data_folder",
    "fetch",
]

_BLOCK = 1 << 16
_USER_AGENT = "wordodds"


class DatasetUnavailable(OSError):  # noqa: N818 (the public name)
    """A corpus is neither stored nor available for download; the message says what to do."""


class DamagedFileError(ValueError):
    """A file is not the one expected; the message says in which way."""


def data_folder() -> Path | None:
    """Return the folder that ``WORDODDS_DATA`` names, or None when it is not set."""
    value = os.environ.get("WORDODDS_DATA", "")
    return Path(os.path.expanduser(value)) if value else None


def cache_folder() -> Path:
    """Return the folder where downloaded corpora are kept (it need not exist yet).

    ``$XDG_CACHE_HOME/wordodds``, or ``~/.cache/wordodds`` when that variable is not set.

    Examples
    --------
    >>> cache_folder().name
    'wordodds'
    """
    base = os.environ.get("XDG_CACHE_HOME", "")
    # The XDG specification: a relative path is invalid and is ignored. expanduser of os.path, as
    # that of Path raises where the home is unknown.
    root = Path(base) if os.path.isabs(base) else Path(os.path.expanduser("~/.cache"))
    return root / "wordodds"


@contextmanager
def atomic_file(target: Path) -> Iterator[IO[bytes]]:
    """Open a file that appears under its name only when the block ends without an exception.

    It is written beside the target, so that the final rename stays on one file system. Temporary
    files that killed processes left there are removed.
    """
    from wordodds._files.litter import clear_litter, named_file

    target.parent.mkdir(parents=True, exist_ok=True)
    clear_litter(str(target.parent))
    descriptor, path = named_file(str(target.parent), 0o600)
    try:
        try:
            file = open(path, "w+b", opener=lambda *_: descriptor)  # noqa: SIM115 - keeps its name
        except BaseException:
            os.close(descriptor)
            raise
        with file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            os.replace(path, target)
    except BaseException:
        # BaseException: Ctrl-C must not leave half a file either.
        with suppress(OSError):
            os.unlink(path)
        raise


def fetch(
    url: str,
    target: Path,
    *,
    sha256: str | None,
    check: Callable[[Path], None] | None = None,
    timeout: float = 5.0,
    label: str | None = None,
    max_bytes: int = 1 << 28,
    remedy: str | None = None,
) -> Path:
    """Download ``url`` to ``target``, which is replaced only by a complete, verified file.

    ``check`` gets the path of the temporary file and raises ValueError to reject it. The time-out
    holds for the beginning of the answer, name resolution included, and then for each piece of it.
    Any failure raises DatasetUnavailable, whose message ends with ``remedy``, and leaves no file.
    """
    if urllib.parse.urlsplit(url).scheme not in {"http", "https"}:
        raise ValueError(f"url must begin with http:// or https://, got {url!r}")
    if remedy is None:
        remedy = f"Check the connection, or place the file at {target}."
    try:
        # Opened first: without a network, not even an empty cache folder is left.
        with _open(url, timeout) as response, atomic_file(target) as file:
            digest = _copy(response, file, label or target.name, max_bytes)
            if sha256 is not None and digest != sha256.lower():
                raise ValueError(f"its sha256 is {digest}, expected {sha256}")
            if check is not None:
                file.flush()
                check(Path(file.name))
    except (OSError, http.client.HTTPException, ValueError) as error:
        cause = getattr(error, "reason", None)  # URLError wraps it in "<urlopen error ...>"
        reason = str(cause if isinstance(cause, Exception) else error) or type(error).__name__
        raise DatasetUnavailable(f"could not download {url}: {reason}. {remedy}") from error
    return target


def _copy(response: http.client.HTTPResponse, file: IO[bytes], label: str, max_bytes: int) -> str:
    """Copy the body to ``file`` and return its sha256."""
    announced = response.headers.get("Content-Length")
    total = int(announced) if announced is not None and announced.isdigit() else None
    if total is not None and total > max_bytes:
        raise ValueError(f"it has {total:,} bytes, more than the {max_bytes:,} allowed")
    digest = hashlib.sha256()
    received = 0
    with progress(label, total) as advance:
        while block := _next_block(response):
            received += len(block)
            if received > max_bytes:
                raise ValueError(f"it has more than the {max_bytes:,} bytes allowed")
            digest.update(block)
            file.write(block)
            advance(len(block))
    if total is not None and received != total:
        raise ValueError(f"it was cut short: {received:,} of {total:,} bytes arrived")
    return digest.hexdigest()


def _next_block(response: http.client.HTTPResponse) -> bytes:
    """Return what has arrived, and nothing at the end or when the connection was closed.

    Releases of Python differ in whether a body that is too short raises; the caller counts.
    """
    try:
        # read1: one receive per call, so the time-out holds for each piece.
        return response.read1(_BLOCK)
    except http.client.IncompleteRead as error:
        if response.headers.get("Content-Length") is None:
            raise
        return error.partial


def _open(url: str, timeout: float) -> http.client.HTTPResponse:
    """Open ``url`` within ``timeout`` seconds altogether.

    A socket's own time-out counts for each address of a host anew and not at all for the name
    look-up, which may take half a minute on a machine without network; hence the thread.
    """
    answers: queue.SimpleQueue[http.client.HTTPResponse | Exception] = queue.SimpleQueue()
    abandoned = threading.Event()

    def close_late() -> None:
        with suppress(queue.Empty):
            late = answers.get_nowait()
            if not isinstance(late, Exception):
                late.close()

    def ask() -> None:
        answer: http.client.HTTPResponse | Exception
        try:
            request = urllib.request.Request(url, headers={"User-Agent": _USER_AGENT})
            answer = _opener().open(request, timeout=timeout)
        except Exception as error:  # handed over to the caller's thread
            if isinstance(error, urllib.error.HTTPError):
                error.close()  # it holds the connection
            answer = error
        answers.put(answer)
        if abandoned.is_set():
            close_late()

    threading.Thread(target=ask, name="wordodds-fetch", daemon=True).start()
    try:
        answer = answers.get(timeout=timeout)
    except BaseException as error:
        abandoned.set()
        close_late()  # both sides do, so no order of events leaves a socket open
        if isinstance(error, queue.Empty):
            raise TimeoutError(f"no answer within {timeout:g} seconds") from None
        raise
    if isinstance(answer, Exception):
        # The connection's own clock may have run out a moment before ours.
        if isinstance(getattr(answer, "reason", answer), TimeoutError):
            raise TimeoutError(f"no answer within {timeout:g} seconds") from answer
        raise answer
    return answer


def _opener() -> urllib.request.OpenerDirector:
    """Return an opener for http and https alone: the default one also reads files and FTP."""
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler(),
        urllib.request.HTTPHandler(),
        urllib.request.HTTPSHandler(),
        urllib.request.HTTPDefaultErrorHandler(),
        urllib.request.HTTPRedirectHandler(),
        urllib.request.HTTPErrorProcessor(),
        urllib.request.UnknownHandler(),
    ):
        opener.add_handler(handler)
    return opener

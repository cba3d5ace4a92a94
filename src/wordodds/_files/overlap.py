"""Two stages of a job at once: one in the calling thread, one in a thread beside it."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterable, Iterator
from queue import SimpleQueue
from threading import Thread
from typing import Generic, TypeVar
from weakref import WeakSet

__all__ = ["in_background", "prefetched"]

Item = TypeVar("Item")

# Ctrl-C waits this long for the item that is being worked on; then the thread ends by itself.
_PATIENCE_S = 0.1
# A thread that wakes up in an interpreter that is going down may take the process with it.
_PATIENCE_AT_EXIT_S = 2.0

_running: WeakSet[Thread] = WeakSet()


def prefetched(
    items: Iterable[Item], size_of: Callable[[Item], int], limit_bytes: int
) -> Iterator[Item]:
    """Yield items that another thread makes ahead of time.

    An exception of theirs is raised in its place in the order. The thread starts with the first
    item that is asked for, and ends with the iteration, however that ends; it closes ``items``, if
    they have a method for that. What waits and may wait for ever, such as standard input, belongs
    in the calling thread. At most ``limit_bytes`` are there at once, the item in use included,
    beside one that is being made.

    Examples
    --------
    >>> list(prefetched("abc", len, limit_bytes=2))
    ['a', 'b', 'c']
    """
    channel: _Channel[Item] = _Channel(size_of, limit_bytes)
    thread = _start(lambda: channel.send_all(items))
    try:
        yield from channel.received()
    finally:
        channel.stop()
        thread.join(_PATIENCE_S)


def in_background(
    consume: Callable[[Iterator[Item]], object],
    items: Iterable[Item],
    size_of: Callable[[Item], int],
    limit_bytes: int,
) -> None:
    """Make items in this thread, and have them used in another.

    ``consume`` runs in the other thread, with an iterator over the items. An exception of its own
    is raised here with the next item, or after the last. If it is this thread that fails, the
    iterator raises `AbandonedError` after the last item that was made, after Ctrl-C at once, so
    that nothing half done is taken for done. At most ``limit_bytes`` wait, or are in use, beside
    one item.

    Examples
    --------
    >>> in_background(lambda words: print(*words), "abc", len, limit_bytes=2)
    a b c
    """
    channel: _Channel[Item] = _Channel(size_of, limit_bytes)
    outcome: SimpleQueue[BaseException | None] = SimpleQueue()

    def use() -> None:
        try:
            consume(channel.received())
        except BaseException as error:
            outcome.put(error)
        else:
            outcome.put(None)
        finally:
            channel.stop()  # or the sender would wait for room for ever

    thread = _start(use)
    try:
        error = _send_to_the_end(channel, items, outcome)
    except Exception:
        thread.join()
        raise
    except BaseException:  # Ctrl-C: what waits is given up
        channel.abandon()
        thread.join(_PATIENCE_S)
        raise
    thread.join()
    if error is not None:
        raise error


class AbandonedError(Exception):
    """The other thread has failed, and no more items will come."""


class _Channel(Generic[Item]):
    """A queue from one thread to another that holds a number of bytes, and at least one item.

    Of two queues whose methods Ctrl-C cannot leave half way, as it can those of a condition.
    """

    def __init__(self, size_of: Callable[[Item], int], limit_bytes: int) -> None:
        self._size_of = size_of
        self._limit = limit_bytes
        self._items: SimpleQueue[tuple[Item, int] | BaseException | None] = SimpleQueue()
        self._returned: SimpleQueue[int] = SimpleQueue()
        self._stopped = False
        self._abandoned = False

    def send(self, items: Iterable[Item]) -> None:
        """Send every item, or those that the other side still wants."""
        iterator = iter(items)
        try:
            held = 0
            for item in iterator:
                size = self._size_of(item)
                while held and held + size > self._limit and not self._stopped:
                    held -= self._returned.get()
                if self._stopped:
                    return
                self._items.put((item, size))
                held += size
                del item  # which would live on while the next one is made
        finally:
            if hasattr(iterator, "close"):
                iterator.close()

    def send_all(self, items: Iterable[Item]) -> None:
        """Send every item, and then the end or the exception that ended them."""
        try:
            self.send(items)
        except BaseException as error:
            self.end(error)
        else:
            self.end(None)

    def end(self, error: BaseException | None) -> None:
        """End the receiver, by an exception if one ended the items."""
        self._items.put(error)

    def received(self) -> Iterator[Item]:
        """Yield the items; raise what their maker raised."""
        while True:
            message = self._items.get()
            if self._abandoned:
                raise AbandonedError
            if message is None:
                return
            if isinstance(message, BaseException):
                raise message
            item, size = message
            del message
            yield item
            del item
            self._returned.put(size)

    def stop(self) -> None:
        """End the sender, as no more items are taken."""
        self._stopped = True
        self._returned.put(0)  # wakes it up

    def abandon(self) -> None:
        """Make the receiver raise `AbandonedError` at once."""
        self._abandoned = True
        self._items.put(None)


def _send_to_the_end(
    channel: _Channel[Item], items: Iterable[Item], outcome: SimpleQueue[BaseException | None]
) -> BaseException | None:
    """Send items and wait for what becomes of them, also of those before an exception."""
    try:
        channel.send(items)
    except Exception:
        channel.end(AbandonedError())
        outcome.get()
        raise
    channel.end(None)
    return outcome.get()  # not join(): Ctrl-C gets through


def _start(work: Callable[[], None]) -> Thread:
    # A daemon: a read that never ends must not keep the process alive.
    thread = Thread(target=work, name="wordodds", daemon=True)
    _running.add(thread)
    thread.start()
    return thread


@atexit.register
def _wait_for_all() -> None:
    for thread in list(_running):
        thread.join(_PATIENCE_AT_EXIT_S)

"""The client's side of a job: tasks, trees of tasks, and how they end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, overload
from weakref import WeakSet

if TYPE_CHECKING:
    from dask.delayed import Delayed
    from distributed import Client

__all__ = ["FEW", "FutureOf", "Work", "client_of", "identity", "quietly"]

# Of sums, where a level of the tree costs a message; what takes time to merge has fewer, so that
# several workers merge at once.
FAN_IN = 8
FEW = 4

Result = TypeVar("Result")
Result_co = TypeVar("Result_co", covariant=True)


class FutureOf(Protocol[Result_co]):
    """A `distributed.Future`, by what its task returns."""

    def result(self) -> Result_co:
        """Wait for the result."""

    def release(self) -> None:
        """Give up the result."""


def client_of(client: Client | None) -> Client:
    """Return the client that a job runs on."""
    try:
        import distributed
    except ImportError:
        raise ImportError(
            "wordodds.dask needs dask.distributed: pip install 'wordodds[dask]'"
        ) from None
    if client is None:
        try:
            client = distributed.get_client()
        except ValueError:
            raise ValueError(
                "there is no Dask client: make one, such as client = distributed.Client(), or "
                "pass client="
            ) from None
    if not isinstance(client, distributed.Client):
        raise TypeError(f"client must be a distributed.Client, got {type(client).__name__}")
    if client.asynchronous:
        raise ValueError("client must not be asynchronous: make it with asynchronous=False")
    return client


class Work:
    """Tasks of one job; as a context manager it ends them.

    Whatever a task needs is the result of another one or stands in its own definition, so that what
    a dead worker held can be computed again. When the block ends, by an exception or Ctrl-C too,
    results are released and what has not begun is not begun.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        # Weak: a result without other references leaves the workers at once.
        self._futures: WeakSet[FutureOf[object]] = WeakSet()

    def __enter__(self) -> Work:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # Tasks without a wanted result are not started. Cancelling is less reliable: the scheduler
        # walks from a task to its dependents, and fails where one of these was released.
        for future in list(self._futures):
            future.release()

    def submit(self, function: Callable[..., Result], *arguments: object) -> FutureOf[Result]:
        """Return the future of a call."""
        with quietly():
            future: FutureOf[Result] = self._client.submit(function, *arguments, pure=False)
        self._futures.add(future)
        return future

    def spread(
        self, function: Callable[..., Result], items: Sequence[tuple[object, ...]]
    ) -> list[FutureOf[Result]]:
        """Return the futures of calls, neighbours on the same worker where that has time for them.

        What is put together later is then mostly in one place.
        """
        threads = sorted(self._client.nthreads().items())
        slots = [address for address, n_threads in threads for _ in range(n_threads)]
        if not slots:  # they are yet to come
            return [self.submit(function, *item) for item in items]
        with quietly():
            futures: list[FutureOf[Result]] = [
                self._client.submit(
                    function,
                    *item,
                    pure=False,
                    workers=[slots[i * len(slots) // len(items)]],
                    allow_other_workers=True,
                )
                for i, item in enumerate(items)
            ]
        self._futures.update(futures)
        return futures

    def map(
        self, function: Callable[..., Result], items: Sequence[object], **common: object
    ) -> list[FutureOf[Result]]:
        """Return the futures of a call for each item."""
        with quietly():
            futures: list[FutureOf[Result]] = self._client.map(
                function, items, pure=False, **common
            )
        self._futures.update(futures)
        return futures

    def compute(self, delayed: Sequence[Delayed]) -> list[FutureOf[Any]]:
        """Return the futures of delayed objects."""
        with quietly():
            futures = list(self._client.compute(list(delayed)))
        self._futures.update(futures)
        return futures

    def tree(
        self,
        function: Callable[[list[Result]], Result],
        futures: Sequence[FutureOf[Result]],
        fan_in: int = FAN_IN,
    ) -> FutureOf[Result]:
        """Return the future of all results put together, a few at a time.

        Which are put together depends on their order alone, not on the workers.
        """
        level = list(futures)
        while True:
            level = [
                self.submit(function, level[first : first + fan_in])
                for first in range(0, len(level), fan_in)
            ]
            if len(level) == 1:
                return level[0]

    def round(
        self,
        function: Callable[..., Result],
        items: Sequence[tuple[object, ...]],
        shared: object,
        combine: Callable[[list[Result]], Result],
    ) -> Result:
        """Return all results of a call for each item, put together as by `tree`.

        As one graph: the scheduler takes longer for a message than workers for a small task.
        """
        from dask.delayed import delayed

        once = delayed(identity, pure=False)(shared)
        call, put_together = delayed(function, pure=False), delayed(combine, pure=False)
        level = [call(*item, once) for item in items]
        while True:
            groups = range(0, len(level), FAN_IN)
            level = [put_together(level[first : first + FAN_IN]) for first in groups]
            if len(level) == 1:
                whole: FutureOf[Result] = self.compute(level)[0]
                return self.result(whole)

    @overload
    def result(self, future: FutureOf[Result]) -> Result: ...
    @overload
    def result(self, future: list[FutureOf[Result]]) -> list[Result]: ...
    def result(self, future: FutureOf[Result] | list[FutureOf[Result]]) -> Result | list[Result]:
        """Wait for a result, or for each of a list."""
        gathered: Result | list[Result] = self._client.gather(future)
        return gathered


def identity(value: Result) -> Result:
    """Return a value: as a result, workers hand it to each other."""
    return value


def quietly() -> AbstractContextManager[object]:
    """Keep Dask from warning of values within tasks: they are there so that none gets lost."""
    import dask

    quiet = {"distributed.admin.large-graph-warning-threshold": "1TB"}
    setting: AbstractContextManager[object] = dask.config.set(quiet)
    return setting

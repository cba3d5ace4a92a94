"""Stages that overlap: in order, bounded, and without threads that stay."""

import threading
import time
import weakref

import pytest

from wordodds._files.overlap import AbandonedError
from wordodds.corpora import in_background, prefetched


@pytest.fixture(autouse=True)
def no_thread_stays():
    before = set(threading.enumerate())
    yield
    limit = time.monotonic() + 30  # a hang guard
    while set(threading.enumerate()) - before:
        assert time.monotonic() < limit, "a thread stayed"
        time.sleep(0.001)


def size(item):
    return len(item)


class Item:
    def __init__(self, n):
        self.n = n

    def __len__(self):
        return 10


class Source:
    """Makes items, remembers which are alive, and in which thread and state it was left."""

    def __init__(self, n, error=None):
        self.alive = weakref.WeakSet()
        self.made = 0
        self.most_alive = 0
        self.closed = False
        self._n = n
        self._error = error

    def __iter__(self):
        self.thread = threading.current_thread()
        try:
            for n in range(self._n):
                item = Item(n)
                self.alive.add(item)
                self.made += 1
                self.most_alive = max(self.most_alive, len(self.alive))
                yield item
                del item
            if self._error is not None:
                raise self._error
        finally:
            self.closed = True


def reached(value, expected):
    """Wait until a number is there, and see that it does not go on."""
    limit = time.monotonic() + 30  # a hang guard
    while value() < expected and time.monotonic() < limit:
        time.sleep(0.001)
    time.sleep(0.02)
    return value() == expected


class TestPrefetched:
    def test_order_and_thread(self):
        source = Source(50)
        assert [item.n for item in prefetched(source, size, 25)] == list(range(50))
        assert source.thread is not threading.current_thread()
        assert source.closed

    def test_no_items(self):
        assert list(prefetched([], size, 10)) == []

    @pytest.mark.parametrize(("limit", "ahead"), [(1, 2), (10, 2), (25, 3), (30, 4)])
    def test_it_is_bounded(self, limit, ahead):
        source = Source(8)
        items = prefetched(source, size, limit)
        assert source.made == 0  # nothing starts before somebody asks
        for n in range(8):
            item = next(items)
            assert item.n == n
            assert reached(lambda: source.made, min(n + ahead, 8))
            del item
        assert source.most_alive <= ahead
        assert list(items) == []

    def test_an_exception_comes_in_its_place(self):
        items = prefetched(Source(3, KeyError("after three")), size, 1000)
        assert [next(items).n for _ in range(3)] == [0, 1, 2]
        with pytest.raises(KeyError, match="after three"):
            next(items)
        assert list(items) == []

    def test_an_exception_before_the_first(self):
        with pytest.raises(TypeError, match="not iterable"):
            next(prefetched(3, size, 10))

    def test_whoever_stops_early_stops_the_thread(self):
        source = Source(10**9)
        items = prefetched(source, size, 50)
        next(items)
        items.close()
        assert reached(lambda: source.closed, True)

    def test_an_exception_of_the_consumer(self):
        source = Source(10**9)

        def consume():
            for item in prefetched(source, size, 50):
                if item.n == 5:
                    raise RuntimeError("mine")

        with pytest.raises(RuntimeError, match="mine"):
            consume()
        assert reached(lambda: source.closed, True)

    def test_the_source_is_closed_though_somebody_else_has_it(self):
        items = iter(Source(10**9))
        for first in prefetched(items, size, 50):
            assert first.n == 0
            break
        assert reached(lambda: next(items, None) is None, True)

    def test_a_source_that_hangs_does_not_hang_the_consumer(self):
        release = threading.Event()

        def hanging():
            yield "one"
            release.wait()
            yield "two"

        items = prefetched(hanging(), size, 10)
        assert next(items) == "one"
        start = time.monotonic()
        items.close()
        assert time.monotonic() - start < 20  # it waits for a moment, not for the source
        release.set()


class TestInBackground:
    def test_order_and_thread(self):
        seen = []

        def consume(items):
            seen.append(threading.current_thread())
            seen.extend(item.n for item in items)

        in_background(consume, Source(50), size, 25)
        assert seen[0] is not threading.current_thread()
        assert seen[1:] == list(range(50))

    def test_it_is_bounded(self):
        source = Source(8)
        right = []

        def consume(items):
            # Three of ten bytes, and one in the hand.
            right.extend(reached(lambda: source.made, min(item.n + 4, 8)) for item in items)

        in_background(consume, source, size, 30)
        assert right == [True] * 8

    @pytest.mark.parametrize("after", [0, 3, 50])
    def test_an_exception_of_the_consumer_comes_back(self, after):
        def consume(items):
            for item in items:
                if item.n >= after:
                    break
            raise OSError(28, "disk full")

        source = Source(10**9 if after < 50 else 50)
        with pytest.raises(OSError, match="disk full"):
            in_background(consume, source, size, 20)
        assert source.closed

    def test_a_producer_that_fails_abandons_the_consumer(self):
        ended = []

        def consume(items):
            try:
                for item in items:
                    time.sleep(0.01)
                    ended.append(item.n)
            except AbandonedError as error:
                ended.append(error)
                raise

        with pytest.raises(KeyError, match="mine"):
            in_background(consume, Source(3, KeyError("mine")), size, 1000)
        assert ended[:-1] == [0, 1, 2]  # what was made before is used
        assert isinstance(ended[-1], AbandonedError)

    def test_ctrl_c_abandons_at_once(self):
        ended = []
        busy, go_on = threading.Event(), threading.Event()

        def consume(items):
            try:
                for item in items:
                    ended.append(item.n)
                    busy.set()
                    go_on.wait()
            except AbandonedError as error:
                ended.append(error)

        def interrupted():
            yield from Source(5)
            busy.wait()
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            in_background(consume, interrupted(), size, 1000)
        go_on.set()
        assert reached(lambda: len(ended), 2)
        assert isinstance(ended[-1], AbandonedError)

    def test_the_last_exception_is_seen(self):
        def consume(items):
            list(items)
            raise OSError("while closing")

        with pytest.raises(OSError, match="while closing"):
            in_background(consume, Source(2), size, 1000)

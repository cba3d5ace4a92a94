"""Locks beside a fork."""

import threading

from tests.forked import exit_code_of

from wordodds._border.fork import ForkSafeLock


def take(lock):
    with lock:
        pass


def test_one_thread_has_it_at_a_time():
    lock, inside = ForkSafeLock(), []

    def enter():
        with lock:
            inside.append("second")

    with lock:
        thread = threading.Thread(target=enter)
        thread.start()
        thread.join(0.05)
        inside.append("first")
    thread.join()
    assert inside == ["first", "second"]


def test_an_exception_frees_it():
    lock = ForkSafeLock()
    try:
        with lock:
            raise KeyError
    except KeyError:
        take(lock)


def test_a_child_takes_what_a_thread_of_the_parent_holds():
    lock, held, may_end = ForkSafeLock(), threading.Event(), threading.Event()

    def hold():
        with lock:
            held.set()
            may_end.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    assert exit_code_of(lambda: take(lock)) == 0
    may_end.set()
    thread.join()


def test_a_child_that_was_forked_inside_leaves():
    lock = ForkSafeLock()

    def leave():
        lock.release()
        take(lock)

    with lock:
        assert exit_code_of(leave) == 0
    take(lock)


def test_one_may_try_to_take_it():
    lock = ForkSafeLock()
    assert lock.acquire(blocking=False)
    assert not lock.acquire(blocking=False)
    lock.release()
    take(lock)

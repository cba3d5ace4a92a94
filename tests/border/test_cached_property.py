"""Properties that are computed once: by one thread, by several, and beside a fork."""

import threading

from tests.forked import exit_code_of

from wordodds._border.cached_property import cached_property


class Counted:
    """Counts how often its property is computed."""

    def __init__(self):
        self.n_computed = 0

    @cached_property
    def value(self):
        """What is counted."""
        self.n_computed += 1
        return object()


class Slow:
    """Has a property whose computation tells that it has begun, and waits."""

    def __init__(self):
        self.begun, self.may_end = threading.Event(), threading.Event()

    @cached_property
    def value(self):
        self.begun.set()
        self.may_end.wait()
        return object()


def test_it_is_computed_once_for_each_object():
    one, other = Counted(), Counted()
    assert one.value is one.value is not other.value
    assert (one.n_computed, other.n_computed) == (1, 1)


def test_it_can_be_computed_anew():
    counted = Counted()
    first = counted.value
    del counted.value
    assert counted.value is not first


def test_the_class_has_its_description():
    assert Counted.value.__doc__ == "What is counted."


def test_threads_that_come_first_together_get_one_value():
    slow, values = Slow(), []
    early = threading.Thread(target=lambda: values.append(slow.value))
    early.start()
    slow.begun.wait()
    slow.begun.clear()
    late = threading.Thread(target=lambda: values.append(slow.value))
    late.start()
    slow.begun.wait()
    slow.may_end.set()
    early.join()
    late.join()
    assert values == [slow.value] * 2


def test_a_child_computes_while_a_thread_of_the_parent_does():
    slow, counted = Slow(), Slow()
    counted.may_end.set()
    thread = threading.Thread(target=lambda: slow.value)
    thread.start()
    slow.begun.wait()
    assert exit_code_of(lambda: counted.value) == 0
    slow.may_end.set()
    thread.join()

"""When a search stops."""

import pytest

from wordodds.classifier.tuning import budget as module
from wordodds.classifier.tuning.budget import Budget


@pytest.fixture
def clock(monkeypatch):
    class Clock:
        now = 100.0

        def monotonic(self):
            return self.now

    clock = Clock()
    monkeypatch.setattr(module, "time", clock)
    return clock


def trial(budget, clock, rung, seconds):
    allowed = budget.allows((rung,))
    if allowed:
        budget.start()
        clock.now += seconds
        budget.finish(rung)
    return allowed


def test_the_first_trial_is_always_allowed(clock):
    budget = Budget(0.01, None)
    clock.now += 1000.0  # documents take long to collect
    assert trial(budget, clock, 2, 5.0)
    assert not budget.allows((2,))
    assert budget.seconds == [5.0]
    assert budget.spent == 1005.0


def test_a_trial_that_would_end_too_late_is_not_begun(clock):
    budget = Budget(1.0, None)
    assert trial(budget, clock, 2, 20.0)
    assert trial(budget, clock, 0, 2.0)
    assert trial(budget, clock, 2, 15.0)  # 37 of 60 seconds
    assert budget.allows((2,))
    assert not budget.allows((0, 2, 0))  # 37 + 24
    assert trial(budget, clock, 0, 10.0)
    assert not budget.allows((2,))  # 47 + 20
    assert budget.allows((0,))
    assert not budget.allows((1,))  # none was tried: as long as the longest of all
    assert budget.spent == 47.0
    assert budget.seconds == [20.0, 2.0, 15.0, 10.0]


def test_a_number_of_trials_has_no_limit_of_time(clock):
    budget = Budget(None, 2)
    assert trial(budget, clock, 0, 1e6)
    assert not budget.allows((0, 1))
    assert trial(budget, clock, 0, 1e6)
    assert not budget.allows((0,))


def test_the_default_is_five_minutes(clock):
    budget = Budget(None, None)
    assert trial(budget, clock, 0, 299.0)
    assert not budget.allows((0,))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((0, None), "minutes must be a finite number > 0"),
        ((-1.0, None), "minutes must be a finite number > 0"),
        ((float("nan"), None), "minutes must be"),
        (("5", None), "minutes must be"),
        ((None, 0), "trials must be"),
        ((None, 2.5), "trials must be"),
    ],
)
def test_limits_are_checked(options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        Budget(*options)

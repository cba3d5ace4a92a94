"""Who leads, and from where on: on curves whose crossings are known."""

import numpy as np
import pytest

from wordodds.experiments import Results, lead

SIZES = (10, 100, 1000)


def table(bayes, regression, column="accuracy", spread=0.0):
    results = Results("made up")
    for seed in range(6):
        for size, *pair in zip(SIZES, bayes, regression, strict=True):
            for model, score in zip(("NB", "LR"), pair, strict=True):
                shift = spread * (seed - 2.5) if model == "NB" else 0.0
                results.add(model=model, size=size, seed=seed, **{column: score + shift})
    return results


def test_the_lead_changes_where_the_difference_is_zero():
    found = lead(table([0.6, 0.7, 0.8], [0.5, 0.8, 0.9]), "NB", "LR")
    assert (found.leader, found.models, found.sizes) == ("LR", ("NB", "LR"), (10, 1000))
    # Half way between 10 and 100 on the axis of log(size).
    assert found.crossing.interval.value == pytest.approx(10**1.5)
    assert found.first.value == pytest.approx(0.1)
    assert found.last.value == pytest.approx(-0.1)
    assert str(found) == "LR from 31.6 [31.6, 31.6] on"


def test_the_order_of_the_names_only_turns_the_signs():
    results = table([0.6, 0.7, 0.8], [0.5, 0.8, 0.9])
    one, other = lead(results, "NB", "LR"), lead(results, "LR", "NB")
    assert (one.leader, one.crossing) == (other.leader, other.crossing)
    assert one.first.value == -other.first.value


def test_either_may_be_the_one_that_overtakes():
    found = lead(table([0.5, 0.6, 0.9], [0.6, 0.7, 0.8]), "NB", "LR")
    assert (found.leader, round(found.crossing.interval.value)) == ("NB", 316)


def test_the_last_crossing_counts():
    found = lead(table([0.6, 0.5, 0.8], [0.5, 0.6, 0.7]), "NB", "LR")
    assert (found.leader, round(found.crossing.interval.value)) == ("NB", 316)


def test_a_table_need_not_be_sorted():
    results = table([0.6, 0.7, 0.8], [0.5, 0.8, 0.9])
    expected = lead(results, "NB", "LR")
    results.rows.reverse()
    assert lead(results, "NB", "LR") == expected


def test_none_is_a_verdict_too():
    found = lead(table([0.6, 0.7, 0.8], [0.5, 0.6, 0.7]), "NB", "LR")
    assert (found.leader, found.crossing) == ("NB", None)
    assert str(found) == "NB ahead or level at every size from 10 to 1,000: no crossing"


@pytest.mark.parametrize("column", ["log_loss", "accuracy"])
def test_of_the_log_loss_the_smaller_is_the_better(column):
    results = table([0.6, 0.7, 0.8], [0.5, 0.8, 0.9], column)
    found = lead(results, "NB", "LR", y=column)
    assert found.leader == ("NB" if column == "log_loss" else "LR")
    if column == "accuracy":
        same = lead(results, "NB", "LR", y="error")
        assert (same.leader, same.crossing) == (found.leader, found.crossing)


def test_the_interval_is_that_of_resampled_seeds():
    results = table([0.6, 0.7, 0.8], [0.5, 0.8, 0.9], spread=0.01)
    place = lead(results, "NB", "LR").crossing.interval
    # By hand: the mean shift of six drawn seeds moves both ends of the falling line.
    rng = np.random.default_rng(1)
    shifts = 0.01 * (rng.integers(6, size=(20_000, 6)) - 2.5).mean(axis=1)
    places = 10 ** (1 + (0.1 + shifts) / 0.2)
    low, high = np.quantile(places, [0.025, 0.975])
    assert place.low == pytest.approx(low, rel=0.03)
    assert place.high == pytest.approx(high, rel=0.03)


def test_sizes_where_a_loss_is_infinite_are_passed_over():
    results = table([np.inf, 0.7, 1.1], [np.inf, 0.8, 0.9], "log_loss")
    found = lead(results, "NB", "LR", y="log_loss")
    assert (found.leader, round(found.crossing.interval.value)) == ("LR", 215)


def test_unknown_models_are_named():
    with pytest.raises(ValueError, match="no model 'SVM' in the results; they have 'NB', 'LR'"):
        lead(table([0.6] * 3, [0.5] * 3), "NB", "SVM")


def test_sizes_and_seeds_that_one_model_lacks_are_passed_over():
    results = table([0.6, 0.7, 0.8], [0.5, 0.8, 0.9], spread=0.001)
    results.rows = [r for r in results.rows if (r["model"], r["size"]) != ("LR", 10)]
    found = lead(results, "NB", "LR")
    assert (found.sizes, found.leader, found.crossing) == ((100, 1000), "LR", None)
    fewer = Results("fewer", (r for r in results.rows if r["seed"] != 3))
    results.rows = [r for r in results.rows if (r["model"], r["seed"]) != ("LR", 3)]
    assert lead(results, "NB", "LR") == lead(fewer, "NB", "LR")


def test_rounding_makes_no_leader():
    results = Results("tie")
    for size, bayes, regression in ((10, (0.5, 0.5), (0.6, 0.6)), (100, (0.8, 0.6), (0.7, 0.7))):
        for seed in (0, 1):
            results.add(model="NB", size=size, seed=seed, accuracy=bayes[seed])
            results.add(model="LR", size=size, seed=seed, accuracy=regression[seed])
    found = lead(results, "NB", "LR")  # (0.8 + 0.6) / 2 - 0.7 is not zero but 1e-16
    assert (found.leader, found.crossing) == ("LR", None)


def test_one_size_is_enough_for_a_leader():
    found = lead(table([0.6, 0.7, 0.8], [0.5, 0.8, 0.9]).where(size=100), "NB", "LR")
    assert (found.leader, found.crossing, found.sizes) == ("LR", None, (100, 100))


def test_one_seed_has_no_interval():
    found = lead(table([0.6, 0.7, 0.8], [0.5, 0.8, 0.9]).where(seed=0), "NB", "LR")
    assert tuple(found.crossing.interval) == pytest.approx((10**1.5, 0.0, np.inf))


@pytest.mark.parametrize(
    ("change", "arguments", "says"),
    [
        ({}, {"y": "f1"}, "no column 'f1'; the columns are "),
        ({}, {"x": "sizes"}, "no column 'sizes'"),
        ({"size": "10"}, {}, "the column 'size' must hold numbers, and holds text"),
        ({"accuracy": "NA"}, {}, "the column 'accuracy' must hold numbers"),
        ({"size": 100}, {}, "'NB' has several rows for seed 0 and size 100: choose among them"),
        ({"size": 0}, {}, "the column 'size' must be positive"),
    ],
)
def test_what_cannot_be_compared_is_refused(change, arguments, says):
    results = table([0.6, 0.7, 0.8], [0.5, 0.8, 0.9])
    for row in results.where(size=10).rows:
        row.update(change)
    with pytest.raises(ValueError, match=says):
        lead(results, "NB", "LR", **arguments)


def test_a_size_without_a_score_does_not_hide_the_crossing():
    results = table([0.8, 0.8, 0.7], [0.5, 0.5, 0.9])
    for row in results.where(model="NB", size=100).rows:
        row["accuracy"] = None
    found = lead(results, "NB", "LR")
    assert found.leader == "LR"
    assert found.crossing.interval.value == pytest.approx(10 ** (1 + 2 * 0.3 / 0.5))


def test_a_model_without_scores_is_no_leader():
    results = table([0.6, 0.7, 0.8], [0.5, 0.8, 0.9])
    with pytest.raises(ValueError, match="there is no column 'log_loss'"):
        lead(results, "NB", "LR", y="log_loss")


def test_of_equals_neither_leads():
    found = lead(table([0.6, 0.7, 0.8], [0.6, 0.7, 0.8]), "NB", "LR")
    assert (found.leader, found.crossing) == ("neither", None)
    found = lead(table([0.7, 0.7, 0.8], [0.6, 0.7, 0.8]), "NB", "LR")
    assert (found.leader, found.crossing) == ("NB", None)


def test_of_seconds_the_fewer_are_the_better():
    found = lead(table([1.0, 1.0, 1.0], [0.5, 2.0, 4.0], "seconds"), "NB", "LR", y="seconds")
    assert found.leader == "NB"
    assert 10 < found.crossing.interval.value < 100


def test_what_not_all_resamples_have_is_said():
    found = lead(table([0.6, 0.7, 0.8], [0.59, 0.7, 0.81], spread=0.02), "NB", "LR")
    assert 0.0 < found.crossing.share < 1.0
    assert f"(in {found.crossing.share:.0%} of the resamples) on" in str(found)

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
    assert str(found) == "NB at every size from 10 to 1,000: no crossing"


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


def test_sizes_that_one_model_lacks_are_passed_over():
    results = table([0.6, 0.7, 0.8], [0.5, 0.8, 0.9])
    results.rows = [r for r in results.rows if (r["model"], r["size"]) != ("LR", 10)]
    found = lead(results, "NB", "LR")
    assert (found.sizes, found.leader, found.crossing) == ((100, 1000), "LR", None)
    results.rows = [r for r in results.rows if (r["model"], r["seed"]) != ("LR", 3)]
    with pytest.raises(ValueError, match="no size at which both have a finite accuracy for every"):
        lead(results, "NB", "LR")


def test_a_size_without_a_score_does_not_hide_the_crossing():
    results = table([0.8, 0.8, 0.7], [0.5, 0.5, 0.9])
    for row in results.where(model="NB", size=100).rows:
        row["accuracy"] = None
    found = lead(results, "NB", "LR")
    assert found.leader == "LR"
    assert found.crossing.interval.value == pytest.approx(10 ** (1 + 2 * 0.3 / 0.5))


def test_a_model_without_scores_is_no_leader():
    results = table([0.6, 0.7, 0.8], [0.5, 0.8, 0.9])
    with pytest.raises(ValueError, match="no size at which both have a finite log_loss"):
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

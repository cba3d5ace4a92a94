"""Scores become probabilities: the right ones, whatever the scores are."""

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.special import expit, softmax

from wordodds.model.links import (
    LINKS,
    NoProbabilitiesError,
    class_log_odds,
    log_probabilities,
    probabilities,
    scaled_rows,
)

WITH_PROBABILITIES = [link for link in LINKS if link != "none"]
SIZES = hnp.array_shapes(min_dims=2, max_dims=2, min_side=1, max_side=6)
USUAL = hnp.arrays(np.float64, SIZES, elements=st.floats(-30.0, 30.0))
ANY = hnp.arrays(np.float64, SIZES, elements=st.floats(allow_nan=False))


def expected(scores, link):
    """As the definition reads."""
    if link == "softmax" and scores.shape[1] > 1:
        return softmax(scores, axis=1)
    chances = (np.clip(scores, -1, 1) + 1) / 2 if link == "modified_huber" else expit(scores)
    if scores.shape[1] == 1:
        return np.hstack([1 - chances, chances])
    total = chances.sum(axis=1, keepdims=True)
    uniform = np.full_like(chances, 1 / chances.shape[1])
    return np.divide(chances, total, out=uniform, where=total > 0)


@pytest.mark.parametrize("link", WITH_PROBABILITIES)
@settings(max_examples=25)
@given(scores=USUAL)
def test_definition(link, scores):
    before = scores.copy()
    found = probabilities(scores, link)
    np.testing.assert_allclose(found, expected(scores, link), rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(scores, before)


@pytest.mark.parametrize("link", WITH_PROBABILITIES)
@settings(max_examples=25)
@given(scores=ANY)
def test_any_scores_have_probabilities(link, scores):
    found = probabilities(scores, link)
    assert found.shape == (len(scores), max(2, scores.shape[1]))
    assert ((found >= 0.0) & (found <= 1.0)).all()
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-12)
    logs = log_probabilities(scores, link)
    assert not np.isnan(logs).any()
    np.testing.assert_allclose(np.exp(logs), found, rtol=1e-12, atol=1e-300)
    if scores.shape[1] > 1:  # the order stays: the best score has the largest probability
        best = found[np.arange(len(scores)), scores.argmax(axis=1)]
        np.testing.assert_array_equal(best, found.max(axis=1))


@pytest.mark.parametrize("link", WITH_PROBABILITIES)
def test_a_row_of_impossible_classes_is_uniform(link):
    scores = np.array([[-np.inf, -np.inf, -np.inf, -np.inf], [-np.inf, -np.inf, -np.inf, 3.0]])
    np.testing.assert_allclose(probabilities(scores, link), [[0.25] * 4, [0.0, 0.0, 0.0, 1.0]])


def test_infinite_scores_share():
    found = probabilities([[np.inf, np.inf, 5.0]], "softmax")
    np.testing.assert_array_equal(found, [[0.5, 0.5, 0.0]])


@pytest.mark.parametrize("score", [-800.0, -40.0, -1e-9, 0.5, 36.0])
def test_logarithms_keep_their_digits(score):
    with mpmath.workdps(60):
        exact = [-mpmath.log1p(mpmath.exp(sign * mpmath.mpf(score))) for sign in (1, -1)]
    for scores in ([[score]], [[-1000.0, -1000.0 + score]]):
        found = log_probabilities(scores, "softmax")[0]
        np.testing.assert_allclose(found, np.array(exact, dtype=float), rtol=1e-12, atol=1e-15)


def test_threads_do_not_change_a_bit():
    scores = np.random.default_rng(0).normal(scale=50.0, size=(5000, 7))
    one, four = (probabilities(scores, "softmax", n_jobs=n) for n in (1, 4))
    np.testing.assert_array_equal(one, four)


@settings(max_examples=25)
@given(scores=USUAL.filter(lambda scores: scores.shape[1] > 1))
def test_log_odds_of_a_class(scores):
    shares = probabilities(scores, "softmax")
    others = np.array([np.delete(shares, c, axis=1).sum(axis=1) for c in range(shares.shape[1])]).T
    found = class_log_odds(scores, "softmax")
    np.testing.assert_allclose(found, np.log(shares) - np.log(others), rtol=1e-9, atol=1e-9)


@settings(max_examples=25)
@given(scores=ANY)
def test_log_odds_are_finite(scores):
    for link in LINKS:
        assert np.isfinite(class_log_odds(scores, link)).all()


def test_log_odds_of_impossible_classes():
    none = -np.inf
    found = class_log_odds([[none, none, none], [none, none, 7.0], [none, 2.0, 1.0]], "softmax")
    np.testing.assert_allclose(found[0], -np.log(2.0))
    assert (found[1] == [found.min(), found.min(), found.max()]).all()
    np.testing.assert_allclose(found[2], [found.min(), 1.0, -1.0])


def test_log_odds_of_other_links_are_their_columns():
    scores = np.array([[3.0, -1.0], [0.5, np.inf]])
    for link in ("one_vs_rest", "modified_huber", "none"):
        np.testing.assert_array_equal(class_log_odds(scores, link)[0], scores[0])
    np.testing.assert_array_equal(class_log_odds(scores[:, :1], "softmax"), scores[:, :1])


def test_margins_have_no_probabilities():
    for kind in (ValueError, AttributeError, NoProbabilitiesError):
        with pytest.raises(kind, match=r"margins.*call calibrate"):
            probabilities([[1.0]], "none")
    with pytest.raises(NoProbabilitiesError):
        log_probabilities([[1.0]], "none")


@pytest.mark.parametrize(
    ("scores", "link", "message"),
    [
        ([[1.0]], "probit", "link must be one of softmax.*got 'probit'"),
        ([[0.0, 1.0], [np.nan, 1.0]], "softmax", "row 1 has NaN"),
        ([1.0, 2.0], "softmax", r"shape \(n_rows, n_columns\), got \(2,\)"),
        (np.empty((3, 0)), "softmax", r"got \(3, 0\)"),
    ],
)
def test_bad_arguments(scores, link, message):
    with pytest.raises(ValueError, match=message):
        probabilities(scores, link)


def test_no_rows():
    for link in WITH_PROBABILITIES:
        assert probabilities(np.empty((0, 3)), link).shape == (0, 3)
        assert class_log_odds(np.empty((0, 3)), link).shape == (0, 3)


def test_chances_of_single_classes_are_scaled_to_sum_to_one():
    assert scaled_rows(np.array([[0.25], [1.0]])).tolist() == [[0.75, 0.25], [0.0, 1.0]]
    chances = np.array([[1.0, 0.5, 0.5], [0.0, 0.0, 0.0], [0.0, 0.25, 0.0]])
    assert scaled_rows(chances).tolist() == [[0.5, 0.25, 0.25], [1 / 3] * 3, [0.0, 1.0, 0.0]]

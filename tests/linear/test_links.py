"""The links' losses and their derivatives, against mpmath in both tails."""

import mpmath as mp
import numpy as np
import pytest

from wordodds import BinaryRegression
from wordodds._border.execution import execution
from wordodds.linear.binary import LINKS, link_named, log_chances

SIZES = 10.0 ** np.arange(-20, 4)
SCORES = np.unique(
    np.concatenate([np.linspace(-40, 40, 41), [-700.0, 700.0, -5.0, -4.99], SIZES, -SIZES])
)


def exact(link, y, z):
    """Return minus the log-likelihood and two derivatives, by formulas without cancellation."""
    z = mp.mpf(z)
    if link == "logit":
        own = z if y else -z
        other = 1 / (1 + mp.exp(own))
        return mp.log1p(mp.exp(-own)), -other if y else other, other * (1 - other)
    if link == "probit":
        own = z if y else -z
        ratio = mp.npdf(own) / mp.ncdf(own)
        loss = -mp.log1p(-mp.ncdf(-own)) if own > 0 else -mp.log(mp.ncdf(own))
        return loss, -ratio if y else ratio, ratio * (ratio + own)
    u = mp.exp(z) if link == "cloglog" else z
    du = u if link == "cloglog" else 1  # and its own derivative, or zero
    if not y:
        return u, du, du if link == "cloglog" else 0
    gone = mp.exp(-u)
    first = -gone / (1 - gone)
    second = gone / (1 - gone) ** 2
    return (
        -mp.log1p(-gone) if u > 1 else -mp.log(-mp.expm1(-u)),
        first * du,
        second * du**2 + (first * du if link == "cloglog" else 0),
    )


@pytest.mark.parametrize("y", [0, 1])
@pytest.mark.parametrize("link", LINKS)
def test_derivatives_have_their_digits_in_both_tails(link, y):
    scores = SCORES
    if link == "noisy_or":
        scores = scores[scores > 0.0]
    elif link == "cloglog":
        scores = scores[scores < 700.5]
    found = link_named(link).loss().of_each(np.full(len(scores), float(y)), scores, execution(1))
    for z, values in zip(scores, found.T, strict=True):
        with mp.workdps(1400 if link == "cloglog" else 80):
            if link == "cloglog" and y and z > 8:
                expected = [0.0, 0.0, 0.0]  # exp(-exp(8)) is less than the least double
            else:
                expected = [float(value) for value in exact(link, y, z)]
        np.testing.assert_allclose(values, expected, rtol=3e-13, atol=1e-300, err_msg=f"at {z}")


@pytest.mark.parametrize("link", LINKS)
def test_probabilities_of_huge_scores_are_no_nan(link):
    model = BinaryRegression(link=link, C=np.inf, tol=0.1).fit([[0.0], [1.0]] * 2, [0, 1, 0, 1])
    model._columns = np.array([[1.0]])
    model.intercept_ = np.array([0.0])
    scores = np.array([0.0, 1e-320, 1e-20, 1.0, 1e3, 1e6, 1e200])
    if link != "noisy_or":
        scores = np.concatenate([-scores, scores])
    with np.errstate(all="raise"):
        logs = model.predict_log_proba(scores[:, np.newaxis])
    assert not np.isnan(logs).any()
    assert (logs <= 0.0).all()
    np.testing.assert_allclose(np.exp(logs).sum(axis=1), 1.0, rtol=1e-14)
    np.testing.assert_allclose(np.exp(logs), model.predict_proba(scores[:, np.newaxis]))
    # The more probable class is the one that is predicted.
    predicted = model.predict(scores[:, np.newaxis])
    clear = np.abs(logs[:, 1] - logs[:, 0]) > 1e-12
    np.testing.assert_array_equal(predicted[clear], (logs[:, 1] > logs[:, 0])[clear])


@pytest.mark.parametrize("link", LINKS)
def test_the_middle_is_where_both_classes_are_equally_probable(link):
    middle = link_named(link).middle
    logs = log_chances(link_named(link), np.array([middle]), execution(1))
    np.testing.assert_allclose(logs, -np.log(2.0), rtol=1e-14)


def test_log_probabilities_go_on_where_probabilities_end():
    logs = log_chances(link_named("probit"), np.array([-1e6, -1e3, 40.0]), execution(1))
    with mp.workdps(50):
        far = [float(mp.log(mp.ncdf(mp.mpf(z)))) for z in (-1e3, -40.0)]
    np.testing.assert_allclose(logs[1:, [1, 0]].diagonal(), far, rtol=1e-14)
    np.testing.assert_allclose(logs[0, 1], -5e11, rtol=1e-9)
    logs = log_chances(link_named("cloglog"), np.array([-1e6, -50.0, 5.0]), execution(1))
    np.testing.assert_allclose(logs[:2, 1], [-1e6, -50.0], rtol=1e-15)
    np.testing.assert_allclose(logs[2], [-np.exp(5.0), -np.exp(-np.exp(5.0))], rtol=1e-13)

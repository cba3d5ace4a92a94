"""GaussianDiscriminant: densities, posteriors, samples, the linear view."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logsumexp, softmax
from scipy.stats import invwishart, multivariate_normal
from sklearn.datasets import load_iris

from wordodds import GaussianDiscriminant

KINDS = ["full", "shared", "diagonal", "shared_diagonal", "spherical"]
SHARED = ["shared", "shared_diagonal"]


def clouds(seed=0, n_rows=60, n_cols=3, n_classes=3):
    rng = np.random.default_rng(seed)
    y = np.arange(n_rows) % n_classes
    shapes = rng.normal(size=(n_classes, n_cols, n_cols))
    X = np.einsum("ij,ijk->ik", rng.normal(size=(n_rows, n_cols)), shapes[y])
    return X + 2 * rng.normal(size=(n_classes, n_cols))[y], y


def oracle(X, y, kind, shrinkage=0.0, blend=0.0, weights=None):
    """Return a full covariance for each class, by NumPy's own estimate."""
    weights = np.ones(len(y)) if weights is None else weights
    classes = np.unique(y)
    own = [np.cov(X[y == c].T, aweights=weights[y == c], ddof=0) for c in classes]
    own = [np.atleast_2d(each) for each in own]
    share = [weights[y == c].sum() / weights.sum() for c in classes]
    pooled = sum(p * each for p, each in zip(share, own, strict=True))
    result = []
    for each in own:
        sigma = pooled if kind in SHARED else (1 - blend) * each + blend * pooled
        if "diagonal" in kind:
            sigma = np.diag(np.diag(sigma))
        eye = np.eye(X.shape[1]) * np.trace(sigma) / X.shape[1]
        if kind == "spherical":
            sigma = eye
        result.append((1 - shrinkage) * sigma + shrinkage * eye)
    return np.array(result)


def as_matrices(model):
    """Return ``covariance_`` as a full covariance for each class."""
    kind, (n_classes, n_cols) = model.covariance, model.means_.shape
    stored = model.covariance_
    if kind == "full":
        return stored
    if kind == "shared":
        return np.array([stored] * n_classes)
    if kind == "diagonal":
        return np.array([np.diag(each) for each in stored])
    if kind == "shared_diagonal":
        return np.array([np.diag(stored)] * n_classes)
    return np.array([each * np.eye(n_cols) for each in stored])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("shrinkage", [0.0, 0.3, 1.0])
@pytest.mark.parametrize(
    ("kind", "blend"),
    [(kind, 0.0) for kind in KINDS] + [("full", 0.4), ("diagonal", 0.4), ("spherical", 0.4)],
)
def test_against_scipys_densities(kind, blend, shrinkage, weighted):
    X, y = clouds()
    weights = np.random.default_rng(1).uniform(0.1, 3, len(y)) if weighted else None
    model = GaussianDiscriminant(covariance=kind, shrinkage=shrinkage, blend=blend)
    model.fit(X, y, sample_weight=weights)
    expected = oracle(X, y, kind, shrinkage, blend, weights)
    np.testing.assert_allclose(as_matrices(model), expected, rtol=1e-12, atol=1e-14)
    means = np.array(
        [np.average(X[y == c], axis=0, weights=_of(weights, y == c)) for c in range(3)]
    )
    np.testing.assert_allclose(model.means_, means, rtol=1e-12)
    count = np.bincount(y, weights)
    np.testing.assert_allclose(model.class_prior_, count / count.sum(), rtol=1e-14)
    joint = np.column_stack(
        [
            multivariate_normal(means[c], expected[c]).logpdf(X) + np.log(count[c] / count.sum())
            for c in range(3)
        ]
    )
    np.testing.assert_allclose(model.joint_log_proba(X), joint, rtol=1e-10)
    np.testing.assert_allclose(model.log_marginal(X), logsumexp(joint, axis=1), rtol=1e-10)
    np.testing.assert_allclose(model.predict_proba(X), softmax(joint, axis=1), atol=1e-10)
    np.testing.assert_array_equal(model.predict(X), joint.argmax(axis=1))


def _of(weights, rows):
    return None if weights is None else weights[rows]


@pytest.mark.parametrize("kind", ["full", "shared"])
def test_a_posterior_in_fifty_digits(kind):
    X = np.array([[0.5, 1.0], [2.0, -1.0], [1.5, 3.0], [4.0, 4.0], [6.0, 5.5], [5.0, 2.0], [7, 7]])
    y = np.array([0, 0, 0, 1, 1, 1, 1])
    row = np.array([3.0, 2.5])
    with mpmath.workdps(50):
        scatter, joint, means, counts = [], [], [], []
        for c in range(2):
            rows = [mpmath.matrix(r.tolist()) for r in X[y == c]]
            counts.append(len(rows))
            means.append(sum(rows[1:], rows[0]) / len(rows))
            parts = [(r - means[c]) * (r - means[c]).T for r in rows]
            scatter.append(sum(parts[1:], parts[0]))
        for c in range(2):
            sigma = scatter[c] / counts[c] if kind == "full" else (scatter[0] + scatter[1]) / 7
            d = mpmath.matrix(row.tolist()) - means[c]
            q = (d.T * mpmath.inverse(sigma) * d)[0]
            det = mpmath.det(2 * mpmath.pi * sigma)
            joint.append(mpmath.mpf(counts[c]) / 7 * mpmath.exp(-q / 2) / mpmath.sqrt(det))
        expected = [float(each / sum(joint)) for each in joint]
        marginal = float(mpmath.log(sum(joint)))
    model = GaussianDiscriminant(covariance=kind).fit(X, y)
    np.testing.assert_allclose(model.predict_proba([row])[0], expected, rtol=1e-13)
    np.testing.assert_allclose(model.log_marginal([row]), marginal, rtol=1e-13)


def test_blend_of_one_is_the_pooled_covariance():
    X, y = clouds()
    for own, shared in [("full", "shared"), ("diagonal", "shared_diagonal")]:
        blended = GaussianDiscriminant(covariance=own, blend=1.0).fit(X, y)
        pooled = GaussianDiscriminant(covariance=shared).fit(X, y)
        np.testing.assert_array_equal(blended.covariance_[1], pooled.covariance_)
        np.testing.assert_allclose(blended.predict_proba(X), pooled.predict_proba(X), atol=1e-13)


def test_shrinkage_is_the_mode_under_an_inverse_wishart_prior():
    X, _ = clouds(n_rows=12)
    n_rows, n_cols = X.shape
    strength = 8.0  # nu + p + 1, the rows that the prior is worth
    shrinkage = strength / (n_rows + strength)
    model = GaussianDiscriminant(shrinkage=shrinkage).fit(X, np.zeros(n_rows))
    sphere = np.trace(np.cov(X.T, ddof=0)) / n_cols * np.eye(n_cols)
    prior = invwishart(df=strength - n_cols - 1, scale=strength * sphere)

    def log_posterior(sigma):
        return prior.logpdf(sigma) + multivariate_normal(X.mean(0), sigma).logpdf(X).sum()

    best = log_posterior(model.covariance_[0])
    rng = np.random.default_rng(0)
    for _ in range(30):
        push = rng.normal(size=(n_cols, n_cols))
        nearby = model.covariance_[0] + 1e-3 * (push + push.T)
        assert log_posterior(nearby) < best


@pytest.mark.parametrize("kind", KINDS)
def test_weights_count_rows(kind):
    # Small numbers and class totals of 4 and 8: no operation rounds.
    X = np.array([[0, 1], [4, -2], [2, 4], [9, 9], [1, 3], [-3, 1], [5, 5], [0, 6], [2, 2.0]])
    y = np.array(list("aaaabbbbb"))
    weights = np.array([2, 1, 1, 0, 2, 2, 1, 3, 0])
    weighted = GaussianDiscriminant(covariance=kind).fit(X, y, sample_weight=weights)
    repeated = GaussianDiscriminant(covariance=kind).fit(X.repeat(weights, 0), y.repeat(weights))
    for name in ("classes_", "class_count_", "class_log_prior_", "means_", "covariance_"):
        np.testing.assert_array_equal(getattr(weighted, name), getattr(repeated, name))
    np.testing.assert_array_equal(weighted.predict_proba(X), repeated.predict_proba(X))


def test_class_weight_and_priors():
    X, y = clouds(n_rows=20, n_classes=2)
    factors = np.where(y == 1, 3.0, 1.0)
    by_class = GaussianDiscriminant(class_weight={1: 3.0}).fit(X, y)
    by_row = GaussianDiscriminant().fit(X, y, sample_weight=factors)
    np.testing.assert_array_equal(by_class.joint_log_proba(X), by_row.joint_log_proba(X))
    np.testing.assert_array_equal(by_class.class_count_, [10.0, 30.0])
    smoothed = GaussianDiscriminant(prior_alpha=5.0).fit(X[:15], y[:15])
    np.testing.assert_allclose(smoothed.class_prior_, [13 / 25, 12 / 25])
    fixed = GaussianDiscriminant(priors=[0.9, 0.1]).fit(X, y)
    np.testing.assert_allclose(fixed.class_prior_, [0.9, 0.1])
    ruled_out = GaussianDiscriminant(priors=[0.0, 1.0]).fit(X, y)
    np.testing.assert_array_equal(ruled_out.predict_proba(X), np.tile([0.0, 1.0], (20, 1)))


@pytest.mark.parametrize("kind", SHARED)
@pytest.mark.parametrize("shrinkage", [0.0, 0.2])
def test_linear_view(kind, shrinkage):
    X, y = clouds()
    model = GaussianDiscriminant(covariance=kind, shrinkage=shrinkage).fit(X, y)
    assert model.weights_.shape == (3, 3)
    inverse = np.linalg.inv(as_matrices(model)[0])
    np.testing.assert_allclose(model.weights_, model.means_ @ inverse, rtol=1e-10)
    linear = X @ model.weights_.T + model.bias_
    np.testing.assert_allclose(softmax(linear, axis=1), model.predict_proba(X), atol=1e-12)


@pytest.mark.parametrize("kind", sorted(set(KINDS) - set(SHARED)))
def test_no_linear_view_of_own_covariances(kind):
    model = GaussianDiscriminant(covariance=kind)
    assert not hasattr(model, "weights_")
    model.fit(*clouds())
    with pytest.raises(AttributeError, match=f'weights_ needs .* covariance="shared".*"{kind}"'):
        _ = model.weights_
    assert not hasattr(model, "bias_")


@pytest.mark.parametrize("kind", KINDS)
def test_samples_have_the_models_moments(kind):
    model = GaussianDiscriminant(covariance=kind, prior_alpha=[0, 30, 0]).fit(*clouds())
    X, y = model.sample(40_000, random_state=7)
    again = GaussianDiscriminant(covariance=kind).fit(X, y)
    np.testing.assert_allclose(again.class_prior_, model.class_prior_, atol=0.02)
    sizes = np.sqrt(np.array([np.diag(each) for each in as_matrices(model)]))
    assert (np.abs(again.means_ - model.means_) < 0.05 * sizes).all()
    scale = sizes[:, :, np.newaxis] * sizes[:, np.newaxis]
    assert (np.abs(as_matrices(again) - as_matrices(model)) < 0.05 * scale).all()
    assert np.count_nonzero(np.diff(y)) > 10_000  # labels in random order


def test_sources_of_chance():
    model = GaussianDiscriminant().fit(*clouds())
    X, y = model.sample(5, random_state=3)
    assert X.shape == (5, 3)
    assert y.shape == (5,)
    for state in (np.random.default_rng(3), np.int64(3)):
        np.testing.assert_array_equal(model.sample(5, random_state=state)[0], X)
    old = [model.sample(5, random_state=np.random.RandomState(3))[0] for _ in range(2)]
    np.testing.assert_array_equal(*old)
    stream = np.random.RandomState(3)
    assert (
        model.sample(5, random_state=stream)[0] != model.sample(5, random_state=stream)[0]
    ).all()
    assert (model.sample(5)[0] != model.sample(5)[0]).all()
    for n in (-1, 2.5, True):
        with pytest.raises(ValueError, match="n must be a whole number >= 0"):
            model.sample(n)


@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 10**6), order=st.permutations(range(24)))
def test_order_of_rows_does_not_matter(kind, seed, order):
    X, y = clouds(seed, n_rows=24, n_cols=2, n_classes=2)
    model = GaussianDiscriminant(covariance=kind).fit(X, y)
    other = GaussianDiscriminant(covariance=kind).fit(X[order], y[order])
    np.testing.assert_allclose(other.means_, model.means_, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(other.covariance_, model.covariance_, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 10**6), order=st.permutations(range(3)))
def test_order_of_columns_does_not_matter(kind, seed, order):
    X, y = clouds(seed, n_rows=40, n_classes=2)
    model = GaussianDiscriminant(covariance=kind, shrinkage=0.05).fit(X, y)
    other = GaussianDiscriminant(covariance=kind, shrinkage=0.05).fit(X[:, order], y)
    np.testing.assert_array_equal(other.means_, model.means_[:, order])
    probability = model.predict_proba(X)
    np.testing.assert_allclose(other.predict_proba(X[:, order]), probability, atol=1e-9)


@given(
    seed=st.integers(0, 10**6),
    exponents=st.lists(st.integers(-600, 600), min_size=3, max_size=3),
    kind=st.sampled_from(["full", "shared", "diagonal", "shared_diagonal"]),
)
def test_units_do_not_matter(seed, exponents, kind):
    X, y = clouds(seed)
    plain = GaussianDiscriminant(covariance=kind).fit(X, y)
    # Powers of two, from 1e-180 to 1e180: not one digit changes.
    Z = np.ldexp(X, exponents)
    scaled = GaussianDiscriminant(covariance=kind).fit(Z, y)
    np.testing.assert_array_equal(scaled.predict_proba(Z), plain.predict_proba(X))
    shift = np.log(2.0) * sum(exponents)
    np.testing.assert_allclose(scaled.joint_log_proba(Z), plain.joint_log_proba(X) - shift)


@pytest.mark.parametrize("covariance", ["full", "shared"])
def test_decision_function(covariance):
    X, y = load_iris(return_X_y=True)
    two = GaussianDiscriminant(covariance=covariance).fit(X[:100], y[:100])
    log_proba = two.predict_log_proba(X)
    odds = two.decision_function(X)
    np.testing.assert_allclose(odds, log_proba[:, 1] - log_proba[:, 0], rtol=1e-9, atol=1e-9)
    three = GaussianDiscriminant(covariance=covariance).fit(X, y)
    scores = three.decision_function(X)
    np.testing.assert_array_equal(three.classes_[scores.argmax(axis=1)], three.predict(X))


def test_weights_of_very_different_size_are_refused():
    X, y = load_iris(return_X_y=True)
    weights = np.where(y == 0, 1e-320, 1e300)
    with pytest.raises(ValueError, match="280 orders of magnitude"):
        GaussianDiscriminant().fit(X, y, weights)

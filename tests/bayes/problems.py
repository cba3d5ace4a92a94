"""Small problems that the tests of the naive Bayes models share."""

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st

from wordodds import BernoulliNB, CategoricalNB, ComplementNB, MultinomialNB

COUNTED = [MultinomialNB, BernoulliNB, ComplementNB]
DISCRETE = [*COUNTED, CategoricalNB]
GENERATIVE = [MultinomialNB, BernoulliNB, CategoricalNB]

COUNTS = np.array([[3, 0, 1], [0, 2, 0], [1, 1, 0], [0, 0, 4]])
LABELS = np.array(["a", "b", "b", "a"])

# For GaussianNB, which takes both forms.
MEASURED = np.array([[-2.0, 0, 1], [-1, 0, 0], [-1, 2, 0], [1, 1, 5], [0, 2, 1], [2, 1, 0]])
MEASURED_LABELS = np.array(["low", "low", "low", "high", "high", "high"])
FORMS = [np.asarray, sp.csr_array]
MOMENTS = ("class_count_", "class_log_prior_", "theta_", "var_", "epsilon_")


def random_counts(n_rows=300, n_cols=50, n_classes=7, density=0.2, seed=0, largest=6):
    """Return counts as a CSR array, and labels of which each class has some."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, largest, (n_rows, n_cols)) * (rng.random((n_rows, n_cols)) < density)
    return sp.csr_array(counts), rng.permutation(np.arange(n_rows) % n_classes)


def as_input(Model, counts):
    """Return counts in a form that the model takes: categories are dense."""
    return counts.toarray() if Model is CategoricalNB and sp.issparse(counts) else counts


@st.composite
def problems(draw, max_rows=12, max_cols=7, max_count=5):
    """Draw (counts, labels): a small dense matrix of whole numbers, and a label for each row."""
    n_rows, n_cols = draw(st.integers(1, max_rows)), draw(st.integers(1, max_cols))
    cells = st.lists(st.integers(0, max_count), min_size=n_cols, max_size=n_cols)
    counts = draw(st.lists(cells, min_size=n_rows, max_size=n_rows))
    labels = draw(st.lists(st.sampled_from("abcd"), min_size=n_rows, max_size=n_rows))
    return np.array(counts), np.array(labels)


def assert_same_model(one, other):
    """Check that two models have learnt the same, bit for bit."""
    np.testing.assert_array_equal(one.classes_, other.classes_)
    np.testing.assert_array_equal(one.class_count_, other.class_count_)
    np.testing.assert_array_equal(one.class_log_prior_, other.class_log_prior_)
    for ours, theirs in zip(tables(one), tables(other), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def tables(model):
    """Return counts and weights of a model as a list of arrays."""
    if isinstance(model, CategoricalNB):
        return [*model.category_count_, *model.feature_log_prob_]
    return [model.feature_count_, model.feature_log_prob_, model.weights_, model.bias_]


def assert_same_moments(one, other):
    """Check that two Gaussian models have learnt the same, bit for bit."""
    for name in MOMENTS:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


def assert_close_moments(one, other, rtol=1e-9, atol=1e-12):
    """Check that two Gaussian models have learnt the same, to rounding."""
    for name in MOMENTS:
        np.testing.assert_allclose(
            getattr(one, name), getattr(other, name), rtol=rtol, atol=atol, err_msg=name
        )

"""Long documents and many classes: log-odds stay finite, and probabilities sum to one."""

import numpy as np
import pytest
import scipy.sparse as sp

from wordodds import BernoulliNB, ComplementNB, GaussianNB, MultinomialNB

from .problems import COUNTED


@pytest.fixture(scope="module")
def many_classes():
    """Return a document for each of 1,000 classes, with 20 of a million words."""
    rng = np.random.default_rng(0)
    words = rng.integers(0, 1_000_000, 20_000)
    rows = sp.csr_array(
        (np.ones(20_000), words, np.arange(0, 20_001, 20)), shape=(1_000, 1_000_000)
    )
    return rows, np.arange(1_000)


def assert_sound(model, document):
    joint = model.predict_joint_log_proba(document)
    assert np.isfinite(joint).all()
    log_proba = model.predict_log_proba(document)
    assert np.isfinite(log_proba).all()
    assert np.exp(log_proba).sum(axis=1) == pytest.approx(1.0, rel=1e-12)
    assert model.predict_proba(document).sum(axis=1) == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("Model", COUNTED)
def test_a_document_of_a_million_words(Model, many_classes):
    model = Model().fit(*many_classes)
    every_word = sp.csr_array(np.ones((1, 1_000_000)))
    assert_sound(model, every_word)


@pytest.mark.parametrize("Model", [MultinomialNB, ComplementNB])
def test_a_document_of_one_word_a_million_times(Model):
    rng = np.random.default_rng(1)
    model = Model().fit(rng.integers(0, 9, (1_000, 30)), np.arange(1_000))
    assert_sound(model, np.eye(30)[:3] * 1e6)


def test_presence_of_many_words():
    rng = np.random.default_rng(1)
    model = BernoulliNB().fit(rng.random((1_000, 5_000)) < 0.5, np.arange(1_000))
    assert_sound(model, np.ones((1, 5_000)))


def test_measurements_far_from_every_class():
    rng = np.random.default_rng(1)
    model = GaussianNB().fit(rng.normal(size=(2_000, 50)), np.arange(2_000) % 1_000)
    assert_sound(model, np.full((1, 50), 1e6))

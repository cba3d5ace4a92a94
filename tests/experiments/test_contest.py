"""Who is ahead on the same test rows, and by how much."""

import numpy as np
import pytest
import scipy.stats

from wordodds.experiments.contest import behind_on_test
from wordodds.experiments.table import Results


def test_the_interval_is_that_of_a_mean():
    differences = np.repeat([1.0, -1.0, 0.0], [70, 40, 390])
    error = differences.std() / np.sqrt(500)
    expected = scipy.stats.norm.interval(0.95, differences.mean(), error)
    found = behind_on_test(Results("made up", [{"other": 70, "only": 40, "test_size": 500}]))
    assert found.value == pytest.approx(differences.mean())
    np.testing.assert_allclose(found[1:], expected, rtol=1e-6)

"""Loading a million terms and two labels: python -m pytest benchmarks/bench_model_file.py.

The pages of the file are in memory; the peer is scikit-learn's pipeline from a joblib pickle of the
same weights.
"""

import joblib
import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

from wordodds import from_sklearn, load

N_TERMS = 1_000_000
PICKLE, VERIFIED, TRUSTED = "scikit-learn, joblib", "wordodds", "wordodds, verify=False"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    random = np.random.default_rng(0)
    letters = random.integers(97, 123, size=(N_TERMS + 100_000, 12), dtype=np.uint8)
    words = sorted({bytes(row[: 4 + row[0] % 9]).decode() for row in letters})[:N_TERMS]
    pipeline = make_pipeline(CountVectorizer(vocabulary=words), MultinomialNB())
    texts = [" ".join(words[first : first + 1000]) for first in range(0, N_TERMS, 1000)]
    pipeline.fit(texts, np.arange(len(texts)) % 2)
    joblib.dump(pipeline, folder / "pipeline.joblib")
    from_sklearn(pipeline).save(folder / "model.wordodds")
    return folder, texts[:5], pipeline.predict(texts[:5])


@pytest.mark.parametrize("contender", [PICKLE, VERIFIED, TRUSTED])
def test_load_a_million_terms(files, contender, benchmark):
    folder, texts, labels = files
    benchmark.group = "load_a_million_terms"
    benchmark.extra_info["contender"] = contender
    if contender == PICKLE:
        model = benchmark.pedantic(lambda: joblib.load(folder / "pipeline.joblib"), rounds=2)
    else:
        path, verify = folder / "model.wordodds", contender == VERIFIED
        model = benchmark.pedantic(lambda: load(path, verify=verify), rounds=20, warmup_rounds=2)
    np.testing.assert_array_equal(model.predict(texts), labels)

"""A model that could not be loaded again is not saved, and what is there stays."""

import pytest

import wordodds
from wordodds import TextClassifier

TEXTS = ["free money now", "cheap money", "see you at lunch", "lunch with you"]
LABELS = ["spam", "spam", "ham", "ham"]


@pytest.mark.parametrize(
    "options",
    [
        {"ngram_range": (1, 5000)},
        {"encoding": "nonsense"},
        {"token_pattern": "|".join(f"abc{i}" for i in range(12000)) + r"|\w+"},
    ],
)
def test_no_file_is_written_that_cannot_be_read(tmp_path, options):
    path = tmp_path / "m.wordodds"
    TextClassifier().fit(TEXTS, LABELS).save(path)
    with pytest.raises(ValueError, match="cannot hold"):
        TextClassifier(**options).fit(TEXTS, LABELS).save(path)
    assert wordodds.load(path).predict(["money"]).tolist() == ["spam"]


def test_sequences_of_no_words_make_no_model():
    with pytest.raises(ValueError, match=r"ngram_range=\(0, 1\) must begin with 1 or more"):
        TextClassifier(ngram_range=(0, 1)).fit(TEXTS, LABELS)

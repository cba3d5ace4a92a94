"""Vocabularies of parts: where their terms are in that of all, and what their tallies add up to."""

import numpy as np
import pytest

from wordodds import CountVectorizer, TfidfVectorizer
from wordodds.text.remap import columns_in, tally_of_fitted

PARTS = [
    ["the cat sat", "", "the the hat \ud800"],
    ["a cat", "un été à Paris"],
    ["nothing new: cat"],
]


def test_columns_are_found_by_name():
    whole = CountVectorizer(min_df=2).fit([text for part in PARTS for text in part])
    for part in PARTS:
        own = CountVectorizer().fit(part)
        expected = [whole.vocabulary_.get(term, -1) for term in own.get_feature_names_out()]
        np.testing.assert_array_equal(columns_in(own, whole), expected)


@pytest.mark.parametrize("kind", [CountVectorizer, TfidfVectorizer])
def test_tallies_of_fitted_parts_add_up(kind):
    merged = kind(min_df=2)
    expected = kind(min_df=2)
    for part in PARTS:
        own = CountVectorizer()
        merged.merge(tally_of_fitted(own, own.fit_transform(part)))
        expected.partial_fit(part)
    assert merged.vocabulary_ == expected.vocabulary_
    np.testing.assert_array_equal(merged.document_frequency_, expected.document_frequency_)
    assert merged.n_documents_ == expected.n_documents_ == 6

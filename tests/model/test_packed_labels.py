"""Labels as arrays of a model file, and back."""

import numpy as np
import pytest

from wordodds.model.packed_labels import pack_labels, unpack_labels


@pytest.mark.parametrize(
    ("labels", "packed"),
    [
        (np.array([3, 5], dtype=np.int8), np.array([3, 5], dtype=np.int64)),
        (np.array([3, 5], dtype=np.uint8), np.array([3, 5], dtype=np.uint64)),
        (np.array([0.5, 2.0], dtype=np.float32), np.array([0.5, 2.0])),
        (np.array([False, True]), np.array([0, 1], dtype=np.uint8)),
        (np.array([-7, 5], dtype=object), np.array([-7, 5], dtype=np.int64)),
    ],
    ids=["int8", "uint8", "float32", "bool", "object"],
)
def test_numbers_and_truth_values(labels, packed):
    arrays = pack_labels(labels)
    assert list(arrays) == ["labels"]
    assert arrays["labels"].dtype == packed.dtype
    np.testing.assert_array_equal(arrays["labels"], packed)
    assert unpack_labels(arrays).tolist() == labels.tolist()


@pytest.mark.parametrize("words", [["ham", "späm", ""], ["a\0", "b"], ["x", "y" * 5000]])
def test_words(words):
    arrays = pack_labels(np.array(words, dtype=object))
    assert bytes(arrays["labels.arena"]) == "".join(words).encode()
    ends = np.cumsum([0, *(len(word.encode()) for word in words)])
    np.testing.assert_array_equal(arrays["labels.offsets"], ends)
    assert unpack_labels(arrays).tolist() == words


@pytest.mark.parametrize(
    ("labels", "kinds"),
    [(["a", 3], "int, str"), ([2**63, 1], "int"), ([None, "a"], "NoneType, str")],
)
def test_what_no_file_holds(labels, kinds):
    with pytest.raises(ValueError, match=f"str, int, float or bool, got {kinds}"):
        pack_labels(np.array(labels, dtype=object))

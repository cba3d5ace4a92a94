"""The small corpora: the layouts of their files, what is damaged, and the real ones."""

import gzip

import numpy as np
import pytest

from wordodds.datasets import DatasetUnavailable, load_texts


@pytest.fixture(autouse=True)
def own_folder(request, tmp_path, monkeypatch):
    """Keep all tests but those of the real corpora away from them."""
    if "newsgroups_data" not in request.fixturenames:
        monkeypatch.setenv("WORDODDS_DATA", str(tmp_path))
    (tmp_path / "text").mkdir()
    return tmp_path / "text"


def documents(name, subset="train"):
    corpus = load_texts(name, subset)
    return list(zip(corpus.labels.tolist(), corpus.texts, strict=True))


QUESTIONS = "train\tNUM\tHow many?\ntrain\tHUM\tWho\tis it?\n\ntest\tNUM\tHow far?\n"


@pytest.mark.parametrize("packed", [False, True])
def test_a_column_names_the_part(own_folder, packed):
    content = QUESTIONS.encode()
    if packed:
        (own_folder / "trec6.tsv.gz").write_bytes(gzip.compress(content))
    else:
        (own_folder / "trec6.tsv").write_bytes(content)
    assert documents("trec6") == [("NUM", "How many?"), ("HUM", "Who\tis it?")]
    assert documents("trec6", "test") == [("NUM", "How far?")]
    corpus = load_texts("trec6")
    assert (corpus.name, corpus.label_names) == ("trec6, train", ["HUM", "NUM"])
    assert corpus.source.endswith("from WORDODDS_DATA")


def test_every_fifth_message_is_for_the_test(own_folder):
    lines = [f"ham\tmessage {n}\n" for n in range(12)]
    (own_folder / "sms-spam.tsv").write_text("".join(lines))
    assert [text for _, text in documents("sms-spam", "test")] == ["message 4", "message 9"]
    train = [text for _, text in documents("sms-spam")]
    assert train == [f"message {n}" for n in range(12) if n not in (4, 9)]


def test_reuters_has_a_file_for_each_part(own_folder):
    for part in ("train", "test"):
        content = f"class\ttext\nd\ts\nclass\t\nearn\tprofit of the {part}\n"
        (own_folder / f"reuters-r8-{part}.tab").write_text(content)
    assert documents("reuters-r8") == [("earn", "profit of the train")]
    assert documents("reuters-r8", "test") == [("earn", "profit of the test")]


def test_pages_without_text_are_left_out(own_folder):
    rows = "train\tfaculty\thome page\ntrain\tfacult\tfaculty\ntest\tcourse\ttime table\n"
    (own_folder / "webkb.tsv").write_text(rows)
    assert documents("webkb") == [("faculty", "home page")]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("train\tNUM\n", "line 1 has 2 cells, expected 3"),
        ("train\tNUM\tHow?\n\nHUM\n", "line 3 has 1 cells, expected 3"),
        (
            "train\tNUM\tHow?\nTrain\tHUM\tWho?\n",
            "line 2 must begin with train or test, got 'Train'",
        ),
        ("train\t \tHow?\n", "line 1 has no label"),
        ("", "it has no documents"),
        (b"train\tNUM\t\xff\n", "line 1 is not UTF-8"),
    ],
)
def test_damage_is_named(own_folder, content, says):
    content = content if isinstance(content, bytes) else content.encode()
    (own_folder / "trec6.tsv").write_bytes(content)
    with pytest.raises(DatasetUnavailable, match=f"trec6.tsv is damaged: {says}. Replace it"):
        load_texts("trec6")


def test_a_part_without_documents_is_refused(own_folder):
    (own_folder / "trec6.tsv").write_text("test\tNUM\tHow far?\n")
    with pytest.raises(DatasetUnavailable, match=r"trec6\.tsv holds no document of the part train"):
        load_texts("trec6")


def test_a_folder_that_may_not_be_read_is_as_none(own_folder, monkeypatch):
    (own_folder / "trec6.tsv").mkdir()
    with pytest.raises(DatasetUnavailable, match=r"was not found in .*Set WORDODDS_DATA"):
        load_texts("trec6")
    monkeypatch.setenv("WORDODDS_DATA", "x" * 5000)  # too long a name
    with pytest.raises(DatasetUnavailable, match="was not found in xxx"):
        load_texts("trec6")


def test_a_file_that_is_not_there_is_named_with_its_place():
    with pytest.raises(DatasetUnavailable, match=r"text/webkb\.tsv \(or webkb\.tsv\.gz\)"):
        load_texts("webkb")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [(("spam",), "name must be one of ag-news-small, "), (("trec6", "all"), "subset must be")],
)
def test_unknown_names_are_refused(arguments, says):
    with pytest.raises(ValueError, match=says):
        load_texts(*arguments)


@pytest.mark.parametrize(
    ("name", "n_train", "n_test", "n_classes"),
    [
        ("trec6", 5452, 500, 6),
        ("rt-polarity", 7108, 3554, 2),
        ("subjectivity", 8000, 2000, 2),
        ("webkb", 2786, 1385, 4),
        ("ag-news-small", 6080, 1520, 4),
        ("reuters-r8", 5485, 2189, 8),
        ("sms-spam", 4460, 1114, 2),
    ],
)
def test_the_real_corpora(newsgroups_data, name, n_train, n_test, n_classes):
    train, test = load_texts(name), load_texts(name, "test")
    assert (len(train), len(test), len(train.label_names)) == (n_train, n_test, n_classes)
    assert np.isin(test.labels, train.label_names).all()

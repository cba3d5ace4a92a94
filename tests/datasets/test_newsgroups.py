"""20 Newsgroups: the search order, verification, and the real corpus where it is at hand."""

import gzip
import hashlib
import io
import os
import tarfile
from pathlib import Path

import numpy as np
import pytest

from wordodds.datasets import BagOfWords, DatasetUnavailable, load_newsgroups
from wordodds.datasets.download import cache_folder
from wordodds.datasets.newsgroups import bydate, matlab
from wordodds.datasets.newsgroups.groups import GROUPS

MESSAGES = {
    # numbers that sort otherwise as text, and a byte that is no ASCII
    "20news-bydate-train/alt.atheism/900": b"From: a\n\ncaf\xe9 one\r\n",
    "20news-bydate-train/alt.atheism/1000": b"two",
    "20news-bydate-train/sci.space/5": b"",
    "20news-bydate-test/rec.autos/7": b"test three",
    "20news-bydate-test/alt.atheism/8": b"test four",
}
MATLAB = {
    "20news-bydate/matlab/train.data": b"1 1 4\n1 3 1\n3 2 716\n",  # document 2 is empty
    "20news-bydate/matlab/train.label": b"1\n1\n20\n",
    "20news-bydate/matlab/train.map": b"alt.atheism 1\n",
    "20news-bydate/matlab/test.data": b"1 2 5\n",
    "20news-bydate/matlab/test.label": b"15\n",
}
WORDS = b"archive\nname\natheism\n"


def packed(files, extra=()):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for member in extra:
            archive.addfile(member)
        for name, body in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(body)
            archive.addfile(member, io.BytesIO(body))
    return buffer.getvalue()


@pytest.fixture(autouse=True)
def alone(request, tmp_path, monkeypatch):
    """No test may see this machine's cache, data folder or network."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    if "newsgroups_data" not in request.fixturenames:
        monkeypatch.delenv("WORDODDS_DATA", raising=False)
        monkeypatch.setattr(bydate, "URL", "http://127.0.0.1:9/no-server")
        monkeypatch.setattr(matlab, "PUBLISHER", "http://127.0.0.1:9/no-server/")


@pytest.fixture
def small(monkeypatch):
    """Make the small archives above the ones that are expected."""
    sums = {}
    for part in ("train", "test"):
        messages = {}
        for name, body in MESSAGES.items():
            folder, group, number = name.split("/")
            if folder.endswith(part):
                messages[group, int(number)] = body
        sums[part] = bydate.content_sha256(messages)
    monkeypatch.setattr(bydate, "CONTENT_SHA256", sums)
    files = {name.rpartition("/")[2]: body for name, body in MATLAB.items()}
    files["vocabulary.txt"] = WORDS
    sums = {name: hashlib.sha256(body).hexdigest() for name, body in files.items()}
    monkeypatch.setattr(matlab, "SHA256", sums)


def put(folder, name, content):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content)
    return folder / name


def serve(monkeypatch, files, downloads):
    """Stand in for the network: the addresses in ``files`` answer, others do not."""

    class Answer(io.BytesIO):
        headers = {}  # noqa: RUF012

    def fake_open(url, timeout):
        downloads.append(url)
        if url.rpartition("/")[2] not in files:
            raise OSError("no route to host")
        return Answer(files[url.rpartition("/")[2]])

    monkeypatch.setattr("wordodds.datasets.download._open", fake_open)
    monkeypatch.setattr(bydate, "URL", "http://example.invalid/20news-bydate.tar.gz")


def test_messages_are_decoded_and_sorted_by_group_and_number(small):
    put(cache_folder(), "20news-bydate.tar.gz", packed(dict(reversed(MESSAGES.items()))))
    train = load_newsgroups("bydate", "train")
    assert train.texts == ["From: a\n\ncafé one\r\n", "two", ""]
    assert train.labels.tolist() == ["alt.atheism", "alt.atheism", "sci.space"]
    assert train.label_names == list(GROUPS)
    assert train.name == "20 Newsgroups bydate, train"
    assert train.source == "20news-bydate.tar.gz from the cache folder"
    test = load_newsgroups(subset="test")
    assert test.texts == ["test four", "test three"]
    both = load_newsgroups("bydate", "all")
    assert both.texts == train.texts + test.texts
    assert both.labels.tolist() == train.labels.tolist() + test.labels.tolist()
    assert both.name == "20 Newsgroups bydate, all"


def test_bag_of_words_keeps_empty_documents_and_all_columns(small):
    put(cache_folder(), "20news-bydate-matlab.tgz", packed(MATLAB | {"vocabulary.txt": WORDS}))
    train = load_newsgroups("bydate-matlab", "train")
    assert isinstance(train, BagOfWords)
    assert train.counts.toarray().tolist() == [[4, 0, 1], [0, 0, 0], [0, 716, 0]]
    assert train.counts.dtype == np.int64
    assert train.labels.tolist() == ["alt.atheism", "alt.atheism", "talk.religion.misc"]
    assert train.words == ["archive", "name", "atheism"]
    test = load_newsgroups("bydate-matlab", "test")
    assert test.counts.toarray().tolist() == [[0, 5, 0]]
    both = load_newsgroups("bydate-matlab", "all")
    assert both.counts.format == "csr"
    assert both.counts.toarray().tolist() == [*train.counts.toarray().tolist(), [0, 5, 0]]
    assert both.labels.tolist() == [*train.labels.tolist(), "sci.space"]


def test_the_data_folder_comes_first_then_the_cache(small, tmp_path, monkeypatch):
    cached = put(cache_folder(), "20news-bydate.tar.gz", packed(MESSAGES))
    monkeypatch.setenv("WORDODDS_DATA", str(tmp_path / "data"))
    # set, but without the file
    assert load_newsgroups().source == "20news-bydate.tar.gz from the cache folder"
    put(tmp_path / "data" / "newsgroups", cached.name, packed(MESSAGES))
    assert load_newsgroups().source == "20news-bydate.tar.gz from WORDODDS_DATA"
    cached.unlink()
    assert len(load_newsgroups(download=False)) == 3


def test_a_download_is_kept_in_the_cache(small, tmp_path, monkeypatch):
    monkeypatch.setenv("WORDODDS_DATA", str(tmp_path / "empty"))
    downloads = []
    serve(monkeypatch, {"20news-bydate.tar.gz": packed(MESSAGES)}, downloads)
    first = load_newsgroups()
    assert first.source == "20news-bydate.tar.gz from " + bydate.URL
    again = load_newsgroups()
    assert again.texts == first.texts
    assert again.source == "20news-bydate.tar.gz from the cache folder"
    assert downloads == [bydate.URL]
    assert os.listdir(cache_folder()) == ["20news-bydate.tar.gz"]


def test_the_publishers_vocabulary_is_a_file_of_its_own(small, monkeypatch):
    downloads = []
    files = {"20news-bydate-matlab.tgz": packed(MATLAB), "vocabulary.txt": WORDS}
    serve(monkeypatch, files, downloads)
    assert load_newsgroups("bydate-matlab").words == ["archive", "name", "atheism"]
    assert len(downloads) == 2
    assert load_newsgroups("bydate-matlab", "test", download=False).words[0] == "archive"
    (cache_folder() / "vocabulary.txt").write_bytes(b"other\n")
    with pytest.raises(DatasetUnavailable, match=r"vocabulary\.txt.*Delete it"):
        load_newsgroups("bydate-matlab")


@pytest.mark.parametrize(
    "answer",
    [b"<html>please log in</html>", packed({"other": b"x"}), packed(MESSAGES)[:-40]],
    ids=["a log-in page", "another archive", "a cut one"],
)
@pytest.mark.parametrize("variant", ["bydate", "bydate-matlab"])
def test_a_wrong_download_never_enters_the_cache(small, monkeypatch, answer, variant):
    names = ("20news-bydate.tar.gz", "20news-bydate-matlab.tgz")
    serve(monkeypatch, dict.fromkeys(names, answer), [])
    with pytest.raises(DatasetUnavailable, match="WORDODDS_DATA"):
        load_newsgroups(variant)
    assert os.listdir(cache_folder()) == []


@pytest.mark.parametrize(
    ("variant", "name"),
    [("bydate", "20news-bydate.tar.gz"), ("bydate-matlab", "20news-bydate-matlab.tgz")],
)
def test_nothing_to_be_had_says_what_to_do(small, monkeypatch, variant, name):
    downloads = []
    serve(monkeypatch, {}, downloads)
    for download in (False, True):
        with pytest.raises(DatasetUnavailable) as caught:
            load_newsgroups(variant, download=download)
        message = str(caught.value)
        assert f"Set WORDODDS_DATA to a folder that holds newsgroups/{name}" in message
        assert str(cache_folder() / name) in message
        assert "make_corpus()" in message
        assert not cache_folder().exists()
        assert len(downloads) == int(download)
    assert isinstance(caught.value, OSError)


def altered(name, body):
    return packed(MESSAGES | {name: body})


DAMAGED = {
    "a byte flipped": altered("20news-bydate-train/sci.space/5", b"!"),
    "one message more": altered("20news-bydate-train/sci.space/6", b""),
    "one message less": packed({n: b for n, b in MESSAGES.items() if "900" not in n}),
    "a message moved": packed(
        {n.replace("space/5", "med/5"): body for n, body in MESSAGES.items()}
    ),
    "cut": packed(MESSAGES)[:-30],
    "cut inside the tar": gzip.compress(gzip.decompress(packed(MESSAGES))[:700]),
    "not compressed": gzip.decompress(packed(MESSAGES)),
    "compressed noise": gzip.compress(bytes(range(256)) * 10),
    "empty": b"",
}


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_archive_is_named_with_its_remedy(small, tmp_path, monkeypatch, content):
    cached = put(cache_folder(), "20news-bydate.tar.gz", content)
    with pytest.raises(DatasetUnavailable, match=r"damaged: .*Delete it") as caught:
        load_newsgroups()
    assert str(cached) in str(caught.value)
    own = put(tmp_path / "data" / "newsgroups", cached.name, content)
    monkeypatch.setenv("WORDODDS_DATA", str(tmp_path / "data"))
    with pytest.raises(DatasetUnavailable, match=r"damaged: .*unset WORDODDS_DATA") as caught:
        load_newsgroups()
    assert str(own) in str(caught.value)


@pytest.mark.parametrize(
    ("name", "body", "says"),
    [
        ("20news-bydate/matlab/train.data", b"1 1 5\n", r"sha256 of train\.data"),
        ("20news-bydate/matlab/train.label", b"1\n1\n1\n", r"sha256 of train\.label"),
        ("vocabulary.txt", b"a\nb\nc\n", r"sha256 of vocabulary\.txt"),
        ("20news-bydate/matlab/train.label", None, r"lacks train\.label"),
    ],
)
def test_a_damaged_bag_of_words_is_named(small, name, body, says):
    files = MATLAB | {"vocabulary.txt": WORDS, name: body}
    kept = {name: body for name, body in files.items() if body is not None}
    put(cache_folder(), "20news-bydate-matlab.tgz", packed(kept))
    with pytest.raises(DatasetUnavailable, match=says):
        load_newsgroups("bydate-matlab")


def test_links_and_odd_names_in_the_archive_do_nothing(small, tmp_path):
    secret = put(tmp_path, "secret", b"secret")
    odd = []
    for name, kind in (
        ("20news-bydate-train/sci.space/77", tarfile.SYMTYPE),
        ("20news-bydate-train/sci.space/78", tarfile.LNKTYPE),
        ("20news-bydate-train/sci.space/79", tarfile.FIFOTYPE),
        ("../../escaped", tarfile.REGTYPE),
        ("/20news-bydate-train/sci.space/80", tarfile.REGTYPE),
        ("20news-bydate-train/sci.space/²", tarfile.REGTYPE),
        ("20news-bydate-train/sci.space/" + "9" * 5000, tarfile.REGTYPE),
    ):
        member = tarfile.TarInfo(name)
        member.type = kind
        member.linkname = str(secret)
        odd.append(member)
    put(cache_folder(), "20news-bydate.tar.gz", packed(MESSAGES, odd))
    assert load_newsgroups().texts[-1] == ""
    assert len(load_newsgroups()) == 3
    assert {p.name for p in Path(tmp_path).rglob("*")} == {
        *("cache", "wordodds", "20news-bydate.tar.gz", "secret")
    }


def test_an_archive_that_unpacks_without_end_is_refused(small, monkeypatch):
    monkeypatch.setattr("wordodds.datasets.newsgroups.archive._MAX_UNPACKED", 10_000)
    put(cache_folder(), "20news-bydate.tar.gz", gzip.compress(bytes(1_000_000)))
    with pytest.raises(DatasetUnavailable, match="more than 10,000 bytes"):
        load_newsgroups()


def test_unknown_names_are_answered_with_the_known_ones():
    with pytest.raises(ValueError, match=r"variant must be one of bydate, .*letters; got 'x'"):
        load_newsgroups("x")
    with pytest.raises(ValueError, match=r"subset must be one of train, test, all; got 'dev'"):
        load_newsgroups("bydate", "dev")


@pytest.mark.parametrize(("subset", "size"), [("train", 11_314), ("test", 7_532)])
def test_the_real_messages(newsgroups_data, subset, size):
    corpus = load_newsgroups("bydate", subset, download=False)
    assert len(corpus.texts) == size
    assert sorted(set(corpus.labels)) == corpus.label_names == sorted(corpus.label_names)
    assert len(corpus.label_names) == 20
    # Every message has a header and a body, and the groups stand one after another.
    assert all("\n\n" in text for text in corpus.texts)
    assert (np.diff(np.searchsorted(corpus.label_names, corpus.labels)) >= 0).all()


def test_the_real_messages_are_the_bytes_of_the_archive(newsgroups_data):
    path = newsgroups_data / "newsgroups" / "20news-bydate.tar.gz"
    with tarfile.open(path, "r|gz") as archive:
        for member in archive:
            if member.isfile():
                group = member.name.split("/")[1]
                body = archive.extractfile(member).read()
                break
    train = load_newsgroups("bydate", "all", download=False)
    here = [t for t, label in zip(train.texts, train.labels, strict=True) if label == group]
    assert body in {text.encode("latin-1") for text in here}


@pytest.mark.parametrize(
    ("subset", "documents", "entries", "words_used"),
    [("train", 11_269, 1_467_345, 53_975), ("test", 7_505, 967_874, None)],
)
def test_the_real_bag_of_words(newsgroups_data, subset, documents, entries, words_used):
    bag = load_newsgroups("bydate-matlab", subset, download=False)
    assert bag.counts.shape == (documents, 61_188)
    assert bag.counts.nnz == entries
    assert bag.counts.has_canonical_format
    assert bag.counts.data.min() == 1
    assert len(bag.words) == len(set(bag.words)) == 61_188
    assert sorted(set(bag.labels)) == bag.label_names
    if words_used is not None:
        assert len(np.unique(bag.counts.indices)) == words_used


def test_the_groups_are_those_of_the_publishers_map(newsgroups_data):
    path = newsgroups_data / "newsgroups" / "20news-bydate-matlab.tgz"
    with tarfile.open(path) as archive:
        lines = archive.extractfile("20news-bydate/matlab/train.map").read().decode().split("\n")
    assert [line for line in lines if line] == [f"{g} {k}" for k, g in enumerate(GROUPS, 1)]

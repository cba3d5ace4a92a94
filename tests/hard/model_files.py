"""Model files with defects and the right checksum, loaded and asked; every byte of a small one.

A file gives a `ModelFileError` or a model. A model gives answers, which may be wrong as its numbers
are, or a `ValueError`; both ways of reading the file give the same.
"""

import json
import os
import random
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import FeatureUnion, make_pipeline
from tests.faults.test_model_file import damage, hashed_model, sealed, small_model
from tests.hard.battery import Line, scaled
from tests.hard.limited import folder_for_workers, scratch_folder
from tests.hard.tally import Tally
from tests.hard.workers import failing_cases
from tests.model.fasttext.models import hand_made

from wordodds import ModelFileError, TextClassifier, from_fasttext, from_sklearn, load
from wordodds.model import LinearModel
from wordodds.model.container import read_container, write_container
from wordodds.model.features import TextFeatures

N_MUTATIONS = 50_000
TEXTS = [
    "alpha beta the gamma, an uncommonly long feature",
    f"ärger {'x' * 40} \ud800 \0 Σ",
    "",
    "running runners __label__l0 </s> é日本 <x> " * 3,
]
DOCUMENTS = ["free money now", "cheap money", "see you at lunch", "lunch with you"] * 3
LABELS = ["spam", "spam", "ham", "ham"] * 3


class Base(NamedTuple):
    """A sound model file, taken apart."""

    name: str
    arrays: dict[str, Any]
    strings: dict[str, str]
    version: int
    content: bytes


def trained(labels: Any = LABELS, **options: Any) -> LinearModel:
    """Return what a classifier of a few words learnt."""
    return TextClassifier(**options).fit(DOCUMENTS, labels).linear_model_


def hashed_views() -> LinearModel:
    """Return a model of words and characters, each hashed to columns of their own."""
    views = [
        (name, HashingVectorizer(analyzer=name, n_features=16, norm=norm))
        for name, norm in (("word", "l2"), ("char", None))
    ]
    pipeline = make_pipeline(FeatureUnion(views), LogisticRegression())
    return from_sklearn(pipeline.fit(DOCUMENTS, LABELS))


@cache
def fasttext_model(folder: str, read: tuple[tuple[str, Any], ...], **options: Any) -> LinearModel:
    """Return a model of random numbers that fastText could have saved."""
    return from_fasttext(hand_made(**options).write(f"{folder}/model.bin"), **dict(read))


def models(folder: str) -> dict[str, LinearModel]:
    """Return one model of each kind that a file can hold."""
    ngrams = {"word_ngrams": 2, "subwords": (2, 3)}
    low_rank = (("rank", "keep"),)
    named = {
        "words": small_model(),
        "words, calibrated by curves": small_model(calibrated=True),
        "words, found in Python": small_model(token_pattern="[a-zä]+"),
        "words by Unicode": small_model(analyzer="unicode_word", strip_accents="unicode"),
        "hashed": hashed_model(),
        "tf-idf": trained(model="logistic"),
        "stems": trained(model="logistic", stemmer="english"),
        "naive Bayes": trained(model="naive_bayes", labels=[3, 3, 5, 7] * 3),
        "complement": trained(model="complement", labels=[1.0, 1.0, 2.0, 4.0] * 3),
        "two views": trained(analyzer=("word", "char_wb"), stop_words={"word": ["now"]}),
        "hashed views": hashed_views(),
        "truth values": trained(labels=[True, True, False, False] * 3, analyzer="char_wb"),
        "fastText": fasttext_model(folder, (), **ngrams),
        "fastText, low rank": fasttext_model(folder, low_rank, n_labels=9, dim=3, **ngrams),
        "fastText, 16 bits": fasttext_model(folder, (("dtype", "float16"),), **ngrams),
        "fastText, pruned": fasttext_model(folder, (), form="pruned", loss="ova", **ngrams),
        "fastText, tolerant": fasttext_model(folder, (("tolerance", 0.5),), **ngrams),
        "fastText, tree": fasttext_model(folder, (), loss="hs", n_labels=5, **ngrams),
    }
    for method in ("temperature", "platt", "isotonic"):
        named[f"tf-idf, {method}"] = named["tf-idf"].calibrate(DOCUMENTS, LABELS, method)
        named[f"naive Bayes, {method}"] = named["naive Bayes"].calibrate(
            DOCUMENTS, [3, 5, 5, 7] * 3, method
        )
        tree = named["fastText, tree"]
        named[f"tree, {method}"] = tree.calibrate(
            TEXTS * 5, [tree.labels[i % 5] for i in range(20)], method
        )
    return named


def smallest() -> LinearModel:
    """Return a model whose file is as short as one can be."""
    features = TextFeatures(n_hashed=1)
    return LinearModel(
        np.array([0, 1]), np.ones((1, 1)), np.zeros(1), features, link="none", name=""
    )


def bases() -> list[Base]:
    """Return the files of all models."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for name, model in models(folder).items():
            path = Path(folder, "model.wordodds")
            model.save(path)
            content = read_container(path, verify=True, mmap=False)
            arrays = {key: array.copy() for key, array in content.tensors.items()}
            version = int(content.metadata["version"])
            strings = {k: v for k, v in content.metadata.items() if k not in ("format", "version")}
            found.append(Base(name, arrays, strings, version, path.read_bytes()))
    return found


VALUES: list[Any] = [
    *(None, True, False, -1, 0, 1, 2, 255, 1000, 2**31 - 1, 2**31, 2**63, -(2**63), 10**400, 0.5),
    *(float("inf"), float("nan"), "", "1", "word", "char", "char_wb", "unicode_word", "fasttext"),
    *("l1", "l2", "max", "english", "klingon", "utf-8", "utf-16", "latin-1", "idna", "hex", "mbcs"),
    *("rot13", "undefined", "punycode", "unicode_escape", "ignore", "replace", "surrogateescape"),
    *("xmlcharrefreplace", "empty", "error", "softmax", "one_vs_rest", "sigmoid", "none"),
    *("modified_huber", "fasttext_tree", "fasttext_sigmoid", "temperature", "platt", "isotonic"),
    *(
        r"\w+",
        r"(\w)\w",
        "(",
        "(?i)a",
        "(?P<n>a)",
        "a{9999999999}",
        r"\w{400000000,}",
        "",
        "x" * 999,
    ),
    *([], {}, [1, 1], [1, 2], [2, 1], [0, 0], [1, 1000], [3, 3], [1, 2, 3], ["a", "b"], [[1], [2]]),
    *(
        {"a": 1},
        {"analyzer": "f"},
        {"tokenizer": None},
        {"nothing": "f"},
        "\ud800",
        "\0",
        "é",
        "\n",
    ),
]
EXTREMES = {
    "f": [0.0, -0.0, 1e-310, 1e30, 1e308, -1e308, np.inf, -np.inf, np.nan, 65504.0],
    "i": [0, 1, -1, 2, 63, 64, 2**31 - 1, -(2**31), 2**40, 2**62, -(2**62), 2**63 - 1],
    "u": [0, 1, 2, 63, 64, 255, 2**31 - 1, 2**32 - 1, 2**40, 2**63, 2**64 - 1],
}


def json_defect(rng: random.Random, text: str) -> str:
    """Return an object of a file with another value, one member less or more, or as other text."""
    try:
        value = json.loads(text)
    except ValueError:  # by another defect
        return text
    keys = list(value) if isinstance(value, dict) else []
    match rng.randrange(8) if keys else 7:
        case 0:
            del value[rng.choice(keys)]
        case 1:
            value[rng.choice(["nothing", "terms", "analyzer", "callables"])] = rng.choice(VALUES)
        case 2:
            return rng.choice(["", "{", "[]", "null", "1", '"a"', text + text, text[:-1], "NaN"])
        case 3:
            key, other = rng.choice(keys), rng.choice(keys)
            value[key] = value[other]
        case _ if keys:
            value[rng.choice(keys)] = rng.choice(VALUES)
        case _:
            value = {rng.choice(["analyzer", "tokenizer", "x"]): rng.choice(VALUES)}
    return json.dumps(value)


def list_defect(rng: random.Random, text: str) -> str:
    """Return a list of objects of a file with a defect in one of them, or in how many there are."""
    try:
        values = json.loads(text)
    except ValueError:  # by another defect
        return text
    parts = [json.dumps(value) for value in values]
    at = rng.randrange(len(parts))
    match rng.randrange(6):
        case 0:
            del parts[at]
        case 1:
            parts.append(parts[at])
        case 2:
            options = values[at].get("options")
            if isinstance(options, dict):
                changed = json_defect(rng, json.dumps(options))
                parts[at] = parts[at].replace(json.dumps(options), changed)
        case _:
            parts[at] = json_defect(rng, parts[at])
    return f"[{', '.join(parts)}]"


def string_defect(rng: random.Random, strings: dict[str, str]) -> None:
    """Change one string of a file."""
    key = rng.choice([*strings, "features", "features", "fasttext", "calibration"])
    text = strings.get(key, "{}")
    what = rng.randrange(8)
    if what == 0:
        strings.pop(key, None)
    elif what == 1:
        strings[key] = str(rng.choice([value for value in VALUES if value != "\ud800"]))
    elif what == 2:
        other = rng.choice(list(strings))
        strings[key], strings[other] = strings[other], text
    elif text.startswith("{"):
        strings[key] = json_defect(rng, text)
    elif text.startswith("[{"):  # views: one of them, which holds options of its own
        strings[key] = list_defect(rng, text)
    else:
        strings[key] = rng.choice([v for v in VALUES if isinstance(v, str) and v != "\ud800"])


def array_defect(rng: random.Random, arrays: dict[str, Any]) -> None:
    """Change one array of a file: some numbers, its shape, its type, or which array it is."""
    name = rng.choice(list(arrays))
    array = arrays[name].copy()
    what = rng.randrange(11)
    if what == 0:
        del arrays[name]
    elif what == 1:
        other = rng.choice(list(arrays))
        arrays[name], arrays[other] = arrays[other], array
    elif what == 2:
        shape = [(-1,), (1, -1), (-1, 1), (1, 1, -1), array.shape[::-1]]
        arrays[name] = array.reshape(rng.choice(shape))
    elif what == 3:
        kinds = ["u1", "i1", "u2", "i2", "f2", "u4", "i4", "f4", "u8", "i8", "f8"]
        with np.errstate(all="ignore"):
            arrays[name] = array.astype(rng.choice(kinds))
    elif what == 4:
        size = rng.choice([0, 1, 2, 3, array.size * 2 + 1])
        arrays[name] = np.resize(array.reshape(-1), size) if array.size else array
    elif what in (5, 6) and array.dtype.kind != "f" and array.dtype.itemsize in (1, 8):
        arrays[name] = damage(rng, array)
    elif array.size:
        flat, extremes = array.reshape(-1), EXTREMES[array.dtype.kind]
        for _ in range(rng.choice([1, 1, 2, 5])):
            at = rng.randrange(array.size)
            count = rng.choice([1, 1, 1, 2, 4, array.size])
            value = rng.choice(extremes)
            if array.dtype.kind != "f":  # wraps around
                value = np.array([value % 2**64], dtype=np.uint64).astype(array.dtype)[0]
            with np.errstate(over="ignore"):
                flat[at : at + count] = value
        arrays[name] = array


def header_defect(rng: random.Random, content: bytes) -> bytes:
    """Change some bytes of the header, or a number in it."""
    raw = bytearray(content)
    end = 8 + int.from_bytes(raw[:8], "little")
    for _ in range(rng.choice([1, 1, 3])):
        at = rng.randrange(end)
        while rng.random() < 0.7 and not chr(raw[at]).isdigit():  # shapes and places
            at = rng.randrange(end)
        raw[at] = rng.choice(b'0123456789",[]{}:\\ \x00\xff') if at >= 8 else rng.randrange(256)
    return bytes(raw)


def defective(rng: random.Random, base: Base, path: Path) -> None:
    """Write a file with one defect, or a few, and the checksum that goes with them."""
    if rng.random() < 0.15:
        path.write_bytes(sealed(header_defect(rng, base.content)))
        return
    if rng.random() < 0.05:
        raw = bytearray(base.content)
        for _ in range(rng.choice([1, 4, 64])):
            raw[rng.randrange(len(raw) - 8)] = rng.randrange(256)
        path.write_bytes(sealed(bytes(raw)))
        return
    arrays, strings = dict(base.arrays), dict(base.strings)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        if rng.random() < 0.4:
            string_defect(rng, strings)
        elif arrays:
            array_defect(rng, arrays)
    version = base.version if rng.random() < 0.9 else rng.choice([1, 2])
    path.unlink(missing_ok=True)
    write_container(path, arrays, strings, version=version)


def answers(model: LinearModel) -> list[Any]:
    """Ask everything of a model; a `ValueError` is an answer too."""
    model.n_jobs = 1
    known = set(map(repr, model.labels.tolist()))
    found: list[Any] = []
    for ask in (
        lambda: model.predict(TEXTS).tolist(),
        lambda: model.decision_function(TEXTS).tolist(),
        lambda: model.predict_proba(TEXTS).tolist(),
        lambda: [part.tolist() for part in model.predict_top(TEXTS, 2)],
        lambda: model.top_features(3, labels=model.labels[:1]),
        lambda: [str(model.explain(text)) for text in TEXTS],
        lambda: model.explain(TEXTS[0], model.labels[1], model.labels[0]).to_dict(),
        lambda: str(model.describe()),
    ):
        try:
            found.append(ask())
        except ValueError as error:
            found.append(f"{type(error).__name__}: {error}")
    if isinstance(found[0], list):
        assert set(map(repr, found[0])) <= known, found[0]
    if isinstance(found[2], list):
        chances = np.array(found[2])
        # fastText adds 1e-5, at every decision of a tree.
        assert ((chances >= 0.0) & (chances <= 1.0 + 1e-4)).all(), chances
    return found


def load_and_ask(path: Path, *, both_ways: bool) -> str:
    """Return what becomes of a file."""
    try:
        model = load(path, verify=True, mmap=True)
    except ModelFileError:
        if both_ways:
            with pytest.raises(ModelFileError):
                load(path, verify=False, mmap=False)
        return "refused"
    found = answers(model)
    if both_ways:
        again = answers(load(path, verify=False, mmap=False))
        assert repr(found) == repr(again), (found, again)
    return "taken"


def run(share: float) -> Iterator[Line]:
    """Run the shard."""
    files = bases()
    outcomes = Tally("refused", "taken")

    def mutation(number: int) -> None:
        rng = random.Random(number)
        path = scratch_folder() / "mutation.wordodds"
        defective(rng, files[number % len(files)], path)
        outcomes.add(load_and_ask(path, both_ways=number % 5 == 0))

    with np.errstate(all="ignore"), folder_for_workers():
        n = scaled(N_MUTATIONS, share)
        failures = failing_cases(mutation, n, seconds_max=20.0)
        tried = f"mutations of {len(files)} kinds of model files, sealed, loaded and scored"
        yield Line(tried, n, failures, str(outcomes))
        yield _every_byte(share)


def _every_byte(share: float) -> Line:
    """Replace each byte of the smallest file by each other value."""
    with tempfile.TemporaryDirectory() as folder:
        smallest().save(Path(folder, "small"))
        content = Path(folder, "small").read_bytes()
    # A share of the places, all values at each.
    places = random.Random(0).sample(range(len(content)), scaled(len(content), share))

    def one_byte(number: int) -> None:
        path = scratch_folder() / "byte.wordodds"
        path.write_bytes(content)
        at = places[number]
        with open(path, "r+b", buffering=0) as file:
            for value in set(range(256)) - {content[at]}:
                os.pwrite(file.fileno(), bytes([value]), at)
                try:
                    load(path, mmap=value % 2 == 0)
                except ModelFileError:
                    pass
                else:
                    raise AssertionError(f"byte {at} as {value} went unnoticed")
                try:
                    model = load(path, verify=False, mmap=value % 2 == 0)
                except ModelFileError:
                    continue
                try:
                    model.predict(TEXTS[:2])
                except ValueError:
                    continue

    failures = failing_cases(one_byte, len(places), seconds_max=60.0)
    tried = f"values of bytes of a file of {len(content)} bytes, with the checksum and without"
    return Line(tried, len(places) * 255, failures)

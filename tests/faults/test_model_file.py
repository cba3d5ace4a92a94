"""Model files of strangers: an answer or ModelFileError, never a crash.

Run as a program, this file reads damaged files until it dies or has read them all; the tests start
it so, as a crash of their own process would end them all.
"""

import contextlib
import json
import os
import random
import subprocess
import sys
import tracemalloc
from collections import Counter

import numpy as np
import pytest
import xxhash

from wordodds import ModelFileError, load
from wordodds._border.terms import pack_vocabulary
from wordodds._core.text import FrozenTerms
from wordodds.model import LinearModel
from wordodds.model.container import read_container, write_container
from wordodds.model.features import TextFeatures

TERMS = ["alpha", "beta", "gamma", "an uncommonly long feature", "alpha beta", "ärger", "x" * 40]
TEXTS = ["alpha beta the gamma", f"ärger {'x' * 40} an uncommonly long feature", ""]


def small_model(calibrated=False, **options):
    rng = np.random.default_rng(0)
    n_rows = len(TERMS) + 2
    features = TextFeatures(
        terms=FrozenTerms.of(pack_vocabulary(TERMS), (1, 2)),
        n_unknown=2,
        ngram_range=(1, 4),
        norm="l2",
        norm_weights=rng.random(n_rows),
        stop_words=("the",),
        **options,
    )
    labels = np.array(["ham", "spam", "eggs"])
    weights, bias = rng.normal(size=(n_rows, 3)), rng.normal(size=3)
    model = LinearModel(labels, weights, bias, features, link="softmax", name="small")
    return model.calibrate(TEXTS * 5, [*labels] * 5, method="isotonic") if calibrated else model


def hashed_model():
    features = TextFeatures(
        n_hashed=64, alternate_sign=True, analyzer="char_wb", ngram_range=(2, 3), sublinear=False
    )
    weights = np.random.default_rng(0).normal(size=(64, 1))
    labels, bias = np.array([3, 5]), np.zeros(1)
    return LinearModel(labels, weights, bias, features, link="one_vs_rest", name="hashed")


def sealed(content):
    return content[:-8] + xxhash.xxh64_intdigest(content[:-8]).to_bytes(8, "little")


@pytest.fixture
def path(tmp_path):
    """Return where the small model is saved."""
    small_model().save(tmp_path / "small.wordodds")
    return tmp_path / "small.wordodds"


def test_what_was_saved_predicts_the_same(tmp_path):
    for model in (small_model(), small_model(calibrated=True), hashed_model()):
        model.save(tmp_path / "m")
        for mmap in (True, False):
            found = load(tmp_path / "m", mmap=mmap)
            np.testing.assert_array_equal(found.predict(TEXTS), model.predict(TEXTS))
            np.testing.assert_array_equal(found.predict_proba(TEXTS), model.predict_proba(TEXTS))


def test_every_flip_and_every_truncation_is_noticed(path):
    content = path.read_bytes()
    with open(path, "r+b", buffering=0) as file:
        for at, byte in enumerate(content):
            os.pwrite(file.fileno(), bytes([byte ^ (1 << at % 8)]), at)
            with pytest.raises(ModelFileError):
                load(path)
            os.pwrite(file.fileno(), bytes([byte]), at)
        load(path)
        for n_bytes in reversed(range(len(content))):
            file.truncate(n_bytes)
            for verify in (True, False):
                with pytest.raises(ModelFileError):
                    load(path, verify=verify)


def without(arrays, prefix):
    for name in [name for name in arrays if name.startswith(prefix)]:
        del arrays[name]


def in_python(options):
    """Choose a pattern that the compiled scanner does not know."""
    options["token_pattern"] = "[a-z]+"


# Each changes the arrays, the strings or the options of the small model, in place.
def too_few_rows(arrays, strings, options):
    arrays["weights"] = arrays["weights"][:1]


def too_few_rows_for_python(arrays, strings, options):
    in_python(options)
    too_few_rows(arrays, strings, options)


def too_few_rows_for_stems(arrays, strings, options):
    options["stemmer"] = "english"
    too_few_rows(arrays, strings, options)


def hashes_beyond_the_rows(arrays, strings, options):
    without(arrays, "terms")
    without(arrays, "norm")
    options.update(n_hashed=2**31 - 1, n_unknown=0, norm=None)


def hashes_beyond_the_rows_for_python(arrays, strings, options):
    in_python(options)
    hashes_beyond_the_rows(arrays, strings, options)


def norm_weights_too_short(arrays, strings, options):
    arrays["norm_weights"] = arrays["norm_weights"][:1]


def norm_weights_too_short_for_python(arrays, strings, options):
    in_python(options)
    norm_weights_too_short(arrays, strings, options)


def offsets_that_fall(arrays, strings, options):
    arrays["terms.offsets"] = arrays["terms.offsets"][::-1]


def offsets_beyond_the_arena(arrays, strings, options):
    arrays["terms.offsets"] = arrays["terms.offsets"] * 2**40


def a_table_without_an_empty_slot(arrays, strings, options):
    used = arrays["terms.slots"].reshape(-1, 32)
    used = used[used.view(np.uint32)[:, 6] != 0]
    arrays["terms.slots"] = np.concatenate([used, used[:1]]).ravel()


def a_slot_with_a_term_that_is_not(arrays, strings, options):
    numbers = arrays["terms.slots"].view(np.uint32).reshape(-1, 8)
    numbers[numbers[:, 6] != 0, 6] = 2**31


def a_slot_with_text_beyond_the_arena(arrays, strings, options):
    numbers = arrays["terms.slots"].view(np.uint64).reshape(-1, 4)
    numbers[(numbers[:, 3] >> 32) > 16, 1] = 2**40


def calibration_of_another_model(arrays, strings, options):
    strings["calibration"] = json.dumps(
        {"method": "temperature", "link": "softmax", "n_columns": "7"}
    )
    arrays["calibration.temperature"] = np.array([1.0, 0.0])


def no_weights(arrays, strings, options):
    without(arrays, "weights")


def the_same_label_twice(arrays, strings, options):
    arrays["labels.arena"] = arrays["labels.arena"] * 0 + 65
    arrays["labels.offsets"] = np.array([0, 1, 2, 11])


def nested_strings(arrays, strings, options):
    strings["callables"] = "[" * 100_000


HOSTILE = [
    too_few_rows,
    too_few_rows_for_python,
    too_few_rows_for_stems,
    hashes_beyond_the_rows,
    hashes_beyond_the_rows_for_python,
    norm_weights_too_short,
    norm_weights_too_short_for_python,
    offsets_that_fall,
    offsets_beyond_the_arena,
    a_table_without_an_empty_slot,
    a_slot_with_a_term_that_is_not,
    a_slot_with_text_beyond_the_arena,
    calibration_of_another_model,
    no_weights,
    the_same_label_twice,
    nested_strings,
]


def rewrite(path, edit):
    """Change the content of a model file and write it with the right checksum."""
    content = read_container(path, verify=True, mmap=False)
    arrays = {name: array.copy() for name, array in content.tensors.items()}
    strings = dict(content.metadata)
    options = json.loads(strings["features"])
    edit(arrays, strings, options)
    strings["features"] = json.dumps(options)
    write_container(path, arrays, strings)


@pytest.mark.parametrize("edit", HOSTILE)
def test_hostile_content_with_the_right_checksum(path, edit):
    rewrite(path, edit)
    for verify in (True, False):
        with pytest.raises(ModelFileError, match="truncated or damaged"):
            load(path, verify=verify)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("analyzer", "system"),
        ("analyzer", []),
        ("ngram_range", [1, 2, 3]),
        ("ngram_range", [1, -1]),
        ("n_unknown", True),
        ("n_unknown", 2**31 - 1),
        ("n_unknown", -1),
        ("lowercase", None),
        ("norm", "max"),
        ("missing", "whatever"),
        ("token_pattern", "("),
        ("token_pattern", "(a)(b)"),
        ("encoding", "no such encoding"),
        ("encoding", "hex"),
        ("encoding", "utf\0"),
        ("decode_error", "no such handler"),
        ("stemmer", "klingon"),
        ("stemmer", ["english"]),
        ("strip_accents", "all"),
        ("token_pattern", None),
        ("token_pattern", ["a"]),
        ("token_pattern", "a{99999999999}"),
        ("encoding", None),
        ("decode_error", None),
        ("ngram_range", [1, 10**9]),
        ("ngram_range", "12"),
        ("norm", ["l2"]),
        ("sublinear", 1),
        ("alternate_sign", "yes"),
    ],
)
def test_hostile_options_are_refused_when_the_file_is_read(path, option, value):
    rewrite(path, lambda arrays, strings, options: options.update({option: value}))
    with pytest.raises(ModelFileError, match="truncated or damaged"):
        load(path)


@pytest.mark.parametrize("installed", [True, False], ids=["with PyStemmer", "without"])
def test_a_stemmer_of_no_language_is_damage_and_a_missing_one_is_named(
    path, monkeypatch, installed
):
    if not installed:
        monkeypatch.setitem(sys.modules, "Stemmer", None)
    small_model().save(path)
    rewrite(path, lambda arrays, strings, options: options.update(stemmer="klingon"))
    with pytest.raises(ModelFileError, match=r"stemmer must be None or one of .*; got 'klingon'"):
        load(path)
    small_model().save(path)
    rewrite(path, lambda arrays, strings, options: options.update(stemmer="english"))
    if installed:
        assert load(path).predict(["alphas"]).tolist() == load(path).predict(["alpha"]).tolist()
    else:
        with pytest.raises(ImportError, match=r"needs PyStemmer: pip install 'wordodds\[stem\]'"):
            load(path)


@pytest.mark.parametrize(
    ("string", "text"),
    [
        ("link", "linear"),
        ("link", ""),
        ("link", "fasttext_tree"),
        ("calibration", '{"method": "none", "link": "softmax", "n_columns": "3"}'),
        ("calibration", '{"method": ["platt"], "link": "softmax", "n_columns": "3"}'),
        ("calibration", '{"method": "platt", "link": "softmax", "n_columns": 0}'),
        ("calibration", "[]"),
        ("callables", '{"analyzer": "f"'),
        ("callables", '{"os.system": "f"}'),
        ("source", "7"),
    ],
)
def test_hostile_strings_are_refused_when_the_file_is_read(path, string, text):
    rewrite(path, lambda arrays, strings, options: strings.update({string: text}))
    with pytest.raises(ModelFileError, match="truncated or damaged"):
        load(path)


def test_long_strings_are_not_made_into_objects(path):
    bomb = '{"a":[' + "[]," * 300_000 + "0]}"
    for name in ("callables", "calibration"):
        small_model().save(path)
        rewrite(path, lambda arrays, strings, options, name=name: strings.update({name: bomb}))
        with contextlib.suppress(ModelFileError):
            load(path)  # once before measuring: what is imported and compiled stays
        tracemalloc.start()
        try:
            with pytest.raises(ModelFileError):
                load(path)
            # The header, its string and what was reserved to make it; the lists would be 20 times.
            assert tracemalloc.get_traced_memory()[1] <= 3 * path.stat().st_size
        finally:
            tracemalloc.stop()


def damage(rng, array):
    """Return an array with one random defect."""
    array = array.copy()
    memory = array.reshape(-1).view(np.uint8)
    extremes = [0, 1, 255] if array.dtype == np.uint8 else [0, 1, 2**31, 2**62]
    match rng.randrange(7) if array.size else 6:
        case 0:
            memory[rng.randrange(len(memory))] ^= 1 << rng.randrange(8)
        case 1:
            array.reshape(-1)[rng.randrange(array.size)] = rng.choice(extremes)
        case 2:
            at = rng.randrange(0, len(memory), 4)
            memory[at : at + 4] = rng.choice([0, 1, 255])
        case 3:
            array = array[: rng.randrange(len(array) + 1)]
        case 4:
            rng.shuffle(memory)
        case 5:
            array = np.concatenate([array, array])
        case 6:
            with np.errstate(invalid="ignore", over="ignore"):
                array = array.astype(rng.choice(["u1", "i8", "u8", "f8", "f4"]))
    return array


def damaged_files(rng, path, n):
    """Write damaged versions of a file, each with the right checksum."""
    content = read_container(path, verify=True, mmap=False)
    whole = path.read_bytes()
    for number in range(n):
        if number % 4:
            arrays = dict(content.tensors)
            for name in rng.choices(list(arrays), k=rng.choice([1, 1, 2])):
                arrays[name] = damage(rng, arrays[name])
            path.unlink()  # the system would first write out what another file takes the place of
            write_container(path, arrays, content.metadata)
        else:
            raw = bytearray(whole)
            for _ in range(rng.choice([1, 3])):
                raw[rng.randrange(len(raw))] = rng.choice([0, 34, 49, 91, 255])
            with open(path, "r+b", buffering=0) as file:
                file.truncate(len(raw))
                file.write(sealed(bytes(raw)))
        yield number


def survive(folder, n):
    """Read damaged files and use what they give; return how many were taken and refused."""
    os.fsync = lambda descriptor: None  # nobody cares whether these reach the disk
    rng, outcomes = random.Random(0), Counter()
    models = [small_model(), small_model(calibrated=True), small_model(sublinear=True)]
    models += [small_model(token_pattern="[a-zä]+"), hashed_model()]
    for position, original in enumerate(models):
        path = folder / f"{position}.wordodds"
        original.save(path)
        for number in damaged_files(rng, path, n):
            try:
                model = load(path, verify=number % 2 == 0, mmap=number % 3 == 0)
            except ModelFileError:
                outcomes["refused"] += 1
                continue
            outcomes["taken"] += 1
            model.n_jobs = 1
            # Wrong weights are no reason to fail, text that is none and terms that come twice are.
            with contextlib.suppress(ValueError):
                assert set(model.predict(TEXTS).tolist()) <= set(model.labels.tolist())
                model.predict_proba(TEXTS)
                model.top_features(n=3)
    return outcomes


def test_random_damage_never_crashes(tmp_path):
    command = [sys.executable, "-W", "ignore", "-X", "faulthandler", __file__, str(tmp_path), "300"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert (result.returncode, result.stderr) == (0, "")
    outcomes = json.loads(result.stdout)
    assert outcomes["refused"] > 300
    assert outcomes["taken"] > 300


if __name__ == "__main__":
    from pathlib import Path

    print(json.dumps(survive(Path(sys.argv[1]), int(sys.argv[2]))))

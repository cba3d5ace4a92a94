"""fastText's files of strangers: a model or ModelFileError, in little time and memory.

Damaged files are read in a process of their own, whose memory is limited: a crash would end the
tests, and what takes too much raises MemoryError there, which nobody expects.
"""

import contextlib
import json
import os
import pickle
import random
import resource
import signal
import struct
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from wordodds import ModelFileError, TextClassifier, from_fasttext, load
from wordodds.model.container import read_container, write_container

from ..model.fasttext.models import hand_made
from .test_model_file import damage, sealed

ROOT = Path(__file__).parents[2]
TEXTS = ["alpha beta <x> new", "é日本 __label__l0 alpha </s> beta", "", "ünknown " * 20]
BASES = {
    "dense": {"word_ngrams": 2, "subwords": (2, 3)},
    "words": {"n_labels": 2},
    "tree": {"loss": "hs", "n_labels": 5, "subwords": (3, 4)},
    "quantised": {"form": "quantised", "quantised_output": True, "word_ngrams": 3},
    "pruned": {"form": "pruned", "loss": "ova", "word_ngrams": 2, "subwords": (2, 3)},
    "norms": {"form": "norms", "n_labels": 2, "loss": "ns", "subwords": (1, 2)},
}
EXTREMES = {4: ("<i", [-1, 0, 1, 2**31 - 1, -(2**31)]), 8: ("<q", [-1, 0, 2**31, 2**63 - 1])}
FLOATS = [0.0, -0.0, 1e-45, 65504.0, 1e30, 3.4e38, -3.4e38, float("inf"), float("nan")]
MEMORY = 300 << 20
SECONDS = 5.0  # for one file; it takes milliseconds


def number_fields(made):
    """Return offset and size of every whole number of a file but those within its entries."""
    made.content()
    at = made.sections
    fields = [(offset, 4) for offset in range(0, at["arguments"] + 48, 4)]
    fields += [(at["dictionary"] + 4 * i, 4) for i in range(3)]
    fields += [(at["dictionary"] + 12 + 8 * i, 8) for i in range(2)]
    fields += [(at["pruned"] + 4 * i, 4) for i in range(2 * len(made.pruned or ()))]
    for name in ("input", "output"):
        matrix, begin = getattr(made, name), at[name] + 1
        if not hasattr(matrix, "codes"):
            fields += [(begin, 8), (begin + 8, 8)]
            continue
        quantiser = begin + 21 + matrix.codes.size
        fields += [(begin + 1, 8), (begin + 9, 8), (begin + 17, 4)]
        fields += [(quantiser + 4 * i, 4) for i in range(4)]
        if matrix.with_norms:
            norms = quantiser + 16 + sum(part.nbytes for part in matrix.parts) + matrix.n_rows
            fields += [(norms + 4 * i, 4) for i in range(4)]
    return fields


def mutated(rng, made, fields):
    """Return the content of a file with one random defect, or a few."""
    raw = bytearray(made.content())
    begin, middle, behind = made.sections["input"], made.sections["output"], len(raw)
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        at = rng.randrange(len(raw))
        match rng.randrange(10):
            case 0:
                raw[at] ^= 1 << rng.randrange(8)
            case 1:
                raw[at] = rng.choice([0, 1, 10, 32, 127, 128, 255])
            case 2:
                del raw[max(at, 1) :]
            case 3 | 4:
                offset, size = rng.choice(fields)
                layout, values = EXTREMES[size]
                if offset + size <= len(raw):
                    struct.pack_into(layout, raw, offset, rng.choice(values))
            case 5:
                size = rng.choice([4, 8])
                layout, values = EXTREMES[size]
                if at + size <= len(raw):
                    struct.pack_into(layout, raw, at, rng.choice(values))
            case 6:
                raw[at:at] = rng.randbytes(rng.choice([1, 4, 8, 100]))
            case 7:
                del raw[at : at + rng.choice([1, 4, 8, 100])]
            case 8 if at >= begin:  # both matrices end with floats
                at -= (at - (middle if at < middle else behind)) % 4
                end = min(at + 4 * rng.choice([1, 4, 64]), len(raw))
                raw[at:end] = (struct.pack("<f", rng.choice(FLOATS)) * 64)[: end - at]
            case _:  # two sizes at once: their product may look right
                for offset, size in rng.sample(fields, 2):
                    layout, values = EXTREMES[size]
                    if offset + size <= len(raw):
                        struct.pack_into(layout, raw, offset, rng.choice(values))
        raw = raw or bytearray(b"\0")
    return bytes(raw)


def use(model):
    """Ask a model that a damaged file gave; its answers may be wrong, not broken."""
    model.n_jobs = 1
    assert set(model.predict(TEXTS).tolist()) <= set(model.labels.tolist())
    return model.decision_function(TEXTS), *model.predict_above(TEXTS, 0.0)[1]


class TooSlowError(BaseException):
    """A file took longer than SECONDS."""


def too_slow(*_):
    raise TooSlowError


def limit_this_process():
    signal.signal(signal.SIGALRM, too_slow)
    os.fsync = lambda descriptor: None  # nobody cares whether these reach the disk
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))


def outcome_of(path, rank):
    """Return what becomes of a file that is said to be fastText's."""
    model = from_fasttext(path, rank=rank)
    if rank == "auto":
        model.save(f"{path}.wordodds")
        model = load(f"{path}.wordodds")
    if not all(np.isfinite(numbers).all() for numbers in use(model)):
        raise ArithmeticError("scores are not finite")
    return "taken"


def outcome_of_saved(path, number):
    """Return what becomes of a model file, where wrong weights are no reason to fail."""
    model = load(path, verify=number % 2 == 0, mmap=number % 3 == 0)
    with contextlib.suppress(ValueError):  # scores of NaN, text that is none
        use(model)
    return "taken"


class Outcomes:
    """What became of many files; of what must not be, the first one of each kind."""

    def __init__(self, folder):
        # Everything is imported and mapped before memory is limited.
        path = hand_made(**BASES["dense"]).write(folder / "warm")
        outcome_of(path, "auto")
        limit_this_process()
        self.counts, self.wrong = Counter(), {}

    def add(self, description, function, *arguments):
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        try:
            found = function(*arguments)
        except ModelFileError:
            found = "refused"
        except BaseException as error:
            self.wrong.setdefault(f"{type(error).__name__}: {error}"[:200], description)
            return
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        self.counts[found] += 1

    def as_dict(self):
        return {**self.counts, "wrong": self.wrong}


def survive_mutations(folder, n):
    outcomes, rng, path = Outcomes(folder), random.Random(0), folder / "model.bin"
    for name, options in BASES.items():
        made = hand_made(**options)
        fields = number_fields(made)
        for number in range(n):
            raw = mutated(rng, made, fields)
            path.write_bytes(raw)
            rank = ("keep", "collapse", "keep", "collapse", "auto")[number % 5]
            outcomes.add(f"{name}, {rank}: {raw.hex()}", outcome_of, path, rank)
    return outcomes.as_dict()


def survive_numbers(folder, _):
    """Replace each number by each extreme, one at a time."""
    outcomes, path = Outcomes(folder), folder / "model.bin"
    for name, options in BASES.items():
        made = hand_made(**options)
        content = made.content()
        for offset, size in number_fields(made):
            layout, values = EXTREMES[size]
            for value in values:
                raw = bytearray(content)
                struct.pack_into(layout, raw, offset, value)
                path.write_bytes(raw)
                outcomes.add(f"{name}: {value} at {offset}", outcome_of, path, "collapse")
    return outcomes.as_dict()


def damaged(rng, array):
    """Return an array with one random defect; whole numbers of 32 bits wrap around."""
    if array.dtype not in (np.int32, np.uint32):
        return damage(rng, array)
    found = damage(rng, array.astype(np.int64))
    return found.astype(array.dtype) if found.dtype == np.int64 else found


def survive_saved(folder, n):
    """Damage model files that were made of fastText's, and seal them again."""
    outcomes, rng = Outcomes(folder), random.Random(0)
    for name, options in BASES.items():
        path = folder / f"{name}.wordodds"
        from_fasttext(hand_made(**options).write(folder / name)).save(path)
        whole, content = path.read_bytes(), read_container(path, verify=True, mmap=False)
        for number in range(n):
            path.unlink()  # the system would first write out what another file takes the place of
            if number % 3:
                arrays = dict(content.tensors)
                for chosen in rng.choices(list(arrays), k=rng.choice([1, 1, 2])):
                    arrays[chosen] = damaged(rng, arrays[chosen])
                write_container(path, arrays, content.metadata, version=2)
            else:
                raw = bytearray(whole)
                for _ in range(rng.choice([1, 3])):
                    raw[rng.randrange(len(raw))] = rng.choice([0, 34, 49, 57, 91, 255])
                path.write_bytes(sealed(bytes(raw)))
            outcomes.add(f"{name}: file {number}", outcome_of_saved, path, number)
    return outcomes.as_dict()


def in_its_own_process(task, folder, n):
    program = (
        "import json, sys; from pathlib import Path; from tests.faults import test_fasttext_file; "
        f"found = test_fasttext_file.{task}(Path(sys.argv[1]), {n}); print(json.dumps(found))"
    )
    command = [sys.executable, "-W", "ignore", "-X", "faulthandler", "-c", program, str(folder)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=ROOT)
    assert (result.returncode, result.stderr) == (0, "")
    return json.loads(result.stdout)


@pytest.mark.exhaustive
def test_mutations_give_a_model_or_an_error(tmp_path):
    found = in_its_own_process("survive_mutations", tmp_path, 850)
    assert found["wrong"] == {}
    assert found["refused"] > 1000
    assert found["taken"] > 500


def test_every_number_may_be_extreme(tmp_path):
    found = in_its_own_process("survive_numbers", tmp_path, 0)
    assert found["wrong"] == {}
    assert found["refused"] > 300
    assert found["taken"] > 50


@pytest.mark.exhaustive
def test_damaged_model_files_made_of_fasttexts(tmp_path):
    found = in_its_own_process("survive_saved", tmp_path, 150)
    assert found["wrong"] == {}
    assert found["refused"] > 100
    assert found["taken"] > 100


@pytest.mark.parametrize("options", BASES.values(), ids=BASES)
def test_every_truncation_is_refused(tmp_path, options):
    path = tmp_path / "model.bin"
    content = hand_made(**options).content()
    path.write_bytes(content)
    from_fasttext(path)
    with open(path, "r+b", buffering=0) as file:
        for n_bytes in reversed(range(len(content))):
            file.truncate(n_bytes)
            with pytest.raises(ModelFileError):
                from_fasttext(path)
    path.write_bytes(content + b"\0")
    with pytest.raises(ModelFileError, match="1 bytes are left behind its end"):
        from_fasttext(path)


def test_files_that_are_something_else(tmp_path):
    path = tmp_path / "model.bin"
    with pytest.raises(FileNotFoundError):
        from_fasttext(path)
    with pytest.raises(ModelFileError, match="is not a regular file"):
        from_fasttext(tmp_path)
    TextClassifier().fit(["free money", "lunch"], ["a", "b"]).save(tmp_path / "saved")
    others = {
        "text": b"__label__a free money\n" * 100,
        "utf-16": "__label__a free money".encode("utf-16"),
        "pickle": pickle.dumps({"model": np.arange(100)}),
        "saved": (tmp_path / "saved").read_bytes(),
        "zeros": bytes(10_000),
        "short": b"\xba",
    }
    for content in others.values():
        path.write_bytes(content)
        with pytest.raises(ModelFileError, match="is not a fastText model"):
            from_fasttext(path)
    path.write_bytes(b"")
    with pytest.raises(ModelFileError, match="is empty"):
        from_fasttext(path)
    with pytest.raises(ModelFileError):
        load(hand_made().write(path))


def test_a_dictionary_that_contradicts_itself(tmp_path):
    path = tmp_path / "model.bin"
    for options in (
        {"words": [b"alpha", b"beta", b"alpha"]},
        {"words": [b"alpha", b"same"], "labels": [b"same", b"other"]},
        {"labels": [b"same", b"same"]},
        {"form": "pruned", "word_ngrams": 2, "pruned": [(3, 0), (3, 1)]},
        {"form": "pruned", "word_ngrams": 2, "pruned": [(3, 0), (4, 0)]},
        {"form": "pruned", "word_ngrams": 2, "pruned": [(3, 0), (50, 1)]},
        {"form": "pruned", "word_ngrams": 2, "pruned": [(3, 0), (-1, 1)]},
        {"form": "pruned", "word_ngrams": 2, "pruned": [(3, 0), (4, 2)]},
    ):
        with pytest.raises(ModelFileError, match="stands twice"):
            from_fasttext(hand_made(**options).write(path))
    made = hand_made()
    content = made.content()
    types = [content.index(word + b"\0") + len(word) + 9 for word in (*made.words, *made.labels)]
    for at in types:
        path.write_bytes(content[:at] + bytes([1 - content[at]]) + content[at + 1 :])
        with pytest.raises(ModelFileError, match=r"entry \d of the dictionary is of type"):
            from_fasttext(path)


@pytest.mark.parametrize("rows", [True, False], ids=["rows", "columns"])
def test_a_matrix_without_numbers_may_say_any_size(tmp_path, rows):
    made = hand_made()
    content, at = made.content(), made.sections["input"] + 1
    for size in (6, 2**31, 2**62, 2**63 - 1):
        sizes = struct.pack("<2q", *((size, 0) if rows else (0, size)))
        behind = len(content) - made.sections["output"]
        (tmp_path / "model.bin").write_bytes(content[:at] + sizes + content[-behind:])
        with pytest.raises(ModelFileError):
            from_fasttext(tmp_path / "model.bin")


@pytest.mark.parametrize("rank", ["keep", "collapse"])
@pytest.mark.parametrize("matrix", ["input", "output"])
def test_numbers_that_are_too_large_or_none(tmp_path, rank, matrix):
    for subwords in ((0, 0), (2, 3)):
        for n_labels in (2, 3):
            for number in (3.4e38, np.inf, np.nan):
                made = hand_made(n_labels=n_labels, subwords=subwords)
                getattr(made, matrix).table[:] = number
                getattr(made, matrix).table[0] *= -1
                path = made.write(tmp_path / "model.bin")
                if number == 3.4e38:
                    with contextlib.suppress(ModelFileError):  # finite, or refused
                        model = from_fasttext(path, rank=rank)
                        assert np.isfinite(model.decision_function(TEXTS)).all()
                else:
                    with pytest.raises(ModelFileError, match="not all of its numbers are finite"):
                        from_fasttext(path, rank=rank)


@pytest.mark.parametrize("version", [0, 10, 13, -1])
def test_other_versions(tmp_path, version):
    with pytest.raises(ModelFileError, match=f"is of version {version} of fastText's format"):
        from_fasttext(hand_made(version=version).write(tmp_path / "model.bin"))


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    old = signal.signal(signal.SIGALRM, too_slow)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        with pytest.raises(ModelFileError, match="is not a regular file"):
            from_fasttext(tmp_path / "pipe")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)

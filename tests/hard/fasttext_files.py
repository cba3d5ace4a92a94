"""fastText's model files with defects: a model whose scores are numbers, or `ModelFileError`.

The files are hand-made ones, whose every number can be aimed at, and those that fastText itself
saves: all losses, dense, quantised and pruned.
"""

import random
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from tests.faults.test_fasttext_file import BASES, EXTREMES, FLOATS, mutated, number_fields
from tests.hard.battery import Line, scaled
from tests.hard.limited import folder_for_workers, scratch_folder
from tests.hard.tally import Tally
from tests.hard.workers import failing_cases
from tests.model.fasttext.models import FORMS, LOSSES, hand_made, trained

from wordodds import ModelFileError, from_fasttext, load

N_HAND_MADE = 6_000
N_TRAINED = 6_000
TEXTS = ["alpha beta <x> new w1 w2", "é日本 __label__l0 alpha </s> beta", "", "ünknown 日 " * 20]
RANKS = ("auto", "keep", "collapse")
# Where fastText's fixed fields lie: signature, arguments, dictionary.
FIXED = [(offset, 4) for offset in range(0, 56, 4)] + [(64, 4), (68, 4), (72, 4), (76, 8), (84, 8)]


class Saved(NamedTuple):
    """A file that fastText saved."""

    name: str
    content: bytes


def saved_by_fasttext() -> list[Saved]:
    """Train and save one model of each loss and form."""
    found = []
    for loss in LOSSES:
        for form in FORMS:
            ngrams = 2 if form in ("dense", "pruned") else 1
            subwords = (2, 3) if form == "pruned" or loss == "hs" else (0, 0)
            n_labels = 300 if form == "output" else 5  # fastText quantises no fewer
            _, path = trained(loss, ngrams, subwords, n_labels, form)
            found.append(Saved(f"{loss}, {form}", Path(path).read_bytes()))
    return found


def damaged(rng: random.Random, content: bytes) -> bytes:
    """Return the content with one random defect, or a few."""
    raw = bytearray(content)
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        at = rng.randrange(len(raw))
        what = rng.randrange(9)
        if what <= 2:
            # The fields first; those of the dictionary and the matrices lie anywhere.
            offset, size = rng.choice(FIXED) if what < 2 else (at, rng.choice([4, 8]))
            layout, values = EXTREMES[size]
            if offset + size <= len(raw):
                struct.pack_into(layout, raw, offset, rng.choice([*values, rng.randrange(300)]))
        elif what == 3:
            raw[at] ^= 1 << rng.randrange(8)
        elif what == 4:
            raw[at] = rng.randrange(256)
        elif what == 5:
            del raw[max(at, 1) :]
        elif what == 6:
            raw[at:at] = rng.randbytes(rng.choice([1, 4, 8, 100]))
        elif what == 7:
            del raw[at : at + rng.choice([1, 4, 8, 100])]
        else:
            end = min(at + 4 * rng.choice([1, 16]), len(raw))
            raw[at:end] = (struct.pack("<f", rng.choice(FLOATS)) * 16)[: end - at]
        raw = raw or bytearray(b"\0")
    return bytes(raw)


def convert_and_ask(path: Path, rank: str) -> str:
    """Return what becomes of a file."""
    try:
        model = from_fasttext(path, rank=rank)
    except ModelFileError:
        return "refused"
    model.n_jobs = 1
    scores = model.decision_function(TEXTS)
    assert np.isfinite(scores).all(), scores
    chances = model.predict_proba(TEXTS)
    assert ((chances >= 0.0) & (chances <= 1.0 + 1e-3)).all(), chances
    labels = model.predict(TEXTS)
    assert set(labels.tolist()) <= set(model.labels.tolist())
    if model.tree is None:
        check_explanation(model, scores)
    # What is saved and loaded is the same model.
    model.save(f"{path}.wordodds")
    again = load(f"{path}.wordodds")
    again.n_jobs = 1
    np.testing.assert_array_equal(again.decision_function(TEXTS), scores)
    np.testing.assert_array_equal(again.predict(TEXTS), labels)
    return "taken"


def check_explanation(model: object, scores: np.ndarray) -> None:
    """Check that explanations add up to the scores; float32 weights are added in another order."""
    first, second = model.labels[:2].tolist()
    for text, row in zip(TEXTS, scores.reshape(len(TEXTS), -1), strict=True):
        explanation = model.explain(text, second, first)
        expected = row[0] if len(row) == 1 else row[1] - row[0]
        sizes = [abs(part.contribution) for part in explanation.contributions]
        assert abs(explanation.score - expected) <= 1e-5 * (1.0 + sum(sizes) + np.abs(row).max())
        assert "\0" not in str(explanation)


def run(share: float) -> Iterator[Line]:
    """Run the shard."""
    bases = {name: hand_made(**options) for name, options in BASES.items()}
    fields = {name: number_fields(made) for name, made in bases.items()}
    names = list(bases)

    def aimed(rng: random.Random, number: int) -> bytes:
        name = names[number % len(names)]
        return mutated(rng, bases[name], fields[name])

    files = saved_by_fasttext()

    def blind(rng: random.Random, number: int) -> bytes:
        return damaged(rng, files[number % len(files)].content)

    with folder_for_workers():
        yield _line(f"mutations of {len(names)} hand-made files", N_HAND_MADE, share, aimed)
        yield _line(f"mutations of {len(files)} trained files", N_TRAINED, share, blind)


def _line(
    tried: str, n_full: int, share: float, content_of: Callable[[random.Random, int], bytes]
) -> Line:
    outcomes = Tally("refused", "taken")

    def mutation(number: int) -> None:
        rng = random.Random(number)
        path = scratch_folder() / "model.bin"
        path.unlink(missing_ok=True)
        path.write_bytes(content_of(rng, number))
        outcomes.add(convert_and_ask(path, RANKS[number % 3]))

    n = scaled(n_full, share)
    failures = failing_cases(mutation, n, seconds_max=20.0)
    return Line(f"{tried} of fastText's, read and scored", n, failures, str(outcomes))

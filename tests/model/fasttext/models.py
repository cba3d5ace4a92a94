"""Models of fastText: trained by it once a session, and files written by hand without it."""

import atexit
import os
import random
import shutil
import struct
import tempfile
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

MAGIC, SUPERVISED = 793712314, 3
LOSSES = {"hs": 1, "ns": 2, "softmax": 3, "ova": 4}
FORMS = {
    "dense": None,
    "quantised": {"qnorm": False, "dsub": 3},  # 10 dimensions: the last part is narrower
    "norms": {"qnorm": True},
    # Fewer rows than there are words and buckets; 256 is the least that fastText quantises.
    "pruned": {"qnorm": False, "cutoff": 260, "retrain": False},
    "output": {"qnorm": True, "qout": True},
}
LEXICON = [f"w{i}" for i in range(240)] + [
    *("日本", "été", "naïve", "слово", "emoji😀", "ß", "Ünï", "<w1>", "a<b>c", "a\xa0b", "x\x85y"),
    *("ǅ", "e\u0301", "مرحبا", "ﬁ", "\u200bzero", "🏳️‍🌈", "W1", "</S>", "_", "label__c0", "__label"),
    *(f"wörter{i}" for i in range(20)),
]


@cache
def fasttext() -> ModuleType:
    """Return fastText, or skip the test, but in CI, where it is installed."""
    try:
        import fasttext
    except ImportError as error:
        if os.environ.get("CI"):
            pytest.fail(f"fastText cannot be imported: {error}")
        pytest.skip(f"needs fastText, pip install fasttext-numpy2: {error}")
    fasttext.FastText.eprint = lambda *_: None  # it warns of its own constructor
    return fasttext


@cache
def _folder() -> Path:
    folder = tempfile.mkdtemp(prefix="wordodds-fasttext-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


def sentences(n: int, n_labels: int, seed: int = 0) -> list[tuple[str, str]]:
    """Return labels and made-up texts that go with them, every word of the lexicon among them."""
    rng = random.Random(seed)
    rest = list(LEXICON)
    found = []
    for i in range(n):
        own = [LEXICON[(i % n_labels * 7 + j) % len(LEXICON)] for j in range(5)]
        words = rng.choices(own, k=rng.randrange(1, 5)) + rng.choices(LEXICON, k=rng.randrange(4))
        words += [rest.pop() for _ in range(min(2, len(rest)))]
        rng.shuffle(words)
        found.append((f"__label__c{i % n_labels}", " ".join(words)))
    return found


@cache
def _corpus(n_labels: int) -> str:
    path = _folder() / f"{n_labels}.txt"
    lines = [f"{label} {text}\n" for label, text in sentences(max(200, n_labels), n_labels)]
    path.write_text("".join(lines), encoding="utf-8")
    return str(path)


@lru_cache(maxsize=4)
def trained(loss, word_ngrams=1, subwords=(0, 0), n_labels=2, form="dense"):
    """Return fastText's model and where it is saved; each is trained and quantised once."""
    path = _saved(loss, word_ngrams, subwords, n_labels, form)
    # With negative sampling fastText fills a table of 40 MB whenever it touches a model, and then
    # predicts as with one-vs-all. That it does is seen with dense models.
    return fasttext().load_model(path if form == "dense" else f"{path}-read"), path


@cache
def _saved(loss, word_ngrams, subwords, n_labels, form):
    path = str(_folder() / f"{loss}-{word_ngrams}-{subwords[1]}-{n_labels}-{form}")
    if form == "dense":
        # fasttext-numpy2 fills all of its matrix only with 10 threads that divide its size evenly.
        model = fasttext().train_supervised(
            _corpus(n_labels),
            loss=loss,
            wordNgrams=word_ngrams,
            minn=subwords[0],
            maxn=subwords[1],
            dim=10,
            epoch=5,
            lr=0.1,
            bucket=150,
            thread=10,
            verbose=0,
        )
        model.save_model(path)
        return path
    dense = Path(_saved(loss, word_ngrams, subwords, n_labels, "dense")).read_bytes()
    other = "ova" if loss == "ns" else loss
    Path(f"{path}-read").write_bytes(_with_loss(dense, other))
    model = fasttext().load_model(f"{path}-read")
    model.quantize(**FORMS[form])
    model.save_model(f"{path}-read")
    Path(path).write_bytes(_with_loss(Path(f"{path}-read").read_bytes(), loss))
    return path


def _with_loss(content: bytes, loss: str) -> bytes:
    at = 8 + 4 * 6
    return content[:at] + struct.pack("<i", LOSSES[loss]) + content[at + 4 :]


@dataclass
class Dense:
    """A matrix as it is."""

    table: np.ndarray

    def content(self) -> bytes:
        return struct.pack("<2q", *self.table.shape) + self.table.astype("<f4").tobytes()


@dataclass
class Quantised:
    """A matrix whose rows are put together from centroids: parts of this width, and a last one."""

    n_rows: int
    dim: int
    width: int
    with_norms: bool
    rng: np.random.Generator

    def __post_init__(self):
        n_parts = -(-self.dim // self.width)
        self.widths = [self.width] * (n_parts - 1) + [self.dim - self.width * (n_parts - 1)]
        self.parts = [self.rng.normal(size=(256, w)).astype("<f4") for w in self.widths]
        self.codes = self.rng.integers(0, 256, (self.n_rows, n_parts), dtype=np.uint8)
        self.norms = self.rng.random(256).astype("<f4")
        self.norm_codes = self.rng.integers(0, 256, self.n_rows, dtype=np.uint8)

    @property
    def table(self) -> np.ndarray:
        rows = []
        for codes, norm in zip(self.codes, self.norm_codes, strict=True):
            row = np.concatenate([p[c] for p, c in zip(self.parts, codes, strict=True)])
            rows.append(row.astype(float) * (float(self.norms[norm]) if self.with_norms else 1.0))
        return np.array(rows).reshape(self.n_rows, self.dim)

    def content(self) -> bytes:
        raw = struct.pack("<?2qi", self.with_norms, self.n_rows, self.dim, self.codes.size)
        raw += self.codes.tobytes()
        raw += struct.pack("<4i", self.dim, len(self.parts), self.width, self.widths[-1])
        raw += b"".join(part.tobytes() for part in self.parts)
        if self.with_norms:
            raw += self.norm_codes.tobytes() + struct.pack("<4i", 1, 1, 1, 1) + self.norms.tobytes()
        return raw


@dataclass
class HandMade:
    """A file of fastText, field by field."""

    words: list[bytes]
    labels: list[bytes]
    input: Dense | Quantised
    output: Dense | Quantised
    loss: str = "softmax"
    word_ngrams: int = 1
    subwords: tuple[int, int] = (0, 0)
    n_buckets: int = 0
    pruned: list[tuple[int, int]] | None = None
    counts: list[int] | None = None
    """Of the labels."""
    version: int = 12
    model: int = SUPERVISED
    sections: dict[str, int] = field(default_factory=dict)
    """Where each part of the content begins, once it was made."""

    def content(self) -> bytes:
        dim, loss, (minn, maxn) = self.output.table.shape[1], LOSSES[self.loss], self.subwords
        counts = self.counts or range(len(self.labels), 0, -1)
        parts = {
            "signature": struct.pack("<2i", MAGIC, self.version),
            "arguments": struct.pack(
                *("<12id", dim, 5, 5, 1, 5, self.word_ngrams, loss, self.model, self.n_buckets),
                *(minn, maxn, 100, 1e-4),
            ),
            "dictionary": struct.pack(
                *("<3i2q", len(self.words) + len(self.labels), len(self.words), len(self.labels)),
                *(1000, -1 if self.pruned is None else len(self.pruned)),
            ),
            "entries": b"".join(w + b"\0" + struct.pack("<qb", 7, 0) for w in self.words)
            + b"".join(
                label + b"\0" + struct.pack("<qb", count, 1)
                for label, count in zip(self.labels, counts, strict=True)
            ),
            "pruned": b"".join(struct.pack("<2i", *pair) for pair in self.pruned or ()),
            "input": bytes([isinstance(self.input, Quantised)]) + self.input.content(),
            "output": bytes([isinstance(self.output, Quantised)]) + self.output.content(),
        }
        raw = b""
        for name, part in parts.items():
            self.sections[name] = len(raw)
            raw += part
        return raw

    def write(self, path) -> str:
        Path(path).write_bytes(self.content())
        return str(path)


WORDS = [b"</s>", b"alpha", b"beta", "é日本".encode(), b"gamma", b"<x>"]


def hand_made(n_labels=3, dim=5, form="dense", quantised_output=False, seed=0, **options):
    """Return a file of random numbers; form is "dense", "quantised", "norms" or "pruned"."""
    rng = np.random.default_rng(seed)
    made = {"words": WORDS, "n_buckets": 0, "pruned": None, **options}
    made.setdefault("labels", [f"__label__l{i}".encode() for i in range(n_labels)])
    if made.get("word_ngrams", 1) > 1 or made.get("subwords", (0, 0))[1] > 0:
        made["n_buckets"] = made["n_buckets"] or 50
    n_rows = len(made["words"]) + made["n_buckets"]
    if form == "pruned" and made["pruned"] is None:
        kept = rng.permutation(made["n_buckets"])[: made["n_buckets"] // 2].tolist()
        made["pruned"] = list(zip(kept, rng.permutation(len(kept)).tolist(), strict=True))
    if made["pruned"] is not None:
        n_rows = len(made["words"]) + len(made["pruned"])
    with_norms = form == "norms"

    def matrix(n, is_quantised, width):
        if is_quantised:
            return Quantised(n, dim, width, with_norms, rng)
        return Dense(rng.normal(size=(n, dim)).astype(np.float32))

    made["input"] = matrix(n_rows, form != "dense", 2)
    made["output"] = matrix(len(made["labels"]), quantised_output, 3)
    return HandMade(**made)


def hash_of(raw: bytes) -> int:
    """Return FNV-1a as fastText has it: bytes count as signed."""
    h = np.uint32(2166136261)
    with np.errstate(over="ignore"):
        for byte in np.frombuffer(raw, np.int8):
            h = (h ^ np.uint32(int(byte) & 0xFFFFFFFF)) * np.uint32(16777619)
    return int(h)


def rows_of(made: HandMade, line: bytes) -> list[int]:
    """Return the rows of the input matrix that a line has, in fastText's own terms."""
    for separator in b"\t\v\f\r\n\0":
        line = line.replace(bytes([separator]), b" ")
    minn, maxn = (0, 0) if made.version == 11 else made.subwords
    place = None if made.pruned is None else dict(made.pruned)
    rows, hashes = [], []

    def push(bucket):
        if place is None or bucket in place:
            rows.append(len(made.words) + (bucket if place is None else place[bucket]))

    for token in [*filter(None, line.split(b" ")), b"</s>"]:
        known = token in made.words
        if token in made.labels or (not known and token.startswith(b"__label__")):
            continue
        if known:
            rows.append(made.words.index(token))
        if token != b"</s>":
            text = f"<{token.decode()}>"
            spans = [(i, i + n) for i in range(len(text)) for n in range(max(minn, 1), maxn + 1)]
            for i, j in spans:
                if j <= len(text) and not (j == i + 1 and (i == 0 or j == len(text))):
                    push(hash_of(text[i:j].encode()) % made.n_buckets)
        hashes.append(hash_of(token))
        if token == b"</s>":
            break
    signed = [h - 2**32 if h >= 2**31 else h for h in hashes]
    for i in range(len(signed)):
        h = signed[i]
        for other in signed[i + 1 : i + made.word_ngrams]:
            h = (h * 116049371 + other) % 2**64
            push(h % 2**64 % made.n_buckets)
    return rows


def raw_scores(made: HandMade, texts) -> np.ndarray:
    """Return A · mean(E[f]) of each text, zeros where it has no feature."""
    E, A = made.input.table.astype(float), made.output.table.astype(float)
    means = [
        E[rows].mean(axis=0) if rows else 0 * E[0]
        for rows in (rows_of(made, text.encode()) for text in texts)
    ]
    return np.array(means) @ A.T

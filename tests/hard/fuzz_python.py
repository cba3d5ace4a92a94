"""Fuzz targets for the readers in Python, for Atheris (libFuzzer for Python).

    python -m tests.hard.fuzz_python model_header -max_total_time=60
    python -m tests.hard.fuzz_python model_header crash-0123abcd    runs one input again

Each function of `TARGETS` reads one input. What must hold: a result or the documented exception,
nothing else; where the standard library reads the same format, its answer. `seeds` of a target are
made when it starts.
"""

import contextlib
import csv
import gc
import io
import json
import os
import random
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from types import FunctionType
from typing import Any, NamedTuple

import atheris

with atheris.instrument_imports(include=["wordodds"], enable_loader_override=False):
    pass

from tests.faults.test_model_file import TEXTS, hashed_model, small_model
from tests.hard.json_mutator import mutated_json
from tests.model.fasttext.models import hand_made

from wordodds import ModelFileError, from_fasttext, load
from wordodds._core.base import checksum
from wordodds.cli.journal import JOURNAL, Journal
from wordodds.cli.options import UsageError
from wordodds.corpora import BadRows, CorpusError, ReadOptions, read_batches

# libFuzzer ends the process at once: the caller that names a folder also removes it.
FOLDER = Path(os.environ.get("WORDODDS_FUZZ_FOLDER") or tempfile.mkdtemp(prefix="wordodds-fuzz-"))


class Target(NamedTuple):
    """A reader of one input, and inputs to begin with."""

    read: Callable[[bytes], None]
    seeds: Callable[[], Iterator[bytes]]
    prefix: int | None = None  # bytes before what is JSON, if it is


def put(name: str, content: bytes) -> str:
    """Write a file of the scratch folder and return where it is."""
    path = FOLDER / name
    path.write_bytes(content)
    return str(path)


# Model files: the header and the arrays apart, each with the checksum that it then has.


def saved_models() -> list[bytes]:
    """Return files of small models, one for each kind of features."""
    models = [small_model(), small_model(calibrated=True), hashed_model()]
    for form in ("dense", "pruned"):
        made = hand_made(form=form, word_ngrams=2, subwords=(2, 3))
        models += [from_fasttext(made.write(FOLDER / "made.bin"))]
    files = []
    for model in models:
        model.save(FOLDER / "made.wordodds")
        files.append((FOLDER / "made.wordodds").read_bytes())
    return files


def header_end(content: bytes) -> int:
    """Return where the arrays of a model file begin."""
    return 8 + int.from_bytes(content[:8], "little")


def use_model(path: str) -> None:
    """Load a model and ask it: wrong numbers give wrong answers, text that is none a ValueError."""
    try:
        model = load(path)
    except ModelFileError:
        return
    model.n_jobs = 1
    with contextlib.suppress(ValueError):
        assert set(model.predict(TEXTS).tolist()) <= set(model.labels.tolist())
        model.predict_proba(TEXTS)
        model.top_features(n=3)
        model.explain(TEXTS[0])


def read_model(head: bytes, data: bytes) -> None:
    """Load a file of a header and the arrays behind it, sealed by their checksum."""
    content = head + data
    use_model(put("model", content + checksum(content).to_bytes(8, "little")))


def model_header(data: bytes) -> None:
    """Any header, of the length that it says, before the arrays of a sound file."""
    base = FILES[data[0] % len(FILES)] if data else FILES[0]
    text = data[1:]
    head = text + b" " * (-(8 + len(text)) % 64)
    read_model(len(head).to_bytes(8, "little") + head, base[header_end(base) : -8])


def model_header_seeds() -> Iterator[bytes]:
    """Yield the headers of sound files."""
    for number, base in enumerate(FILES):
        yield bytes([number]) + base[8 : header_end(base)].rstrip(b" ")


def model_arrays(data: bytes) -> None:
    """Any bytes in the place of the arrays of a sound file."""
    base = FILES[data[0] % len(FILES)] if data else FILES[0]
    begin = header_end(base)
    sound = base[begin:-8]
    read_model(base[:begin], data[1 : 1 + len(sound)] + sound[max(0, len(data) - 1) :])


def model_arrays_seeds() -> Iterator[bytes]:
    """Yield the arrays of sound files."""
    for number, base in enumerate(FILES):
        yield bytes([number]) + base[header_end(base) : -8]


FILES: list[bytes] = []


def fasttext_file(data: bytes) -> None:
    """Any bytes as a model of fastText."""
    try:
        model = from_fasttext(put("model.bin", data))
    except ModelFileError:
        return
    model.n_jobs = 1
    labels = model.predict(["alpha beta </s>", "é日本 __label__x", ""])
    assert set(labels.tolist()) <= set(model.labels.tolist())


def fasttext_seeds() -> Iterator[bytes]:
    """Yield one file of each form."""
    for form in ("dense", "quantised", "norms", "pruned"):
        for loss in ("softmax", "ova", "hs"):
            options = {"form": form, "loss": loss, "word_ngrams": 2, "subwords": (2, 3)}
            path = hand_made(dim=2, n_buckets=8, **options).write(FOLDER / "made.bin")
            yield Path(path).read_bytes()


# The journal of a folder of predictions.
RUN = {
    "model": "sha256:ab",
    "options": {"on_error": "stop", "format": "jsonl"},
    "inputs": [{"path": "a.jsonl", "bytes": 9}, {"path": "b.jsonl", "bytes": 3}],
}


def part_name(number: int, part: int) -> str:
    """Return the name of a part as the command line gives it."""
    return f"{'ab'[number]}.part-{part:05}.jsonl"


def journal(data: bytes) -> None:
    """Any bytes as the journal of a folder with three finished parts."""
    for name in (part_name(0, 0), part_name(0, 1), part_name(1, 0)):
        if not (FOLDER / name).exists():
            put(name, b"{}\n")
    put(JOURNAL, data)
    taken = Journal(str(FOLDER), RUN)
    try:
        taken.resume(part_name)
    except (UsageError, CorpusError):
        assert not taken.parts
        return
    written = json.loads(data)
    assert [asdict(part) for part in taken.parts] == written["parts"]
    assert written["inputs"] == RUN["inputs"]
    assert written["model"] == RUN["model"]


def journal_seeds() -> Iterator[bytes]:
    """Yield journals of a run that is finished to none, one, two and three parts."""
    rest: dict[str, Any] = {
        "rows": 4,
        "skipped": 1,
        "bytes": 3,
        "bad_rows": ["a, line 2: not JSON"],
    }
    numbers = [(0, 0, 0, False), (0, 1, 2, True), (1, 0, 0, True)]
    parts = [
        {"file": part_name(number, part), "input": number, "first_batch": first, "n_batches": 2}
        | {"last": last}
        | rest
        for number, part, first, last in numbers
    ]
    for n in range(4):
        yield json.dumps({"format": 1, **RUN, "parts": parts[:n]}).encode()


# Corpora: rows as the modules csv and json have them.


def rows_of(name: str, data: bytes, options: ReadOptions) -> list[tuple[Any, ...]] | None:
    """Return number, text, label and kept column of each row, None if the corpus is refused."""
    try:
        return [
            row
            for batch in read_batches(put(name, data), options, BadRows(skip=True))
            for row in zip(
                batch.rows, batch.texts, batch.labels or [None] * len(batch.rows),
                *batch.extra.values(), strict=True,
            )
        ]  # fmt: skip
    except UnicodeError as error:
        raise AssertionError("an error of decoding that names no file") from error
    except (ValueError, OSError):
        return None


def decoded(data: bytes) -> str | None:
    """Return the text of a file without its byte order mark, None if it is not UTF-8."""
    try:
        return data.decode().removeprefix("\N{BYTE ORDER MARK}")
    except UnicodeDecodeError:
        return None


def delimited(data: bytes) -> None:
    """Any bytes as CSV or TSV, read in blocks of any size, under any options."""
    flags, size = (data[0], data[1]) if len(data) > 1 else (0, 0)
    header, quotes, tabs, labels, keep = (bool(flags >> bit & 1) for bit in range(5))
    kept = (("id",) if header else ("1",)) if keep else ()
    options = ReadOptions(
        labels=labels,
        header=header,
        quotes=quotes,
        keep=kept,
        batch_bytes=1 + size,
        encoding_errors=("strict", "replace", "ignore")[flags >> 5 & 1],
    )
    found = rows_of("table.tsv" if tabs else "table.csv", data[2:], options)
    text = decoded(data[2:])
    if found is None or text is None:
        return
    try:
        expected = csv_rows(text, options, "\t" if tabs else ",")
    except csv.Error:
        return  # a row that the reader skips, and after which both may go on otherwise
    assert found == expected, (found, expected)


def csv_rows(text: str, options: ReadOptions, delimiter: str) -> list[tuple[Any, ...]]:
    """Return the rows of a table as the module csv has them, in one piece."""
    quoting = csv.QUOTE_MINIMAL if options.quotes else csv.QUOTE_NONE
    lines = io.StringIO(text, newline="\n")
    reader = csv.reader(lines, delimiter=delimiter, strict=True, quoting=quoting)
    names: list[str] | None = None
    rows: list[tuple[Any, ...]] = []
    while True:
        number = reader.line_num + 1
        fields = next(reader, None)
        if fields is None:
            return rows
        if not fields:
            continue
        if names is None:
            names = fields if options.header else [str(n + 1) for n in range(len(fields))]
            if options.header:
                continue
        if len(fields) != len(names):
            continue
        of = dict(zip(names, fields, strict=True))
        label = (of["label"] if options.header else fields[0]) if options.labels else None
        if label != "":
            its_text = of["text"] if options.header else fields[-1]
            rows.append((number, its_text, label, *(of[name] for name in options.keep)))


def delimited_seeds() -> Iterator[bytes]:
    """Yield tables of each kind."""
    for flags in (0b01011, 0b11011, 0b11111, 0b00000, 0b01001):
        delimiter = "\t" if flags & 4 else ","
        rows = [["id", "label", "text"], ["1", "spam", 'fr"ee, été'], ["2", "ham", "two\nlines"]]
        if not flags & 2:
            rows = [[field.split("\n")[0].replace('"', "") for field in row] for row in rows]
        stream = io.StringIO(newline="")
        csv.writer(stream, delimiter=delimiter).writerows([*rows, [], ["3", "", "x"]])
        yield bytes([flags, 200]) + stream.getvalue().encode()
        yield bytes([flags | 32, 3]) + stream.getvalue().replace("\r\n", "\n").encode()


def jsonl(data: bytes) -> None:
    """Any bytes as JSONL, read in blocks of any size."""
    flags, size = (data[0], data[1]) if data[1:] else (0, 0)
    labels, keep = bool(flags & 1), bool(flags & 2)
    options = ReadOptions(
        labels=labels,
        keep=("id",) if keep else (),
        batch_bytes=1 + size,
        encoding_errors=("strict", "replace", "ignore")[flags >> 2 & 1],
    )
    found = rows_of("rows.jsonl", data[2:], options)
    text = decoded(data[2:])
    if found is None or text is None:
        return
    expected = []
    for number, line in enumerate(text.split("\n"), 1):
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if not isinstance(record, dict) or not isinstance(record.get("text"), str):
            continue
        label = record.get("label") if labels else None
        if labels and (not isinstance(label, str | int | float) or label == "" or label != label):
            continue
        if isinstance(label, float) and not label.is_integer():
            continue
        expected.append((number, record["text"], label, *([record.get("id")] if keep else [])))
    # repr, as NaN may be kept, and 1 == True.
    assert [repr(row) for row in found] == [repr(whole(row)) for row in expected], (found, expected)


def whole(row: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return a row whose label is a whole number where it was a float."""
    number, text, label, *kept = row
    return (number, text, int(label) if isinstance(label, float) else label, *kept)


def jsonl_seeds() -> Iterator[bytes]:
    """Yield records, sound and odd."""
    lines = [
        '{"text": "free money", "label": "spam", "id": 1}',
        ' {"text": "\\ud83d\\ude00 \\ud800", "label": 2.0, "id": null} ',
        "",
        '{"text": null, "label": true}\r',
        '{"text": "x", "label": 1e400, "id": [1, {"a": NaN}]}',
        "[" * 20,
        "not JSON",
    ]
    for flags in range(8):
        yield bytes([flags, 255]) + "\n".join(lines).encode()
        yield bytes([flags, 9]) + "\N{BYTE ORDER MARK}".encode() + lines[flags % 7].encode()


TARGETS = {
    "model_header": Target(model_header, model_header_seeds, 1),
    "model_arrays": Target(model_arrays, model_arrays_seeds),
    "fasttext_file": Target(fasttext_file, fasttext_seeds),
    "journal": Target(journal, journal_seeds, 0),
    "delimited": Target(delimited, delimited_seeds),
    "jsonl": Target(jsonl, jsonl_seeds),
}


def write_dictionary(seeds: list[bytes]) -> str:
    """Write the strings and numbers of text-like seeds, for the fuzzer to move about."""
    tokens = {
        token
        for seed in seeds
        for token in re.findall(rb'"[^"\\\\]{1,40}"|-?[0-9.]+|true|false|null', seed)
        if token.isascii() and token.decode().isprintable()
    }
    extra = [b"1e400", b"-1", b"9223372036854775808", b"NaN", b"\\ud800", b"[]", b"{}"]
    words = [
        token.decode().replace("\\", "\\\\").replace('"', '\\"')
        for token in (*sorted(tokens), *extra)
    ]
    return put("tokens.dict", "".join(f'"{word}"\n' for word in words[:2000]).encode())


def mutator(prefix: int) -> Callable[[bytes, int, int], bytes]:
    """Return a mutator that every second time changes JSON as JSON."""

    def mutate(data: bytes, max_size: int, seed: int) -> bytes:
        changed = mutated_json(data[prefix:], random.Random(seed)) if seed % 2 else None
        if changed is None or prefix + len(changed) > max_size:
            return bytes(atheris.Mutate(data, max_size))
        return data[:prefix] + changed

    return mutate


def instrument() -> int:
    """Make every function of the package report its branches; return their number.

    Afterwards, not by Atheris' hook for imports, which misses packages that are installed editable.
    """
    functions = [
        found
        for found in gc.get_objects()
        if isinstance(found, FunctionType) and str(found.__module__).startswith("wordodds.")
    ]
    for function in functions:
        atheris.instrument_func(function)
    return len(functions)


def main() -> None:
    """Fuzz the target that is named, with the other arguments for libFuzzer."""
    name, *arguments = sys.argv[1:]
    target = TARGETS[name]
    os.fsync = lambda descriptor: None  # nothing here must survive a power cut
    FILES.extend(saved_models())
    (FOLDER / "seeds").mkdir()
    seeds = list(target.seeds())
    for number, seed in enumerate(seeds):
        put(f"seeds/{number}", seed)
        target.read(seed)  # imports whatever is imported late
    assert instrument() > 0
    if not any(os.path.isfile(argument) for argument in arguments):
        arguments += [f"-dict={write_dictionary(seeds)}", str(FOLDER / "seeds")]
    mutators = {} if target.prefix is None else {"custom_mutator": mutator(target.prefix)}
    atheris.Setup([sys.argv[0], *arguments], target.read, **mutators)
    atheris.Fuzz()


if __name__ == "__main__":
    main()

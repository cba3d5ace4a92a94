"""What fastText's models and ours take, on disk and in memory: python -m benchmarks.footprint.

Each model has one process that loads it and labels the texts, and one that only imports the library
and reads the texts. The table has the resident memory of the first, and its excess over the second.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from wordodds import from_fasttext
from wordodds.datasets import load_newsgroups

from .setup import fasttext_models

PEAK = """
def resident():
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
"""
THEIRS = """
import sys, fasttext
fasttext.FastText.eprint = lambda message: None
texts = open(sys.argv[2], encoding="utf-8").read().splitlines()
if sys.argv[3] == "label":
    fasttext.load_model(sys.argv[1]).predict(texts)
print(resident())
"""
OURS = """
import sys, wordodds
wordodds.LinearModel  # what loading a model imports
texts = open(sys.argv[2], encoding="utf-8").read().splitlines()
if sys.argv[3] == "label":
    model = wordodds.load(sys.argv[1])
    model.n_jobs = 1
    model.predict(texts)
print(resident())
"""
KINDS = {
    "float32": {},
    "float16": {"dtype": "float16"},
    "float16, tolerance 0.3": {"dtype": "float16", "tolerance": 0.3},
}


def peak(program, model, texts):
    """Return the resident bytes of a process that labels texts, and above one that does not."""
    whole, base = (
        int(
            subprocess.run(
                [sys.executable, "-c", PEAK + program, model, texts, what],
                check=True,
                capture_output=True,
                text=True,
            ).stdout
        )
        for what in ("label", "import")
    )
    return whole, whole - base


def line_of(name, n_bytes, memory, first, measured=""):
    """Return a row of the table, with ratios to the first."""
    whole, above = memory
    ratios = [of_first / n for of_first, n in zip(first, (n_bytes, whole, above), strict=True)]
    cells = [
        f"{n / 1e6:.1f} MB" + (f", {ratio:.1f}x" if ratio != 1.0 else "")
        for n, ratio in zip((n_bytes, whole, above), ratios, strict=True)
    ]
    return f"| {' | '.join([name, *cells, measured])} |"


def main(arguments=None):
    """Print the table of the two-class model."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.footprint", description=__doc__)
    parser.parse_args(arguments)
    newsgroups = load_newsgroups("bydate", "train"), load_newsgroups("bydate", "test")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pair = fasttext_models.newsgroups_pair(
            folder, newsgroups, fasttext_models.is_computing, wordNgrams=2, epoch=3
        )
        texts = folder / "texts.txt"
        texts.write_text("\n".join(pair.texts), encoding="utf-8")
        memory = peak(THEIRS, pair.theirs, str(texts))
        n_bytes = Path(pair.theirs).stat().st_size
        first = (n_bytes, *memory)
        print("| model | file | resident | above import and texts | labels as before, accuracy |")
        print("|---|---|---|---|---|")
        print(line_of("fastText", n_bytes, memory, first))
        right = [f"__label__{label}" for label in pair.right]
        for kind, options in KINDS.items():
            model = from_fasttext(pair.theirs, texts=pair.texts, labels=right, **options)
            model.save(pair.ours)
            facts = model.source["measured"]
            agreement = f"{facts['same_label']:,} of {facts['texts']:,}, {facts['accuracy']:.4f}"
            size = Path(pair.ours).stat().st_size
            memory = peak(OURS, pair.ours, str(texts))
            print(line_of(f"ours, {kind}", size, memory, first, agreement))


if __name__ == "__main__":
    main()

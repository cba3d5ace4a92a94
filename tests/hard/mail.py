"""A small corpus of mail, and its files, for the shards that need something to learn."""

import json
import random
from pathlib import Path

__all__ = ["make_mail", "write_corpus"]

_COMMON = [f"word{n}" for n in range(400)]
_OWN = {
    "ham": ["lunch", "meeting", "notes", "thanks", "tomorrow", "friend", "report", "coffee"],
    "spam": ["free", "prize", "money", "claim", "winner", "cash", "cheap", "pills"],
    "news": ["minister", "vote", "storm", "match", "goal", "court", "price", "strike"],
}


def make_mail(n: int, seed: int = 0) -> tuple[list[str], list[str]]:
    """Return texts and their labels, of three classes in turn."""
    chance = random.Random(seed)
    labels = [list(_OWN)[row % 3] for row in range(n)]
    texts = [
        " ".join(
            chance.choices(_COMMON, k=12) + chance.choices(_OWN[label], k=4) + [f"rare{row // 2}"]
        )
        for row, label in enumerate(labels)
    ]
    return texts, labels


def write_corpus(path: Path, texts: list[str], labels: list[str]) -> Path:
    """Write texts and labels in the format that the name says: jsonl, csv or parquet."""
    from wordodds.corpora import open_writer

    if path.suffix == ".jsonl":  # no code of ours where none is needed
        rows = zip(texts, labels, strict=True)
        path.write_text("".join(json.dumps({"text": t, "label": y}) + "\n" for t, y in rows))
    else:
        with open_writer(path, {"text": str, "label": str}) as writer:
            writer.write({"text": texts, "label": labels})
    return path

"""Inputs that are JSON, changed as JSON: bytes changed at random seldom leave it well formed."""

import json
import random
from typing import Any

__all__ = ["mutated_json"]

_ODD: list[Any] = [
    None, True, False, 0, -1, 1, 2, 1.5, 1 << 31, 1 << 63, 1 << 70, float("nan"), float("inf"),
    "", "x", "\ud800", "\0", "../x", [], {}, [[]], {"a": 1}, ["a"], [0, 1],
]  # fmt: skip


def mutated_json(text: bytes, rng: random.Random) -> bytes | None:
    """Return the document with one value changed, None if it is no JSON."""
    try:
        document = json.loads(text)
        changed = _changed(document, rng)
        return json.dumps(changed, separators=(",", ":")).encode()
    except (ValueError, RecursionError):
        return None


def _changed(value: Any, rng: random.Random) -> Any:
    """Return a value with something in it changed, or another in its place."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        return _changed_object(value, rng)
    if isinstance(value, list) and value and rng.random() < 0.8:
        changed = list(value)
        at = rng.randrange(len(changed))
        what = rng.random()
        if what < 0.1:
            del changed[at]
        elif what < 0.2:
            changed.insert(at, changed[rng.randrange(len(changed))])
        else:
            changed[at] = _changed(changed[at], rng)
        return changed
    if isinstance(value, str) and value.startswith("{") and rng.random() < 0.9:
        inner = mutated_json(value.encode(errors="replace"), rng)  # an object within a string
        if inner is not None:
            return inner.decode()
    if type(value) is int and rng.random() < 0.5:
        return value + rng.choice([-1, 1, -value, value, 1 << 20])
    return rng.choice(_ODD)


def _changed_object(value: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    changed = dict(value)
    key = rng.choice(list(changed))
    what = rng.random()
    if what < 0.08:
        del changed[key]
    elif what < 0.14:
        changed[rng.choice([key + "x", ""])] = changed.pop(key)
    elif what < 0.22:
        changed[key] = changed[rng.choice(list(changed))]
    else:
        changed[key] = _changed(changed[key], rng)
    return changed

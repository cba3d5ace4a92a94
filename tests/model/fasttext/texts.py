"""Texts for models written by hand, and a model made of one."""

import random

from wordodds import from_fasttext

from .models import hand_made

TEXTS = [
    *("", "alpha", "alpha beta gamma", "é日本 alpha unknown wörd", "<x> x <> alpha", "new"),
    *("alpha\tbeta\x0bgamma\x0calpha\rbeta\0gamma\nnew", "alpha\xa0beta\x85 gamma", "é日"),
    *("__label__l0 alpha", "__label__new beta", "alpha </s> beta gamma", "alpha alpha alpha"),
]


def random_texts(n, seed=0):
    rng = random.Random(seed)
    words = ["alpha", "beta", "gamma", "é日本", "<x>", "new", "old", "naïve", "未知", "__label__l0"]
    return [" ".join(rng.choices(words, k=rng.randrange(30))) for _ in range(n)]


def model_of(tmp_path, made=None, read=None, **options):
    made = made or hand_made(**options)
    return made, from_fasttext(made.write(tmp_path / "model.bin"), **(read or {}))

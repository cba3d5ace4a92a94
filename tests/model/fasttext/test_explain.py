"""Explanations of fastText's models against features found one at a time, and of long words."""

import random
from collections import defaultdict

import numpy as np
import pytest

from wordodds.model.explanation import spread
from wordodds.model.fasttext import explain as fasttext_explain

from .models import hash_of
from .texts import TEXTS, model_of, random_texts

ODD = ["é日本😀x \ud800a", "</s>", "a </s> b", "__label__x y", "<x x <", "\ud83d\ude00 \x7f"]


def pieces_of(made, text):
    """Return each feature of a text in plain loops: its name, its rows, and where it stands."""
    words, at = [], 0
    for token in text.replace("\0", " ").split(" "):
        if token:
            words.append((token, (at, at + len(token))))
        at += len(token) + 1
    names = [word for word, _ in words]
    cut = names.index("</s>") if "</s>" in names else len(names)
    words = words[: cut + 1] if cut < len(names) else [*words, ("</s>", (len(text), len(text)))]
    known = [word.decode() for word in made.words]
    shortest, longest = made.subwords
    found, read = [], []
    for word, (begin, end) in words:
        if word.startswith("__label__"):
            continue
        padded, subwords = f"<{word}>", []
        for i in range(len(padded) if word != "</s>" else 0):
            for j in range(i + max(shortest, 1), min(i + longest, len(padded)) + 1):
                if j - i > 1 or 0 < i < len(padded) - 1:
                    place = (begin + max(i - 1, 0), min(begin + j - 1, end))
                    raw = padded[i:j].encode("utf-8", "surrogatepass")
                    row = len(known) + hash_of(raw) % made.n_buckets
                    subwords.append((padded[i:j], [row], [place]))
        if word in known:
            own = [known.index(word), *(row for _, (row,), _ in subwords)]
            found.append((word, own, [(begin, end)]))
        else:
            found += subwords
        read.append((word, (begin, end)))
    for i in range(len(read)):
        number = 0
        for j in range(i, min(i + made.word_ngrams, len(read))):
            own = hash_of(read[j][0].encode("utf-8", "surrogatepass"))
            number = (number * 116049371 + own - (own >> 31 << 32)) % 2**64
            if j > i:
                name = " ".join(word for word, _ in read[i : j + 1])
                row = len(known) + number % made.n_buckets
                found.append((name, [row], [place for _, place in read[i : j + 1]]))
    return found


@pytest.mark.parametrize("subwords", [(1, 1), (1, 4), (3, 6)])
@pytest.mark.parametrize("word_ngrams", [1, 4])
def test_contributions_are_those_found_one_at_a_time(tmp_path, subwords, word_ngrams):
    made, model = model_of(tmp_path, subwords=subwords, word_ngrams=word_ngrams)
    columns = made.output.table[1].astype(float) - made.output.table[0]
    weights = made.input.table.astype(float) @ columns
    for text in TEXTS + random_texts(5) + ODD:
        if set(text) & set("\t\n\v\f\r"):
            continue
        pieces = pieces_of(made, text)
        n_features = sum(len(rows) for _, rows, _ in pieces)
        counts, added, occurrences = defaultdict(int), defaultdict(float), []
        for name, rows, places in pieces:
            counts[name] += 1
            added[name] += weights[rows].sum() / n_features
            occurrences.append((weights[rows].sum() / n_features, places))
        explanation = model.explain(text, "__label__l1", "__label__l0")
        assert {part.feature: part.value for part in explanation.contributions} == counts
        for part in explanation.contributions:
            assert part.contribution == pytest.approx(added[part.feature], abs=1e-6)
        spans = spread(occurrences, len(text))
        assert [span[:2] for span in explanation.spans] == [span[:2] for span in spans]
        for span, expected in zip(explanation.spans, spans, strict=True):
            assert span.contribution == pytest.approx(expected.contribution, abs=1e-6)


def test_one_long_word_has_a_name_for_each_distinct_subword(tmp_path):
    _, model = model_of(tmp_path, subwords=(1, 255))
    text = "x" * 400
    explanation = model.explain(text, "__label__l1", "__label__l0")
    # x to x...x, <x to <x...x, and x> to x...x>
    assert len(explanation.contributions) == 255 + 254 + 254 + 1  # and the end of the line
    scores = model.decision_function([text])[0]
    assert explanation.score == pytest.approx(scores[1] - scores[0], abs=1e-9)


@pytest.mark.parametrize("word_ngrams", [1, 9])
def test_what_is_too_much_to_name_is_one_sum(tmp_path, monkeypatch, word_ngrams):
    monkeypatch.setattr(fasttext_explain, "_FEATURES_MAX", 1000)
    monkeypatch.setattr(fasttext_explain, "_CHARACTERS_MAX", 30_000)
    _, model = model_of(tmp_path, subwords=(1, 255), word_ngrams=word_ngrams)
    rng = random.Random(0)
    text = " ".join("".join(rng.choices("abcdé", k=40)) for _ in range(100))
    explanation = model.explain(text, "__label__l1", "__label__l0")
    names = [part.feature for part in explanation.contributions]
    assert "<other subwords and n-grams>" in names
    assert len(names) < 2 * 1000
    assert sum(map(len, names)) < 2 * 30_000
    n_subwords = 100 * (42 * 43 // 2 - 2)
    n_ngrams = sum(101 - n for n in range(1, word_ngrams))
    assert sum(part.value for part in explanation.contributions) == n_subwords + n_ngrams + 1
    scores = model.decision_function([text])[0]
    assert explanation.score == pytest.approx(scores[1] - scores[0], abs=1e-9)
    total = np.sum([span.contribution for span in explanation.spans])
    ends = [part.contribution for part in explanation.contributions if part.feature == "</s>"]
    assert total == pytest.approx(explanation.score - sum(ends), abs=1e-9)
    assert len(explanation._repr_html_()) < 2_000_000
    assert "more)" in str(explanation)

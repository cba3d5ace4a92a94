"""The vectorizers against scikit-learn's: all analyzers and options on random strings.

The same matrix, vocabulary and names, or an exception of the same kind, but for what `KNOWN` lists.
All is compared to the last bit, except

- 32-bit values that are multiplied by idf or divided by a norm, within two units in the last place:
  scikit-learn rounds each to 32 bits, the engine rounds once;
- logarithms of counts (``sublinear_tf``), within two units: NumPy's are not the same on every
  machine.
"""

import random
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import sklearn.feature_extraction.text as peer
from tests.hard.battery import Line, scaled
from tests.hard.outcomes import Failed, difference, outcome
from tests.hard.strings import pools, random_bytes, random_strings
from tests.hard.tally import Tally
from tests.hard.views import run_views
from tests.hard.workers import failing_cases

import wordodds

N_BATCHES = 4_000  # of each vectorizer
N_STRINGS = 20  # a batch: half to fit, half to transform


class Known(NamedTuple):
    """A difference that is meant, with what recognises it."""

    reason: str
    holds: Callable[[dict[str, Any], Any, Any], bool]


def idf_is_infinite(options: dict[str, Any], ours: Any, theirs: Any) -> bool:
    """Return whether scikit-learn gave infinite weights where we refuse to."""
    refused = isinstance(ours, Failed) and "has the idf inf" in str(ours.error)
    meant = options.get("vocabulary") is not None and options.get("smooth_idf") is False
    return refused and meant and not np.isfinite(theirs.data).all()


def other_document_first(options: dict[str, Any], ours: Any, theirs: Any) -> bool:
    """Return whether two documents were bad, each in its way, and the other one was named."""
    if not (isinstance(ours, Failed) and isinstance(theirs, Failed)):
        return False
    kinds = type(ours.error), type(theirs.error)
    return options["decode_error"] == "strict" and kinds == (UnicodeDecodeError, UnicodeEncodeError)


def term_is_no_text(options: dict[str, Any], ours: Any, theirs: Any) -> bool:
    """Return whether a given vocabulary has a term that no text can hold."""
    refused = isinstance(ours, Failed) and "terms of a vocabulary must be str" in str(ours.error)
    return refused and any(not isinstance(term, str) for term in options["vocabulary"])


KNOWN = [
    Known(
        "A term of a given vocabulary that no document of the fit has, with smooth_idf=False: its "
        "idf is 1/0. scikit-learn warns and gives infinities, which no classifier takes.",
        idf_is_infinite,
    ),
    Known(
        "A document that cannot be decoded and one before it whose features cannot be hashed: all "
        "documents are decoded before the first is counted. Either is a UnicodeError.",
        other_document_first,
    ),
    Known(
        "A given vocabulary with a term that is no str, such as 3: scikit-learn makes a column "
        "that stays empty, we raise TypeError.",
        term_is_no_text,
    ),
]


def options_of(rng: random.Random, name: str) -> dict[str, Any]:
    """Return random options of a vectorizer."""
    analyzer = rng.choice(["word", "word", "char", "char_wb"])
    options: dict[str, Any] = {
        "analyzer": analyzer,
        "ngram_range": rng.choice([(1, 1), (1, 1), (1, 2), (2, 2), (1, 4), (3, 6), (1, 20)]),
        "lowercase": rng.random() < 0.6,
        "strip_accents": rng.choice([None, None, "ascii", "unicode"]),
        "binary": rng.random() < 0.3,
        "encoding": rng.choice(["utf-8", "utf-8", "latin-1", "utf-16", "ascii", "utf-8-sig"]),
        "decode_error": rng.choice(["strict", "ignore", "replace"]),
    }
    if analyzer == "word":
        options["token_pattern"] = rng.choice(
            [
                *(r"(?u)\b\w\w+\b", r"(?u)\b\w\w+\b", r"(?u)\b\w+\b", r"\w+", r"\w{3,}", r"\w{1,}"),
                *(r"\b\w\w\w+\b", r"\b\w{2,}\b", r"(?u)\w\w+", r"[a-z]+", r"(\w)\w", r"\S+", "."),
            ]
        )
        options["stop_words"] = rng.choice(
            [None, None, "english", ["the", "of", "ab"], ["ss", "σας", "ΣΑΣ", "\u0131", "", "x1"]]
        )
    if rng.random() < 0.05:
        options["preprocessor"] = rng.choice([str.upper, str.casefold, str.strip])
    if rng.random() < 0.05:
        options["tokenizer"] = rng.choice([str.split, list, str.splitlines])
    if rng.random() < 0.05:
        options["strip_accents"] = rng.choice([peer.strip_accents_unicode, str.swapcase])
    if rng.random() < 0.03:
        options["analyzer"] = rng.choice([str.split, list, str.casefold])
    options |= OPTIONS[name](rng)
    return options | (rng.choice(WRONG[name]) if rng.random() < 0.03 else {})


def count_options(rng: random.Random) -> dict[str, Any]:
    """Return those that only vectorizers with a vocabulary have."""
    options: dict[str, Any] = {}
    if rng.random() < 0.3:
        options["min_df"] = rng.choice([1, 2, 3, 0.1, 0.25, 0.0])
        options["max_df"] = rng.choice([1.0, 0.9, 0.3, 4, 9])
        options["max_features"] = rng.choice([None, 1, 5, 50])
    if rng.random() < 0.15:
        options["vocabulary"] = rng.choice(
            [
                ["ab", "the", "a", " a", "İ".lower(), "σας", "ss", "\ud800", "e\u0301", "1"],
                {"a": 1, "b": 0, "the": 2, "日": 3},
                {"a": 0, "b": 2},
                ["a", "a"],
                {"the", "of"},
                [],
            ]
        )
    kinds = [np.int64, np.int64, np.int32, np.int8, np.uint16, np.float32, np.float64, np.bool_]
    return options | {"dtype": rng.choice(kinds)}


def tfidf_options(rng: random.Random) -> dict[str, Any]:
    """Return options of TfidfVectorizer."""
    return count_options(rng) | {
        "norm": rng.choice(["l1", "l2", "l2", None]),
        "use_idf": rng.random() < 0.7,
        "smooth_idf": rng.random() < 0.6,
        "sublinear_tf": rng.random() < 0.4,
        "dtype": rng.choice([np.float64, np.float64, np.float32]),
    }


def hashing_options(rng: random.Random) -> dict[str, Any]:
    """Return options of HashingVectorizer."""
    return {
        "n_features": rng.choice([1, 2, 7, 1024, 2**20, 2**31 - 1]),
        "alternate_sign": rng.random() < 0.6,
        "norm": rng.choice(["l1", "l2", None]),
        "dtype": rng.choice([np.float64, np.float64, np.float32]),
    }


WRONG_ANALYSIS: list[dict[str, Any]] = [
    *({"ngram_range": (2, 1)}, {"ngram_range": (0, 1)}, {"ngram_range": (1, 1, 1)}),
    *({"ngram_range": (1.0, 2.0)}, {"ngram_range": None}, {"token_pattern": "("}),
    *({"token_pattern": r"(\w)(\w)"}, {"token_pattern": None}, {"analyzer": "words"}),
    *({"strip_accents": "all"}, {"stop_words": "klingon"}, {"stop_words": 3}, {"lowercase": 2}),
    *({"decode_error": "nothing"}, {"encoding": "nothing"}, {"encoding": "hex"}, {"binary": "no"}),
    *({"preprocessor": 3}, {"tokenizer": "split"}, {"input": "text"}, {"dtype": "number"}),
]
WRONG_LIMITS: list[dict[str, Any]] = [
    *({"min_df": -1}, {"max_df": 1.5}, {"min_df": 5, "max_df": 2}, {"max_features": 0}),
    *({"max_features": 1.5}, {"vocabulary": {}}, {"vocabulary": 3}, {"vocabulary": {"a": "b"}}),
    *({"vocabulary": ["a", 3]}, {"vocabulary": {"a": 1}}, {"vocabulary": "abc"}),
]
WRONG = {
    "CountVectorizer": WRONG_ANALYSIS + WRONG_LIMITS,
    "TfidfVectorizer": [*WRONG_ANALYSIS, *WRONG_LIMITS, {"norm": "max"}, {"norm": 2}],
    "HashingVectorizer": [
        *WRONG_ANALYSIS,
        *({"n_features": 0}, {"n_features": 2**31}, {"n_features": 2.0}, {"norm": "max"}),
    ],
}
OPTIONS = {
    "CountVectorizer": count_options,
    "TfidfVectorizer": tfidf_options,
    "HashingVectorizer": hashing_options,
}


def compare(name: str, options: dict[str, Any], corpus: list[Any], unseen: list[Any]) -> str:
    """Return "same", "raised" or "known"; raise where both differ."""
    ours = getattr(wordodds, name)(**options, n_jobs=1 + len(corpus) % 3)
    theirs = getattr(peer, name)(**options)
    for documents, step in ((corpus, "fit_transform"), (unseen, "transform")):
        wanted = outcome(lambda s=step, d=documents: getattr(theirs, s)(d))
        found = outcome(lambda s=step, d=documents: getattr(ours, s)(d))
        differs = difference(found, wanted, options)
        if differs is not None:
            if any(known.holds(options, found, wanted) for known in KNOWN):
                return "known"
            raise AssertionError(f"{differs}: {name}(**{options}).{step}")
        if isinstance(wanted, Failed):
            return "raised"
    if name != "HashingVectorizer":
        assert ours.vocabulary_ == theirs.vocabulary_
        names = ours.get_feature_names_out(), theirs.get_feature_names_out()
        assert names[0].tolist() == names[1].tolist()
    if name == "TfidfVectorizer" and options["use_idf"]:
        np.testing.assert_allclose(ours.idf_, theirs.idf_, rtol=0, atol=0)
    return "same"


def run(share: float) -> Iterator[Line]:
    """Run the shard."""
    pools()  # before the workers are forked
    warnings.simplefilter("ignore")
    for name in OPTIONS:
        outcomes = Tally("same", "raised", "known")

        def batch(number: int, name: str = name, outcomes: Tally = outcomes) -> None:
            rng = random.Random(f"{name} {number}")
            options = options_of(rng, name)
            documents: list[Any] = random_strings(rng, N_STRINGS)
            if rng.random() < 0.2:
                documents = [
                    random_bytes(rng, text) if rng.random() < 0.8 else text for text in documents
                ]
            if rng.random() < 0.1:
                documents = [np.str_(d) if isinstance(d, str) else np.bytes_(d) for d in documents]
            half = N_STRINGS // 2
            outcomes.add(compare(name, options, documents[:half], documents[half:]))

        n = scaled(N_BATCHES, share)
        failures = failing_cases(batch, n)
        tried = f"{name} beside scikit-learn's, strings in batches of {N_STRINGS}"
        yield Line(tried, n * N_STRINGS, failures, f"batches: {outcomes}")
    yield from run_views(share)

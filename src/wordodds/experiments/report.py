"""The report of a run: figures beside what the lectures claim, and a verdict for each claim."""

import os
import platform
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from wordodds.experiments.claims import CLAIMS, Claim
from wordodds.experiments.experiment import Experiment, Finding, Plot
from wordodds.experiments.page import (
    Block,
    Heading,
    Image,
    Items,
    Paragraph,
    Table,
    to_html,
    to_markdown,
)
from wordodds.experiments.table import versions, write_file

__all__ = ["NOTE", "Outcome", "claim_verdict", "write_report"]

# In the first lines of both files: a later run may replace them.
NOTE = "made by wordodds reproduce"
TITLE = "Naive Bayes against logistic regression, reproduced"


@dataclass(frozen=True)
class Outcome:
    """What became of an experiment."""

    experiment: Experiment
    seconds: float = 0.0
    findings: list[Finding] = field(default_factory=list)
    plots: list[Plot] = field(default_factory=list)
    n_rows: int = 0
    skipped: str = ""  # why there is nothing; empty where there is


def claim_verdict(findings: Sequence[Finding]) -> str:
    """Return one verdict for all findings about a claim."""
    verdicts = {finding.verdict for finding in findings} - {"not tested"}
    if not verdicts:
        return "not tested"
    return "borne out in part" if len(verdicts) == 2 else verdicts.pop()


def write_report(
    folder: Path,
    outcomes: Sequence[Outcome],
    heads: Sequence[Plot] = (),
    *,
    source: str,
    how: str,
    seconds: float,
) -> list[Path]:
    """Write ``report.md`` and ``report.html``."""
    facts = [
        f"Data: {source}",
        f"Run: {how}; {seconds:.0f} seconds, {os.cpu_count()} cores, {platform.machine()}",
        f"Versions: {versions()}",
    ]
    blocks = _blocks(folder, outcomes, heads, facts)
    pages = {
        "report.md": to_markdown(TITLE, blocks, note=NOTE),
        "report.html": to_html(TITLE, blocks, note=NOTE),
    }
    paths = [folder / name for name in pages]
    for path, text in zip(paths, pages.values(), strict=True):
        write_file(path, text.encode())
    return paths


def _blocks(
    folder: Path, outcomes: Sequence[Outcome], heads: Sequence[Plot], facts: Sequence[str]
) -> list[Block]:
    blocks: list[Block] = [
        Paragraph(
            "With few examples the generative model should win, with many the discriminative one: "
            "the lectures' claims about both, each held against numbers of this run. Intervals "
            "are 95 % intervals over the seeds unless a line says otherwise."
        ),
        Items(facts),
        *(_image(folder, plot) for plot in heads),
        Heading(2, "The claims", "claims"),
        Table(
            ["claim", "verdict", "what was measured"],
            [_claim_row(claim, outcomes) for claim in CLAIMS],
        ),
    ]
    for outcome in outcomes:
        blocks += _experiment_blocks(folder, outcome)
    return blocks


def _image(folder: Path, plot: Plot) -> Image:
    path = folder / "figures" / f"{plot.stem}.svg"
    caption = f"{plot.title}. {plot.caption}"
    return Image(path, f"figures/{plot.stem}.svg", caption, f"figure-{plot.stem}")


def _claim_row(claim: Claim, outcomes: Sequence[Outcome]) -> list[str]:
    said = f"{claim.id}. {claim.text} ({claim.source})"
    measured = [
        (outcome.experiment, [f for f in outcome.findings if f.claim == claim.id])
        for outcome in outcomes
    ]
    findings = [finding for _, own in measured for finding in own]
    if not findings:
        return [said, "not tested", _why_not(claim, outcomes)]
    lines = [_in_one_line(experiment, own) for experiment, own in measured if own]
    return [said, claim_verdict(findings), "\n".join(lines)]


def _in_one_line(experiment: Experiment, findings: Sequence[Finding]) -> str:
    """Return what an experiment says about a claim: its finding, or how many bear the claim out."""
    link = f"[{experiment.title.partition(':')[0]}](#{experiment.name})"
    if len(findings) == 1:
        (finding,) = findings
        return f"{link}: {finding.says}, {' / '.join(finding.number.splitlines())}"
    tested = [finding for finding in findings if finding.verdict != "not tested"]
    n_borne_out = sum(finding.verdict == "borne out" for finding in tested)
    line = f"{link}: {n_borne_out} of {len(tested)} findings bear it out"
    unclear = len(findings) - len(tested)
    return line + (f", {unclear} too uncertain to judge" if unclear else "")


def _why_not(claim: Claim, outcomes: Sequence[Outcome]) -> str:
    skipped = [
        f"{outcome.experiment.name}: {outcome.skipped}"
        for outcome in outcomes
        if claim.id in outcome.experiment.claims and outcome.skipped
    ]
    return "\n".join(skipped) or "its experiment was not part of this run"


def _experiment_blocks(folder: Path, outcome: Outcome) -> list[Block]:
    experiment = outcome.experiment
    blocks: list[Block] = [
        Heading(2, experiment.title, experiment.name),
        Paragraph(experiment.protocol),
    ]
    if outcome.skipped:
        return [*blocks, Paragraph(f"Skipped: {outcome.skipped}")]
    blocks += [_image(folder, plot) for plot in outcome.plots]
    if outcome.findings:
        rows = [
            [f.claim, f.verdict, f"[{f.says}](#figure-{f.figure})", f.number]
            for f in outcome.findings
        ]
        blocks.append(Table(["claim", "verdict", "says", "measured"], rows))
    table = f"results/{experiment.name}.csv"
    blocks.append(
        Paragraph(f"{outcome.n_rows:,} rows in [{table}]({table}), {outcome.seconds:.1f} seconds.")
    )
    return blocks

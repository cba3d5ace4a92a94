"""Run the experiments: tables, figures and a report, from the data to the verdict."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from threadpoolctl import threadpool_limits

from wordodds._files.progress import duration
from wordodds.datasets import DatasetUnavailable
from wordodds.experiments import crossings, style
from wordodds.experiments.experiment import Experiment, Plot, Run, Summary
from wordodds.experiments.newsgroups import Data
from wordodds.experiments.page import quoted
from wordodds.experiments.report import NOTE, Outcome, write_report
from wordodds.experiments.studies import (
    boundaries,
    calibration,
    closed_form,
    convergence,
    cost,
    duplicates,
    indicator,
    other_texts,
    perceptron,
    priors,
    smoothing,
    sparse_counts,
    svd_columns,
    theory,
    uci,
)
from wordodds.experiments.table import Results

__all__ = ["EXPERIMENTS", "SUMMARIES", "chosen", "reproduce"]

EXPERIMENTS: tuple[Experiment, ...] = (  # in the order of the report
    *svd_columns.EXPERIMENTS,
    sparse_counts.EXPERIMENT,
    other_texts.EXPERIMENT,
    convergence.EXPERIMENT,
    theory.EXPERIMENT,
    uci.EXPERIMENT,
    smoothing.EXPERIMENT,
    calibration.EXPERIMENT,
    boundaries.EXPERIMENT,
    closed_form.EXPERIMENT,
    duplicates.EXPERIMENT,
    priors.EXPERIMENT,
    perceptron.EXPERIMENT,
    cost.EXPERIMENT,
    indicator.EXPERIMENT,
)
SUMMARIES = (
    Summary(svd_columns.HEADLINE, svd_columns.draw_curves),
    Summary(crossings.NEEDS, crossings.draw),
)

# What the beginning of each kind of file says when it is ours.
_MARKS = {
    ".md": NOTE.encode(),
    ".html": NOTE.encode(),
    ".svg": style.CREATOR.encode(),
    ".png": style.CREATOR.encode(),
}


def chosen(experiments: Sequence[Experiment], only: Sequence[str]) -> list[Experiment]:
    """Return the experiments of these names, in their own order; all where there are none."""
    names = [experiment.name for experiment in experiments]
    for name in only:
        if name not in names:
            raise ValueError(f"there is no experiment {name!r}; they are {', '.join(names)}")
    return [experiment for experiment in experiments if not only or experiment.name in only]


def reproduce(
    experiments: Sequence[Experiment],
    folder: Path,
    *,
    full: bool = False,
    seed: int = 0,
    n_jobs: int | None = None,
    data: Data | None = None,
    summaries: Sequence[Summary] = (),
    say: Callable[[str], object] = print,
) -> tuple[list[Outcome], list[Path]]:
    """Run experiments and write ``results``, ``figures``, ``report.md`` and ``report.html``.

    A table is written as soon as its experiment has ended, so that Ctrl-C loses one of them at
    most. Files that no earlier run has written are never replaced: they raise FileExistsError.
    """
    style.require_matplotlib()
    _check_folder(folder)
    run = Run(data or Data(), full=full, seed=seed, n_jobs=n_jobs)
    for name in ("results", "figures"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    begin = time.perf_counter()
    outcomes: list[Outcome] = []
    tables: dict[str, Results] = {}
    # The linear algebra library on one thread: its sums then do not depend on the number of cores,
    # and for products this small its threads mostly wait for each other.
    with threadpool_limits(1, user_api="blas"):
        for number, experiment in enumerate(experiments, 1):
            label = f"{number}/{len(experiments)} {experiment.name}"
            outcomes.append(_run_one(experiment, replace(run, label=label), folder, tables))
            left = _seconds_left(experiments, number, full, time.perf_counter() - begin)
            say(_line(outcomes[-1]) + (f", about {duration(left)} left" if left else ""))
    heads = [summary.draw(tables) for summary in summaries if tables.keys() >= set(summary.needs)]
    _save(heads, folder)
    how = f"{'full' if full else 'quick'} form, seed {seed}"
    seconds = time.perf_counter() - begin
    source = run.data.source
    paths = write_report(folder, outcomes, heads, source=source, how=how, seconds=seconds)
    return outcomes, paths


def _seconds_left(
    experiments: Sequence[Experiment], n_done: int, full: bool, elapsed: float
) -> float:
    """Return the seconds that the other experiments will take, at the pace of those that ended."""
    usual = [experiment.seconds[full] for experiment in experiments]
    return elapsed * sum(usual[n_done:]) / sum(usual[:n_done])


def _run_one(experiment: Experiment, run: Run, folder: Path, tables: dict[str, Results]) -> Outcome:
    begin = time.perf_counter()
    try:
        results = experiment.run(run)
    except DatasetUnavailable as error:
        return Outcome(experiment, skipped=quoted(str(error)))
    tables[experiment.name] = results
    results.write(folder / "results" / f"{experiment.name}.csv")
    plots = experiment.draw(results)
    _save(plots, folder)
    return Outcome(
        experiment,
        seconds=time.perf_counter() - begin,
        findings=experiment.judge(results),
        plots=plots,
        n_rows=len(results),
    )


def _save(plots: Sequence[Plot], folder: Path) -> None:
    for plot in plots:
        style.save(plot.figure, folder / "figures", plot.stem, plot.title)


def _line(outcome: Outcome) -> str:
    name = f"{outcome.experiment.name:<14}"
    if outcome.skipped:
        return f"{name} skipped: {outcome.skipped}"
    return f"{name} {outcome.seconds:6.1f} s  {outcome.n_rows:,} rows"


def _check_folder(folder: Path) -> None:
    """Refuse a folder where a run could replace what no earlier run has left."""
    for name in ("results", "figures"):
        if (folder / name).exists() and not (folder / name).is_dir():
            raise FileExistsError(
                f"{folder / name} is in the way of a folder; choose another one with --output"
            )
    places = [folder / "report.md", folder / "report.html"]
    places += [*folder.glob("results/*.csv"), *folder.glob("figures/*.[sp][vn]g")]
    for path in places:
        if (path.exists() or path.is_symlink()) and not _is_ours(path):
            raise FileExistsError(
                f"{path} is not from an earlier run and might be replaced; "
                "choose another folder with --output"
            )


def _is_ours(path: Path) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.read(2000)
    if path.suffix == ".csv":  # the first cell of its first row is its own name
        lines = head.split(b"\n", 2)
        return len(lines) > 1 and lines[1].split(b",")[0] == path.stem.encode()
    return _MARKS[path.suffix] in head

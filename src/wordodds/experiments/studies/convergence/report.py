"""Figures and findings of the experiment on convergence."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wordodds.experiments import style
from wordodds.experiments.display import ConvergenceDisplay, LearningCurveDisplay
from wordodds.experiments.experiment import About, Finding, Plot, verdict_of
from wordodds.experiments.intervals import Interval, exponent, mean_interval
from wordodds.experiments.table import Results
from wordodds.typing import Floats

NAME, LECTURE_FIGURE = "convergence", "convergence-lecture"
_X = ("iteration", "passes", "seconds")
IRLS, NEWTON_CG, LBFGS = "IRLS", "Newton-CG", "L-BFGS"
CG, GD, SGD = "conjugate gradients", "gradient descent", "SGD"
ROUGH, GOOD = 1e-2, 1e-6  # the gaps that are judged
FULL_BATCH = (IRLS, NEWTON_CG, LBFGS, CG, GD)
finding = About("C5", figure=NAME)


def draw(results: Results) -> list[Plot]:
    """Draw the gap against iterations, passes and seconds, the lecture's figure, and the costs."""
    return [
        _draw_paths(results.where(kind="path")),
        _draw_lecture(results.where(kind="lecture")),
        _draw_costs(results.where(kind="cost")),
    ]


def _draw_paths(paths: Results) -> Plot:
    problems = paths.unique("problem")
    shape, height = (len(problems), len(_X)), 2.1 * len(problems) + 0.6
    with style.panels(*shape, height=height, sharey=True, squeeze=False) as (figure, panels):
        for row, problem in zip(panels, problems, strict=True):
            part = paths.where(problem=problem)
            for ax, x in zip(row, _X, strict=True):
                _draw_path(ax, part, x)
                if problem != problems[-1]:
                    ax.set_xlabel("")
            n_rows, n_columns = part.value("size"), part.value("dims")
            words = "" if f"{n_columns} columns" in problem else f", {n_columns:,}"
            title = f"{problem}{words}; {n_rows:,} documents"
            row[0].set_title(title, loc="left")
        for ax in panels.flat:  # at the end: to draw on one panel sets the shared axis anew
            ax.minorticks_off()
        figure.supylabel("objective above the optimum (relative)", fontsize=9.0)
        names = panels[0, 0].get_legend_handles_labels()
        figure.legend(*names, loc="outside lower center", ncols=len(names[1]), columnspacing=1.0)
    caption = (
        "Who is lowest depends on what is counted. Relative gap to the optimum against iterations, "
        "passes over the rows and seconds on one thread, one seed; dotted grey, the gap that is "
        "judged; dotted pink, the noise floor of SGD, the least gap that it came to in its epochs: "
        "the noise of single rows keeps it there, and falls only as its steps shrink. IRLS would "
        "have a system of as many equations as there are words, or documents, times classes: it is "
        "not among the solvers of the last two. How many fewer iterations it needs depends on the "
        "columns: those of raw counts have a few extreme documents each, which are hard on "
        "gradient descent; of logarithms of counts they would be easier."
    )
    return Plot(NAME, "Solvers on the way to the optimum", caption, figure)


def _draw_path(ax: style.Axes, part: Results, x: str) -> None:
    ConvergenceDisplay.from_results(part, x=x, legend=False, ax=ax)
    ax.set(ylabel="", ylim=(GOOD / 12.0, 30.0))
    for line in ax.lines:
        line.set_markevery(-(-np.size(line.get_xdata()) // 5))
    _mark_powers(ax, x, part.column(x))
    ax.axhline(GOOD, color=style.GREY, linewidth=0.8, linestyle=":")
    floor = float(part.where(solver=SGD).column("gap").min())
    if floor > GOOD:
        ax.axhline(floor, color=style.colour_of(SGD), linewidth=0.8, linestyle=":")


def _draw_lecture(errors: Results) -> Plot:
    pairs = errors.unique("pair")
    with style.panels(1, len(pairs), height=2.8, sharey=True, squeeze=False) as (figure, axes):
        for ax, pair in zip(axes[0], pairs, strict=True):
            part = errors.where(pair=pair)
            LearningCurveDisplay.from_results(
                part, x="iteration", y="error", group="solver", legend=False, ax=ax
            )
            ax.set_title(pair.replace(" / ", "\nor "))
            ax.set(xlim=(0.0, None), ylim=(0.0, None))
            style.few_ticks(ax.xaxis)
        names = axes[0, 0].get_legend_handles_labels()
        figure.legend(*names, loc="outside lower center", ncols=2)
    caption = (
        "The lecture expects black (IRLS) down after a few iterations, long before light blue. "
        "Test error against iterations, IRLS and gradient descent, on 30 SVD columns of its three "
        f"pairs of groups; mean and 95 % interval over {len(errors.unique('seed'))} splits."
    )
    return Plot(LECTURE_FIGURE, "IRLS against gradient descent, as in the lecture", caption, figure)


def _mark_powers(ax: style.Axes, x: str, values: Floats) -> None:
    """Label powers of ten alone, and leave no room for negative iterations."""
    least = 1.0 if x == "iteration" else values[values > 0.0].min()
    first, last = np.floor(np.log10(least)), np.ceil(np.log10(values.max()))
    powers = 10.0 ** np.arange(first, last + 1)
    if x == "iteration":
        powers = np.append(0.0, powers)
        ax.set_xlim(-0.2, 1.2 * values.max())
    else:
        ax.set_xlim(0.8 * least, 1.2 * values.max())
        if ((powers >= 0.8 * least) & (powers <= 1.2 * values.max())).sum() < 2:
            powers = np.sort(np.concatenate([powers, 2.0 * powers, 5.0 * powers]))
    shown = powers[(powers >= ax.get_xlim()[0]) & (powers <= ax.get_xlim()[1])]
    ax.set_xticks(shown, [f"{power:g}" for power in shown])


def _draw_costs(costs: Results) -> Plot:
    with style.panels(1, 2, height=3.2, sharey=True) as (figure, panels):
        for ax, solver in zip(panels, (IRLS, CG), strict=True):
            for position, (size, part) in enumerate(costs.where(solver=solver).groups("size")):
                d, seconds = part.column("dims"), 1e3 * part.column("seconds")
                look = style.points_of(style.colour_of(solver), position, size=4)
                label = f"{size:,} documents: d to the {_growth(d, seconds).value:.2f}"
                ax.plot(d, seconds, **look, linestyle=("--", "-")[position % 2], label=label)
            ax.set(title=solver, xscale="log", yscale="log")
            style.label_axes(ax, "columns d", "milliseconds of an iteration")
            places = sorted(costs.unique("dims"))
            ax.set_xticks(places, [str(d) for d in places])
            ax.minorticks_off()
            ax.legend(loc="upper left")
        least, most = (1e3 * end(costs.column("seconds")) for end in (np.min, np.max))
        steps = np.array([a * 10.0**k for k in range(-4, 5) for a in (1, 2, 5)])
        steps = steps[(steps >= 0.7 * least) & (steps <= most)]
        panels[0].set_yticks(steps, [f"{step:g}" for step in steps])
        panels[0].set_ylim(0.7 * least, most * (most / least) ** 0.35)  # room for the legend
        for ax in panels:
            ax.minorticks_off()
    caption = (
        "Time of an iteration on one thread, two classes, against the number of columns, with the "
        "exponent of the line through the points. The lecture: O(N + d³) for IRLS, O(Nd) for "
        "conjugate gradients. The sums ΦᵀRΦ alone are N d² products."
    )
    return Plot("convergence-cost", "What an iteration costs", caption, figure)


def judge(results: Results) -> list[Finding]:
    """Judge each part of the claim: iterations, the cost of one, and seconds."""
    reach = results.where(kind="reach")
    problems = reach.unique("problem")
    dense = [p for p in problems if len(reach.where(problem=p, solver=IRLS))]
    sparse = [p for p in problems if p not in dense]
    far_fewer = "IRLS needs far fewer iterations than gradient descent"
    faster = "quasi-Newton (L-BFGS) is faster than"
    return [
        _compared(reach, dense, far_fewer, "iteration", GD, IRLS, least=3.0),
        *_judge_lecture(results.where(kind="lecture")),
        *_judge_costs(results.where(kind="cost")),
        _judge_best(reach, problems),
        _compared(reach, dense, f"{faster} IRLS", "seconds", IRLS, LBFGS),
        _compared(reach, problems, f"{faster} conjugate gradients", "seconds", CG, LBFGS),
        _compared(reach, problems, f"{faster} gradient descent", "seconds", GD, LBFGS),
        _judge_sgd(reach, sparse),
    ]


def _judge_lecture(errors: Results) -> list[Finding]:
    """Judge by the test error: iterations until it is near that of IRLS at its end."""
    parts, holds = [], True
    for pair, part in errors.groups("pair"):
        irls, descent = (_near(part, solver) for solver in (IRLS, GD))
        holds = holds and irls is not None and (descent is None or descent >= 3 * irls)
        last = max(part.unique("iteration"))
        parts.append(f"{pair}: {irls} and {descent or f'more than {last}'}")
    if not parts:
        return []
    says = "and so by the test error: it is final in a third of the iterations or fewer"
    number = f"iterations until it is within 0.01 of the end of {IRLS}, {IRLS} and {GD}:\n"
    return [About("C5", figure=LECTURE_FIGURE)(says, number + "\n".join(parts), holds)]


def _near(errors: Results, solver: str) -> int | None:
    """Return from which iteration on a mean accuracy stays near the last one of IRLS."""
    iterations = errors.unique("iteration")
    mean, final = (
        errors.where(solver=name).by_seed("accuracy", "iteration").mean(axis=0)
        for name in (solver, IRLS)
    )
    away = np.flatnonzero(np.abs(mean - final[-1]) > 0.01)
    if len(away) == 0:
        return int(iterations[0])
    return None if away[-1] == len(iterations) - 1 else int(iterations[int(away[-1]) + 1])


def ratio(
    reach: Results, problem: str, column: str, first: str, second: str, target: float = GOOD
) -> Interval:
    """Return how many times as much the first solver takes as the second, a geometric mean.

    One that never reached the gap counts with what it took until its limit: where that is the
    first, the ratio is at least this; where it is the second, nothing is known.
    """
    rows = [reach.where(problem=problem, solver=s, target=target) for s in (first, second)]
    if not rows[1].column("reached").all():
        return Interval(np.nan, -np.inf, np.inf)
    logarithms = np.log(rows[0].column(column)) - np.log(rows[1].column(column))
    return Interval(*(float(np.exp(end)) for end in mean_interval(logarithms)))


def _compared(
    reach: Results,
    problems: Sequence[str],
    says: str,
    column: str,
    first: str,
    second: str,
    least: float = 1.0,
) -> Finding:
    """Judge whether the first takes more than ``least`` times as much, on every problem."""
    ratios = {p: ratio(reach, p, column, first, second) for p in problems}
    unit = "iterations" if column == "iteration" else "seconds"
    parts = []
    for problem, found in ratios.items():
        there = reach.where(problem=problem, solver=first, target=GOOD).column("reached").all()
        parts.append(f"{problem} {'' if there else 'at least '}{found}")
    return finding(
        says,
        f"{unit} to a gap of {GOOD:g}, {first} / {second}: {'; '.join(parts)}",
        bool(ratios) and all(found.low > least for found in ratios.values()),
    )


def _judge_costs(costs: Results) -> list[Finding]:
    irls, cg = costs.where(solver=IRLS), costs.where(solver=CG)
    sizes = sorted(costs.unique("size"))
    d = irls.where(size=sizes[0]).column("dims")
    whole = _growth(d, irls.where(size=sizes[-1]).column("seconds"))
    by_row, of_cg = (_growth(d, _row_seconds(part, sizes)) for part in (irls, cg))
    found = f"from {sizes[0]:,} to {sizes[-1]:,} documents"
    return [
        _of_growth(
            "an iteration of IRLS grows with d no faster than d³",
            f"exponent {whole} at {sizes[-1]:,} documents, d = {d.min():.0f} to {d.max():.0f}",
            whole,
            3.0,
        ),
        _of_growth(
            "and a further document costs the same whatever d: O(N + d³), not O(N d²)",
            f"its seconds {found} grow with d to the {by_row}",
            by_row,
            0.0,
        ),
        _of_growth(
            "an iteration of conjugate gradients is O(Nd)",
            f"the seconds of a further document {found} grow with d to the {of_cg}",
            of_cg,
            1.0,
        ),
    ]


def _of_growth(says: str, number: str, found: Interval, claimed: float) -> Finding:
    """Refute what grows faster beyond chance; bear out what stays below halfway to the next power.

    An interval that does neither is too wide to tell.
    """
    verdict = verdict_of(found.low <= claimed)
    if found.low <= claimed and found.high >= claimed + 0.5:
        verdict = "not tested"
        number += "; too wide an interval to tell"
    return Finding("C5", says, number, verdict, "convergence-cost")


def _growth(d: Floats, seconds: Floats) -> Interval:
    positive = seconds > 0.0  # a difference of two times may be noise
    if positive.sum() < 3:
        return Interval(np.nan, -np.inf, np.inf)
    return exponent(d[positive], seconds[positive])


def _row_seconds(costs: Results, sizes: Sequence[int]) -> Floats:
    """Return the seconds of one more document, for each number of columns."""
    few, many = (costs.where(size=size).column("seconds") for size in (sizes[0], sizes[-1]))
    return np.asarray((many - few) / (sizes[-1] - sizes[0]))


def _judge_best(reach: Results, problems: Sequence[str]) -> Finding:
    """Judge whether conjugate gradients are the fastest, beyond chance, on most problems."""
    parts, n_won = [], 0
    for problem in problems:
        found = {
            solver: ratio(reach, problem, "seconds", CG, solver)
            for solver in reach.where(problem=problem).unique("solver")
            if solver != CG
            and reach.where(problem=problem, solver=solver, target=GOOD).column("reached").all()
        }
        if found:
            best = max(found, key=lambda solver: found[solver].value)
            n_won += found[best].high < 1.0
            parts.append(f"{problem} {found[best]} ({best})")
    return finding(
        "conjugate gradients work best in practice",
        f"their seconds to a gap of {GOOD:g} over those of the best other: {'; '.join(parts)}",
        2 * n_won > len(problems),
    )


def _judge_sgd(reach: Results, problems: Sequence[str]) -> Finding:
    """Judge whether SGD is sooner at a rough gap than the quickest of the others, everywhere."""
    parts, holds = [], bool(problems)
    for problem in problems:
        found = {
            solver: ratio(reach, problem, "seconds", solver, SGD, ROUGH)
            for solver in FULL_BATCH
            if reach.where(problem=problem, solver=solver, target=ROUGH).column("reached").any()
        }
        best = min(found, key=lambda solver: found[solver].value)
        holds = holds and found[best].low > 1.0
        size = reach.where(problem=problem).unique("size")[0]
        parts.append(f"{problem}, N = {size:,}: {found[best]} ({best})")
    return finding(
        "SGD serves large N: it is the first to come near",
        f"seconds of the best other to a gap of {ROUGH:g} over those of SGD: {'; '.join(parts)}",
        holds,
    )

"""Figures and verdicts of the synthetic experiment, from its table alone."""

from __future__ import annotations

import numpy as np

from wordodds.experiments import style
from wordodds.experiments.display import LearningCurveDisplay
from wordodds.experiments.experiment import About, Finding, Plot
from wordodds.experiments.intervals import (
    Interval,
    exponent,
    mean_interval,
    paired_difference,
    slope,
)
from wordodds.experiments.table import Results
from wordodds.typing import Floats

NB, LR = "Gaussian NB", "logistic regression"
HOLDS, DUPLICATED = "assumption holds", "features duplicated"
LIMITS, GROWTH = "theory-limits", "theory-growth"
EVERY = "every feature tells"
# Goal and world of a panel, its title, and what the examples are for in the words of a finding.
PANELS = (
    ("weights", "one feature tells", "weights within 1 of the truth", "weights close to the truth"),
    ("error", "one feature tells", "error within 0.05 of the best", "an error close to the best"),
    ("error", EVERY, "81 % of the separation", "an error close to the best"),
)
on_growth = About("C1", figure=GROWTH)
on_same, on_copies = About("C2", figure=LIMITS), About("C3", figure=LIMITS)
CLOSE = 0.005  # of the best error: the same limit
ROOT = 0.5  # an exponent below it is far from 1: that of log m over these m is about 0.2
LINEAR = (0.75, 1.25)  # exponents that count as growth like m
PER_FEATURE = 1.25  # times as many examples for each feature are not more than in proportion


def draw(results: Results) -> list[Plot]:
    """Draw both figures."""
    return [_draw_limits(results.where(part="curve")), _draw_growth(results.where(part="growth"))]


def _draw_limits(results: Results) -> Plot:
    with style.panels(1, 2, height=3.4, sharey=True) as (figure, axes):
        for ax, world in zip(axes, (HOLDS, DUPLICATED), strict=True):
            part = results.where(world=world)
            LearningCurveDisplay.from_results(part, y="error", log_x=True, ax=ax)
            best, limit = part.value("best_error"), part.where(model=NB).value("limit")
            ax.axhline(best, color=style.BLACK, linestyle="--", linewidth=1.0, label="best error")
            if world == DUPLICATED:
                look = {"color": style.BLUE, "linestyle": ":", "linewidth": 1.2}
                ax.axhline(limit, **look, label="limit of Gaussian NB")
            else:
                _draw_bound(ax, part.where(model=LR), best)
            ax.set(title=world, xlabel="training examples", ylabel="error, exact")
            ax.legend()
    return Plot(
        LIMITS,
        "The limits of both models",
        "Error against training examples, 48 columns, mean and 95 % interval over draws. Left, "
        "independent features: both models come to the best error, as the lecture says, naive "
        "Bayes sooner; dotted, the lecture's bound for logistic regression with the least constant "
        "that keeps it above the curve from n = 2m on. Right, two of 18 features come in 16 "
        "copies: naive Bayes counts what they tell 16 times over and stays at its limit, logistic "
        "regression goes on to the best error.",
        figure,
    )


def _draw_bound(ax: style.Axes, line: Results, best: float) -> None:
    """Draw the lecture's bound of logistic regression's error, as low as the curve lets it be."""
    sizes, m = np.array(line.unique("size"), dtype=np.float64), line.value("dims")
    above = 1.0 - line.by_seed("accuracy").mean(axis=0) - best
    there = sizes >= 2 * m  # near n = m the logarithm, and with it the bound, tends to 0
    if not there.any():
        return
    shape = np.sqrt(m / sizes[there] * np.log(sizes[there] / m))
    curve = best + float(np.max(above[there] / shape)) * shape
    label = r"$O(\sqrt{(m/n)\,\log(n/m)})$"
    ax.plot(sizes[there], curve, color=style.ORANGE, linestyle=":", linewidth=1.2, label=label)


def _draw_growth(results: Results) -> Plot:
    with style.panels(1, 3, height=3.6, sharey=True) as (figure, axes):
        for ax, (goal, world, title, _) in zip(axes, PANELS, strict=True):
            part = results.where(goal=goal, world=world)
            for position, model in enumerate((NB, LR)):
                _draw_needed(ax, part.where(model=model), model, position, power=world != EVERY)
            ax.set_xscale("log", base=2)
            ax.set_yscale("log")
            ax.set_xticks([8, 64, 512, 4096], ["8", "64", "512", "4,096"])
            ax.set_title(f"{title}\n({world})")
            style.label_axes(ax, "features m", "training examples needed")
            ax.legend(loc="upper left")
        low, high = axes[0].get_ylim()
        axes[0].set_ylim(low, high * 6)  # room for the legends
    return Plot(
        GROWTH,
        "How many examples are needed",
        "Left and middle, orange climbs with m; blue climbs with log m at the left alone. Training "
        "examples that half of the draws need, against the number of features m; dashed, fitted "
        "powers of m with the 95 % interval of the exponent; dotted, the lectures' log m for naive "
        "Bayes (NB) and m for logistic regression (LR), through the first point. Left, all weights "
        "close to the truth: as the lecture says. Middle, an error close to the best, which is the "
        "same for all m: naive Bayes needs fewer examples, but in proportion to m as well, as its "
        "small mistakes in every feature add up. Right, every feature tells as much, as Ng and "
        "Jordan assume for log m: naive Bayes needs as many for any m. Logistic regression needs "
        "most where rows and features are about as many, and fewer again beyond: no power of m, so "
        "none is fitted; m is a bound for it.",
        figure,
    )


def _draw_needed(
    ax: style.Axes, results: Results, model: str, position: int, *, power: bool
) -> None:
    """Draw the examples that a model needs, the lectures' bound, and perhaps a fitted power."""
    dims, needed = results.numbers("dims", "needed").T
    colour = style.colour_of(model, position)
    label = "NB" if model == NB else "LR"
    if power:
        found = exponent(dims, needed)
        label += f": $m^{{{found.value:.2f}}}$ [{found.low:.2f}, {found.high:.2f}]"
        centred = np.log(dims) - np.log(dims).mean()
        middle = np.exp(np.log(needed).mean() + found.value * centred)
        ax.plot(dims, middle, color=colour, linewidth=1.0, linestyle="--")
    bound = np.log(dims) if model == NB else dims
    ax.plot(dims, needed[0] / bound[0] * bound, color=colour, linewidth=0.9, linestyle=":")
    look = style.points_of(colour, position, size=4.5)
    ax.plot(dims, needed, **look, linestyle="none", label=label)


def _two(interval: Interval) -> str:
    value, low, high = (f"{number:.2f}".replace("-0.00", "0.00") for number in interval)
    return f"{value} [{low}, {high}]"


def judge(results: Results) -> list[Finding]:
    """Judge what the lecture says about limits and growth."""
    curves, growth = results.where(part="curve"), results.where(part="growth")
    return [*_judge_growth(growth), _judge_same(curves), *_judge_copies(curves)]


def _judge_growth(results: Results) -> list[Finding]:
    findings = []
    for goal, world, _, what in PANELS:
        for model in (NB, LR):
            part = results.where(goal=goal, world=world, model=model)
            dims, needed = part.numbers("dims", "needed").T
            says = f"where {world}: examples for {what} grow"
            if model == LR and world == EVERY:
                findings.append(_judge_bound(f"logistic regression, {says}", dims, needed))
            else:
                findings.append(_judge_power(model, says, dims, needed))
    return findings


def _judge_power(model: str, says: str, dims: Floats, needed: Floats) -> Finding:
    power = exponent(dims, needed)
    number = f"examples ~ m^{_two(power)}, {_ends(dims, needed)}"
    if power.high < ROOT:
        number += f"\n{slope(np.log2(dims), needed)} more with each doubling of m"
    if model == NB:
        # O(log m) is a bound from above: no growth at all keeps to it.
        return on_growth(f"naive Bayes, {says} no faster than log m", number, power.high < ROOT)
    holds = LINEAR[0] <= power.low and power.high <= LINEAR[1]
    return on_growth(f"logistic regression, {says} like m", number, holds)


def _judge_bound(says: str, dims: Floats, needed: Floats) -> Finding:
    """Judge growth that is no power of m: O(m) is a bound from above."""
    each = needed / dims
    most = int(np.argmax(each))
    return on_growth(
        f"{says} no faster than m",
        f"{_ends(dims, needed)}\nmost for each feature: {each[most]:.2g}, at m = {dims[most]:,.0f}",
        bool(each[most] <= PER_FEATURE * each[0]),
    )


def _ends(dims: Floats, needed: Floats) -> str:
    return f"{needed[0]:.0f} for m = {dims[0]:.0f} and {needed[-1]:,.0f} for m = {dims[-1]:,.0f}"


def _at_largest(results: Results, world: str, model: str) -> Results:
    part = results.where(world=world, model=model)
    return part.where(size=max(part.unique("size")))


def _judge_same(results: Results) -> Finding:
    excess = {}
    for model in (NB, LR):
        last = _at_largest(results, HOLDS, model)
        excess[model] = mean_interval(1.0 - last.column("accuracy") - last.column("best_error"))
    numbers = "; ".join(f"{model} {interval}" for model, interval in excess.items())
    return on_same(
        "with independent features both errors tend to the best one",
        f"error above the best with {last.value('size'):,} examples: {numbers}",
        all(interval.high < CLOSE for interval in excess.values()),
    )


def _judge_copies(results: Results) -> list[Finding]:
    bayes, line = (_at_largest(results, DUPLICATED, model) for model in (NB, LR))
    ahead = paired_difference(line.column("accuracy"), bayes.column("accuracy"))
    limit, best, size = (bayes.value(name) for name in ("limit", "best_error", "size"))
    above = mean_interval(1.0 - line.column("accuracy") - best)
    return [
        on_copies(
            "with copied features logistic regression's error ends lower",
            f"error of naive Bayes less that of logistic regression with {size:,} examples: "
            f"{ahead} (exact limits: {limit:.3f} and {best:.3f})",
            ahead.low > 0.0,
        ),
        on_copies(
            "and that end is the best error: copies cost logistic regression nothing",
            f"error above the best with {size:,} examples: {above}",
            above.high < CLOSE,
        ),
    ]

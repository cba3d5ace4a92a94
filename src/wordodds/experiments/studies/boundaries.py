"""C8: the border between Gaussian classes is a line or a conic, and priors only move it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Literal

import numpy as np

from wordodds.experiments import style
from wordodds.experiments.experiment import About, Experiment, Finding, Plot, Run, sized
from wordodds.experiments.table import Results
from wordodds.typing import Floats, Ints

if TYPE_CHECKING:
    from wordodds import GaussianDiscriminant

NAME, TITLE = "boundaries", "Borders between Gaussian classes"
PROTOCOL = (
    "Two Gaussian classes in two dimensions whose covariances differ, 200 points, three seeds "
    "(full: 20). GaussianDiscriminant with one covariance and with one for each class, each with "
    "priors of 0.5, 0.1 and 0.9. The border is traced along 100 rays; a line and a conic are "
    "fitted to it."
)
MODELS: dict[str, Literal["shared", "full"]] = {
    "one covariance": "shared",
    "own covariances": "full",
}
PRIORS = (0.5, 0.1, 0.9)  # of class b
MEANS = np.array([[0.0, 0.0], [3.0, 1.0]])
# Class b is the narrower one, so that with its own covariance a closed curve goes around it.
SPREADS = np.array([[[1.6, 0.5], [0.5, 1.2]], [[0.6, -0.2], [-0.2, 0.35]]])
REACH = 9.0  # how far from the mean of class b a border is looked for
# Borders are found to rounding, which the fit of a curve through hundreds of points enlarges.
ROUNDING = 1e-9


@dataclass(frozen=True)
class Settings:
    """How much is done."""

    n_points: int = 200
    n_rays: int = 100
    n_seeds: int = 3


QUICK, FULL = Settings(), Settings(n_seeds=20)
finding = About("C8", figure=NAME)


def measure(settings: Settings, run: Run) -> Results:
    """Fit Gaussian classes and follow the borders between them.

    The column ``part`` is "point", "border", or "measure" for what was measured on a border.
    """
    from wordodds import GaussianDiscriminant

    results = Results(NAME)
    seeds = run.seeds(settings.n_seeds)
    for seed, (name, covariance) in run.each(product(seeds, MODELS.items())):
        X, y = draw_points(settings.n_points, np.random.default_rng(seed))
        shown = seed == run.seed
        for point, label in zip(X, y, strict=True) if shown and covariance == "shared" else ():
            results.add(part="point", seed=seed, label="ab"[label], x_1=point[0], x_2=point[1])
        models = [
            GaussianDiscriminant(
                covariance=covariance, priors=[1 - prior, prior], n_jobs=run.n_jobs
            ).fit(X, y)
            for prior in PRIORS
        ]
        for prior, model in zip(PRIORS, models, strict=True):
            border = trace(model.decision_function, model.means_[1], settings.n_rays)
            for x_1, x_2 in border if shown else ():
                results.add(part="border", model=name, seed=seed, prior=prior, x_1=x_1, x_2=x_2)
            log_odds = np.log(prior / (1 - prior))
            moved = model.decision_function(X) - models[0].decision_function(X) - log_odds
            measured = {
                "line_residual": residual(border, 1),
                "conic_residual": residual(border, 2),
                "log_odds_error": float(np.abs(moved).max()),
            }
            if covariance == "shared":
                measured["shift_error"] = _shift_error(models[0], border, log_odds)
            results.add(
                part="measure", model=name, size=len(X), dims=2, seed=seed, prior=prior, **measured
            )
    return results


def draw_points(n: int, rng: np.random.Generator) -> tuple[Floats, Ints]:
    """Draw points of two Gaussian classes."""
    y = np.arange(n) % 2
    factors = np.linalg.cholesky(SPREADS)
    X = np.einsum("nij,nj->ni", factors[y], rng.standard_normal((n, 2))) + MEANS[y]
    return X, y


def _shift_error(model: GaussianDiscriminant, border: Floats, log_odds: float) -> float:
    """Return how far points of a border lie from the even one, moved as the formula says."""
    weights = np.linalg.solve(model.covariance_, model.means_[1] - model.means_[0])
    length = np.linalg.norm(weights)
    # w (x - middle) + log odds = 0: the even border, moved by log odds / |w| towards class a.
    along = (border - model.means_.mean(axis=0)) @ weights / length
    return float(np.abs(along + log_odds / length).max())


def trace(decide: Callable[[Floats], Floats], inside: Floats, n_rays: int) -> Floats:
    """Return where rays from a point first meet a change of sign, in the order of their angle."""
    angles = 2 * np.pi * np.arange(n_rays) / n_rays
    rays = np.column_stack([np.cos(angles), np.sin(angles)])
    here = np.sign(decide(inside[None, :]))
    low, high = np.zeros(n_rays), np.full(n_rays, REACH)
    # Closely at first, to miss no border, then by quarters until the stretch has no length. Few
    # points at a time: for more the linear algebra wakes its threads, which takes longer.
    for n_steps in (21, *[5] * 26):
        steps = np.linspace(low, high, n_steps)
        points = inside + steps[:, :, None] * rays
        beyond = np.sign(decide(points.reshape(-1, 2))).reshape(steps.shape) != here
        # Rays that meet no border at first have none; later the end itself is beyond.
        met = beyond.any(axis=0)
        place = np.maximum(beyond.argmax(axis=0)[met], 1)
        column = np.flatnonzero(met)
        low, high, rays = steps[place - 1, column], steps[place, column], rays[met]
    return np.asarray(inside + high[:, None] * rays)


def residual(points: Floats, degree: int) -> float:
    """Return how far points are from the best line or conic, as a share of their spread."""
    # The smallest root mean square of a polynomial over the points, for coefficients of length 1.
    x, y = ((points - points.mean(axis=0)) / points.std()).T
    terms = [np.ones_like(x), x, y]
    if degree == 2:
        terms += [x * x, x * y, y * y]
    matrix = np.column_stack(terms) / np.sqrt(len(points))
    return float(np.linalg.svd(matrix, compute_uv=False)[-1])


def draw(results: Results) -> list[Plot]:
    """Draw points and borders."""
    with style.panels(1, len(MODELS), height=3.7, sharex=True, sharey=True) as (figure, axes):
        for ax, name in zip(axes, MODELS, strict=True):
            _draw_model(ax, results, name)
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=5)
    caption = (
        "Two Gaussian classes of 100 points each, and where both are equally probable, for three "
        "priors of class b. The lecture: with one covariance the border is a straight line, with "
        "one for each class a conic; another prior moves the threshold and nothing else."
    )
    return [Plot(NAME, TITLE, caption, figure)]


def _draw_model(ax: style.Axes, results: Results, name: str) -> None:
    points = results.where(part="point")
    for label, colour, marker in (("a", style.BLUE, "o"), ("b", style.ORANGE, "^")):
        part = points.where(label=label)
        style.scatter(ax, part, colour, marker, size=9).set(alpha=0.6, label=f"class {label}")
    for prior, dashes in zip(PRIORS, ("-", "--", ":"), strict=True):
        part = results.where(part="border", model=name, prior=prior)
        border = part.numbers("x_1", "x_2")
        # A closed curve ends where it began; an open one has a gap where no ray met it.
        ring = np.vstack([border, border[:1]])
        gap = np.flatnonzero(np.linalg.norm(np.diff(ring, axis=0), axis=1) > REACH)
        line = np.roll(border, -int(gap[0]) - 1, axis=0) if len(gap) else ring
        ax.plot(
            *line.T, color=style.BLACK, linestyle=dashes, linewidth=1.2, label=f"p(b) = {prior}"
        )
    style.label_axes(ax, "$x_1$", "$x_2$")
    ax.set(title=name, aspect="equal", xlim=(-4.5, 6.5), ylim=(-3.8, 4.2))


def judge(results: Results) -> list[Finding]:
    """Hold the borders against lines and conics, and their places against the formula."""
    measured = results.where(part="measure")
    one, own = (measured.where(model=name) for name in MODELS)
    n_fits = f"{len(one)} fits"
    line = one.column("line_residual").max()
    bend = own.column("line_residual").min()
    conic = own.column("conic_residual").max()
    shift = one.column("shift_error").max()
    change = measured.column("log_odds_error").max()
    return [
        finding(
            "one covariance: the border is a line",
            f"at most {line:.1e} of its spread off the best line, in {n_fits}",
            # To rounding: an exact statement needs no interval.
            line < ROUNDING,
        ),
        finding(
            "own covariances: the border is a conic, and not a line",
            f"at most {conic:.1e} of its spread off the best conic, at least {bend:.2g} off the "
            f"best line, in {n_fits}",
            conic < ROUNDING and bend > 1e-3,
        ),
        finding(
            "priors only shift the threshold",
            f"log-odds change by log p(b)/p(a) to {change:.1e} in all points of {len(measured)} "
            f"fits; with one covariance the line moves by that over |w| to {shift:.1e}",
            change < ROUNDING and shift < ROUNDING,
        ),
    ]


EXPERIMENT = Experiment(
    NAME,
    TITLE,
    PROTOCOL,
    sized(measure, QUICK, FULL),
    draw,
    judge,
    ("C8",),
    seconds=(0.4, 1),
)

"""The ratios of the report as bars: one row for each job, the floor as a mark across it."""

from wordodds.experiments import style

from .goals import FAMILIES
from .ratios import rows_of

WIDTH, ROW_HEIGHT, MARGIN = 8.3, 0.235, 0.75  # inches
BAR = 0.38  # of a row
TICKS = [0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500]
COLOURS = {1: style.BLUE, 2: style.ORANGE}


def draw(results, path):
    """Draw the ratios into an SVG file."""
    with style.style():
        figure = make_figure(results)
    style.save_svg(figure, path, "How many times as fast as the fastest peer")


def make_figure(results):
    """Return the figure; families one below the other, in the order of the tables."""
    from matplotlib.figure import Figure

    families = [
        (family.title, rows)
        for family in FAMILIES.values()
        if (rows := [row for row in rows_of(results, family.jobs) if row.ratios])
    ]
    n_lines = sum(len(rows) + 1 for _, rows in families)
    figure = Figure(figsize=(WIDTH, n_lines * ROW_HEIGHT + MARGIN), layout="constrained")
    axes = figure.add_subplot()
    _draw_rows(axes, families)
    axes.set_ylim(n_lines - 0.4, -0.6)
    axes.set_xscale("log")
    ratios = [ratio for _, rows in families for row in rows for ratio in row.ratios.values()]
    axes.set_xlabel("times as fast as the fastest peer of the same run (log scale)")
    axes.set_xticks(TICKS, [f"{tick:g}x" for tick in TICKS])
    axes.minorticks_off()
    axes.set_xlim(min(0.5, 0.8 * min(ratios)), max(10.0, 1.2 * max(ratios)))
    axes.axvline(1.0, color=style.GREY, linewidth=0.8)
    axes.grid(axis="x", **style.GRID)
    axes.set_axisbelow(True)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    figure.legend(*_legend(), loc="outside upper right", ncols=3)
    return figure


def _draw_rows(axes, families):
    ticks, labels, line = [], [], 0
    for title, rows in families:
        axes.annotate(
            title,
            (0.0, line),
            xycoords=("axes fraction", "data"),
            xytext=(-6, 0),
            textcoords="offset points",
            ha="right",
            va="center",
            weight="bold",
        )
        line += 1
        for row in rows:
            ticks.append(line)
            labels.append(row.job.title.replace("`", ""))
            for n_threads, ratio in row.ratios.items():
                _draw_bar(axes, line, n_threads, ratio, row.job.floor[n_threads - 1])
            line += 1
    axes.set_yticks(ticks, labels, fontsize=8.0)


def _draw_bar(axes, line, n_threads, ratio, floor):
    # The scale is logarithmic: a bar goes from even, and to the left where a peer is faster.
    middle = line + (n_threads - 1.5) * BAR
    axes.barh(middle, ratio - 1.0, BAR, left=1.0, color=COLOURS[n_threads])
    if floor is not None:
        ends = [middle - 0.6 * BAR, middle + 0.6 * BAR]
        for colour, width in (("white", 3.2), (style.BLACK, 1.4)):  # also seen across a bar
            axes.plot([floor, floor], ends, color=colour, linewidth=width, solid_capstyle="butt")


def _legend():
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    bars = [Patch(color=COLOURS[1]), Patch(color=COLOURS[2])]
    floor = Line2D([], [], color=style.BLACK, linewidth=1.6, marker="|", linestyle="none")
    return [*bars, floor], ["1 thread", "2 threads", "floor"]

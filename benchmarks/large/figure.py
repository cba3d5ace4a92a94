"""The courses of benchmarks.large as one figure: memory and rate against the text read so far."""

import numpy as np

from wordodds.experiments import style
from wordodds.experiments.style import BLUE, GREEN, GREY, GRID, ORANGE

LOOKS = {"train, hashed": BLUE, "train, vocabulary": ORANGE, "predict": GREEN}
POINTS = 40  # of a curve of rates: shorter stretches are noise


def draw(courses, text_bytes, memory, path):
    """Draw the courses into an SVG file."""
    title = f"Memory and rate on {text_bytes / 1e9:.1f} GB of text"
    with style.style():
        figure = make_figure(courses, memory)
    style.save_svg(figure, path, title)


def make_figure(courses, memory):
    """Return the figure: memory above, rate below."""
    figure = style.new_figure(7.2, 5.4)
    held, rate = figure.subplots(2, 1, sharex=True)
    for course in courses:
        colour = LOOKS[course.name]
        done = np.asarray(course.done) / 1e9
        held.plot(done, np.asarray(course.held) / 1e6, color=colour, label=course.name)
        passes = f", {course.passes} passes" if course.passes > 1 else ""
        whole = f"{course.name}: {course.rate:.0f} MB/s{passes}"
        rate.plot(*rates(course), color=colour, label=whole)
    held.axhline(memory / 1e6, color=GREY, linestyle="--", label="given")
    held.set_ylabel("memory of the process, MB")
    held.set_ylim(0.0, None)
    rate.set_ylabel("text read, MB/s")
    rate.set_ylim(0.0, None)
    rate.set_xlabel("text read so far, GB")
    for axes in (held, rate):
        axes.grid(axis="y", **GRID)
        axes.legend(loc="lower right", ncols=2)
    return figure


def rates(course):
    """Return the middle of each stretch of a course in GB, and its rate in MB/s."""
    seconds, done = np.asarray(course.seconds), np.asarray(course.done)
    borders = np.unique(np.linspace(0, len(seconds) - 1, POINTS + 1).astype(int))
    borders = borders[np.concatenate([[True], np.diff(seconds[borders]) > 0.0])]
    spans, parts = np.diff(seconds[borders]), np.diff(done[borders])
    return (done[borders[:-1]] + parts / 2) / 1e9, parts / spans / 1e6

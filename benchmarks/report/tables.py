"""The report as Markdown: a table for each family of jobs, and the block of the README."""

import textwrap

from ..setup.contenders import TWINS, is_ours, is_twin
from .goals import FAMILIES, TWIN_JOBS
from .ratios import fastest, rows_of, unlisted

BEGIN, END = "<!-- benchmarks.report -->", "<!-- /benchmarks.report -->"
COLUMNS = ["job", "fastest peer", "1 thread", "2 threads", "floor", "target", "met"]
TWIN_COLUMNS = ["kernel", "peer", "Numba, 1 thread", "2 threads", "ours, 1 thread", "2 threads"]
LINE_LENGTH = 120
ABOUT_TWINS = (
    "**Kernels beside plain loops under Numba** (`benchmarks/setup/numba_twins.py`; the time to "
    "compile them is shown apart, the ratios are to Numba on as many threads):"
)
NAMES = {"numpy": "NumPy", "scipy": "SciPy", "numba": "Numba", "liblinear-official": "LIBLINEAR"}


def time_of(seconds):
    """Return a time with its unit, to three digits."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= 0.9995 * size or unit == "µs":
            number = seconds / size
            digits = 0 if number >= 99.95 else 1 if number >= 9.995 else 2
            return f"{number:.{digits}f} {unit}"
    raise AssertionError("every time has a unit")


def ratio_of(ratio):
    """Return how many times as fast, to two or three digits."""
    return f"{ratio:.0f}x" if ratio >= 99.5 else f"{ratio:.1f}x"


def goal_of(goal):
    """Return a floor or target, for 1 / 2 threads."""
    one, two = (None if number is None else f"{number:g}x" for number in goal)
    if one == two:
        return one or ""
    return " / ".join(number or "–" for number in (one, two))


def ours_of(row, n_threads):
    """Return our time and ratio on `n_threads`; empty where it did not run."""
    if n_threads not in row.seconds:
        return ""
    time = time_of(row.seconds[n_threads])
    return f"{time}, **{ratio_of(row.ratios[n_threads])}**" if n_threads in row.ratios else time


def peers_of(row):
    """Return the fastest peer; both, where that on two threads is another one."""
    names = dict.fromkeys(row.peers.values())
    return "; ".join(f"{name}, {time_of(seconds)}" for name, seconds in names)


def met_of(row):
    """Return what was reached, and where not, on which number of threads."""
    if row.met == "no" and row.missed and len(row.missed) < len(row.ratios):
        threads = " and ".join(map(str, row.missed))
        return f"no: {threads} thread{'' if row.missed == [1] else 's'}"
    return row.met


def line_of(row):
    """Return a row of the table."""
    job = row.job
    floor = goal_of(job.floor) if job.limit is None else f"at most {time_of(job.limit)}"
    cells = [job.title, peers_of(row), ours_of(row, 1), ours_of(row, 2)]
    return f"| {' | '.join([*cells, floor, goal_of(job.target), met_of(row)])} |"


def twin_line(row, results):
    """Return a row of the table of twins, with the time that it took to compile each."""
    seconds = results.seconds[row.job.group]
    compiling = results.compile_seconds.get(row.job.group, {})
    peer = fastest(seconds, lambda name: not is_ours(name) and not is_twin(name), 1)
    cells = [row.job.title, f"{peer[0]}, {time_of(peer[1])}" if peer else ""]
    for name in TWINS:
        compiled = name in compiling
        cells.append(f"{time_of(seconds[name])} (+ {compiling[name]:.1f} s)" if compiled else "")
    return f"| {' | '.join([*cells, ours_of(row, 1), ours_of(row, 2)])} |"


def table(columns, lines):
    """Return a table of Markdown."""
    return "\n".join([f"| {' | '.join(columns)} |", "|---" * len(columns) + "|", *lines])


def paragraph(text):
    """Return a text in lines of the pages' length."""
    return textwrap.fill(text, LINE_LENGTH, break_long_words=False, break_on_hyphens=False)


def machine_line(machine):
    """Return a sentence on the machine and the versions that were measured."""
    versions = ", ".join(
        f"{NAMES.get(name, name)} {number}" for name, number in machine["versions"].items()
    )
    line = (
        f"Measured on {machine['cores']} cores ({machine['instruction_set']}), Python "
        f"{machine['python']}, {versions}. The best round of each; the contenders "
        "of a job follow each other in one run."
    )
    if machine["left_out"]:
        line += f" Left out, as not installed: {', '.join(machine['left_out'])}."
    return line


def markdown(results):
    """Return the report: a table for each family, and that of the twins."""
    parts = [paragraph(machine_line(results.machine))]
    if results.failed:
        parts.append(paragraph(f"Left out, as they failed: {'; '.join(results.failed)}."))
    for family in FAMILIES.values():
        rows = rows_of(results, family.jobs)
        if rows:
            parts.append(paragraph(f"**{family.title}** ({family.about}):"))
            parts.append(table(COLUMNS, map(line_of, rows)))
    twins = [row for row in rows_of(results, TWIN_JOBS) if row.peers]
    if twins:
        parts.append(paragraph(ABOUT_TWINS))
        parts.append(table(TWIN_COLUMNS, [twin_line(row, results) for row in twins]))
    others = unlisted(results)
    if others:
        parts.append(paragraph(f"Measured without a row here: {', '.join(others)}."))
    return "\n\n".join(parts) + "\n"


def with_block(page, block):
    """Return a page with what is between its two marks replaced."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the page needs {BEGIN} and, below it, {END}")
    return f"{before}{BEGIN}\n\n{block}\n{END}{after}"

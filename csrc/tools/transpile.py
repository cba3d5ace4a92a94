"""Cython's modules into C++, all by one process: to load Cython takes longer than most of them.

    transpile.py FOLDER OPTION... -- FILE.pyx...    writes FOLDER/FILE.cpp

A file whose text would stay the same is left as it is, so that it is not compiled again.
"""

import sys
from pathlib import Path

from Cython.Compiler.CmdLine import parse_command_line
from Cython.Compiler.Main import compile as transpile


def main(folder: Path, options: list[str], sources: list[Path]) -> int:
    """Return the number of modules that failed."""
    folder.mkdir(parents=True, exist_ok=True)
    n_failed = 0
    for source in sources:
        written = folder / f"{source.stem}.new.cpp"
        arguments = ["--cplus", *options, str(source), "--output-file", str(written)]
        parsed, names = parse_command_line(arguments)
        if transpile(names, parsed).num_errors:
            n_failed += 1
            continue
        target = folder / f"{source.stem}.cpp"
        if target.exists() and target.read_bytes() == written.read_bytes():
            written.unlink()
        else:
            written.replace(target)
    return n_failed


if __name__ == "__main__":
    border = sys.argv.index("--")
    paths = [Path(name) for name in sys.argv[border + 1 :]]
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:border], paths))

from typing_extensions import Buffer

def available_instruction_sets() -> dict[str, int]:
    """Names this machine can run, worst first, each with its number for the other bindings."""

def compiler() -> str:
    """Name and version of the compiler that built the engine."""

def unicode_version() -> str:
    """Version of Unicode behind the scanner's tables."""

def checksum(data: Buffer) -> int:
    """Return XXH64 of any contiguous bytes."""

def lane_stride(n_columns: int) -> int:
    """Return the row length of a dense matrix beside a sparse one: 1, or a multiple of 4."""

def line_stride(n_columns: int) -> int:
    """Return the row length of weights that are written in random order: 1, or a multiple of 8."""

def class_stride(n_classes: int) -> int:
    """Return the row length of weights of classes: a multiple of 8."""

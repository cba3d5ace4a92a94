from typing_extensions import Buffer

def available_instruction_sets() -> dict[str, int]:
    """Names this machine can run, worst first, each with its number for the other bindings."""

def compiler() -> str:
    """Name and version of the compiler that built the engine."""

def unicode_version() -> str:
    """Version of Unicode behind the scanner's tables."""

def checksum(data: Buffer) -> int:
    """Return XXH64 of any contiguous bytes."""

"""Where measurements are kept, and a machine for those that tests make up."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "benchmarks" / "results.jsonl"
MACHINE = {
    "cores": 2,
    "instruction_set": "avx2",
    "python": "3.11.0",
    "versions": {"wordodds": "0.1.0", "numpy": "2.0.0"},
    "left_out": ["vowpalwabbit"],
}

"""n_jobs and the instruction set are resolved in one place."""

import os

import numpy as np
import pytest

from wordodds import show_config
from wordodds._border import execution as _execution
from wordodds._border.execution import instruction_set, resolve_n_jobs, usable_cores
from wordodds._core import base


@pytest.fixture
def cores(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr(_execution, "usable_cores", lambda: 8)
    return 8


@pytest.mark.parametrize(
    ("n_jobs", "threads"),
    [(None, 8), (1, 1), (3, 3), (99, 99), (2**40, 1024), (-1, 8), (-2, 7), (-20, 1)],
)
def test_n_jobs(cores, n_jobs, threads):
    assert resolve_n_jobs(n_jobs) == threads


def test_numpy_integers_are_integers(cores):
    assert resolve_n_jobs(np.int64(2)) == 2


@pytest.mark.parametrize(
    ("n_jobs", "error"), [(0, ValueError), (1.5, TypeError), (True, TypeError)]
)
def test_bad_n_jobs(n_jobs, error):
    with pytest.raises(error, match="n_jobs must"):
        resolve_n_jobs(n_jobs)


@pytest.mark.parametrize(
    ("value", "threads"),
    [("2", 2), ("4,2", 4), ("99", 8), ("", 8), ("junk", 8), ("0", 8), ("9" * 5000, 8)],
)
def test_omp_num_threads_caps_the_default(cores, monkeypatch, value, threads):
    monkeypatch.setenv("OMP_NUM_THREADS", value)
    assert resolve_n_jobs(None) == threads
    assert resolve_n_jobs(-1) == 8


@pytest.mark.parametrize(
    ("files", "cores"),
    [
        ({"cpu.max": "max 100000"}, None),
        ({"cpu.max": "200000 100000"}, 2),
        ({"cpu.max": "50000 100000"}, 1),
        ({"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, None),
        ({"cpu/cpu.cfs_quota_us": "300000", "cpu/cpu.cfs_period_us": "100000"}, 3),
        ({}, None),
    ],
)
def test_cgroup_quota(tmp_path, files, cores):
    for name, content in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(content + "\n")
    assert _execution._cgroup_quota(tmp_path) == cores


def test_usable_cores_stay_within_the_affinity():
    assert 1 <= usable_cores() <= len(os.sched_getaffinity(0))


def test_instruction_set_by_name(monkeypatch):
    monkeypatch.delenv("WORDODDS_INSTRUCTION_SET", raising=False)
    instruction_set.cache_clear()
    assert instruction_set() == list(base.available_instruction_sets())[-1]
    instruction_set.cache_clear()
    monkeypatch.setenv("WORDODDS_INSTRUCTION_SET", "baseline")
    assert instruction_set() == "baseline"
    instruction_set.cache_clear()
    monkeypatch.setenv("WORDODDS_INSTRUCTION_SET", "mmx")
    with pytest.raises(ValueError, match="this machine has baseline"):
        instruction_set()


def test_show_config(capsys, instruction_set):
    show_config()
    printed = dict(line.split("  ", 1) for line in capsys.readouterr().out.splitlines())
    assert printed["instruction set in use"].strip() == instruction_set
    assert "baseline" in printed["instruction sets available"]
    assert int(printed["default threads"]) >= 1
    assert printed["compiler"].strip()

# SPDX-License-Identifier: Apache-2.0
"""Nexus beside HIP Python on the simulated HIP: the programs of docs/coming-from-hip.md that need a
GPU, and the row of benchmarks/gpu."""

from __future__ import annotations

import os
import re
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import simulated
from hip_machine import HipMachine
from python_process import run_python

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/coming-from-hip.md").read_text("utf-8")
TEXT = re.findall(r"^```c\+\+\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
HIP_PYTHON, NEXUS = re.findall(
    r"^<!-- not run: needs an AMD GPU.*?\n```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL
)


ROW = """
import json, sys
sys.path[:0] = [%r, %r]
import gpu_rows.launch_hip
print(json.dumps([line.as_json() for line in gpu_rows.launch_hip.measure(smoke=True)]))
"""


@pytest.fixture
def beside(rocm: HipMachine, tmp_path: Path) -> HipMachine:
    """The machine, with HIP and hipRTC under the names that HIP Python opens."""
    if find_spec("rocm") is None:
        pytest.skip("needs HIP Python: pip install rocm-bindings-hip")
    for name, file in (("amdhip64", "libamdhip64.so.7"), ("hiprtc", "libhiprtc.so.6")):
        (tmp_path / f"lib{name}.so").symlink_to(simulated.folder() / file)
    return rocm.having(LD_LIBRARY_PATH=str(tmp_path))


def result_of(machine: HipMachine, program: str) -> str:
    """What the program prints of the array."""
    whole = (
        f"text = {TEXT[0]!r}\nprint = lambda array: __import__('builtins').print(array.tolist())\n"
    )
    told, _ = machine.run(whole + program)
    return str(told)


def test_the_page_s_program_runs(rocm: HipMachine) -> None:
    assert result_of(rocm, NEXUS) == str((2 * np.arange(1024.0) + 1).tolist())


def test_its_counterpart_in_hip_python_runs(beside: HipMachine) -> None:
    assert result_of(beside, HIP_PYTHON) == str((2 * np.arange(1024.0) + 1).tolist())


def test_the_benchmarks_check_of_the_gpu_works(rocm: HipMachine) -> None:
    check = ROOT / "benchmarks/gpu/gpu_state.py"
    variables = os.environ | rocm.environment
    for more, status, words in (({}, 0, "works, "), ({"NEXUS_HIP_DRIVER": "/no"}, 1, "does not")):
        done = run_python(check, "hip:0", env=variables | more)
        assert (done.returncode, done.stdout[: len(words)]) == (status, words)


def test_the_benchmark_compares_both_and_tells_that_cupy_is_missing(beside: HipMachine) -> None:
    folder = ROOT / "benchmarks"
    machine = beside.having(NEXUS_GPU_DEVICE="hip:0")
    lines, _ = machine.run(ROW % (str(folder / "gpu"), str(folder)))
    assert len(lines) == 3
    for line in lines:
        labels = [timing["label"].split()[0] for timing in line["timings"]]
        assert labels == ["nexus", "rocm-bindings-hip"]
        assert line["met"] is None
        assert "without CuPy" in line["notes"][1]

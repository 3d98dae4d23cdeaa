# SPDX-License-Identifier: Apache-2.0
"""The programs of docs/coming-from-hip.md that need an AMD GPU, on the simulated one."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import simulated
from hip_machine import HipMachine

PAGE = (Path(__file__).parents[2] / "docs/coming-from-hip.md").read_text("utf-8")
TEXT = re.findall(r"^```c\+\+\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
HIP_PYTHON, NEXUS = re.findall(
    r"^<!-- not run: needs an AMD GPU.*?\n```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL
)


@pytest.fixture
def libraries(tmp_path: Path) -> Path:
    """A folder with HIP and hipRTC under the names that HIP Python opens."""
    for name, file in (("amdhip64", "libamdhip64.so.7"), ("hiprtc", "libhiprtc.so.6")):
        (tmp_path / f"lib{name}.so").symlink_to(simulated.folder() / file)
    return tmp_path


def result_of(machine: HipMachine, program: str) -> str:
    """What the program prints of the array."""
    whole = (
        f"text = {TEXT[0]!r}\nprint = lambda array: __import__('builtins').print(array.tolist())\n"
    )
    told, _ = machine.run(whole + program)
    return str(told)


def test_the_page_s_program_runs(rocm: HipMachine) -> None:
    assert result_of(rocm, NEXUS) == str((2 * np.arange(1024.0) + 1).tolist())


def test_its_counterpart_in_hip_python_runs(rocm: HipMachine, libraries: Path) -> None:
    if find_spec("rocm") is None:
        pytest.skip("needs HIP Python: pip install rocm-bindings-hip")
    machine = rocm.having(LD_LIBRARY_PATH=str(libraries))
    assert result_of(machine, HIP_PYTHON) == str((2 * np.arange(1024.0) + 1).tolist())

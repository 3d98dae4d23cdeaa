# SPDX-License-Identifier: Apache-2.0
"""The cases of bad input in benchmarks/gpu, on the simulated GPU."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import gpu_case
import pytest
from cubins import KERNELS
from gpu_cases import cases_of
from simulated_cubin import Nvrtc

NOT_SIMULATED = {
    "ptx that is wrong is refused": "simulated code is the host's, and whole",
    "a cubin with bytes changed does no harm": "simulated code is the host's, and whole",
}
PARTS = ("processes", "bad_sizes", "bad_binaries", "bad_use", "exhausted", "faults")
CASES = {
    f"{part}: {case.name}": case
    for part in PARTS
    for case in cases_of(f"parts.{part}")
    if case.name not in NOT_SIMULATED
}
UNORDERED = {"faults: an infinite kernel can be told to end"}
MARKED = [
    pytest.param(
        name, marks=pytest.mark.unsanitized("a copy tells a kernel that runs to end", by="thread")
    )
    if name in UNORDERED
    else name
    for name in CASES
]
ARCHITECTURES = (75, 80, 90, 100, 120)


@pytest.fixture(scope="session")
def kernels(machine: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the cases' kernels, compiled by the simulated NVRTC."""
    os.environ.update(machine)
    folder = tmp_path_factory.mktemp("cubins")
    source = KERNELS / "mistakes.cu"
    for architecture in ARCHITECTURES:
        option = f"--gpu-architecture=sm_{architecture}"
        code = Nvrtc().compile(source.read_text("utf-8"), source.name, option)
        (folder / f"mistakes.sm_{architecture}.cubin").write_bytes(code)
    return folder


@pytest.mark.parametrize("name", MARKED)
def test_bad_input_is_told_and_all_goes_on(
    machine: dict[str, str], kernels: Path, name: str
) -> None:
    case = CASES[name]
    inherited = {key: value for key, value in os.environ.items() if "CUDA" not in key}
    process = subprocess.Popen(
        [sys.executable, gpu_case.__file__, case.module, case.name],
        env={
            **inherited,
            **machine,
            "NEXUS_GPU_CUBINS": str(kernels),
            "NEXUS_SIMULATED_CUDA": f"memory={gpu_case.MEMORY}",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    if case.ended:
        process.send_signal(signal.SIGKILL)
    _, errors = process.communicate(timeout=60)
    assert line, errors
    status, note = json.loads(line)
    if status == "not there":
        pytest.skip(note)
    assert status == "passed"
    assert case.ended or process.returncode == 0, errors

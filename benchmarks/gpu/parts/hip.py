# SPDX-License-Identifier: Apache-2.0
"""The conformance suite through the HIP backend, on tests/drivers/hip_over_cuda.

It proves that nexus-hip keeps its promises where work really runs beside the host: the order of
streams, and how long memory, events and code live. It proves nothing of AMD's driver or compiler.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from gpu_cases import Bench, NotThere, case
from part_tools import architecture, peer
from parts.conformance import run_modules, run_suite

ROOT = Path(__file__).resolve().parents[3]
DRIVERS = ROOT / "tests" / "drivers"
PACKAGES = ROOT / "packages"
DEVICE, REPORT = "hip:0", "conformance-hip-over-cuda.json"


@case(limit=470, endangers=True)
def the_suite_finds_nothing(bench: Bench) -> str:
    with tempfile.TemporaryDirectory() as folder:
        environment = _environment(bench, Path(folder))
        return run_suite(bench, DEVICE, bench.output / REPORT, environment)


@case(limit=470, endangers=True)
def each_module_by_itself_where_the_suite_fell(bench: Bench) -> str:
    if (bench.output / REPORT).is_file():
        raise NotThere("the suite told its results")
    with tempfile.TemporaryDirectory() as folder:
        return run_modules(bench, DEVICE, _environment(bench, Path(folder)))


def _environment(bench: Bench, folder: Path) -> dict[str, str]:
    """Builds the libraries; returns the variables with which the HIP backend finds them."""
    peer("nexus_hip")
    found = peer("nexus_cuda._toolkit").toolkit_config().get("cuda.nvrtc", "")
    nvrtc = (os.environ.get("NEXUS_CUDA_NVRTC") or found).partition(":")[0]
    if not nvrtc:
        raise NotThere("needs NVRTC")
    return {
        "NEXUS_HIP_DRIVER": _built(folder, "libamdhip64"),
        "NEXUS_HIP_HIPRTC": _built(folder, "libhiprtc", DRIVERS / "kernels" / "code_object.cpp"),
        "NEXUS_CUDA_NVRTC": nvrtc,
        "NEXUS_HIP_OVER_CUDA": f"sm_{architecture(bench.device)}",
    }


def _built(folder: Path, name: str, *more: Path) -> str:
    """Returns the path of a library that the machine's own compiler makes."""
    compiler = shutil.which("g++")
    if compiler is None:
        raise NotThere("needs g++")
    library = folder / f"{name}.so.6"
    headers = PACKAGES / "nexus-core" / "include"
    options = [f"-I{headers}", f"-I{PACKAGES / 'nexus-cuda' / 'src'}",
               f'-DNEXUS_KERNEL_HEADERS="{headers}"']  # fmt: skip
    sources = sorted((DRIVERS / "hip_over_cuda" / name).glob("*.cpp"))
    subprocess.run(
        [compiler, "-std=c++20", "-O2", "-shared", "-fPIC", "-fvisibility=hidden",
         *options, *map(str, [*sources, *more]), "-o", str(library), "-ldl"],
        check=True,
    )  # fmt: skip
    return str(library)

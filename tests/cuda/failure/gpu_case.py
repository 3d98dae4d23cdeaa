# SPDX-License-Identifier: Apache-2.0
"""Runs a case of benchmarks/gpu on the simulated driver: `gpu_case.py MODULE NAME`.

Prints a line of JSON with the outcome, then ends like any program.
"""

from __future__ import annotations

import importlib
import json
import struct
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [
    str(ROOT / each) for each in ("benchmarks/gpu", "benchmarks", "tests")
]  # fmt: skip

import cubins  # noqa: E402
from gpu_cases import Bench, NotThere, cases_of  # noqa: E402
from simulated_cubin import Nvrtc  # noqa: E402

from harness import NotMeasured  # noqa: E402

MEMORY = 64 << 20  # bytes of the device: it has room for some of what `exhausted` asks for


def compiled(path: Path, architecture: int, kind: str) -> bytes:
    """Returns code in the form of nvcc's."""
    form = "PTX" if kind == "ptx" else "CUBIN"
    option = f"--gpu-architecture={'compute' if kind == 'ptx' else 'sm'}_{architecture}"
    code = Nvrtc().compile(path.read_text("utf-8"), path.name, option, kind=form)
    return fatbin(code, architecture) if kind == "fatbin" else code


def fatbin(cubin: bytes, architecture: int) -> bytes:
    """Returns a fatbin with one cubin."""
    header_size, kind = 64, 2
    entry = struct.pack("<HHIQ3II", kind, 0x101, header_size, len(cubin), 0, 0, 0, architecture)
    body = entry.ljust(header_size, b"\0") + cubin
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(body)) + body


def smaller(module: str) -> None:
    """Sets sizes that fit the simulated device."""
    if module == "parts.exhausted":
        part = importlib.import_module(module)
        vars(part).update(LARGE=8 << 20, SMALL=1 << 20)
    if module == "parts.processes":
        vars(importlib.import_module(module)).update(CYCLES=100_000_000)


def main(module: str, name: str) -> None:
    vars(cubins)["compiled_by_nvcc"] = compiled
    smaller(module)
    case = next(each for each in cases_of(module) if each.name == name)
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench("cuda:0", Path(folder))
        try:
            outcome = ["passed", case.work(bench) or ""]
        except (NotThere, NotMeasured) as reason:
            outcome = ["not there", str(reason)]
    print(json.dumps(outcome), flush=True)
    if case.ended:
        time.sleep(3600)  # until it is ended from outside


if __name__ == "__main__":
    main(*sys.argv[1:])

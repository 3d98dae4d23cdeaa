# SPDX-License-Identifier: Apache-2.0
"""Compiles CUDA C++ without Nexus: by nvcc, else by NVRTC through cuda.core or CuPy.

So neither the rows nor the cases depend on Nexus' compiler. The folder NEXUS_GPU_CUBINS keeps the
results, such as `launches.sm_90.cubin`, for machines that have none of these compilers.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from harness import NotMeasured

KERNELS = Path(__file__).parent / "gpu_kernels"
_NVCC_PLACES = ("/usr/local/cuda/bin/nvcc",)


@cache
def cubin(file: str, architecture: int) -> bytes:
    """Returns the machine code of a file in gpu_kernels.

    Args:
        architecture: the compute capability, such as 90.

    Raises:
        NotMeasured: there is no compiler, or each failed; the text has their messages.
    """
    folder = os.environ.get("NEXUS_GPU_CUBINS")
    kept = Path(folder or "") / f"{Path(file).stem}.sm_{architecture}.cubin"
    if folder and kept.is_file():
        return kept.read_bytes()
    code = _compiled((KERNELS / file).read_text(encoding="utf-8"), architecture)
    if folder:
        kept.parent.mkdir(parents=True, exist_ok=True)
        partial = kept.with_suffix(f".{os.getpid()}")
        partial.write_bytes(code)
        partial.replace(kept)
    return code


def _compiled(text: str, architecture: int) -> bytes:
    refusals = []
    for compile_text in (_by_nvcc, _by_cuda_core, _by_cupy):
        try:
            return compile_text(text, architecture)
        except Exception as error:  # whatever a peer raises, the next is tried
            refusals.append(f"{compile_text.__name__[4:]}: {type(error).__name__}: {error}")
    raise NotMeasured(f"no compiler of CUDA C++ worked: {'; '.join(refusals)}")


def nvcc() -> str:
    """Returns the path of nvcc. Raises NotMeasured if there is none."""
    for place in (shutil.which("nvcc"), *_NVCC_PLACES):
        if place and Path(place).is_file():
            return place
    raise NotMeasured("needs nvcc on the PATH")


def compiled_by_nvcc(
    source: Path, architecture: int, kind: str = "cubin", flags: Sequence[str] = ()
) -> bytes:
    """Compiles a file with nvcc; returns the output.

    Args:
        kind: "cubin", "ptx" or "fatbin".
    """
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / f"kernel.{kind}"
        command = [nvcc(), f"-{kind}", f"-arch=sm_{architecture}", "-x", "cu", *flags]
        done = subprocess.run(
            [*command, "-o", str(output), str(source)],
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        if done.returncode != 0:
            raise NotMeasured(f"nvcc refused {source.name}: {done.stderr.strip()[-1000:]}")
        return output.read_bytes()


def _by_nvcc(text: str, architecture: int) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "kernel.cu"
        source.write_text(text, encoding="utf-8")
        return compiled_by_nvcc(source, architecture)


def _by_cuda_core(text: str, architecture: int) -> bytes:
    from cuda_core_side import cuda_core

    core = cuda_core()
    options = core.ProgramOptions(arch=f"sm_{architecture}")
    return bytes(core.Program(text, "c++", options).compile("cubin").code)


def _by_cupy(text: str, architecture: int) -> bytes:
    from cupy.cuda import compiler

    code, _ = compiler.compile_using_nvrtc(text, arch=str(architecture))
    return bytes(code)

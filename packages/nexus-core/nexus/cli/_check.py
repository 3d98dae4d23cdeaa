# SPDX-License-Identifier: Apache-2.0
"""`nexus run --check`: finds accesses of a kernel outside of its buffers."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence

import nexus
from nexus import _discovery
from nexus.cli import _isolate, _validate
from nexus.cli._misuse import Misuse

_SANITIZER = "compute-sanitizer"


def run(words: Sequence[str], selector: str | None) -> int:
    """Runs `nexus run` with these arguments in a child under a checker; returns the exit status.

    Raises:
        Misuse: there is no checker for the device's backend.
        nexus.NexusError: there is no such device.
    """
    words = [word for word in words if word not in ("--check", "--isolate")]
    device = nexus.get_device(selector)
    backend = device.runtime.name
    if backend == "cpu":
        return _on_cpu(words)
    if backend == "cuda":
        return _on_cuda(words)
    raise Misuse(
        f"--check works on the CPU and on CUDA, and '{device.selector}' is neither; "
        "give --device cpu."
    )


def _on_cpu(words: Sequence[str]) -> int:
    status, found = _validate.watch(lambda environment: _isolate.run(words, environment))
    if status == 0:
        print(f"nexus run: {'; '.join(found) or 'nothing was found.'}", file=sys.stderr)
    return 1 if status == 0 and found else status


def _on_cuda(words: Sequence[str]) -> int:
    tool = shutil.which(_SANITIZER) or _discovery.get_config("cuda.compute_sanitizer")
    if not tool:
        print(
            f"nexus run: --check needs NVIDIA's {_SANITIZER} for CUDA, and it is neither on PATH "
            "nor in a CUDA toolkit; install it, and set PATH or CUDA_HOME.",
            file=sys.stderr,
        )
        return 1
    # Failing driver calls are not errors: one of them ends the list of a kernel's parameters.
    options = ["--tool", "memcheck", "--error-exitcode", "1", "--report-api-errors", "no"]
    print(f"nexus run: under {tool}", file=sys.stderr)
    status = subprocess.run([tool, *options, *_isolate.child(words)], check=False).returncode
    return 1 if status < 0 else status

# SPDX-License-Identifier: Apache-2.0
"""Nexus beside another process, and beside another user of the thread's context."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys

from gpu_cases import Bench, case
from part_tools import still_works


@case(endangers=True, limit=180)
def a_spawned_child_uses_the_gpu(bench: Bench) -> str:
    program = (
        "import sys, numpy, nexus; d = nexus.get_device(sys.argv[1]); "
        "print(d.create_buffer(numpy.arange(4)).numpy().sum())"
    )
    still_works(bench.device)
    command = [sys.executable, "-c", program, bench.selector]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=90)
    assert done.stdout.strip() == "6", done.stderr[-800:]
    return f"process {os.getpid()} and its child at once"


@case(endangers=True)
def the_thread_keeps_its_current_context(bench: Bench) -> str:
    cuda = ctypes.CDLL(os.environ.get("NEXUS_CUDA_DRIVER") or "libcuda.so.1")

    def current() -> int | None:
        context = ctypes.c_void_p()
        assert cuda.cuCtxGetCurrent(ctypes.byref(context)) == 0
        return context.value

    device = bench.device
    still_works(device)
    without = current()
    assert without is None, "this thread has a current context that Nexus made"
    primary = ctypes.c_void_p()
    assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(primary), 0) == 0
    assert cuda.cuCtxSetCurrent(primary) == 0
    still_works(device)
    assert current() == primary.value, "Nexus changed the thread's current context"
    return "none stays none, and one stays"

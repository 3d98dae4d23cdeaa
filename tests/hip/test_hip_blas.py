# SPDX-License-Identifier: Apache-2.0
"""Products of matrices by hipBLAS, which tests/blas_stand_in.c replaces."""

from __future__ import annotations

from pathlib import Path

import blas_stand_in
from hip_machine import HipMachine

PROGRAM = """
import ctypes, json, os
import numpy as np
import nexus
from nexus.algorithms import matmul
device = nexus.get_device("hip:1")
a, b = np.arange(15, dtype=np.float32).reshape(5, 3), np.ones((3, 7), np.float32)
out = matmul(device.create_buffer(a), device.create_buffer(b), blocking=False, blas=True)
right = np.array_equal(out.numpy(), a @ b)
hipblas = ctypes.CDLL(os.environ["NEXUS_HIP_HIPBLAS"])
print(json.dumps([right, ctypes.c_int.in_dll(hipblas, "products").value]))
"""


def test_hipblas_multiplies(rocm: HipMachine, tmp_path: Path) -> None:
    library = blas_stand_in.build(tmp_path, "libamdhip64.so.7", "-DHIP")
    answer, _ = rocm.having(NEXUS_HIP_HIPBLAS=library).run(PROGRAM)
    assert answer == [True, 1]

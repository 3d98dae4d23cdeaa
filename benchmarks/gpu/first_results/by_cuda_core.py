# SPDX-License-Identifier: Apache-2.0
"""The first result by cuda.core, with its program cache, or a file if it has none."""

import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

try:
    from cuda.core import Device, LaunchConfig, ObjectCode, Program, ProgramOptions, launch
except ImportError:
    from cuda.core.experimental import (
        Device,
        LaunchConfig,
        ObjectCode,
        Program,
        ProgramOptions,
        launch,
    )

SOURCE = """
extern "C" __global__ void add(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
"""


def compiled(device: Any) -> Any:
    folder = Path(os.environ["FIRST_RESULT_CACHE"])
    options = ProgramOptions(arch=f"sm_{device.arch}")
    try:
        from cuda.core.utils import FileStreamProgramCache
    except ImportError:
        file = folder / "add.cubin"
        if not file.exists():
            file.write_bytes(bytes(Program(SOURCE, "c++", options).compile("cubin").code))
        return ObjectCode.from_cubin(file.read_bytes())
    with FileStreamProgramCache(folder) as cache:
        return Program(SOURCE, "c++", options).compile("cubin", cache=cache)


device = Device(0)
device.set_current()
stream = device.create_stream()
kernel = compiled(device).get_kernel("add")
host = [np.arange(1024, dtype=np.float32), np.ones(1024, np.float32), np.zeros(1024, np.float32)]
buffers = [device.allocate(each.nbytes, stream=stream) for each in host]

try:
    from cuda.bindings import driver
except ImportError:
    from cuda import cuda as driver


def copy(function: Any, to: int, source: int, size: int) -> None:
    stream.sync()
    result = function(to, source, size)[0]
    if int(result):
        sys.exit(f"a copy failed: {result}")


for buffer, each in zip(buffers[:2], host, strict=False):
    copy(driver.cuMemcpyHtoD, int(buffer.handle), each.ctypes.data, each.nbytes)
launch(stream, LaunchConfig(grid=4, block=256), kernel, *buffers, np.int32(1024))
copy(driver.cuMemcpyDtoH, host[2].ctypes.data, int(buffers[2].handle), host[2].nbytes)
print("result", host[2][-1], flush=True)

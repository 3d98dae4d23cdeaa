# SPDX-License-Identifier: Apache-2.0
"""What the examples of this folder start with."""

import hashlib
import json
from importlib.resources import files
from pathlib import Path

import numpy as np

import nexus

device = nexus.get_device("cpu")
library = device.load_library(str(files("nexus_cpu") / "libnexus_cpu_demo_kernels.so"))
kernel = library.get_kernel("add_vectors")  # c[i] = a[i] + b[i] for i < n
a = device.create_buffer(np.arange(4, dtype=np.float32))
b = device.create_buffer(np.ones(4, dtype=np.float32))
c = device.create_buffer((4,))
schedule = device.create_schedule()
command = schedule.create_command(kernel, [a, b, c, 4], grid_size=4)
stream = device.create_stream()
event = device.create_event()

SAXPY = """
NEXUS_KERNEL_BOUNDED(saxpy, (n), (NEXUS_GLOBAL const float *, x), (NEXUS_GLOBAL float *, y),
                     (float, a), (int, n)) {
  int i = nexus_global_id(0);
  y[i] = a * x[i] + y[i];
}
"""
program = nexus.Program(SAXPY, name="saxpy.c")
code = program.compile(device)

# A kernel catalog, as `nexus catalog build` makes it.
source = {
    "Language": "nexus",
    "File": "vector.c",
    "SHA256": hashlib.sha256(SAXPY.encode()).hexdigest(),
}
vector = {
    "Name": "vector",
    "Version": "1.0.0",
    "Kernels": [{"Name": "saxpy", "GroupSize": [256]}],
    "Sources": [source],
}
tree = {
    "CatalogVersion": 1,
    "Name": "example",
    "Version": "1.0.0",
    "License": "MIT",
    "Libraries": [vector],
}
folder = Path("kernels")
folder.mkdir()
(folder / "vector.c").write_text(SAXPY)
(folder / "kernel_catalog.json").write_text(json.dumps(tree))
catalog = nexus.load_catalog("kernels/kernel_catalog.json")

# SPDX-License-Identifier: Apache-2.0
"""Adds two vectors on the CPU, with a kernel that nexus-cpu carries."""

from importlib.resources import files

import numpy as np

import nexus

a, b = np.arange(1024, dtype=np.float32), np.ones(1024, dtype=np.float32)
device = nexus.get_device("cpu")
library = device.load_library(str(files("nexus_cpu") / "libnexus_cpu_demo_kernels.so"))
c = device.create_buffer((1024,), dtype="float32")
schedule = device.create_schedule()
command = schedule.create_command(library.get_kernel("add_vectors"))
for index, argument in enumerate([device.create_buffer(a), device.create_buffer(b), c, 1024]):
    command.set_arg(index, argument)
command.finalize(group_size=256, grid_size=1024)
schedule.run()
assert (c.numpy() == a + b).all()
print(c.numpy())

# SPDX-License-Identifier: Apache-2.0
"""Lets heat spread in a plate. The steps are recorded once; a host function shows the progress.

pip install pillow
python examples/heat.py heat.png
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from PIL import Image

import nexus

SIZE, RATE, ROUNDS = 256, 0.8, 25

plate = np.zeros((SIZE, SIZE), np.float32)
plate[0] = plate[80:100, 60:80] = plate[160:180, 130:150] = 1  # a hot edge and two hot spots
device = nexus.get_device()
step = device.compile(Path(__file__).with_name("kernels") / "stencil.c").get_kernel("stencil")
here, there = device.create_buffer(plate), device.create_buffer(plate)

two_steps = device.create_schedule()
for source, target in ((here, there), (there, here)):
    two_steps.create_command(step, [source, target, SIZE, SIZE, RATE], grid_size=(SIZE, SIZE))
one_round = device.create_schedule()
for _ in range(10):
    one_round.create_schedule_command(two_steps)
one_round.create_host_command(lambda: print("#", end="", file=sys.stderr, flush=True))
one_round.run(times=ROUNDS)

heat = here.numpy()
picture = np.stack([np.sqrt(heat), heat, 1 - np.sqrt(heat)], axis=2)
Image.fromarray((255 * picture).astype(np.uint8)).save(sys.argv[1])
print(f"\n{ROUNDS * 20} steps on {device.name}: the mean is {heat.mean():.4f}.")

# SPDX-License-Identifier: Apache-2.0
"""Lets heat spread in a plate, with a progress bar, and writes a picture of it.

    pip install pillow
    python examples/heat.py [--steps 1000] [-o heat.png]

One schedule is all of it: two steps that swap the plate's two buffers, nested ten times, and then a
host function that moves the bar. It runs as often as the steps need, in one call. The result is
compared with numpy's; if they differ, it exits with 1.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image

import nexus

KERNELS = Path(__file__).parent / "kernels" / "stencil.c"
RATE = np.float32(0.8)
STEPS_OF_A_ROUND = 20

Plate = npt.NDArray[np.float32]


class ProgressBar:
    """A bar on stderr."""

    def __init__(self, rounds: int, plate: nexus.Buffer) -> None:
        self.done = 0
        self._rounds, self._plate = rounds, plate

    def advance(self) -> None:
        """Called by the schedule after each round; reads the plate as it is then."""
        self.done += 1
        filled = 40 * self.done // self._rounds
        middle = self._plate.numpy()[self._plate.shape[0] // 2].max()
        bar = f"[{'#' * filled}{'.' * (40 - filled)}]"
        print(f"\r{bar} the middle has {middle:.3f}", end="", file=sys.stderr)
        if self.done == self._rounds:
            print(file=sys.stderr)


def spread(device: nexus.Device, plate: Plate, rounds: int) -> tuple[Plate, ProgressBar]:
    """Returns the plate after the rounds, and the bar."""
    kernel = device.compile(KERNELS).get_kernel("stencil")
    height, width = plate.shape
    here, there = device.create_buffer(plate), device.create_buffer(plate)

    two_steps = device.create_schedule()
    for source, target in ((here, there), (there, here)):
        arguments = (source, target, np.int32(width), np.int32(height), RATE)
        two_steps.create_command(kernel, arguments, grid_size=(width, height))

    bar = ProgressBar(rounds, here)
    one_round = device.create_schedule()
    for _ in range(STEPS_OF_A_ROUND // 2):
        one_round.create_schedule_command(two_steps)
    one_round.create_host_command(bar.advance)
    one_round.run(times=rounds)
    return here.numpy(), bar


def reference(plate: Plate, steps: int) -> Plate:
    """Returns the same by numpy."""
    plate = plate.copy()
    for _ in range(steps):
        inner = plate[1:-1, 1:-1]
        around = plate[1:-1, :-2] + plate[1:-1, 2:] + plate[:-2, 1:-1] + plate[2:, 1:-1]
        plate[1:-1, 1:-1] = inner + RATE * (np.float32(0.25) * around - inner)
    return plate


def hot_plate(size: int) -> Plate:
    """Returns a cold plate with a hot edge and three hot spots."""
    plate = np.zeros((size, size), np.float32)
    plate[0] = 1
    for y, x in ((3, 2), (6, 5), (5, 8)):
        at = slice(y * size // 10, y * size // 10 + size // 20)
        plate[at, x * size // 10 : x * size // 10 + size // 20] = 1
    return plate


def main() -> int:
    """Computes, checks, writes; returns the exit status."""
    parser = argparse.ArgumentParser(description="Let heat spread in a plate.")
    parser.add_argument("--size", type=int, default=512, help="cells of a side; default: 512")
    parser.add_argument("--steps", type=int, default=1000, help="default: 1000")
    parser.add_argument("-o", "--output", type=Path, default=Path("heat.png"))
    options = parser.parse_args()
    if options.size < 20:
        parser.error(f"--size is {options.size}; give at least 20")
    if options.steps < 1 or options.steps % STEPS_OF_A_ROUND:
        parser.error(f"--steps is {options.steps}; give a multiple of {STEPS_OF_A_ROUND}")

    device = nexus.get_device()
    before = hot_plate(options.size)
    after, bar = spread(device, before, options.steps // STEPS_OF_A_ROUND)

    difference = float(np.abs(after - reference(before, options.steps)).max())
    if difference > 1e-4:
        print(f"The plate differs from numpy's by up to {difference:.2g}.", file=sys.stderr)
        return 1

    red, blue = np.sqrt(after), 1 - np.sqrt(after)
    picture = np.stack([red, after, blue], axis=2)
    Image.fromarray(np.rint(picture * 255).astype(np.uint8)).save(options.output)
    print(
        f"{options.steps} steps in {bar.done} rounds on {device.get_property_str('Name')}: as "
        f"numpy has it (largest difference {difference:.1g}). Wrote {options.output}."
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""The accelerations of bodies that pull at each other."""

from __future__ import annotations

import numpy as np
from launch import Floats, kernel, launch, show
from numpy.typing import NDArray

import nexus


def accelerations(device: nexus.Device, x: Floats, mass: Floats, softening: float) -> Floats:
    """Returns the accelerations of n bodies at x (3 x n)."""
    places = [device.create_buffer(axis) for axis in x]
    results = [device.create_buffer((mass.size,)) for _ in x]
    arguments = (*places, device.create_buffer(mass), *results, softening, mass.size)
    launch(device, kernel(device, "nbody.c"), arguments, mass.size)
    return np.stack([result.numpy() for result in results])


def accelerations_by_numpy(x: Floats, mass: Floats, softening: float) -> NDArray[np.float64]:
    wide = x.astype(np.float64)
    apart = wide[:, None, :] - wide[:, :, None]
    pull = mass / ((apart**2).sum(axis=0) + softening) ** 1.5
    return np.asarray((apart * pull).sum(axis=2))


def example(device: nexus.Device) -> tuple[Floats, NDArray[np.float64]]:
    random = np.random.default_rng(1)
    x, mass = random.random((3, 1000), dtype=np.float32), random.random(1000, dtype=np.float32)
    return accelerations(device, x, mass, 0.01), accelerations_by_numpy(x, mass, 0.01)


if __name__ == "__main__":
    show(example)

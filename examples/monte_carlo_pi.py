# SPDX-License-Identifier: Apache-2.0
"""Estimates pi: the share of random points of a square that lie in its circle.

python examples/monte_carlo_pi.py
"""

from __future__ import annotations

import math

import nexus
from nexus import algorithms

POINTS = 1 << 22


def main() -> None:
    """Prints the estimate; fails if it is far from pi."""
    device = nexus.get_device()
    x = algorithms.random(device, POINTS, "float32", seed=1)
    y = algorithms.random(device, POINTS, "float32", seed=2)
    inside = algorithms.reduce("a + b", map="int32(x * x + y * y < 1)", x=x, y=y)
    estimate = 4 * inside.item() / POINTS
    print(f"pi is about {estimate:.4f}, by {POINTS} points on {device.name}.")
    assert abs(estimate - math.pi) < 0.005


if __name__ == "__main__":
    main()

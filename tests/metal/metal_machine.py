# SPDX-License-Identifier: Apache-2.0
"""A machine with a simulated Metal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import simulated
from driver_machine import DriverMachine


@dataclass(frozen=True)
class MetalMachine(DriverMachine):
    """Processes that see it."""

    backend: ClassVar[str] = "metal"


def of_metal(**machine: int) -> MetalMachine:
    """Returns a machine with the double of Metal, in the words of tests/drivers/README.md."""
    return MetalMachine(simulated.metal_environment(None, **machine))

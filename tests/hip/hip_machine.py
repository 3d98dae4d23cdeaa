# SPDX-License-Identifier: Apache-2.0
"""A machine with a simulated HIP."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import simulated
from driver_machine import DriverMachine


@dataclass(frozen=True)
class HipMachine(DriverMachine):
    """Processes that see it."""

    backend: ClassVar[str] = "hip"

    def failing(self, function: str, nth: int, result: int) -> HipMachine:
        """Returns the same machine, where the nth call of a function returns that."""
        return self.having(NEXUS_SIMULATED_HIP_FAIL=f"{function}:{nth}:{result}")


def of_rocm(rocm: int = 7, **machine: int) -> HipMachine:
    """Returns a machine with HIP of that major version."""
    return HipMachine(simulated.hip_environment(rocm, None, **machine))


def with_attributes(attributes: dict[int, int]) -> HipMachine:
    """Returns a machine whose devices have these attributes, by number."""
    return of_rocm(**{f"attribute.{number}": value for number, value in attributes.items()})

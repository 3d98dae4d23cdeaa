# SPDX-License-Identifier: Apache-2.0
"""The OpenCL backend of Nexus beside pyopencl, on the same devices of the same runtimes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import nexus
from harness import NotMeasured, Result, our_version
from opencl_cpu import OpenCL, opencl_runtimes

Row = TypeVar("Row")
_HOW_TO_GET = "needs the OpenCL backend: pip install examples/plugins/nexus-opencl"


@dataclass(frozen=True)
class SameDevice:
    """A device as both sides have it.

    Attributes:
        ours: the device of Nexus.
        theirs: pyopencl's side.
        name: the runtime's, for the table.
    """

    ours: nexus.Device
    theirs: OpenCL
    name: str

    @property
    def label(self) -> str:
        """Our side's name and version."""
        return f"{our_version()} on {self.name}"


def measure_each(name: str, goal: str, measure: Callable[[SameDevice], Result]) -> list[Result]:
    """Returns a row for each runtime that both sides find."""
    try:
        return [measure(device) for device in _same_devices()]
    except NotMeasured as reason:
        return [Result(name, goal, notes=[f"not measured: {reason}"])]


def _same_devices() -> list[SameDevice]:
    theirs = {_key(each.device.platform.name, each.device.name): each for each in opencl_runtimes()}
    runtime = next((each for each in nexus.get_runtimes() if each.name == "opencl"), None)
    if runtime is None:
        raise NotMeasured(_HOW_TO_GET)
    found = []
    for device in runtime.get_devices():
        platform = str(device.get_info()["Extensions", "OpenCL", "Platform"])
        same = theirs.get(_key(platform, str(device.get_property("Name"))))
        if same:
            found.append(SameDevice(device, same, "PoCL" if same.is_pocl else "Intel"))
    if not found:
        raise NotMeasured("pyopencl and Nexus find no OpenCL device in common")
    return found


def _key(platform: str, device: str) -> tuple[str, str]:
    return platform.strip(), device.strip()

# SPDX-License-Identifier: Apache-2.0
"""Helpers of the cases: faulty kernels, a check that all still works, and refusals."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import nexus
from cubins import cubin
from gpu_cases import NotThere

VALUES = 4096
SOON = 30.0  # seconds after which something hangs


def architecture(device: nexus.Device) -> int:
    """Returns the compute capability of a device, such as 90."""
    name = device.get_property_str("Architecture")
    digits = "".join(each for each in name if each.isdigit())
    if not digits:
        raise NotThere(f"the device's Architecture is {name!r}, which names no sm_ number")
    return int(digits)


def mistakes(device: nexus.Device) -> nexus.Library:
    """Loads the kernels of mistakes.cu, compiled without Nexus."""
    return device.load_library(cubin("mistakes.cu", architecture(device)))


def recorded(
    device: nexus.Device,
    kernel: str,
    arguments: Sequence[Any],
    items: int = 1,
    library: nexus.Library | None = None,
) -> nexus.Schedule:
    """Makes a schedule that runs a kernel of mistakes.cu, in groups of at most 256 items."""
    schedule = device.create_schedule()
    function = (library or mistakes(device)).get_kernel(kernel)
    schedule.create_command(function, arguments, min(256, items), items)
    return schedule


def add_one(
    device: nexus.Device, buffer: nexus.Buffer, library: nexus.Library | None = None
) -> nexus.Schedule:
    """Makes a schedule that adds 1 to each int32 of the buffer."""
    count = buffer.shape[0]
    return recorded(device, "add_one", (buffer, np.int32(count)), count, library)


def still_works(device: nexus.Device, library: nexus.Library | None = None) -> None:
    """Copies, launches and copies back, on a new stream."""
    host = np.arange(VALUES, dtype=np.int32)
    with device.create_buffer(host) as buffer, device.create_stream() as stream:
        schedule = add_one(device, buffer, library)
        for _ in range(2):
            schedule.run(stream, timeout=SOON)
        assert np.array_equal(buffer.numpy(), host + 2), "a kernel computes wrong values"


def refusal(call: Callable[[], Any], *words: str) -> str:
    """Returns the error text of a call, which must soon raise our error with these words."""
    start = time.monotonic()
    try:
        result = call()
    except (nexus.NexusError, ValueError, TypeError) as error:
        text = str(error)
    else:
        raise AssertionError(f"was not refused, but returned {result!r}")
    seconds = time.monotonic() - start
    assert seconds < SOON, f"was refused after {seconds:.0f} s: {text}"
    assert len(text) > 15, f"the refusal says too little: {text!r}"
    missing = [word for word in words if word.lower() not in text.lower()]
    assert not missing, f"the refusal does not speak of {missing}: {text}"
    return text


def peer(name: str) -> Any:
    """Returns the module of another library. Raises NotThere."""
    try:
        return importlib.import_module(name)
    except Exception as error:
        raise NotThere(f"needs {name}: {type(error).__name__}: {error}") from error


def attribute(owner: Any, name: str) -> Any:
    """Returns a member of one of our objects. Raises NotThere if it does not exist yet."""
    try:
        return getattr(owner, name)
    except AttributeError as error:
        raise NotThere(f"Nexus: {type(owner).__name__} has no {name}: {error}") from error

# SPDX-License-Identifier: Apache-2.0
"""What a backend's capability bits say is what it does, and what they leave out it refuses."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import nexus
from nexus.capability import Capability

Action = Callable[[nexus.Device, Path], object]

ACTIONS: dict[Capability, Action] = {
    Capability.HostVisibleMemory: lambda device, _: np.asarray(device.create_buffer((4,))),
    Capability.ManagedMemory: lambda device, _: device.create_buffer(64, memory="managed"),
    Capability.StreamPriority: lambda device, _: device.create_stream(-1),
    Capability.ForeignMemory: lambda device, _: device.create_buffer_from_handle(
        device.create_buffer(64).native_handle, 64
    ),
    Capability.ForeignStream: lambda device, _: device.create_stream(
        foreign=device.create_stream().native_handle
    ),
    Capability.ShareableMemory: lambda device, _: device.create_buffer(64, shareable=True),
    Capability.ShareableEvents: lambda device, _: device.create_event(
        nexus.event_type.Signal, shareable=True
    ),
    Capability.LibraryFromMemory: lambda device, path: device.load_library(path.read_bytes()),
}


def has(device: nexus.Device, capability: Capability) -> bool:
    bits = device.runtime.get_property_int(nexus.property.Capabilities)
    return bits & capability != 0


@pytest.mark.parametrize(("capability", "action"), ACTIONS.items(), ids=[c.name for c in ACTIONS])
def test_a_bit_says_what_the_backend_does(
    device: nexus.Device, kernel_file: Path, capability: Capability, action: Action
) -> None:
    if has(device, capability):
        action(device, kernel_file)
    else:
        with pytest.raises((nexus.NexusError, BufferError)):
            action(device, kernel_file)


def test_a_kernel_describes_itself_where_the_bit_is_set(
    device: nexus.Device, library: nexus.Library
) -> None:
    described = library.get_kernel("scale").arguments is not None
    assert described == has(device, Capability.ArgumentInfo)


def test_no_bit_is_set_that_has_no_name(device: nexus.Device) -> None:
    bits = device.runtime.get_property_int(nexus.property.Capabilities)
    assert bits & ~sum(Capability) == 0

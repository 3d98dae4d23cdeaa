# SPDX-License-Identifier: Apache-2.0
# Generated from schema/enums.json by `nox -s gen`. Do not edit.
"""What sets an event."""

from enum import IntEnum as _IntEnum


class EventType(_IntEnum):
    """What sets an event."""

    Shared = 0
    """A 64-bit counter that only grows."""
    Signal = 1
    """One shot, re-armed when a run that signals it is submitted."""
    Fence = 2
    """Set when the kernel commands before it in its schedule are complete."""


Shared = EventType.Shared
Signal = EventType.Signal
Fence = EventType.Fence

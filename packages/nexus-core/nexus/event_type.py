# SPDX-License-Identifier: Apache-2.0
# Generated from schema/enums.json by `nox -s gen`. Do not edit.
"""The kind of an event: what sets it."""

from enum import IntEnum as _IntEnum


class EventType(_IntEnum):
    """The kind of an event: what sets it."""

    Shared = 0
    """A 64-bit counter that only grows."""
    Signal = 1
    """A one-shot event, re-armed when a run that signals it is submitted."""
    Fence = 2
    """A one-shot event, the same as Signal."""


Shared = EventType.Shared
Signal = EventType.Signal
Fence = EventType.Fence

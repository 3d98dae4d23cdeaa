# SPDX-License-Identifier: Apache-2.0
# Generated from schema/enums.json by `nox -s gen`. Do not edit.
"""Bits that say where a buffer lives."""

from enum import IntEnum as _IntEnum


class BufferSettings(_IntEnum):
    """Bits that say where a buffer lives."""

    OnHost = 1
    """In host memory that the device can reach."""
    OnDevice = 2
    """In the device's own memory."""
    Maintain = 4
    """Uses the memory at the host pointer in place; the caller keeps it alive until the buffer's storage is released."""
    Shareable = 8
    """The memory can be shared with other processes."""
    ReadOnly = 16
    """No kernel, copy or fill writes to it. libnexus enforces this; plug-ins never get this bit."""


OnHost = BufferSettings.OnHost
OnDevice = BufferSettings.OnDevice
Maintain = BufferSettings.Maintain
Shareable = BufferSettings.Shareable
ReadOnly = BufferSettings.ReadOnly

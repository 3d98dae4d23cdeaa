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
    """Uses the host pointer's memory itself, which the caller keeps until the buffer's storage is released."""
    Shareable = 8
    """Other processes can be given the memory."""
    ReadOnly = 16
    """No kernel, copy or fill writes to it. libnexus sees to it: no plug-in is given this."""


OnHost = BufferSettings.OnHost
OnDevice = BufferSettings.OnDevice
Maintain = BufferSettings.Maintain
Shareable = BufferSettings.Shareable
ReadOnly = BufferSettings.ReadOnly

# SPDX-License-Identifier: Apache-2.0
"""Functions that pickles of shared buffers and events call."""

from __future__ import annotations

from typing import TYPE_CHECKING

import nexus
from nexus import _core

if TYPE_CHECKING:
    from nexus import Buffer, Event


def open_buffer(
    selector: str, handle: bytes, offset: int, nbytes: int, data_type: int, shape: tuple[int, ...]
) -> Buffer:
    """Opens a buffer that another process shares.

    Raises:
        NexusError: that process has closed it, or ended; or there is no such device here.
    """
    device = nexus.get_device(selector)
    return _core.import_buffer(device, handle, offset, nbytes, data_type, shape)


def open_event(selector: str, handle: bytes) -> Event:
    """Opens an event that another process shares.

    Raises:
        NexusError: that process has closed it, or ended; or there is no such device here.
    """
    return _core.import_event(nexus.get_device(selector), handle)

# SPDX-License-Identifier: Apache-2.0
"""Conversions of buffers to other dtypes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nexus import _core, status
from nexus._arrays._values import copy_to_numpy, named_dtype
from nexus._errors import NexusError

if TYPE_CHECKING:
    from nexus import Buffer


def astype(buffer: Buffer, dtype: Any) -> Buffer:
    """Implements buffer.astype(dtype)."""
    wanted = named_dtype(_core.dtype_name(dtype, "dtype"))
    if buffer.device is None:
        return _core.create_system_buffer(copy_to_numpy(buffer).astype(wanted), None)
    if buffer.device.get_property_str("Type") != "cpu":
        made = _convert_by_kernel(buffer, wanted.name)
        if made is not None:
            return made
    return buffer.device.create_buffer(copy_to_numpy(buffer).astype(wanted, copy=False))


def _convert_by_kernel(buffer: Buffer, dtype: str) -> Buffer | None:
    """Returns None for types that algorithms do not support, and if the device can't compile."""
    from nexus.algorithms import _dtypes, elementwise

    if not {buffer.dtype, dtype} <= _dtypes.C_TYPES.keys() or buffer.size > _dtypes.MOST:
        return None
    try:
        made: Buffer = elementwise(f"y = {dtype}(x)")(buffer.ascontiguous())
    except NexusError as error:
        if error.status not in (status.NXS_CompilerNotAvailable, status.NXS_NotSupported):
            raise
        return None
    return made

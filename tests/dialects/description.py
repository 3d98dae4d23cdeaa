# SPDX-License-Identifier: Apache-2.0
"""Reads what a kernel for CUDA or HIP says of itself: the form in cuda_description.h."""

from __future__ import annotations

import struct
from dataclasses import dataclass

BUFFER, SCALAR, LOCAL_MEMORY = 0, 1, 2


@dataclass(frozen=True)
class Argument:
    """One argument. data_type: the number of an nxs_data_type."""

    name: str
    type: str
    kind: int
    data_type: int
    size: int
    read_only: bool


@dataclass(frozen=True)
class Description:
    """A kernel: its arguments, and what a launch must have."""

    group_size: tuple[int, int, int]
    local_memory: int
    arguments: tuple[Argument, ...]


def read_description(data: bytes) -> Description:
    """Of the bytes of the symbol nexus_kernel_<name>."""
    version, count, x, y, z, local_memory = struct.unpack_from("<6i", data)
    assert version == 1
    numbers = [struct.unpack_from("<4i", data, 24 + 16 * i) for i in range(count + 1)]
    assert numbers[-1] == (0, 0, 0, 0)
    texts = data[24 + 16 * (count + 1) :].decode().split("\0")
    arguments = tuple(
        Argument(texts[2 * i], texts[2 * i + 1], kind, data_type, size, bool(read_only))
        for i, (kind, data_type, size, read_only) in enumerate(numbers[:count])
    )
    return Description((x, y, z), local_memory, arguments)

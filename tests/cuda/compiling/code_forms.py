# SPDX-License-Identifier: Apache-2.0
"""Properties of machine code and other forms of code."""

from __future__ import annotations

import struct

CUDA_MACHINE = 190  # of an ELF file


def architecture(cubin: bytes) -> int:
    """Returns a cubin's architecture, such as 90."""
    assert cubin[:4] == b"\x7fELF"
    assert struct.unpack_from("<H", cubin, 18) == (CUDA_MACHINE,)
    (flags,) = struct.unpack_from("<I", cubin, 0x30)
    abi = cubin[8]
    return int(flags >> 8 if abi >= 8 else flags) & 0xFF


def kernels(cubin: bytes) -> set[str]:
    """Returns the names of a cubin's kernels and functions."""
    (table,) = struct.unpack_from("<Q", cubin, 0x28)
    count, names = struct.unpack_from("<HH", cubin, 0x3C)
    (text,) = struct.unpack_from("<Q", cubin, table + names * 64 + 0x18)
    found = set()
    for index in range(count):
        (at,) = struct.unpack_from("<I", cubin, table + index * 64)
        name = cubin[text + at :].split(b"\0", 1)[0].decode()
        if name.startswith(".text."):
            found.add(name.removeprefix(".text."))
    return found

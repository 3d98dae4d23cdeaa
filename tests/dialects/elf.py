# SPDX-License-Identifier: Apache-2.0
"""Reads the bytes of a symbol from 64-bit object code, as a backend without a device would."""

from __future__ import annotations

import struct

SYMBOL_TABLES = {2, 11}  # the static and the dynamic one


def symbols(image: bytes) -> dict[str, bytes]:
    """The initial bytes of each symbol of an ELF file that has some."""
    assert image[:6] == b"\x7fELF\x02\x01", "no little-endian 64-bit ELF file"
    (table,) = struct.unpack_from("<Q", image, 0x28)
    entry, count = struct.unpack_from("<HH", image, 0x3A)
    # type, address, file offset, size, index of the section with the names
    sections = [struct.unpack_from("<4xI8xQQQI", image, table + i * entry) for i in range(count)]
    found: dict[str, bytes] = {}
    for kind, _, start, size, link in sections:
        if kind not in SYMBOL_TABLES:
            continue
        for name, index, value, length in struct.iter_unpack(
            "<I2xHQQ", image[start : start + size]
        ):
            if 0 < index < count and length:
                _, address, offset, _, _ = sections[index]
                first = offset + value - address
                text = image[sections[link][2] + name :].split(b"\0", 1)[0]
                found[text.decode()] = image[first : first + length]
    return found

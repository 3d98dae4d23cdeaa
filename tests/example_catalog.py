# SPDX-License-Identifier: Apache-2.0
"""Writes kernel catalogs for tests."""

from __future__ import annotations

import hashlib
import json
import struct
from pathlib import Path
from typing import Any

FILE = "kernel_catalog.json"
SCALE = """
NEXUS_KERNEL_BOUNDED(scale, (n), (NEXUS_GLOBAL float *, x), (float, a), (int, n)) {
  x[nexus_global_id(0)] *= a;
}
"""

Json = dict[str, Any]


def build_of(folder: Path, file: str, data: bytes, **fields: Any) -> Json:
    """Writes a file of a catalog in the folder, and returns its entry with these fields."""
    path = folder / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return {"File": file, "SHA256": hashlib.sha256(data).hexdigest(), **fields}


def source_of(
    folder: Path, text: str = SCALE, file: str = "sources/vector.c", **fields: Any
) -> Json:
    """Writes a source in the portable language, and returns its entry."""
    return build_of(folder, file, text.encode(), **{"Language": "nexus", **fields})


def object_of(folder: Path, data: bytes, architecture: str, runtime: str = "cpu") -> Json:
    """Writes an object, and returns its entry."""
    file = f"objects/vector.{runtime}-{architecture}.nexus"
    return build_of(folder, file, data, Runtime=runtime, Architecture=architecture)


def elf(machine: int, flags: int = 0, abi: int = 0) -> bytes:
    """The head of an ELF file of 64 bits."""
    ident = b"\x7fELF\x02\x01\x01\x00" + bytes([abi]) + bytes(7)
    return struct.pack("<16sHHIQQQI12x", ident, 3, machine, 1, 0, 0, 0, flags)


def library_of(version: str = "1.0.0", name: str = "vector", **fields: Any) -> Json:
    """Returns a library's entry."""
    return {"Name": name, "Version": version, "Kernels": [{"Name": "scale"}], **fields}


def write_catalog(folder: Path, *libraries: Json, **fields: Any) -> Path:
    """Writes the catalog's file, with one library of one source if none is given."""
    tree = {
        "CatalogVersion": 1,
        "Name": "example",
        "Version": "1.0.0",
        "License": "Apache-2.0",
        "Libraries": list(libraries) or [library_of(Sources=[source_of(folder)])],
        **fields,
    }
    path = folder / FILE
    path.write_text(json.dumps(tree), encoding="utf-8")
    return path

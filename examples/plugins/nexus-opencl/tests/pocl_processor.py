# SPDX-License-Identifier: Apache-2.0
"""Makes PoCL's wheel compile for CPUs that are newer than its LLVM.

LLVM 14 names an unknown CPU "generic", and then can't compile for it (pocl/pocl issue 1049). So
this replaces LLVM's function in this process, to return the newest CPU that LLVM knows and whose
instructions this CPU has. Nothing on disk changes.

Use it as a plug-in of pytest: `pytest -p pocl_processor`, with this folder on PYTHONPATH.
"""

from __future__ import annotations

import atexit
import ctypes
import functools
import importlib.metadata
import os
import platform
import struct
import sys
import tempfile
from pathlib import Path

_FUNCTION = b"_ZN4llvm3sys14getHostCPUNameEv"  # llvm::StringRef llvm::sys::getHostCPUName()
_SYMBOL_TABLE = 2  # the type of that section
_NAMES = (("avx512vl", b"icelake-server"), ("avx2", b"znver3"))
_kept: list[ctypes.Array[ctypes.c_char]] = []  # used by the replaced function


def pytest_addoption() -> None:
    """Runs before pytest's other plug-ins, which ask for devices when they are configured."""
    prepare()


def prepare() -> None:
    """Makes a new cache for PoCL, whose cache loses messages. Call it before any device query."""
    if "POCL_CACHE_DIR" not in os.environ:
        folder = tempfile.TemporaryDirectory(prefix="pocl-cache-", ignore_cleanup_errors=True)
        os.environ["POCL_CACHE_DIR"] = folder.name
        atexit.register(folder.cleanup)
    name_this_processor()


@functools.cache
def name_this_processor() -> str | None:
    """Replaces LLVM's function if LLVM does not know this CPU. Call it before any device query.

    Returns:
        The name that the function now returns, or None if it was not replaced.
    """
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return None
    library = _library_of_wheel()
    name = _substitute()
    if library is None or name is None:
        return None
    offset = _address_in(library, _FUNCTION)
    if offset is None:
        return None
    ctypes.CDLL(str(library))  # pyopencl's loader then finds it in memory
    address = _base_of(library) + offset
    if _host_name(address) != b"generic":
        return None
    text = ctypes.create_string_buffer(name)
    _kept.append(text)
    # mov rax, text; mov edx, size; ret: how x86-64 returns a pointer and a size
    code = struct.pack("<2sQ", b"\x48\xb8", ctypes.addressof(text))
    code += struct.pack("<cIc", b"\xba", len(name), b"\xc3")
    with Path("/proc/self/mem").open("r+b", buffering=0) as memory:
        memory.seek(address)
        memory.write(code)
    return name.decode()


class _StringRef(ctypes.Structure):
    _fields_ = (("data", ctypes.c_void_p), ("size", ctypes.c_size_t))


def _host_name(address: int) -> bytes:
    answer = ctypes.CFUNCTYPE(_StringRef)(address)()
    return ctypes.string_at(answer.data, answer.size)


def _library_of_wheel() -> Path | None:
    try:
        files = importlib.metadata.files("pocl-binary-distribution") or []
    except importlib.metadata.PackageNotFoundError:
        return None
    names = (Path(str(file.locate())).resolve() for file in files)
    found = (path for path in names if path.name.startswith("libpocl") and path.is_file())
    return next(found, None)


def _substitute() -> bytes | None:
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    line = next((line for line in text.splitlines() if line.startswith("flags")), "")
    flags = line.split()
    return next((name for flag, name in _NAMES if flag in flags), None)


def _base_of(library: Path) -> int:
    """Returns the address of the library in this process."""
    for line in Path("/proc/self/maps").read_text(encoding="utf-8").splitlines():
        addresses, _, offset, _, _, *path = line.split(maxsplit=5)
        if path and int(offset, 16) == 0 and path[0] == str(library):
            return int(addresses.partition("-")[0], 16)
    raise RuntimeError(f"{library} is loaded and not in /proc/self/maps")


def _address_in(library: Path, symbol: bytes) -> int | None:
    """Returns the address of a symbol in a 64-bit ELF file, or None."""
    image = library.read_bytes()
    (table,) = struct.unpack_from("<Q", image, 0x28)
    entry, count = struct.unpack_from("<HH", image, 0x3A)
    # type, file offset, size, index of the section with the names
    sections = [struct.unpack_from("<4xI16xQQI", image, table + i * entry) for i in range(count)]
    for kind, start, size, link in sections:
        if kind == _SYMBOL_TABLE:
            names = sections[link][1]
            name = image.find(b"\0" + symbol + b"\0", names, names + sections[link][2])
            for index, address in struct.iter_unpack("<I4xQ8x", image[start : start + size]):
                if name >= 0 and index == name + 1 - names:
                    return int(address)
    return None

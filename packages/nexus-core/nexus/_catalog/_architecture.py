# SPDX-License-Identifier: Apache-2.0
"""Architectures of bare code, which is not from ObjectCode.save: a catalog's entry names one."""

from __future__ import annotations

import re
import struct
from typing import TYPE_CHECKING

from nexus import _core

if TYPE_CHECKING:
    from nexus import Device

# The features that each level of x86-64 adds to those of the level before, as LLVM calls them.
_LEVELS = {
    "x86-64": "",
    "x86-64-v2": "cx16 popcnt sse3 sse4.1 sse4.2 ssse3",
    "x86-64-v3": "avx avx2 bmi bmi2 f16c fma lzcnt movbe",
    "x86-64-v4": "avx512bw avx512cd avx512dq avx512f avx512vl",
}
_PROCESSORS = {62: "x86-64", 183: "aarch64"}  # by ELF's number of the machine
_CUDA = 190  # ELF's number
_GPU = re.compile(r"(sm|compute|lto)_(\d+)([af]?)")
_PTX = re.compile(
    rb"(?:\s|//[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)*\.version\b.*?\.target\s+sm_(\d{1,3})", re.DOTALL
)


def refusal(device: Device, architecture: str) -> str:
    """Returns why a device must not run bare code for an architecture; empty if it can, or if the
    backend finds out itself."""
    if device.backend == "cpu":
        names = _cpu_names(device)
        if architecture not in names:
            return f"the file is not object code of Nexus, and has to be for {_any(names)}."
    if device.backend == "cuda" and not _gpu_fits(int(device.architecture[3:]), architecture):
        return f"the device is {device.architecture}."
    return ""


def contradiction(data: bytes, runtime: str, architecture: str) -> str:
    """Returns the target that bare code itself names, such as 'cuda:sm_90' or 'cpu:aarch64', if it
    is not for this backend and architecture; empty if it is, or if the code does not tell."""
    backend, _, found = _target_of(data).partition(":")
    if not found or runtime not in ("cpu", "cuda"):
        return ""
    if backend == "cpu":
        fits = _processor_of(architecture) == found
    else:  # sm_90a and sm_90f are kinds of sm_90
        fits = architecture.rstrip("af") == found
    return "" if fits and backend == runtime else f"{backend}:{found}"


def _cpu_names(device: Device) -> list[str]:
    """Returns the names of the processors and levels whose code a CPU surely runs."""
    info = device.get_info()
    family = info.get("KernelModel", {}).get("LLVMTarget")
    names = [device.architecture]
    if family == "aarch64":
        names += ["armv8-a", "aarch64"]
    if family == "x86-64":
        present = set(info.get("Features", "").split(","))
        for level, added in _LEVELS.items():
            if not present.issuperset(added.split()):
                break
            names.insert(1, level)
    return list(dict.fromkeys(names))


def _gpu_fits(has: int, architecture: str) -> bool:
    """Returns whether a GPU of a compute capability, such as 90, runs code for an architecture."""
    named = _GPU.fullmatch(architecture)
    if named is None:
        return False
    kind, digits, suffix = named.groups()
    if suffix == "a":  # features of this capability only
        return int(digits) == has
    same_major = int(digits) // 10 == has // 10
    return int(digits) <= has and (same_major or (kind != "sm" and not suffix))


def _target_of(data: bytes) -> str:
    """Returns the target that code names, such as 'cuda:sm_90', 'cuda:compute_90' or 'cpu:x86-64';
    empty if it is neither an ELF file for these machines nor PTX."""
    if found := _PTX.match(data):
        return f"cuda:compute_{int(found[1])}"
    if not data.startswith(b"\x7fELF\x02\x01") or len(data) < 64:  # of 64 bits, little-endian
        return ""
    (machine,) = struct.unpack_from("<H", data, 18)
    if machine == _CUDA:
        (flags,) = struct.unpack_from("<I", data, 48)
        # As in nexus-cuda: newer files have the architecture in bits 8 to 15.
        number = (flags >> 8 if data[8] >= 8 else flags) & 0xFF
        return f"cuda:sm_{number}" if number else ""
    return f"cpu:{_PROCESSORS[machine]}" if machine in _PROCESSORS else ""


def _processor_of(architecture: str) -> str:
    """Returns the family of a level or of a processor in the database, such as 'aarch64'; empty if
    the name is unknown."""
    if architecture in _LEVELS:
        return "x86-64"
    if architecture.startswith(("aarch64", "armv8", "armv9")):
        return "aarch64"
    try:
        model = _core.lookup_device_info(architecture).get("KernelModel", {})
    except ValueError:  # no such processor
        return ""
    return str(model.get("LLVMTarget", ""))


def _any(names: list[str]) -> str:
    """Returns 'a, b or c'."""
    return " or ".join(filter(None, [", ".join(names[:-1]), names[-1]]))

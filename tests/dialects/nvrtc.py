# SPDX-License-Identifier: Apache-2.0
"""NVIDIA's run-time compiler, from the wheel nvidia-cuda-nvrtc, called through ctypes."""

from __future__ import annotations

import ctypes
import importlib.metadata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from corpus import INCLUDE, Program

WHEELS = ("nvidia-cuda-nvrtc-cu12", "nvidia-cuda-nvrtc")
HOW_TO_GET = "not checked: no NVRTC; on Linux or Windows, pip install nvidia-cuda-nvrtc-cu12"


Function = Callable[..., int]


@dataclass(frozen=True)
class Compiled:
    """The outcome of a compilation: the code, empty if it failed, and the log."""

    code: bytes
    log: str


@cache
def library() -> ctypes.CDLL | None:
    """The library of the first wheel that is installed, or None."""
    for wheel in WHEELS:
        try:
            files = importlib.metadata.files(wheel) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        for file in files:
            path = Path(str(file.locate()))
            if path.name.startswith(("libnvrtc.so", "nvrtc64_")) and path.is_file():
                return ctypes.CDLL(str(path))
    return None


@cache
def architectures() -> list[int]:
    """The compute capabilities that the library compiles for: 75, 80, ..."""
    nvrtc = library()
    if nvrtc is None:
        return []
    count = ctypes.c_int()
    _check(nvrtc.nvrtcGetNumSupportedArchs(ctypes.byref(count)))
    found = (ctypes.c_int * count.value)()
    _check(nvrtc.nvrtcGetSupportedArchs(found))
    return list(found)


@cache
def compile_for(architecture: int, program: Program) -> Compiled:
    """Compiles to machine code, once for each architecture and program."""
    nvrtc = library()
    assert nvrtc is not None
    options = [f"--gpu-architecture=sm_{architecture}", "--std=c++14", f"--include-path={INCLUDE}"]
    texts = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
    handle = ctypes.c_void_p()
    _check(
        nvrtc.nvrtcCreateProgram(
            ctypes.byref(handle), program.text.encode(), b"kernel.cu", 0, None, None
        )
    )
    try:
        failed = nvrtc.nvrtcCompileProgram(handle, len(options), texts)
        log = _bytes_of(nvrtc.nvrtcGetProgramLogSize, nvrtc.nvrtcGetProgramLog, handle)
        code = b""
        if not failed:
            code = _bytes_of(nvrtc.nvrtcGetCUBINSize, nvrtc.nvrtcGetCUBIN, handle)
        return Compiled(code, log.rstrip(b"\0").decode().strip())
    finally:
        _check(nvrtc.nvrtcDestroyProgram(ctypes.byref(handle)))


def _bytes_of(size_of: Function, get: Function, handle: ctypes.c_void_p) -> bytes:
    size = ctypes.c_size_t()
    _check(size_of(handle, ctypes.byref(size)))
    text = ctypes.create_string_buffer(size.value)
    _check(get(handle, text))
    return text.raw


def _check(status: int) -> None:
    assert status == 0, f"NVRTC returned {status}"

# SPDX-License-Identifier: Apache-2.0
"""Calls of CUDA's driver by another library in the process of these tests."""

from __future__ import annotations

import ctypes
import os
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import numpy.typing as npt
import simulated
from python_process import run_python

import nexus

Floats = npt.NDArray[np.float32]

Write = Callable[[int, float, object], None]
"""Writes a value to the floats at an address, in a stream."""


def floats(count: int = 16) -> Floats:
    """0.0, 1.0, 2.0 ..."""
    return np.arange(count, dtype=np.float32)


def stream_of(cuda: simulated.Driver) -> ctypes.c_void_p:
    """A stream that does not wait for the NULL stream."""
    return cuda.pointer("cuStreamCreateWithPriority", 1, 0)


class TheirStream:
    """A stream of another library's, which ends when nobody has the object any more."""

    def __init__(self, cuda: simulated.Driver) -> None:
        self.handle = stream_of(cuda)
        self.ended = threading.Event()
        weakref.finalize(self, _end, cuda, self.handle, self.ended)

    def __cuda_stream__(self) -> tuple[int, int]:
        return 0, number(self.handle)


def _end(cuda: simulated.Driver, handle: ctypes.c_void_p, ended: threading.Event) -> None:
    cuda.call("cuStreamDestroy_v2", handle)
    ended.set()


def run_alone(code: str, **variables: str) -> str:
    """Returns the output of Python code in a process with a fresh driver; it must exit with 0."""
    tests = str(Path(__file__).parents[2])
    paths = os.pathsep.join(filter(None, [tests, os.environ.get("PYTHONPATH", "")]))
    run = run_python("-c", code, more={"PYTHONPATH": paths, **variables}, check=True)
    return run.stdout


def allocated(cuda: simulated.Driver, content: Floats) -> ctypes.c_void_p:
    """Memory of the current device, by cuMemAlloc."""
    memory = cuda.allocate(content.nbytes)
    cuda.write(memory, content.tobytes())
    return memory


def number(pointer: ctypes.c_void_p) -> int:
    """A handle as the int that nexus takes."""
    return pointer.value or 0


def read(cuda: simulated.Driver, memory: int, count: int = 16) -> list[float]:
    """Returns the floats at that address."""
    return list(np.frombuffer(cuda.read(ctypes.c_void_p(memory), count * 4), np.float32))


def refusal(call: Callable[[], object]) -> nexus.NexusError | ValueError:
    """Returns the error that refuses the call."""
    try:
        call()
    except (nexus.NexusError, ValueError) as error:
        return error
    raise AssertionError("the call was not refused")


@contextmanager
def context_of(cuda: simulated.Driver, ordinal: int) -> Iterator[None]:
    """The primary context of another device is current."""
    cuda.call("cuCtxPushCurrent_v2", cuda.pointer("cuDevicePrimaryCtxRetain", ordinal))
    yield
    cuda.call("cuCtxPopCurrent_v2", None)
    cuda.call("cuDevicePrimaryCtxRelease_v2", ordinal)

# SPDX-License-Identifier: Apache-2.0
"""Calls the CUDA driver like another library in the tests' process."""

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
    """Makes a stream that is not ordered with the NULL stream."""
    return cuda.pointer("cuStreamCreateWithPriority", 1, 0)


class TheirStream:
    """Another library's stream, destroyed with the last reference to this object."""

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
    """Allocates memory of the current device with cuMemAlloc."""
    memory = cuda.allocate(content.nbytes)
    cuda.write(memory, content.tobytes())
    return memory


def number(pointer: ctypes.c_void_p) -> int:
    """Returns a handle as the int that Nexus accepts."""
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
    """Makes the primary context of another device current."""
    cuda.call("cuCtxPushCurrent_v2", cuda.pointer("cuDevicePrimaryCtxRetain", ordinal))
    yield
    cuda.call("cuCtxPopCurrent_v2", None)
    cuda.call("cuDevicePrimaryCtxRelease_v2", ordinal)

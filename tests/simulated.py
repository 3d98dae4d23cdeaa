# SPDX-License-Identifier: Apache-2.0
"""Controls the simulated driver of this process, CUDA's, HIP's or Metal's, and calls it.

    with simulated.Driver() as cuda:
        cuda.fail("cuMemAlloc", nth=2, result=simulated.OUT_OF_MEMORY)

Where a backend is tested, `environment()` is what its process needs to find the simulation.
"""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]

SUCCESS = 0
INVALID_VALUE = 1
OUT_OF_MEMORY = 2
NOT_INITIALIZED = 3
NO_DEVICE = 100
INVALID_IMAGE = 200
INVALID_CONTEXT = 201
NO_BINARY_FOR_GPU = 209
INVALID_PTX = 218
UNSUPPORTED_PTX_VERSION = 222
INVALID_HANDLE = 400
NOT_READY = 600
ILLEGAL_ADDRESS = 700
LAUNCH_OUT_OF_RESOURCES = 701
LAUNCH_FAILED = 719
NOT_PERMITTED = 800
INVALID_CLUSTER_SIZE = 912

KINDS = (
    "contexts", "streams", "events", "modules", "libraries", "graphs", "nodes", "execs", "pools",
    "device memory", "imported memory", "host memory", "registered memory", "managed memory",
)  # fmt: skip
"""The kinds of objects that live() counts."""


def folder() -> Path:
    """Where the simulated libraries are: NEXUS_SIMULATED, else the build tree's."""
    return Path(os.environ.get("NEXUS_SIMULATED", ROOT / "build" / "simulated"))


def environment(libraries: Path | None = None, **machine: int) -> dict[str, str]:
    """Variables with which the CUDA backend takes the simulation for what NVIDIA gives.

    Args:
        libraries: the folder of the simulated libraries; default folder().
        machine: what machine it is, in the words of README.md: memory=16 << 30.
    """
    libraries = libraries or folder()
    return {
        "NEXUS_CUDA_DRIVER": str(libraries / "libcuda.so.1"),
        "NEXUS_NVML_LIBRARY": str(libraries / "libnvidia-ml.so.1"),
        "NEXUS_CUDA_NVRTC": str(libraries / "libnvrtc.so.12"),
        "NEXUS_CUDA_NVJITLINK": str(libraries / "libnvJitLink.so.12"),
        "NEXUS_SIMULATED_CUDA": ",".join(f"{key}={value}" for key, value in machine.items()),
    }


HIP_VERSIONS = {5: 50221153, 6: 60443484, 7: 70051831}


def hip_environment(rocm: int = 7, libraries: Path | None = None, **machine: int) -> dict[str, str]:
    """Variables with which the HIP backend takes the simulation for what AMD gives.

    Args:
        rocm: the major version, whose functions the runtime has: 5, 6 or 7.
        libraries: the folder of the simulated libraries; default folder().
        machine: what machine it is, as above.
    """
    libraries = libraries or folder()
    machine = {"driver": HIP_VERSIONS[rocm], **machine}
    return {
        "NEXUS_HIP_DRIVER": str(libraries / f"libamdhip64.so.{rocm}"),
        "NEXUS_HIP_HIPRTC": str(libraries / "libhiprtc.so.6"),
        "NEXUS_SIMULATED_HIP": ",".join(f"{key}={value}" for key, value in machine.items()),
    }


def hip_over_cuda_environment(libraries: Path | None = None, **machine: int) -> dict[str, str]:
    """Variables with which the HIP backend runs on the simulated CUDA, by drivers/hip_over_cuda.

    Args:
        libraries: the folder of the simulated libraries; default folder().
        machine: what machine it is, as for environment().
    """
    over = (libraries or folder()) / "hip_over_cuda"
    return {
        **environment(libraries, **machine),
        "NEXUS_HIP_DRIVER": str(over / "libamdhip64.so.6"),
        "NEXUS_HIP_HIPRTC": str(over / "libhiprtc.so.6"),
    }


def metal_environment(libraries: Path | None = None, **machine: int) -> dict[str, str]:
    """Variables with which the Metal backend takes the simulation for what macOS gives.

    Args:
        libraries: the folder of the simulated libraries; default folder().
        machine: what machine it is, in the words of README.md: unified=0.
    """
    return {
        "NEXUS_METAL_DRIVER": str((libraries or folder()) / "libnexus-metal-double.so"),
        "NEXUS_SIMULATED_METAL": ",".join(f"{key}={value}" for key, value in machine.items()),
    }


_NUMBERS = ("live", "calls", "memory_used", "clear_failures", "log", "misuse")


class DriverError(Exception):
    """A function of the driver does not answer CUDA_SUCCESS."""

    def __init__(self, function: str, result: int) -> None:
        super().__init__(f"{function} answers {result}")
        self.result = result


class Driver:
    """The simulated driver. There is one a process, however many objects there are of this."""

    launch_kernel = "cuLaunchKernel"
    kinds: tuple[str, ...] = KINDS

    def __init__(self, path: Path | None = None) -> None:
        named = os.environ.get("NEXUS_CUDA_DRIVER", folder() / "libcuda.so.1")
        self.library = ctypes.CDLL(str(path or named))
        self.libraries: dict[int, ctypes.c_void_p] = {}
        for name in _NUMBERS:
            self._control(name).restype = ctypes.c_int64

    def _control(self, name: str) -> Any:
        return getattr(self.library, f"simulated_{name}")

    # ---- What the simulation is told ----

    def set(self, key: str, value: object) -> None:
        """Describes the machine, before cuInit: README.md lists the keys."""
        if not self._control("set")(key.encode(), str(value).encode()):
            raise ValueError(f"key is {key!r} and value {value!r}: not understood")

    def fail(self, function: str, nth: int, result: int) -> None:
        """Makes the nth call of a function from now on (1: the next) do nothing but fail.

        "*" is any function. "kernel", "copy", "fill" and "kernel NAME" are work on the device.
        """
        self._control("fail")(function.encode(), ctypes.c_uint64(nth), result)

    def clear_failures(self) -> int:
        """Forgets the failures that have not come about, and tells how many."""
        return int(self._control("clear_failures")())

    def hold(self, part_of_name: str = "") -> None:
        """Kernels with these letters in their name don't end until release()."""
        self._control("hold")(part_of_name.encode())

    def release(self) -> None:
        """Lets kernels end again."""
        self._control("release")()

    # ---- What it tells ----

    def live(self, kind: str) -> int:
        """How many objects of one of KINDS there are."""
        count = int(self._control("live")(kind.encode()))
        if count < 0:
            raise ValueError(f"kind is {kind!r}: none of {', '.join(self.kinds)}")
        return count

    def all_live(self) -> dict[str, int]:
        """How many objects there are of each kind."""
        return {kind: self.live(kind) for kind in self.kinds}

    def memory_used(self, device: int = 0) -> int:
        """Bytes of a device's memory that are taken."""
        return int(self._control("memory_used")(device))

    def calls(self, function: str) -> int:
        """How often a function was called since the beginning, or since forget()."""
        return int(self._control("calls")(function.encode()))

    def log(self) -> list[str]:
        """Returns the calls since the beginning or since forget(), each as "function calls"."""
        return self._lines("log")

    def misuse(self) -> list[str]:
        """Returns the mistakes that NVIDIA's driver may answer with a crash."""
        return self._lines("misuse")

    def forget(self) -> None:
        """Calls and misuse begin anew."""
        self._control("forget")()

    def _lines(self, name: str) -> list[str]:
        function = self._control(name)
        size = int(function(None, ctypes.c_uint64(0)))
        text = ctypes.create_string_buffer(size + 1)
        function(text, ctypes.c_uint64(size + 1))
        return text.value.decode().splitlines()

    # ---- Its functions ----

    def result(self, function: str, *arguments: object) -> int:
        """Calls a function of the driver and returns its result."""
        return int(getattr(self.library, function)(*arguments))

    def call(self, function: str, *arguments: object) -> None:
        """Calls a function of the driver, which has to succeed."""
        result = self.result(function, *arguments)
        if result != SUCCESS:
            raise DriverError(function, result)

    def pointer(self, function: str, *arguments: object) -> ctypes.c_void_p:
        """Returns the handle or address that a function writes to its first parameter."""
        out = ctypes.c_void_p()
        self.call(function, ctypes.byref(out), *arguments)
        return out

    def number(self, function: str, *arguments: object) -> int:
        """The int that a function writes to its first parameter."""
        out = ctypes.c_int()
        self.call(function, ctypes.byref(out), *arguments)
        return out.value

    # ---- What tests need of it again and again ----

    def load(self, code: bytes) -> ctypes.c_void_p:
        """A library of code."""
        library = self.pointer("cuLibraryLoadData", code, None, None, 0, None, None, 0)
        self.libraries[library.value or 0] = library
        return library

    def function(self, library: ctypes.c_void_p, name: str) -> ctypes.c_void_p:
        """A kernel of a library, in the current context."""
        kernel = self.pointer("cuLibraryGetKernel", library, name.encode())
        return self.pointer("cuKernelGetFunction", kernel)

    def allocate(self, size: int) -> ctypes.c_void_p:
        """Memory of the device."""
        return self.pointer("cuMemAlloc_v2", ctypes.c_size_t(size))

    def write(self, memory: ctypes.c_void_p, data: bytes) -> None:
        """Copies to the device, and waits."""
        self.call("cuMemcpyHtoD_v2", memory, data, ctypes.c_size_t(len(data)))

    def read(self, memory: ctypes.c_void_p, size: int) -> bytes:
        """Copies from the device, and waits."""
        out = ctypes.create_string_buffer(size)
        self.call("cuMemcpyDtoH_v2", out, memory, ctypes.c_size_t(size))
        return out.raw

    def launch(
        self,
        function: ctypes.c_void_p,
        *arguments: Any,
        grid: tuple[int, int, int] = (1, 1, 1),
        block: tuple[int, int, int] = (1, 1, 1),
        shared: int = 0,
        stream: object = None,
    ) -> int:
        """Calls cuLaunchKernel with ctypes objects and returns its result."""
        places = [ctypes.addressof(each) for each in arguments]
        parameters = (ctypes.c_void_p * max(len(places), 1))(*places)
        sizes = (*grid, *block, shared)
        return self.result(self.launch_kernel, function, *sizes, stream, parameters, None)


class HipDriver(Driver):
    """A simulated HIP, with the functions and the version of a ROCm."""

    launch_kernel = "hipModuleLaunchKernel"

    def __init__(self, rocm: int = 7) -> None:
        super().__init__(folder() / f"libamdhip64.so.{rocm}")
        self.set("driver", HIP_VERSIONS[rocm])

    def load(self, code: bytes) -> ctypes.c_void_p:
        """A module of code."""
        return self.pointer("hipModuleLoadData", code)

    def function(self, library: ctypes.c_void_p, name: str) -> ctypes.c_void_p:
        """A kernel of a module."""
        return self.pointer("hipModuleGetFunction", library, name.encode())

    def allocate(self, size: int) -> ctypes.c_void_p:
        """Memory of the device."""
        return self.pointer("hipMalloc", ctypes.c_size_t(size))

    def write(self, memory: ctypes.c_void_p, data: bytes) -> None:
        """Copies to the device, and waits."""
        self.call("hipMemcpyAsync", memory, data, ctypes.c_size_t(len(data)), 1, None)
        self.call("hipStreamSynchronize", None)

    def read(self, memory: ctypes.c_void_p, size: int) -> bytes:
        """Copies from the device, and waits."""
        out = ctypes.create_string_buffer(size)
        self.call("hipMemcpyAsync", out, memory, ctypes.c_size_t(size), 2, None)
        return out.raw


METAL_KINDS = (
    "NSString", "NSArray", "NSDictionary", "NSError", "NSData", "NSURL", "MTLBuffer", "MTLLibrary",
    "MTLFunction", "MTLComputePipelineState", "MTLComputePipelineReflection", "MTLBinding",
    "MTLCommandQueue", "MTLCommandBuffer", "MTLComputeCommandEncoder", "MTLBlitCommandEncoder",
    "MTLSharedEvent", "MTLCompileOptions", "MTLComputePipelineDescriptor",
    "MTLCommandBufferDescriptor", "MTLSharedEventListener",
)  # fmt: skip
"""The classes whose objects MetalDriver.live() counts, without MTLDevice, which stay."""


class Size(ctypes.Structure):
    """MTLSize."""

    _fields_ = [(name, ctypes.c_uint64) for name in ("width", "height", "depth")]


class Range(ctypes.Structure):
    """NSRange."""

    _fields_ = [(name, ctypes.c_uint64) for name in ("location", "length")]


class MetalDriver(Driver):
    """The simulated Metal. Functions are selectors: fail("newCommandQueue", 1, 8).

    What fails on demand answers nil, and an NSError with that code where it has one to give; a
    command buffer whose "commit", "kernel", "copy" or "fill" fails ends with that error.
    """

    kinds = METAL_KINDS

    def __init__(self, path: Path | None = None) -> None:
        super().__init__(path or folder() / "libnexus-metal-double.so")
        for name in ("objc_getClass", "sel_registerName", "objc_autoreleasePoolPush"):
            getattr(self.library, name).restype = ctypes.c_void_p
        self._send = ctypes.cast(self.library.objc_msgSend, ctypes.c_void_p).value or 0

    def send(
        self, receiver: int | None, selector: str, *arguments: Any, returns: Any = ctypes.c_void_p
    ) -> Any:
        """Sends a message.

        Args:
            receiver: an object or class.
            arguments: ctypes objects, None, numbers for NSUInteger and objects, bytes for text.
            returns: the type of the result; None for no result.
        """
        plain = {int: ctypes.c_uint64, bytes: ctypes.c_char_p}
        kinds = [
            type(each)
            if isinstance(each, ctypes._SimpleCData | ctypes.Structure)
            else plain.get(type(each), ctypes.c_void_p)
            for each in arguments
        ]
        function = ctypes.CFUNCTYPE(returns, ctypes.c_void_p, ctypes.c_void_p, *kinds)
        name = self.library.sel_registerName(selector.encode())
        return function(self._send)(receiver, name, *arguments)

    def named(self, name: str) -> int:
        """Returns a class."""
        return int(self.library.objc_getClass(name.encode()))

    def string(self, text: str) -> int:
        """Returns an NSString, autoreleased."""
        return int(self.send(self.named("NSString"), "stringWithUTF8String:", text.encode()))

    def text(self, string: int) -> str:
        """Returns the text of an NSString."""
        return str(self.send(string, "UTF8String", returns=ctypes.c_char_p).decode())

    def items(self, array: int) -> list[int]:
        """Returns the objects of an NSArray."""
        return [
            self.send(array, "objectAtIndex:", index) for index in range(self.send(array, "count"))
        ]

    def methods(self) -> dict[str, set[str]]:
        """Returns how the methods of each selector are passed their arguments.

        A letter for the result and each argument: v nothing, c a byte, d a double, s an MTLSize,
        r an NSRange, p an address, i a number of 64 bits.
        """
        found: dict[str, set[str]] = {}
        for line in self._lines("methods"):
            selector, passed = line.split()
            found.setdefault(selector, set()).add(passed)
        return found

    def metallib(self, source: str) -> bytes:
        """Returns the bytes of a library that newLibraryWithData:error: takes."""
        out = ctypes.create_string_buffer(1 << 22)
        function = self._control("metallib")
        function.restype = ctypes.c_int64
        size = int(function(source.encode(), out, ctypes.c_uint64(len(out))))
        if size < 0:
            raise ValueError(out.raw[:-size].decode())
        return out.raw[:size]

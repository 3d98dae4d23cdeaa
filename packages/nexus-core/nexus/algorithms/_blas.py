# SPDX-License-Identifier: Apache-2.0
"""Matrix products by cuBLAS or hipBLAS, if it is installed."""

from __future__ import annotations

import ctypes
import functools
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ctypes import byref, c_int, c_void_p
from typing import TYPE_CHECKING, NamedTuple

from nexus._discovery import get_config
from nexus._errors import NexusError
from nexus.algorithms._dtypes import C_TYPES
from nexus.algorithms._recorder import Operand, Recorder, perform
from nexus.status import Status

if TYPE_CHECKING:
    from nexus import Buffer, Device, Stream


class _Interface(NamedTuple):
    """The differences between the libraries.

    Attributes:
        function: the pattern of a function's name.
        as_it_is: the operation code for an untransposed matrix.
        status_name: the function that returns a status' name.
        variable: the environment variable that names the library to use instead of those found.
    """

    name: str
    function: str
    as_it_is: int
    status_name: str
    variable: str


_INTERFACES = {
    "cuda": _Interface("cuBLAS", "cublas%s_v2", 0, "cublasGetStatusName", "NEXUS_CUDA_CUBLAS"),
    "hip": _Interface("hipBLAS", "hipblas%s", 111, "hipblasStatusToString", "NEXUS_HIP_HIPBLAS"),
}
_HIPBLAS_OF_HIP = {"7": "3", "6": "2", "5": "1"}  # their major versions
_GEMM = {"float32": ("Sgemm", ctypes.c_float), "float64": ("Dgemm", ctypes.c_double)}
_TF32_MATH = 3  # 0 is the default, which rounds as float32


def multiply(
    a: Buffer, b: Buffer, out: Buffer, stream: Stream | None, blocking: bool, tf32: bool
) -> str:
    """Computes out = a * b. Returns '', or the reason why the library can't."""
    device, (m, k), n = a.device, a.shape, b.shape[1]
    if device is None or {b.device, out.device} != {device} or device.backend not in _INTERFACES:
        return "cuBLAS and hipBLAS need buffers of one device of CUDA or HIP"
    if a.dtype not in _GEMM:
        return f"cuBLAS and hipBLAS multiply float32 and float64, not {a.dtype}"
    if 0 in (m, k, n) or not (a.is_contiguous and b.is_contiguous and out.is_contiguous):
        return "cuBLAS and hipBLAS need contiguous matrices with elements"
    library = _on(device)
    if isinstance(library, str):
        return library
    if stream is None:  # its work follows all that uses the buffers, in any stream
        stream = device.default_stream
        for each in (a, b, out):
            each.__dlpack__(stream=stream, max_version=(1, 0))
    if not _is_submitted(stream):
        return "earlier work in the stream waits for an event or a host function"
    library.gemm(a, b, out, stream, tf32)

    def use(recorder: Recorder, *operands: Operand) -> None:
        recorder.launch(library.markers[str(a.dtype)], operands, items=1)

    # Nexus does not see the library's work. So an empty kernel with the buffers as arguments is
    # submitted after it: the buffers are kept alive, and later uses wait, until that kernel is
    # done. Each stream has its own recording, since runs of one recording would wait for each
    # other.
    key = ("blas", a.dtype, stream.native_handle)
    perform(device, key, use, (a, b, out), None, stream, blocking)
    return ""


def _is_submitted(stream: Stream) -> bool:
    """Returns whether the driver has all earlier work of the stream.

    If not, Nexus holds the work, and the signal of the event recorded here. That event gets its
    handle when Nexus submits the signal.
    """
    return "NativeHandle" in stream.record().get_property_keys()


class _Library:
    """The library on one device."""

    def __init__(self, device: Device, path: str) -> None:
        with suppress(OSError):  # cuBLAS needs it, and does not find it in all wheels
            ctypes.CDLL(path.replace("libcublas.", "libcublasLt."))
        self._library = ctypes.CDLL(path)
        self._interface = _INTERFACES[device.backend]
        self._backend, self._ordinal = device.backend, device.native_handle
        self._context = c_void_p()
        if device.backend == "cuda":
            self._driver = ctypes.CDLL(os.environ.get("NEXUS_CUDA_DRIVER") or "libcuda.so.1")
            # The primary context is kept until the process ends.
            retained = self._driver.cuDevicePrimaryCtxRetain(byref(self._context), self._ordinal)
            self._check("cuDevicePrimaryCtxRetain", retained)
        with self._current():
            self._free = [self._create()]  # handles, which only one thread at a time may use
        # Compiled now, since an error after the library's work was submitted would leave that work
        # unmarked.
        recorder = Recorder(device.create_schedule())
        self.markers = {kind: recorder.program(_marker(C_TYPES[kind]), "used") for kind in _GEMM}

    def gemm(self, a: Buffer, b: Buffer, out: Buffer, stream: Stream, tf32: bool) -> None:
        """Submits out = a * b to the stream."""
        (m, k), n = a.shape, b.shape[1]
        name, number = _GEMM[str(a.dtype)]
        places = [c_void_p(each.native_handle) for each in (a, b, out)]
        as_it_is = self._interface.as_it_is
        with self._current():
            try:
                handle = self._free.pop()
            except IndexError:
                handle = self._create()
            try:
                self._call("SetStream", handle, c_void_p(stream.native_handle))
                if self._backend == "cuda":
                    math = self._library.cublasSetMathMode(handle, _TF32_MATH if tf32 else 0)
                    self._check("cublasSetMathMode", math)
                # The library stores matrices by columns, so it sees each matrix transposed. The
                # transposed product is the transposed b times the transposed a.
                self._call(
                    name, handle, as_it_is, as_it_is, n, m, k, byref(number(1)), places[1], n,
                    places[0], k, byref(number(0)), places[2], n,
                )  # fmt: skip
            finally:
                self._free.append(handle)

    def _create(self) -> c_void_p:
        handle = c_void_p()
        self._call("Create", byref(handle))
        return handle

    def _call(self, name: str, *arguments: object) -> None:
        function = self._interface.function % name
        self._check(function, getattr(self._library, function)(*arguments))

    def _check(self, function: str, status: int) -> None:
        if status == 0:
            return
        words = str(status)
        name_of = getattr(self._library, self._interface.status_name, None)
        if name_of is not None and "blas" in function:
            name_of.restype = ctypes.c_char_p
            words = f"{(name_of(status) or b'an unknown status').decode()} ({status})"
        message = f"{function} returned {words}."
        raise NexusError(message, Status.NXS_InternalError, status, self._backend)

    @contextmanager
    def _current(self) -> Iterator[None]:
        """Makes the device the calling thread's current one."""
        if self._backend == "cuda":
            self._check("cuCtxPushCurrent", self._driver.cuCtxPushCurrent_v2(self._context))
            try:
                yield
            finally:
                self._driver.cuCtxPopCurrent_v2(byref(c_void_p()))
        else:  # with the HIP library that hipBLAS is linked to
            before = c_int()
            self._check("hipGetDevice", self._library.hipGetDevice(byref(before)))
            self._check("hipSetDevice", self._library.hipSetDevice(self._ordinal))
            try:
                yield
            finally:
                self._library.hipSetDevice(before)


@functools.lru_cache(maxsize=64)
def _on(device: Device) -> _Library | str:
    """Returns the first library that works on the device, or the reason why none does."""
    interface = _INTERFACES[device.backend]
    reasons = []
    for path in _paths(device):
        try:
            return _Library(device, path)
        except (OSError, AttributeError, NexusError) as error:  # noqa: PERF203
            reasons.append(str(error).rstrip("."))
    return f"{interface.name} can't be used ({reasons[0]}; {interface.variable} names the library)"


def _paths(device: Device) -> list[str]:
    """Returns where the library may be, the best place first."""
    named = os.environ.get(_INTERFACES[device.backend].variable)
    if named:
        return [named]
    if device.backend == "cuda":
        found = [each for each in get_config("cuda.cublas").split(os.pathsep) if each]
        return [*found, *(f"libcublas.so.{version}" for version in (13, 12, 11))]
    hip = device.get_property_str("Version").partition(".")[0]
    name = f"libhipblas.so.{_HIPBLAS_OF_HIP.get(hip, hip)}"
    return [name, f"/opt/rocm/lib/{name}"]


def _marker(c_type: str) -> str:
    parameters = f"(NEXUS_GLOBAL const {c_type} *, a), (NEXUS_GLOBAL const {c_type} *, b)"
    return f"NEXUS_KERNEL(used, {parameters}, (NEXUS_GLOBAL {c_type} *, out)) {{}}\n"

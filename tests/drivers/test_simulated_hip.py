# SPDX-License-Identifier: Apache-2.0
"""The simulated HIP works as the sources of AMD's say, above all where CUDA works otherwise."""

from __future__ import annotations

import array
import ctypes
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import simulated
from simulated import HipDriver
from simulated_cubin import Hiprtc

ROOT = Path(__file__).resolve().parents[2]
LIST = (ROOT / "packages/nexus-hip/src/driver/hip_functions.def").read_text("utf-8")
LISTED = re.findall(r"^HIP_(FUNCTION|OPTIONAL)\((\w+)", LIST, re.MULTILINE)
FUNCTIONS = [f"hip{name}" for _, name in LISTED]
OPTIONAL = {f"hip{name}" for kind, name in LISTED if kind == "OPTIONAL"}

INVALID_VALUE, OUT_OF_MEMORY, INVALID_CONFIGURATION, INVALID_DIRECTION = 1, 2, 9, 21
INVALID_DEVICE, INVALID_IMAGE, NO_BINARY, INVALID_HANDLE, NOT_FOUND = 101, 200, 209, 400, 500
NOT_READY, ILLEGAL_ADDRESS, PEER_ENABLED, NOT_REGISTERED, LAUNCH_FAILURE = 600, 700, 704, 713, 719
TOO_LARGE, CAPTURED, UNKNOWN = 720, 900, 999

SOURCE = """
extern "C" __global__ void add(const int *x, int y, int *out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = x[i] + y;
}
extern "C" __global__ void __launch_bounds__(64) store(int *out, int value) { *out = value; }
extern "C" __device__ int counter = 41;
extern "C" __global__ void count() { atomicAdd(&counter, 1); }
"""


def size(number: int) -> ctypes.c_size_t:
    return ctypes.c_size_t(number)


def ints(*values: int) -> bytes:
    return array.array("i", values).tobytes()


def out() -> Any:
    """Room for a result of up to 64 bytes."""
    return ctypes.create_string_buffer(64)


def pointer_to(memory: ctypes.c_void_p, offset: int) -> ctypes.c_void_p:
    return ctypes.c_void_p((memory.value or 0) + offset)


def run_child(text: str, rocm: int = 7, **environment: str) -> str:
    """Returns the output of a new process, in which `hip` is a driver that no call has started."""
    head = f"import ctypes, simulated\nhip = simulated.HipDriver({rocm})\nn = ctypes.c_size_t\n"
    ran = subprocess.run(
        [sys.executable, "-c", head + text],
        env={**os.environ, "PYTHONPATH": str(Path(simulated.__file__).parent), **environment},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()


@pytest.fixture(scope="module")
def started() -> HipDriver:
    if not (simulated.folder() / "libamdhip64.so.7").exists():
        pytest.skip("needs the simulated drivers: ninja -C build simulated_drivers")
    driver = HipDriver()
    driver.set("memory", 1 << 30)
    return driver


@pytest.fixture
def hip(started: HipDriver) -> Iterator[HipDriver]:
    """Yields HIP with device 0 current and nothing on any device."""
    started.call("hipSetDevice", 0)
    started.forget()
    yield started
    started.clear_failures()
    started.release()
    for device in (1, 0):
        started.call("hipSetDevice", device)
        started.call("hipDeviceReset")
    started.result("hipGetLastError")


@pytest.fixture
def stream(hip: HipDriver) -> ctypes.c_void_p:
    return hip.pointer("hipStreamCreateWithPriority", 1, 0)


@pytest.fixture(scope="module")
def code() -> bytes:
    return Hiprtc().compile(SOURCE, "kernels.hip", "--offload-arch=gfx942", kind="Code")


# ---- Which functions there are, and that each fails on demand ----


@pytest.mark.parametrize("function", FUNCTIONS)
def test_each_function_fails_on_demand(hip: HipDriver, function: str) -> None:
    hip.fail(function, 1, UNKNOWN)
    assert hip.result(function, *[None] * 11) == UNKNOWN
    assert hip.calls(function) == 1


@pytest.mark.parametrize(
    ("rocm", "lacking"),
    [
        (7, set()),
        (6, {"hipMemsetD2D16Async", "hipMemsetD2D32Async"}),
        (5, OPTIONAL),
    ],
)
def test_older_versions_lack_what_came_later(rocm: int, lacking: set[str]) -> None:
    library = ctypes.CDLL(str(simulated.folder() / f"libamdhip64.so.{rocm}"))
    assert {name for name in FUNCTIONS if not hasattr(library, name)} == lacking


# ---- What is refused, and how ----

Attempt = Callable[[HipDriver], int]
REFUSALS: dict[str, tuple[Attempt, int]] = {
    "more than the memory": (
        lambda hip: hip.result("hipMalloc", out(), size(2 << 30)), OUT_OF_MEMORY),
    "memory that is not HIP's": (lambda hip: hip.result("hipFree", out()), INVALID_VALUE),
    "a range that is not registered": (
        lambda hip: hip.result("hipHostUnregister", out()), NOT_REGISTERED),
    "the range of unknown memory": (
        lambda hip: hip.result("hipMemGetAddressRange", out(), out(), out()), NOT_FOUND),
    "an attribute of unknown memory": (
        lambda hip: hip.result("hipPointerGetAttribute", out(), 2, out()), INVALID_VALUE),
    "no memory to free in order": (
        lambda hip: hip.result("hipFreeAsync", None, None), INVALID_VALUE),
    "a copy of no kind": (
        lambda hip: hip.result("hipMemcpyAsync", out(), out(), size(8), 9, None),
        INVALID_DIRECTION),
    "a copy of host memory as a device's": (
        lambda hip: hip.result("hipMemcpyAsync", out(), out(), size(8), 3, None), INVALID_VALUE),
    "a shared event with time": (
        lambda hip: hip.result("hipEventCreateWithFlags", out(), 4), INVALID_VALUE),
    "a handle of an event that is not shared": (
        lambda hip: hip.result(
            "hipIpcGetEventHandle", out(), hip.pointer("hipEventCreateWithFlags", 2)),
        INVALID_CONFIGURATION),
    "an event that was never recorded": (
        lambda hip: hip.result(
            "hipEventElapsedTime", out(), hip.pointer("hipEventCreateWithFlags", 0),
            hip.pointer("hipEventCreateWithFlags", 0)),
        INVALID_HANDLE),
    "a device as its own peer": (
        lambda hip: hip.result("hipDeviceEnablePeerAccess", 0, 0), INVALID_DEVICE),
    "code that is none": (
        lambda hip: hip.result("hipModuleLoadData", out(), b"no code at all" * 9), INVALID_IMAGE),
}  # fmt: skip


@pytest.mark.parametrize("what", REFUSALS)
def test_what_can_not_be_is_refused(hip: HipDriver, what: str) -> None:
    attempt, result = REFUSALS[what]
    assert attempt(hip) == result


@pytest.mark.parametrize(
    ("kernel", "grid", "block", "result"),
    [
        ("add", (1, 1, 1), (0, 1, 1), INVALID_VALUE),
        ("add", (0, 1, 1), (1, 1, 1), INVALID_VALUE),
        ("add", (1, 1, 1), (2048, 1, 1), INVALID_VALUE),
        ("add", (1 << 30, 1, 1), (8, 1, 1), INVALID_VALUE),
        ("store", (1, 1, 1), (65, 1, 1), LAUNCH_FAILURE),
    ],
)
def test_a_launch_beyond_a_limit_is_refused(
    hip: HipDriver,
    code: bytes,
    kernel: str,
    grid: tuple[int, int, int],
    block: tuple[int, int, int],
    result: int,
) -> None:
    function = hip.function(hip.load(code), kernel)
    assert hip.launch(function, *[size(0)] * 4, grid=grid, block=block) == result


def test_a_cooperative_launch_has_to_fit_at_once(
    hip: HipDriver, code: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hip, "launch_kernel", "hipModuleLaunchCooperativeKernel")
    function, memory = hip.function(hip.load(code), "store"), hip.allocate(4)
    arguments = (memory, ctypes.c_int(3))
    assert hip.launch(function, *arguments, grid=(1 << 20, 1, 1)) == TOO_LARGE
    assert hip.launch(function, *arguments) == simulated.SUCCESS
    assert hip.read(memory, 4) == ints(3)


# ---- Errors ----


@pytest.mark.parametrize(("rocm", "last"), [(7, INVALID_VALUE), (6, 0), (5, 0)])
def test_the_last_error_stays_from_hip_7_on(rocm: int, last: int) -> None:
    text = """
hip.result("hipFree", b"unknown")
hip.call("hipSetDevice", 0)
print(hip.result("hipGetLastError"), hip.result("hipGetLastError"))"""
    assert run_child(text, rocm) == f"{last} 0"


@pytest.mark.parametrize(("rocm", "last"), [(7, 0), (6, NOT_READY)])
def test_work_in_progress_is_an_error_before_hip_7(rocm: int, last: int) -> None:
    text = f"""
code = {SIMPLE!r}
from simulated_cubin import Hiprtc
hip.hold("busy")
busy = hip.function(hip.load(Hiprtc().compile(code, "k.hip", "--offload-arch=gfx942",
                                               kind="Code")), "busy")
hip.launch(busy)
print(hip.result("hipStreamQuery", None), hip.result("hipGetLastError"))
hip.release()"""
    assert run_child(text, rocm) == f"{NOT_READY} {last}"


SIMPLE = 'extern "C" __global__ void busy() {}\nextern "C" __global__ void die(int *p) { *p = 1; }'


def test_a_fault_ends_all_devices() -> None:
    text = f"""
from simulated_cubin import Hiprtc
code = Hiprtc().compile({SIMPLE!r}, "k.hip", "--offload-arch=gfx942", kind="Code")
hip.launch(hip.function(hip.load(code), "die"), n(16))
print(hip.result("hipStreamSynchronize", None), hip.result("hipSetDevice", 1))"""
    assert run_child(text) == f"{ILLEGAL_ADDRESS} {ILLEGAL_ADDRESS}"


def test_a_machine_without_devices_says_so() -> None:
    text = "hip.set('devices', 0)\nprint(hip.result('hipInit', 0))"
    assert run_child(text) == str(simulated.NO_DEVICE)


# ---- Memory ----


def test_nothing_asked_for_is_no_memory(hip: HipDriver) -> None:
    assert hip.allocate(0).value is None
    assert hip.pointer("hipHostMalloc", size(0), 0).value is None
    hip.call("hipFree", None)
    hip.call("hipHostFree", None)


def test_free_waits_for_the_device(hip: HipDriver, code: bytes, stream: ctypes.c_void_p) -> None:
    memory = hip.allocate(4)
    hip.hold("count")
    hip.launch(hip.function(hip.load(code), "count"), stream=stream)
    assert hip.result("hipStreamQuery", stream) == NOT_READY
    freeing = threading.Thread(target=hip.call, args=("hipFree", memory))
    freeing.start()
    time.sleep(0.05)
    assert freeing.is_alive()
    hip.release()
    freeing.join()
    assert hip.result("hipStreamQuery", stream) == simulated.SUCCESS


def test_a_range_can_be_registered_again_and_is_gone_with_the_first(hip: HipDriver) -> None:
    text = ctypes.create_string_buffer(8192)
    start = ctypes.c_void_p(ctypes.addressof(text))
    hip.call("hipHostRegister", start, size(8192), 0)
    hip.call("hipHostRegister", start, size(4096), 0)
    hip.call("hipHostRegister", pointer_to(start, 4096), size(4096), 0)
    assert hip.live("registered memory") == 2
    hip.call("hipHostUnregister", start)
    assert hip.result("hipHostUnregister", start) == NOT_REGISTERED
    hip.call("hipHostUnregister", pointer_to(start, 4096))


KINDS = {
    "device": lambda hip: hip.allocate(100),
    "host": lambda hip: hip.pointer("hipHostMalloc", size(100), 0),
    "managed": lambda hip: hip.pointer("hipMallocManaged", size(100), 1),
}


@pytest.mark.parametrize(
    ("kind", "told"), [("device", (2, 0, 0)), ("host", (1, 1, 0)), ("managed", (1, 1, 1))]
)
def test_a_pointer_tells_what_it_is(hip: HipDriver, kind: str, told: tuple[int, int, int]) -> None:
    memory = KINDS[kind](hip)
    wanted = (ctypes.c_int * 7)(2, 3, 4, 8, 9, 11, 12)
    values = [ctypes.c_uint64() for _ in wanted]
    places = (ctypes.c_void_p * 7)(*map(ctypes.addressof, values))
    inside = pointer_to(memory, 10)
    hip.call("hipDrvPointerGetAttributes", 7, wanted, places, inside)
    memory_type, of_host, managed = told
    host = inside.value if of_host else 0
    got = [value.value for value in values]
    assert got == [memory_type, inside.value, host, managed, 0, memory.value, 100]
    begin, length = ctypes.c_void_p(), ctypes.c_size_t()
    hip.call("hipMemGetAddressRange", ctypes.byref(begin), ctypes.byref(length), inside)
    assert (begin.value, length.value) == (memory.value, 100)


def test_hip_5_numbers_the_kinds_of_memory_from_0() -> None:
    text = """
kind = ctypes.c_int(7)
memory, host = hip.allocate(4), hip.pointer("hipHostMalloc", n(4), 0)
for each in memory, host:
    hip.call("hipPointerGetAttribute", ctypes.byref(kind), 2, each)
    print(kind.value)"""
    assert run_child(text, 5).split() == ["1", "0"]


def test_a_pool_keeps_what_is_freed_up_to_its_threshold(
    hip: HipDriver, stream: ctypes.c_void_p
) -> None:
    properties = (ctypes.c_int * 22)(1, 0, 1, 0)
    pool = hip.pointer("hipMemPoolCreate", properties)
    reserved, used = ctypes.c_uint64(), ctypes.c_uint64()
    hip.call("hipMemPoolSetAttribute", pool, 4, ctypes.byref(ctypes.c_uint64(1 << 40)))
    memory = hip.pointer("hipMallocFromPoolAsync", size(8 << 20), pool, stream)
    hip.call("hipFreeAsync", memory, stream)
    hip.call("hipStreamSynchronize", stream)
    hip.call("hipMemPoolGetAttribute", pool, 5, ctypes.byref(reserved))
    hip.call("hipMemPoolGetAttribute", pool, 7, ctypes.byref(used))
    assert (reserved.value, used.value) == (8 << 20, 0)
    hip.call("hipMemPoolTrimTo", pool, size(0))
    assert hip.memory_used() == 0
    access = (ctypes.c_int * 3)(1, 1, 3)
    hip.call("hipMemPoolSetAccess", pool, access, size(1))
    hip.call("hipMemPoolDestroy", pool)
    hip.call("hipFreeAsync", hip.pointer("hipMallocAsync", size(100), stream), stream)


FILLS: list[tuple[str, tuple[object, ...], bytes]] = [
    ("hipMemsetD8Async", (7, size(4)), b"\7\7\7\7"),
    ("hipMemsetD16Async", (7, size(2)), b"\7\0\7\0"),
    ("hipMemsetD32Async", (7, size(1)), b"\7\0\0\0"),
]
FILLS_OF_ROWS: list[tuple[str, tuple[object, ...], bytes]] = [
    ("hipMemset2DAsync", (size(4), 263, size(1), size(2)), b"\7xxx\7xxx"),
    ("hipMemsetD2D16Async", (size(4), 7, size(1), size(2)), b"\7\0xx\7\0xx"),
    ("hipMemsetD2D32Async", (size(8), 7, size(1), size(1)), b"\7\0\0\0xxxx"),
]


@pytest.mark.parametrize(("function", "arguments", "expected"), FILLS + FILLS_OF_ROWS)
def test_a_fill_repeats_its_value(
    hip: HipDriver, function: str, arguments: tuple[object, ...], expected: bytes
) -> None:
    memory = hip.allocate(8)
    hip.write(memory, b"x" * 8)
    hip.call(function, memory, *arguments, None)
    assert hip.read(memory, len(expected)) == expected


# ---- Several devices ----


def test_streams_are_used_whichever_device_is_current(
    hip: HipDriver, stream: ctypes.c_void_p
) -> None:
    first = hip.allocate(4)
    hip.write(first, ints(5))
    hip.call("hipSetDevice", 1)
    second = hip.allocate(4)
    device = ctypes.c_int(7)
    hip.call("hipStreamGetDevice", stream, ctypes.byref(device))
    assert device.value == 0
    hip.call("hipDeviceEnablePeerAccess", 0, 0)
    assert hip.result("hipDeviceEnablePeerAccess", 0, 0) == PEER_ENABLED
    hip.call("hipMemcpyPeerAsync", second, 1, first, 0, size(4), stream)
    hip.call("hipStreamSynchronize", stream)
    assert hip.read(second, 4) == ints(5)
    foreign = hip.pointer("hipEventCreateWithFlags", 0)
    assert hip.result("hipEventRecord", foreign, stream) == INVALID_HANDLE


@pytest.mark.parametrize(("rocm", "result"), [(7, INVALID_HANDLE), (6, 0)])
def test_hip_7_launches_on_the_current_device_only(rocm: int, result: int) -> None:
    text = f"""
from simulated_cubin import Hiprtc
code = Hiprtc().compile({SIMPLE!r}, "k.hip", "--offload-arch=gfx942", kind="Code")
busy = hip.function(hip.load(code), "busy")
stream = hip.pointer("hipStreamCreateWithPriority", 1, 0)
hip.call("hipSetDevice", 1)
print(hip.launch(busy, stream=stream))"""
    assert run_child(text, rocm) == str(result)


# ---- Streams and events ----


def test_host_functions_run_in_the_order_of_the_stream(
    hip: HipDriver, stream: ctypes.c_void_p
) -> None:
    ran: list[object] = []
    launched = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(ran.append)
    added = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)(
        lambda *arguments: ran.append(arguments)
    )
    hip.call("hipLaunchHostFunc", stream, launched, ctypes.c_void_p(1))
    hip.call("hipStreamAddCallback", stream, added, ctypes.c_void_p(2), 0)
    hip.call("hipStreamSynchronize", stream)
    assert ran == [1, (stream.value, simulated.SUCCESS, 2)]


def test_events_tell_when_work_is_done(
    hip: HipDriver, code: bytes, stream: ctypes.c_void_p
) -> None:
    start, end = (hip.pointer("hipEventCreateWithFlags", 0) for _ in range(2))
    assert hip.result("hipEventQuery", start) == simulated.SUCCESS
    other = hip.pointer("hipStreamCreateWithPriority", 0, -1)
    hip.hold("count")
    hip.call("hipEventRecord", start, stream)
    hip.launch(hip.function(hip.load(code), "count"), stream=stream)
    hip.call("hipEventRecord", end, stream)
    hip.call("hipStreamWaitEvent", other, end, 0)
    assert hip.result("hipEventQuery", end) == NOT_READY
    assert hip.result("hipStreamQuery", other) == NOT_READY
    hip.release()
    hip.call("hipStreamSynchronize", other)
    hip.call("hipEventSynchronize", end)
    elapsed = ctypes.c_float()
    hip.call("hipEventElapsedTime", ctypes.byref(elapsed), start, end)
    assert elapsed.value >= 0
    hip.fail("clock", 1, UNKNOWN)
    hip.call("hipEventElapsedTime", ctypes.byref(elapsed), start, end)
    assert elapsed.value < 0


def test_work_of_a_stream_that_is_captured_is_done_by_launches_only(
    hip: HipDriver, stream: ctypes.c_void_p
) -> None:
    memory, graph, status = hip.allocate(4), ctypes.c_void_p(), ctypes.c_int()
    hip.write(memory, ints(1))
    hip.call("hipStreamBeginCapture", stream, 2)
    hip.call("hipStreamIsCapturing", stream, ctypes.byref(status))
    assert status.value == 1
    hip.call("hipMemsetD32Async", memory, 5, size(1), stream)
    hip.call("hipStreamEndCapture", stream, ctypes.byref(graph))
    hip.call("hipStreamSynchronize", stream)
    assert hip.read(memory, 4) == ints(1)
    exec_ = hip.pointer("hipGraphInstantiateWithFlags", graph, ctypes.c_uint64(0))
    hip.call("hipGraphLaunch", exec_, stream)
    hip.call("hipStreamSynchronize", stream)
    assert hip.read(memory, 4) == ints(5)
    hip.call("hipGraphExecDestroy", exec_)
    hip.call("hipGraphDestroy", graph)


def test_a_forbidden_call_makes_a_capture_invalid(hip: HipDriver, stream: ctypes.c_void_p) -> None:
    hip.call("hipStreamBeginCapture", stream, 2)
    assert hip.result("hipStreamQuery", stream) == CAPTURED
    assert hip.result("hipStreamEndCapture", stream, ctypes.byref(ctypes.c_void_p())) == 901
    hip.call("hipStreamSynchronize", stream)


# ---- Code and kernels ----


@pytest.mark.parametrize("by", ["pointers", "buffer"])
def test_a_kernel_runs(hip: HipDriver, code: bytes, by: str) -> None:
    add = hip.function(hip.load(code), "add")
    x, result = hip.allocate(40), hip.allocate(40)
    hip.write(x, ints(*range(10)))
    if by == "pointers":
        arguments = (x, ctypes.c_int(5), result, ctypes.c_int(10))
        assert hip.launch(add, *arguments, grid=(3, 1, 1), block=(4, 1, 1)) == simulated.SUCCESS
    else:
        packed = (ctypes.c_uint64 * 4)(x.value or 0, 5, result.value or 0, 10)
        length = ctypes.c_size_t(28)
        extra = (ctypes.c_void_p * 5)(1, ctypes.addressof(packed), 2, ctypes.addressof(length), 3)
        hip.call("hipModuleLaunchKernel", add, 3, 1, 1, 4, 1, 1, 0, None, None, extra)
    assert hip.read(result, 40) == ints(*range(5, 15))


def test_a_kernel_tells_what_it_needs(hip: HipDriver, code: bytes) -> None:
    store = hip.function(hip.load(code), "store")
    told = ctypes.c_int()
    values = {}
    for attribute in (0, 1, 8):
        hip.call("hipFuncGetAttribute", ctypes.byref(told), attribute, store)
        values[attribute] = told.value
    assert values == {0: 64, 1: 0, 8: 65536}
    occupancy = "hipModuleOccupancyMaxActiveBlocksPerMultiprocessor"
    hip.call(occupancy, ctypes.byref(told), store, 33, size(0))
    assert told.value == 2048 // 64
    grid, block = ctypes.c_int(), ctypes.c_int()
    hip.call(
        "hipModuleOccupancyMaxPotentialBlockSize", ctypes.byref(grid), ctypes.byref(block), store,
        size(0), 0,
    )  # fmt: skip
    assert (grid.value, block.value) == (32 * 304, 64)


def test_a_variable_of_a_module_is_memory_of_the_device(hip: HipDriver, code: bytes) -> None:
    module = hip.load(code)
    address, length = ctypes.c_void_p(), ctypes.c_size_t()
    places = (ctypes.byref(address), ctypes.byref(length), module)
    hip.call("hipModuleGetGlobal", *places, b"counter")
    assert hip.launch(hip.function(module, "count")) == simulated.SUCCESS
    assert (length.value, hip.read(address, 4)) == (4, ints(42))
    assert hip.result("hipModuleGetGlobal", *places, b"missing") == NOT_FOUND
    assert hip.result("hipModuleGetFunction", out(), module, b"missing") == NOT_FOUND
    hip.call("hipModuleUnload", module)
    assert hip.live("modules") == 0


def test_a_real_code_object_of_another_gpu_is_refused(hip: HipDriver) -> None:
    path = ROOT / "tests/hip/compiling/recorded/gfx1100.hsaco"
    assert hip.result("hipModuleLoadData", out(), path.read_bytes()) == NO_BINARY


def test_a_real_code_object_loads_and_has_its_kernels() -> None:
    path = ROOT / "tests/hip/compiling/recorded/gfx1100.hsaco"
    text = f"""
hip.set("architecture", 1100)
module = hip.load(open({str(path)!r}, "rb").read())
print(hip.function(module, "saxpy").value is not None)"""
    assert run_child(text) == "True"


# ---- Graphs ----


class KernelNode(ctypes.Structure):
    _fields_ = (
        ("block", ctypes.c_uint * 3), ("extra", ctypes.c_void_p), ("function", ctypes.c_void_p),
        ("grid", ctypes.c_uint * 3), ("parameters", ctypes.c_void_p), ("shared", ctypes.c_uint),
    )  # fmt: skip


class MemsetNode(ctypes.Structure):
    _fields_ = (
        ("to", ctypes.c_void_p), ("element", ctypes.c_uint), ("height", ctypes.c_size_t),
        ("pitch", ctypes.c_size_t), ("value", ctypes.c_uint), ("width", ctypes.c_size_t),
    )  # fmt: skip


def test_a_graph_runs_its_nodes_in_order_and_takes_other_arguments(
    hip: HipDriver, code: bytes, stream: ctypes.c_void_p
) -> None:
    add = hip.function(hip.load(code), "add")
    x, result, copied = (hip.allocate(16) for _ in range(3))

    def adding(y: int) -> KernelNode:
        values = (x, ctypes.c_int(y), result, ctypes.c_int(4))
        pointers = (ctypes.c_void_p * 4)(*map(ctypes.addressof, values))
        made = KernelNode((4, 1, 1), None, add, (1, 1, 1), ctypes.addressof(pointers), 0)
        made.kept = (values, pointers)
        return made

    graph = hip.pointer("hipGraphCreate", 0)
    fill = MemsetNode(x, 4, 1, 0, 3, 4)
    first = hip.pointer("hipGraphAddMemsetNode", graph, None, size(0), ctypes.byref(fill))
    after = ctypes.byref(first)
    kernel = hip.pointer("hipGraphAddKernelNode", graph, after, size(1), ctypes.byref(adding(5)))
    cooperative = (ctypes.c_int * 16)(1)
    hip.call("hipGraphKernelNodeSetAttribute", kernel, 2, cooperative)
    after = ctypes.byref(kernel)
    hip.pointer("hipGraphAddMemcpyNode1D", graph, after, size(1), copied, result, size(16), 3)
    exec_ = hip.pointer("hipGraphInstantiateWithFlags", graph, ctypes.c_uint64(0))
    hip.call("hipGraphUpload", exec_, stream)
    hip.call("hipGraphLaunch", exec_, stream)
    hip.call("hipStreamSynchronize", stream)
    assert hip.read(copied, 16) == ints(8, 8, 8, 8)
    hip.call("hipGraphExecKernelNodeSetParams", exec_, kernel, ctypes.byref(adding(6)))
    hip.call("hipGraphLaunch", exec_, stream)
    hip.call("hipStreamSynchronize", stream)
    assert hip.read(copied, 16) == ints(9, 9, 9, 9)
    assert hip.calls("cooperative kernel") == 2
    hip.call("hipGraphExecDestroy", exec_)
    hip.call("hipGraphDestroy", graph)


# ---- Other processes ----


def test_another_process_opens_memory_and_events(hip: HipDriver) -> None:
    memory, handle, of_event = hip.allocate(4), out(), out()
    hip.write(memory, ints(7))
    event = hip.pointer("hipEventCreateWithFlags", 6)
    hip.call("hipEventRecord", event, None)
    hip.call("hipStreamSynchronize", None)

    class Handle(ctypes.Structure):
        _fields_ = (("bytes", ctypes.c_char * 64),)

    for function, place, what in (
        ("hipIpcGetMemHandle", handle, memory), ("hipIpcGetEventHandle", of_event, event),
    ):  # fmt: skip
        hip.call(function, place, what)
    own = Handle.from_buffer(handle)
    assert hip.result("hipIpcOpenMemHandle", out(), own, 1) == simulated.INVALID_CONTEXT
    text = f"""
class Handle(ctypes.Structure):
    _fields_ = (("bytes", ctypes.c_char * 64),)
memory = Handle.from_buffer_copy(bytes.fromhex("{handle.raw.hex()}"))
event = Handle.from_buffer_copy(bytes.fromhex("{of_event.raw.hex()}"))
print(hip.result("hipIpcOpenMemHandle", ctypes.byref(ctypes.c_void_p()), memory, 0))
opened = hip.pointer("hipIpcOpenMemHandle", memory, 1)
print(int.from_bytes(hip.read(opened, 4), "little"))
hip.call("hipIpcCloseMemHandle", opened)
print(hip.result("hipEventQuery", hip.pointer("hipIpcOpenEventHandle", event)))"""
    assert run_child(text).split() == ["1", "7", "0"]

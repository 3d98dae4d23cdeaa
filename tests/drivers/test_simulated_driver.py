# SPDX-License-Identifier: Apache-2.0
"""The simulated driver works as NVIDIA documents the real one."""

from __future__ import annotations

import array
import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest
import simulated
from simulated import Driver
from simulated_cubin import Nvrtc

NON_BLOCKING = 1
SHARED_LIMIT = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES


def run_child(text: str, **environment: str) -> str:
    """Returns the output of a new process, in which `cuda` is the driver before cuInit."""
    head = "import ctypes, simulated\ncuda = simulated.Driver()\n"
    ran = subprocess.run(
        [sys.executable, "-c", head + text],
        env={**os.environ, "PYTHONPATH": str(Path(simulated.__file__).parent), **environment},
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()


def ints(*values: int) -> bytes:
    return array.array("i", values).tobytes()


# ---- How functions are found, and what they need ----


def find(cuda: Driver, name: str, version: int) -> tuple[int, bool, int]:
    function, status = ctypes.c_void_p(), ctypes.c_int(-1)
    result = cuda.result(
        "cuGetProcAddress_v2", name.encode(), ctypes.byref(function), version,
        ctypes.c_uint64(0), ctypes.byref(status),
    )  # fmt: skip
    return result, function.value is not None, status.value


def test_a_function_is_found_by_its_name_and_a_version(cuda: Driver) -> None:
    assert find(cuda, "cuMemAlloc", 12000) == (simulated.SUCCESS, True, 0)


def test_an_unknown_name_is_told_by_the_status(cuda: Driver) -> None:
    assert find(cuda, "cuNoSuchThing", 12000) == (simulated.SUCCESS, False, 1)


def test_a_version_before_the_function_is_told_by_the_status(cuda: Driver) -> None:
    assert find(cuda, "cuLibraryLoadData", 11080) == (simulated.SUCCESS, False, 2)


def test_a_version_beyond_the_driver_is_an_invalid_value(cuda: Driver) -> None:
    assert find(cuda, "cuMemAlloc", 13010)[0] == simulated.INVALID_VALUE


def test_a_version_with_other_parameters_that_are_not_simulated_is_not_found(cuda: Driver) -> None:
    assert find(cuda, "cuStreamGetCtx", 12000) == (simulated.SUCCESS, True, 0)
    assert find(cuda, "cuStreamGetCtx", 12050) == (simulated.SUCCESS, False, 1)


def test_an_older_driver_lacks_what_came_later() -> None:
    text = """
out, status = ctypes.c_void_p(), ctypes.c_int()
cuda.set("driver", 12000)
cuda.call("cuGetProcAddress_v2", b"cuKernelGetParamInfo", ctypes.byref(out), 12000,
          ctypes.c_uint64(0), ctypes.byref(status))
print(out.value, status.value)"""
    assert run_child(text) == "None 1"


def test_nothing_works_before_the_start() -> None:
    text = "print(cuda.result('cuDeviceGetCount', ctypes.byref(ctypes.c_int())))"
    assert run_child(text) == str(simulated.NOT_INITIALIZED)


def test_a_machine_without_devices_says_so() -> None:
    text = "cuda.set('devices', 0)\nprint(cuda.result('cuInit', 0))"
    assert run_child(text) == str(simulated.NO_DEVICE)


@pytest.mark.parametrize(("visible", "count"), [("1", 1), ("1,0", 2), ("0,7,1", 1)])
def test_the_environment_chooses_the_visible_devices(visible: str, count: int) -> None:
    text = "cuda.call('cuInit', 0)\nprint(cuda.number('cuDeviceGetCount'))"
    assert run_child(text, CUDA_VISIBLE_DEVICES=visible) == str(count)


def test_the_child_of_a_fork_has_no_driver() -> None:
    text = """
import os
cuda.call("cuInit", 0)
if os.fork() == 0:
    os._exit(cuda.result("cuCtxSynchronize"))
print(os.waitstatus_to_exitcode(os.wait()[1]))"""
    assert run_child(text) == str(simulated.NOT_INITIALIZED)


# ---- Contexts ----


def test_a_call_without_a_context_is_refused(cuda: Driver) -> None:
    context = cuda.pointer("cuCtxPopCurrent_v2")
    try:
        out = ctypes.c_void_p()
        result = cuda.result("cuMemAlloc_v2", ctypes.byref(out), ctypes.c_size_t(4))
        assert result == simulated.INVALID_CONTEXT
    finally:
        cuda.call("cuCtxPushCurrent_v2", context)


def test_the_primary_context_is_one_and_counted(cuda: Driver) -> None:
    first = cuda.pointer("cuCtxGetCurrent")
    assert cuda.pointer("cuDevicePrimaryCtxRetain", 0).value == first.value
    cuda.call("cuDevicePrimaryCtxRelease_v2", 0)
    assert cuda.live("contexts") == 1


def test_the_end_of_a_context_is_the_end_of_what_is_in_it(started: Driver) -> None:
    before = started.all_live()
    context = started.pointer("cuDevicePrimaryCtxRetain", 1)
    started.call("cuCtxPushCurrent_v2", context)
    started.allocate(100)
    started.pointer("cuStreamCreateWithPriority", NON_BLOCKING, 0)
    started.call("cuCtxPopCurrent_v2", None)
    started.call("cuDevicePrimaryCtxRelease_v2", 1)
    assert started.all_live() == before
    assert started.memory_used(1) == 0


# ---- Memory ----


def test_fresh_memory_holds_garbage(cuda: Driver) -> None:
    assert cuda.read(cuda.allocate(64), 64) != bytes(64)


def test_a_copy_beyond_the_memory_is_an_invalid_value(cuda: Driver) -> None:
    memory = cuda.allocate(100)
    with pytest.raises(simulated.DriverError) as caught:
        cuda.write(memory, bytes(101))
    assert caught.value.result == simulated.INVALID_VALUE


def test_a_second_release_is_an_invalid_value_and_noted(cuda: Driver) -> None:
    memory = cuda.allocate(100)
    cuda.call("cuMemFree_v2", memory)
    assert cuda.result("cuMemFree_v2", memory) == simulated.INVALID_VALUE
    assert cuda.misuse() == ["cuMemFree of what was not allocated"]


def test_a_pool_keeps_what_is_freed_up_to_its_threshold(cuda: Driver, stream: object) -> None:
    pool = cuda.pointer("cuDeviceGetDefaultMemPool", 0)
    size = ctypes.c_size_t(8 << 20)

    def reserved() -> int:
        value = ctypes.c_uint64()
        cuda.call("cuMemPoolGetAttribute", pool, 5, ctypes.byref(value))
        return value.value

    def use_and_wait() -> int:
        memory = cuda.pointer("cuMemAllocAsync", size, stream)
        cuda.call("cuMemFreeAsync", memory, stream)
        cuda.call("cuStreamSynchronize", stream)
        return reserved()

    assert use_and_wait() == 0
    cuda.call("cuMemPoolSetAttribute", pool, 4, ctypes.byref(ctypes.c_uint64(1 << 40)))
    assert use_and_wait() == 8 << 20
    cuda.call("cuMemPoolTrimTo", pool, ctypes.c_size_t(0))
    assert reserved() == 0
    cuda.call("cuMemPoolSetAttribute", pool, 4, ctypes.byref(ctypes.c_uint64(0)))


def test_a_pointer_tells_what_it_is(cuda: Driver) -> None:
    kind, device = ctypes.c_uint(), ctypes.c_int()
    memory = cuda.allocate(100)
    cuda.call("cuPointerGetAttribute", ctypes.byref(kind), 2, memory)
    cuda.call("cuPointerGetAttribute", ctypes.byref(device), 9, memory)
    host = cuda.pointer("cuMemHostAlloc", ctypes.c_size_t(100), 0)
    assert (kind.value, device.value) == (2, 0)
    cuda.call("cuPointerGetAttribute", ctypes.byref(kind), 2, host)
    assert kind.value == 1


def test_memory_that_the_driver_does_not_know_has_no_attributes(cuda: Driver) -> None:
    text = ctypes.create_string_buffer(8)
    result = cuda.result("cuPointerGetAttribute", ctypes.byref(ctypes.c_uint()), 2, text)
    assert result == simulated.INVALID_VALUE


def test_a_fill_repeats_its_value(cuda: Driver) -> None:
    memory = cuda.allocate(16)
    cuda.call("cuMemsetD32_v2", memory, 7, ctypes.c_size_t(4))
    assert cuda.read(memory, 16) == ints(7, 7, 7, 7)


def test_a_fill_of_a_misaligned_address_is_an_invalid_value(cuda: Driver) -> None:
    memory = ctypes.c_uint64((cuda.allocate(16).value or 0) + 2)
    result = cuda.result("cuMemsetD32_v2", memory, 7, ctypes.c_size_t(1))
    assert result == simulated.INVALID_VALUE


# ---- Kernels ----


def test_parameters_have_offsets_and_sizes(cuda: Driver, cubin: bytes) -> None:
    kernel = cuda.pointer("cuLibraryGetKernel", cuda.load(cubin), b"add")
    offset, size, found = ctypes.c_size_t(), ctypes.c_size_t(), []
    for index in range(4):
        cuda.call(
            "cuKernelGetParamInfo", kernel, ctypes.c_size_t(index), ctypes.byref(offset),
            ctypes.byref(size),
        )  # fmt: skip
        found.append((offset.value, size.value))
    assert found == [(0, 8), (8, 4), (16, 8), (24, 4)]
    result = cuda.result(
        "cuKernelGetParamInfo", kernel, ctypes.c_size_t(4), ctypes.byref(offset), None
    )
    assert result == simulated.INVALID_VALUE


@pytest.mark.parametrize(
    ("name", "block", "shared", "result"),
    [
        ("add", (0, 1, 1), 0, simulated.INVALID_VALUE),
        ("add", (2048, 1, 1), 0, simulated.INVALID_VALUE),
        ("add", (64, 64, 1), 0, simulated.INVALID_VALUE),
        ("limited", (65, 1, 1), 0, simulated.LAUNCH_OUT_OF_RESOURCES),
        ("add", (1, 1, 1), 48 * 1024 + 1, simulated.INVALID_VALUE),
    ],
)
def test_a_launch_beyond_a_limit_is_refused(
    cuda: Driver, cubin: bytes, name: str, block: tuple[int, int, int], shared: int, result: int
) -> None:
    function = cuda.function(cuda.load(cubin), name)
    x = cuda.allocate(4)
    arguments = (x, ctypes.c_int(), x, ctypes.c_int())
    assert cuda.launch(function, *arguments, block=block, shared=shared) == result


def test_more_shared_memory_has_to_be_asked_for(cuda: Driver, cubin: bytes) -> None:
    function = cuda.function(cuda.load(cubin), "store")
    out = cuda.allocate(4)
    arguments = (out, ctypes.c_int(3))
    cuda.call("cuFuncSetAttribute", function, SHARED_LIMIT, 100 * 1024)
    assert cuda.launch(function, *arguments, shared=100 * 1024) == simulated.SUCCESS
    result = cuda.result("cuFuncSetAttribute", function, SHARED_LIMIT, 1 << 20)
    assert result == simulated.INVALID_VALUE


def test_a_variable_of_a_library_is_memory_of_the_device(cuda: Driver, cubin: bytes) -> None:
    library = cuda.load(cubin)
    address, size = ctypes.c_void_p(), ctypes.c_size_t()
    cuda.call("cuLibraryGetGlobal", ctypes.byref(address), ctypes.byref(size), library, b"counter")
    assert cuda.launch(cuda.function(library, "count")) == simulated.SUCCESS
    assert (size.value, cuda.read(address, 4)) == (4, ints(42))


@pytest.mark.parametrize(
    ("code", "result"),
    [
        (b"no code at all\0", simulated.INVALID_IMAGE),
        (b".version 8.0\n.nothing\0", simulated.INVALID_PTX),
        (b".version 9.9\n.target sm_90\n\0", simulated.UNSUPPORTED_PTX_VERSION),
        (b".version 8.0\n.target sm_120\n\0", simulated.INVALID_PTX),
    ],
)
def test_code_that_is_none_is_refused(cuda: Driver, code: bytes, result: int) -> None:
    out = ctypes.byref(ctypes.c_void_p())
    assert cuda.result("cuLibraryLoadData", out, code, None, None, 0, None, None, 0) == result


def test_a_cubin_for_another_architecture_is_refused(cuda: Driver, nvrtc: Nvrtc) -> None:
    code = nvrtc.compile('extern "C" __global__ void f() {}', "f.cu", "--gpu-architecture=sm_80")
    out = ctypes.byref(ctypes.c_void_p())
    result = cuda.result("cuLibraryLoadData", out, code, None, None, 0, None, None, 0)
    assert result == simulated.NO_BINARY_FOR_GPU


def test_ptx_of_an_older_architecture_runs(cuda: Driver, nvrtc: Nvrtc) -> None:
    source = 'extern "C" __global__ void store(int *out) { *out = 6; }'
    code = nvrtc.compile(source, "f.cu", "--gpu-architecture=compute_80", kind="PTX")
    out = cuda.allocate(4)
    assert cuda.launch(cuda.function(cuda.load(code), "store"), out) == simulated.SUCCESS
    assert cuda.read(out, 4) == ints(6)

# SPDX-License-Identifier: Apache-2.0
"""Where running work on HIP differs from CUDA, on the simulated HIP. The conformance suite has the
rest. Each case is a program of its own, since a process has one HIP."""

from __future__ import annotations

from typing import Any

import hip_machine
import pytest
from hip_machine import HipMachine

HEAD = '''
import ctypes, json, os, time
import numpy as np
import nexus
from nexus import NexusError
hip = ctypes.CDLL(os.environ["NEXUS_HIP_DRIVER"])
device = nexus.get_device("hip:0")
def fail(work, result):
    hip.simulated_fail(work.encode(), ctypes.c_uint64(1), result)
def calls(name):
    return hip.simulated_calls(name.encode())
def refusal(call):
    try:
        return ["none", call() and None]
    except NexusError as error:
        return [error.status.name, str(error)]
def run(kernel, arguments, on=device, **sizes):
    schedule = on.create_schedule()
    schedule.create_command(kernel, arguments, **({"grid_size": 1} | sizes))
    schedule.run()
    return schedule
TEXT = """
extern "C" __global__ void __launch_bounds__(64) bounded(int *out) { out[0] = blockDim.x; }
extern "C" __global__ void mixed(char a, double b, short c, int *out, long d, float e) {
  out[0] = a, out[1] = (int)b, out[2] = c, out[3] = (int)d, out[4] = (int)e;
}
"""
def kernel(name, on=device):
    return on.compile(TEXT, "hip").get_kernel(name)
def last_error():
    return hip.hipGetLastError()
'''

# What a program ends with, on the version of HIP, and what it prints.
PROGRAMS: list[tuple[str, int, str, Any]] = [
    (
        "more items than the kernel's bound are refused before HIP takes the device for lost", 7,
        """
out = device.create_buffer(np.zeros(1, np.int32))
error = refusal(lambda: run(kernel("bounded"), [out], group_size=128))
run(kernel("bounded"), [out], group_size=64)
print(json.dumps([error[0], calls("hipModuleLaunchKernel"), int(out.numpy()[0])]))
""",
        ["NXS_InvalidWorkGroupSize", 1, 64],
    ),
    (
        "parameters are where the code object says", 7,
        """
out = device.create_buffer(np.zeros(5, np.int32))
arguments = [np.int8(1), np.float64(2), np.int16(3), out, np.int64(4), np.float32(5)]
run(kernel("mixed"), arguments)
first = out.numpy().tolist()
run(kernel("mixed"), [np.int8(6), *arguments[1:]], cooperative_launch=True)
print(json.dumps([first, out.numpy().tolist(), calls("cooperative kernel")]))
""",
        [[1, 2, 3, 4, 5], [6, 2, 3, 4, 5], 1],
    ),
    (
        "no cooperative launch before ROCm 5.5", 5,
        """
out = device.create_buffer(np.zeros(1, np.int32))
print(json.dumps(refusal(lambda: run(kernel("bounded"), [out], cooperative_launch=True))[0]))
""",
        "NXS_NotSupported",
    ),
    *(
        (
            "failures of our calls do not reach other libraries", rocm,
            """
seen = [last_error()]
buffer = device.create_buffer(np.zeros(1 << 20, np.uint8))  # pageable, which HIP does not know
seen.append(last_error())
fail("hipHostMalloc", 2)
refused = refusal(lambda: device.create_buffer(16, memory="host"))[0]
seen.append(last_error())
with device.create_stream() as stream:
    buffer.fill(1, stream=stream)
    stream.synchronize()
seen.append(last_error())
print(json.dumps([refused, seen]))
""",
            ["NXS_OutOfHostMemory", [0, 0, 0, 0]],
        )
        for rocm in (5, 6, 7)
    ),
    (
        "memory that another library has page-locked stays so", 7,
        """
array = np.zeros(1 << 16, np.uint8)
start = -(-array.ctypes.data // 4096) * 4096 - array.ctypes.data
memory = array[start:start + 8192]
address, size = ctypes.c_void_p(memory.ctypes.data), ctypes.c_size_t(memory.nbytes)
theirs = hip.hipHostRegister(address, size, 0)
before = calls("hipHostRegister")
buffer = nexus.from_dlpack(memory, device=device)
again = nexus.from_dlpack(memory[:100], device=device)
buffer.close(), again.close()
device.synchronize()
print(json.dumps([theirs, calls("hipHostRegister") - before, hip.hipHostUnregister(address)]))
""",
        [0, 0, 0],
    ),
    (
        "a negative time is an error", 7,
        """
with device.create_stream() as stream:
    first, second = (device.create_event(nexus.event_type.Signal, timing=True) for _ in range(2))
    stream.signal(first), stream.signal(second)
    stream.synchronize()
fail("clock", 1)
error = refusal(lambda: second.elapsed_ms(first))
print(json.dumps([error[0], "HIP tells -" in error[1], second.elapsed_ms(first) >= 0]))
""",
        ["NXS_InternalError", True, True],
    ),
    (
        "foreign streams need ROCm 5.6", 5,
        """
error = refusal(lambda: device.create_stream(foreign=0))
print(json.dumps([error[0], "HIP 5.2.21153 does not report the device of a stream" in error[1]]))
""",
        ["NXS_NotSupported", True],
    ),
    (
        "a foreign stream is of its device, and of no other", 7,
        """
own = device.create_stream()
with device.create_stream(foreign=own.native_handle) as stream:
    buffer = device.create_buffer(np.zeros(4, np.uint8))
    buffer.fill(7, stream=stream)
    stream.synchronize()
other = nexus.get_device("hip:1")
elsewhere = refusal(lambda: other.create_stream(foreign=own.native_handle))
unknown = refusal(lambda: device.create_stream(foreign=123456))
print(json.dumps([buffer.numpy().tolist(), elsewhere[0], unknown[0]]))
""",
        [[7] * 4, "NXS_InvalidValue", "NXS_InvalidValue"],
    ),
    (
        "work is for its own device, and the thread's current device stays", 7,
        """
other = nexus.get_device("hip:1")
out = other.create_buffer(np.zeros(1, np.int32))
run(kernel("bounded", other), [out], other, group_size=8)
now = ctypes.c_int(-1)
hip.hipGetDevice(ctypes.byref(now))
print(json.dumps([int(out.numpy()[0]), now.value]))
""",
        [8, 0],
    ),
    (
        "DLPack knows the memory as ROCm's", 7,
        """
other = nexus.get_device("hip:1")
made = [device.create_buffer(16, memory=each) for each in ("device", "host", "managed")]
made.append(other.create_buffer(16))
print(json.dumps([each.__dlpack_device__() for each in made]))
""",
        [[10, 0], [11, 0], [10, 0], [10, 1]],
    ),
    (
        "fills in rows need no function of ROCm 7.1", 5,
        """
buffer = device.create_buffer(np.zeros(1 << 16, np.float64))
buffer.fill(1.5)
print(json.dumps([bool((buffer.numpy() == 1.5).all()), calls("hipMemset2DAsync")]))
""",
        [True, 8],
    ),
    (
        "a captured graph is destroyed after its runs", 7,
        """
out = device.create_buffer(np.zeros(1, np.int32))
schedule, stream = device.create_schedule(), device.create_stream()
with schedule.capture(stream):
    handle = ctypes.c_void_p(stream.native_handle)
    hip.hipMemsetD32Async(ctypes.c_void_p(out.native_handle), 5, ctypes.c_size_t(1), handle)
hip.simulated_hold(b"bounded")
before = device.create_schedule()
before.create_command(kernel("bounded"), [out], grid_size=1, group_size=64)
before.run(stream, blocking=False)
schedule.run(stream, blocking=False)
schedule.close()
early = calls("hipGraphExecDestroy")
hip.simulated_release()
stream.synchronize()
for _ in range(400):
    if calls("hipGraphExecDestroy") == 1:
        break
    time.sleep(0.01)
misuse = hip.simulated_misuse(None, ctypes.c_uint64(0))
print(json.dumps([early, calls("hipGraphExecDestroy"), misuse, int(out.numpy()[0])]))
""",
        [0, 1, 0, 5],
    ),
    (
        "after a fault each device of the process is lost", 7,
        """
other = nexus.get_device("hip:1")
out = device.create_buffer(np.zeros(1, np.int32))
fail("kernel", 719)
print(json.dumps([
    refusal(lambda: run(kernel("bounded"), [out], group_size=1))[0],
    refusal(lambda: device.create_buffer(16))[0],
    refusal(lambda: other.create_buffer(16))[0],
]))
""",
        ["NXS_DeviceLost"] * 3,
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("version", "program", "told"),
    [pytest.param(*row[1:], id=f"{row[0]}-{row[1]}") for row in PROGRAMS],
)
def test_hip_s_own(rocm: HipMachine, version: int, program: str, told: Any) -> None:
    machine = hip_machine.of_rocm(version).having(
        NEXUS_HIP_ROOT=rocm.environment["NEXUS_HIP_ROOT"], NEXUS_DISK_CACHE="0"
    )
    assert machine.run(HEAD + program)[0] == told

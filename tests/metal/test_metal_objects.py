# SPDX-License-Identifier: Apache-2.0
"""Every object of Metal is released, no pool stays open, and failures of Metal are told."""

from __future__ import annotations

from pathlib import Path

import pytest
from metal_machine import MetalMachine

TESTS = Path(__file__).parents[1]
# Failures are those of tests/drivers/README.md: fail(selector or work, result).
WORK = """
import ctypes, gc, json, os
import numpy as np
import nexus
from nexus import NexusError

double = ctypes.CDLL(os.environ["NEXUS_METAL_DRIVER"])
def fail(function, nth, result):
    double.simulated_fail(function.encode(), ctypes.c_uint64(nth), result)
def live(kind):
    return double.simulated_live(kind.encode())

SOURCE = b'''
#include <metal_stdlib>
using namespace metal;
kernel void twice(device float *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {
  x[i] = x[i] * 2.0f;
}
'''
def work(device):
    x = np.arange(1024, dtype=np.float32)
    buffer = device.create_buffer(x)
    kernel = device.load_library(SOURCE).get_kernel("twice")
    schedule = device.create_schedule()
    schedule.create_command(kernel, [buffer]).finalize([1024], [256])
    schedule.run()
    out = np.empty_like(x)
    buffer.copy(out)
    return bool(np.array_equal(out, x * 2))
def error_of(call):
    try:
        call()
    except NexusError as error:
        return [error.status.name, str(error)]
    return None
device = nexus.get_device("metal:0")
"""
KINDS = (
    "MTLBuffer",
    "MTLLibrary",
    "MTLFunction",
    "MTLComputePipelineState",
    "MTLCommandBuffer",
    "MTLCompileOptions",
    "NSError",
)


def test_work_leaves_no_object_of_metal_and_no_misuse(mac: MetalMachine) -> None:
    code = f"""
work(device); gc.collect()
before = {{kind: live(kind) for kind in {KINDS}}}
right = [work(device) for _ in range(5)]; gc.collect()
after = {{kind: live(kind) for kind in {KINDS}}}
print(json.dumps([right, before, after, double.simulated_misuse()]))
"""
    right, before, after, misuse = mac.run(WORK + code)[0]
    assert right == [True] * 5
    assert after == before
    assert misuse == 0


@pytest.mark.parametrize(
    ("selector", "call", "status"),
    [
        (
            "newBufferWithLength:options:",
            "device.create_buffer(4096)",
            "NXS_MemObjectAllocationFailure",
        ),
        (
            "newCommandQueueWithMaxCommandBufferCount:",
            "device.create_stream()",
            "NXS_OutOfResources",
        ),
        ("newSharedEvent", "device.create_stream()", "NXS_OutOfResources"),
        (
            "newLibraryWithSource:options:error:",
            "device.load_library(SOURCE)",
            "NXS_InvalidBinary",
        ),
        (
            "newComputePipelineStateWithFunction:options:reflection:error:",
            "device.load_library(SOURCE).get_kernel('twice')",
            "NXS_InvalidKernelDefinition",
        ),
    ],
)
def test_what_metal_refuses_is_an_error_and_the_next_call_works(
    mac: MetalMachine, selector: str, call: str, status: str
) -> None:
    code = f"""
fail("{selector}", 1, 8)
print(json.dumps([error_of(lambda: {call}), error_of(lambda: {call}), double.simulated_misuse()]))
"""
    first, second, misuse = mac.run(WORK + code)[0]
    assert first is not None
    assert first[0] == status
    assert second is None
    assert misuse == 0


def test_a_kernel_that_faults_fails_its_stream_and_no_other(mac: MetalMachine) -> None:
    code = """
work(device)
fail("kernel", 1, 3)
first = error_of(lambda: work(device))
x = np.ones(4, np.float32)
other = device.create_stream()
schedule = device.create_schedule()
buffer = device.create_buffer(x)
kernel = device.load_library(SOURCE).get_kernel("twice")
schedule.create_command(kernel, [buffer]).finalize([4], [4])
second = error_of(lambda: schedule.run(other))
print(json.dumps([first, second, double.simulated_misuse()]))
"""
    first, second, misuse = mac.run(WORK + code)[0]
    assert first is not None
    assert "MTLCommandBufferErrorPageFault" in first[1]
    assert second is None
    assert misuse == 0


def test_a_kernel_that_only_looks_like_a_description_is_refused(mac: MetalMachine) -> None:
    code = """
source = '#include <metal_stdlib>\\n'
for name, body in (("f", "x[0] = 1;"), ("nexus_describe_f", "x[3] = -1;")):
    source += 'kernel void ' + name + '(device int *x [[buffer(0)]]) { ' + body + ' }\\n'
print(json.dumps(error_of(lambda: device.compile(source, language="metal"))))
"""
    told = mac.run(WORK + code)[0]
    assert told is not None
    assert told[0] == "NXS_CompileProgramFailure"
    assert "nexus_describe_f" in told[1]


def test_a_submission_does_not_wait_for_work_that_waits_for_the_caller(mac: MetalMachine) -> None:
    code = """
source = b'''
#include <metal_stdlib>
using namespace metal;
kernel void until_set(device volatile int *flag [[buffer(0)]]) { while (flag[0] == 0) {} }
kernel void once(device int *x [[buffer(0)]]) { x[0] += 1; }
'''
library = device.load_library(source)
flag = device.create_buffer(np.zeros(1, np.int32), memory="host")
count = device.create_buffer(np.zeros(1, np.int32))
seen = np.asarray(flag)  # the memory itself
stream = device.create_stream()
def schedule_of(name, buffer):
    schedule = device.create_schedule()
    schedule.create_command(library.get_kernel(name), [buffer]).finalize([1], [1])
    return schedule
def run(schedule):
    schedule.run(stream, blocking=False)
first, more = schedule_of("until_set", flag), schedule_of("once", count)
run(first)
for _ in range(200):
    run(more)
seen[0] = 1
stream.synchronize()
out = np.zeros(1, np.int32)
count.copy(out)
print(json.dumps(int(out[0])))
"""
    assert mac.run(WORK + code)[0] == 200


def test_a_run_fails_with_the_run_before_it_in_another_stream(mac: MetalMachine) -> None:
    code = """
schedule, buffer = device.create_schedule(), device.create_buffer(np.ones(4, np.float32))
kernel = device.load_library(SOURCE).get_kernel("twice")
schedule.create_command(kernel, [buffer]).finalize([4], [4])
first, second = device.create_stream(), device.create_stream()
double.simulated_hold(b"")
fail("kernel", 1, 3)
schedule.run(first, blocking=False)
schedule.run(second, blocking=False)
double.simulated_release()
print(json.dumps([error_of(first.synchronize), error_of(second.synchronize)]))
"""
    for error in mac.run(WORK + code)[0]:
        assert error is not None
        assert "MTLCommandBufferErrorPageFault" in error[1]


def test_code_whose_options_were_changed_is_refused(mac: MetalMachine) -> None:
    code = """
code = nexus.Program("NEXUS_KERNEL(nothing, (int, n)) {}").compile("metal:0").code
changed = code.replace(b"//options 0", b"//options 1")
print(json.dumps([changed != code, error_of(lambda: device.load_library(changed))]))
"""
    differs, error = mac.run(WORK + code)[0]
    assert differs
    assert error[0] == "NXS_InvalidBinary"


def test_other_libraries_share_a_buffer_by_its_object_and_offset(mac: MetalMachine) -> None:
    code = """
x = np.arange(64, dtype=np.int32)
buffer = device.create_buffer(x)
part = nexus.from_dlpack(buffer[8:40])
again = nexus.from_dlpack(part[4:8])
again.fill(-1)
x[12:16] = -1
host = device.create_buffer(x, memory="host")
print(json.dumps([
    buffer.__dlpack_device__(), host.__dlpack_device__(), bool(np.array_equal(buffer.numpy(), x)),
    part.native_handle == buffer.native_handle, again.get_property_int("Offset"),
]))
"""
    assert mac.run(WORK + code)[0] == [[8, 0], [1, 0], True, True, 48]


def test_an_mtlbuffer_of_another_device_or_beyond_its_end_is_refused(mac: MetalMachine) -> None:
    code = f"""
import sys; sys.path.insert(0, {str(TESTS)!r})
from dlpack_reader import Producer
buffer = device.create_buffer(np.zeros(64, np.int32))
def over(number, length):
    array = Producer(buffer.native_handle, (length,), dtype=(0, 32, 1), device=(8, number))
    return error_of(lambda: nexus.from_dlpack(array))
print(json.dumps([over(0, 64), over(1, 64), over(0, 65)]))
"""
    right, elsewhere, beyond = mac.run(WORK + code)[0]
    assert right is None
    assert elsewhere[0] == "NXS_InvalidHostPtr"
    assert "another device" in elsewhere[1]
    assert beyond[0] == "NXS_InvalidBufferSize"
    assert "256 bytes" in beyond[1]


def test_work_is_captured_into_a_file_until_the_process_exits(
    mac: MetalMachine, tmp_path: Path
) -> None:
    document = tmp_path / "work.gputrace"
    settings = {"NEXUS_METAL_CAPTURE": str(document), "METAL_CAPTURE_ENABLED": "1"}
    mac.having(**settings).run(WORK + "print(json.dumps(work(device)))")
    assert int((document / "committed").read_text().split()[0]) >= 1


def test_a_capture_that_metal_refuses_says_why(mac: MetalMachine, tmp_path: Path) -> None:
    settings = {"NEXUS_METAL_CAPTURE": str(tmp_path / "work.gputrace")}
    assert "METAL_CAPTURE_ENABLED" in mac.having(**settings).why_absent("FAIL")

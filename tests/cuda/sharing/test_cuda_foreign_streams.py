# SPDX-License-Identifier: Apache-2.0
"""Streams over another library's streams."""

from __future__ import annotations

import ctypes
import threading

import numpy as np
import pytest
import simulated
from their_memory import Write, context_of, floats, number, refusal, stream_of

import nexus

LEGACY, PER_THREAD = 1, 2


@pytest.mark.parametrize("default", [0, LEGACY, PER_THREAD])
def test_a_default_stream_is_adopted(gpu: nexus.Device, default: int) -> None:
    stream = gpu.create_stream(foreign=default)
    buffer = gpu.create_buffer((16,))
    buffer.fill(1.0, stream=stream)
    assert stream.native_handle == default
    assert buffer.numpy().tolist() == [1.0] * 16


def test_our_work_comes_after_theirs(
    cuda: simulated.Driver, gpu: nexus.Device, write_slowly: Write
) -> None:
    theirs = stream_of(cuda)
    buffer, copy = gpu.create_buffer(floats()), np.empty(16, np.float32)
    ours = gpu.create_stream(foreign=number(theirs))
    assert ours.native_handle == number(theirs)
    write_slowly(buffer.native_handle, 5.0, theirs)
    buffer.copy(copy, stream=ours, blocking=False)
    assert not ours.is_idle
    cuda.release()
    ours.synchronize()
    assert copy.tolist() == [5.0] * 16


def test_a_large_write_comes_after_their_work(
    cuda: simulated.Driver, gpu: nexus.Device, write_slowly: Write
) -> None:
    theirs, large = stream_of(cuda), np.full(1 << 20, 7, np.float32)
    buffer = gpu.create_buffer(large.size, dtype="float32")
    ours = gpu.create_stream(foreign=number(theirs))
    write_slowly(buffer.native_handle, 5.0, theirs)
    buffer.copy_from(large, stream=ours, blocking=False)
    cuda.release()
    ours.synchronize()
    assert np.array_equal(buffer.numpy(), large)


def test_a_large_write_comes_after_what_our_stream_was_told_to_wait_for(
    cuda: simulated.Driver, gpu: nexus.Device, write_slowly: Write
) -> None:
    """Like a producer of DLPack, with our stream's handle."""
    theirs, large = stream_of(cuda), np.full(1 << 20, 7, np.float32)
    buffer, ours = gpu.create_buffer(large.size, dtype="float32"), gpu.create_stream()
    write_slowly(buffer.native_handle, 5.0, theirs)
    with context_of(cuda, 0):
        event = cuda.pointer("cuEventCreate", 0)
        cuda.call("cuEventRecord", event, theirs)
        cuda.call("cuStreamWaitEvent", ctypes.c_void_p(ours.native_handle), event, 0)
    buffer.copy_from(large, stream=ours, blocking=False)
    cuda.release()
    ours.synchronize()
    assert np.array_equal(buffer.numpy(), large)


def test_their_work_comes_after_ours(
    cuda: simulated.Driver, gpu: nexus.Device, code: bytes
) -> None:
    theirs, buffer, schedule = stream_of(cuda), gpu.create_buffer((16,)), gpu.create_schedule()
    slow = gpu.load_library(code).get_kernel("slow")
    schedule.create_command(slow, (buffer, np.float32(1)), 16, 16)
    ours = gpu.create_stream(foreign=number(theirs))
    cuda.hold("slow")
    schedule.run(ours, blocking=False)
    address, two = ctypes.c_uint64(buffer.native_handle), ctypes.c_uint(0x40000000)  # 2.0
    cuda.call("cuMemsetD32Async", address, two, ctypes.c_size_t(16), theirs)
    cuda.release()
    ours.synchronize()
    assert buffer.numpy().tolist() == [2.0] * 16


def test_another_stream_waits_for_their_work(
    cuda: simulated.Driver, gpu: nexus.Device, write_slowly: Write
) -> None:
    theirs, other = stream_of(cuda), gpu.create_stream()
    buffer, copy = gpu.create_buffer((16,)), np.empty(16, np.float32)
    write_slowly(buffer.native_handle, 4.0, theirs)
    other.wait(gpu.create_stream(foreign=number(theirs)))
    buffer.copy(copy, stream=other, blocking=False)
    cuda.release()
    other.synchronize()
    assert copy.tolist() == [4.0] * 16


# ---- Their stream ends ----


def test_a_stream_that_ended_after_ours_is_asked_nothing_more(
    cuda: simulated.Driver, gpu: nexus.Device
) -> None:
    theirs = stream_of(cuda)
    ours = gpu.create_stream(foreign=number(theirs))
    buffer, schedule = gpu.create_buffer((16,)), gpu.create_schedule()
    schedule.create_fill_command(buffer, 1.0)
    schedule.run(ours, blocking=False)
    event = ours.record()  # it, the schedule and the buffer still know the stream
    ours.close()
    cuda.call("cuStreamSynchronize", theirs)
    cuda.call("cuStreamDestroy_v2", theirs)
    event.wait()
    schedule.run(gpu.create_stream())
    buffer.close()
    gpu.create_buffer(64).close()
    gpu.synchronize()
    gpu.trim_memory()
    del ours, event, schedule, buffer  # the fixture looks for misuse


def test_a_buffer_lives_until_work_in_a_stream_that_was_left_is_done(
    cuda: simulated.Driver, gpu: nexus.Device, write_slowly: Write
) -> None:
    theirs = stream_of(cuda)
    ours = gpu.create_stream(foreign=number(theirs))
    buffer, gate, copy = gpu.create_buffer((16,)), gpu.create_buffer((16,)), np.empty(16, "f4")
    buffer.fill(6.0)
    write_slowly(gate.native_handle, 0.0, theirs)
    buffer.copy(copy, stream=ours, blocking=False)
    ours.close()
    buffer.close()
    for _ in range(8):
        gpu.create_buffer((16,)).fill(1.0)  # would take the memory if it were free
    cuda.release()
    cuda.call("cuStreamSynchronize", theirs)
    gpu.synchronize()
    assert copy.tolist() == [6.0] * 16


def test_adopting_again_and_again_makes_no_more_streams(
    cuda: simulated.Driver, gpu: nexus.Device
) -> None:
    theirs, buffer = stream_of(cuda), gpu.create_buffer((16,))
    counts = set()
    for _ in range(20):
        with gpu.create_stream(foreign=number(theirs)) as ours:
            buffer.fill(1.0, stream=ours)
        cuda.call("cuStreamSynchronize", theirs)
        gpu.synchronize()
        counts.add(cuda.live("streams"))
    assert len(counts) <= 2


# ---- The default stream of the thread ----


def test_a_threads_default_stream_is_the_one_of_who_submits(
    cuda: simulated.Driver, gpu: nexus.Device, write_slowly: Write
) -> None:
    ours = gpu.create_stream(foreign=PER_THREAD)
    buffer, copy = gpu.create_buffer((16,)), np.empty(16, np.float32)
    write_slowly(buffer.native_handle, 8.0, ctypes.c_void_p(PER_THREAD))
    buffer.copy(copy, stream=ours, blocking=False)
    assert not ours.is_idle
    cuda.release()
    ours.synchronize()
    assert copy.tolist() == [8.0] * 16


def test_its_work_has_one_order_whoever_submits(
    cuda: simulated.Driver, gpu: nexus.Device, write_slowly: Write
) -> None:
    ours = gpu.create_stream(foreign=PER_THREAD)
    buffer, copy = gpu.create_buffer((16,)), np.empty(16, np.float32)
    write_slowly(
        buffer.native_handle, 0.0, ctypes.c_void_p(PER_THREAD)
    )  # holds back this thread's stream alone
    buffer.fill(2.0, stream=ours, blocking=False)
    later = threading.Thread(target=lambda: buffer.fill(3.0, stream=ours, blocking=False))
    later.start()
    later.join()
    buffer.copy(copy, stream=ours, blocking=False)
    cuda.release()
    ours.synchronize()
    assert copy.tolist() == [3.0] * 16


# ---- What is not a stream of the device, or takes no work ----


def test_a_stream_that_is_captured_takes_no_work_of_ours(
    cuda: simulated.Driver, gpu: nexus.Device
) -> None:
    theirs = stream_of(cuda)
    ours, buffer, graph = gpu.create_stream(foreign=number(theirs)), gpu.create_buffer((16,)), 0
    cuda.call("cuStreamBeginCapture_v2", theirs, 0)
    with pytest.raises(nexus.NexusError, match="is capturing its work into a graph") as raised:
        buffer.fill(1.0, stream=ours)
    assert raised.value.status == nexus.status.NXS_InvalidOperation
    cuda.call("cuStreamEndCapture", theirs, ctypes.byref(ctypes.c_void_p(graph)))
    buffer.fill(2.0, stream=ours)
    assert buffer.numpy().tolist() == [2.0] * 16


def test_a_stream_of_another_gpu_is_refused(cuda: simulated.Driver, gpu: nexus.Device) -> None:
    with context_of(cuda, 1):
        theirs = stream_of(cuda)
        error = refusal(lambda: gpu.create_stream(foreign=number(theirs)))
    assert "a stream of another device, or of a context that is not the primary one" in str(error)


def test_a_stream_of_another_context_is_refused(cuda: simulated.Driver, gpu: nexus.Device) -> None:
    context = cuda.pointer("cuCtxCreate_v2", 0, 0)
    theirs = stream_of(cuda)
    error = refusal(lambda: gpu.create_stream(foreign=number(theirs)))
    cuda.call("cuCtxDestroy_v2", context)
    assert "not the primary one of the device" in str(error)


def test_what_is_no_stream_is_refused(cuda: simulated.Driver, gpu: nexus.Device) -> None:
    error = refusal(lambda: gpu.create_stream(foreign=123456))
    assert "handle is 123456, and the driver knows no such stream" in str(error)
    cuda.forget()  # the real driver may crash, which is the caller's fault


def test_a_default_stream_of_each_thread_is_not_captured(gpu: nexus.Device) -> None:
    schedule, stream = gpu.create_schedule(), gpu.create_stream(foreign=2)
    error = refusal(lambda: schedule.capture(stream).__enter__())
    assert "only the thread that begins a capture can end it" in str(error)

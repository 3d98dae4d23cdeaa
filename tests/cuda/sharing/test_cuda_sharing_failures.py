# SPDX-License-Identifier: Apache-2.0
"""Each driver call of sharing fails once: the error is raised, and everything goes on."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import pytest
import simulated
from their_memory import allocated, floats, number, refusal, run_alone, stream_of

import nexus

UNKNOWN = 999  # CUDA_ERROR_UNKNOWN: no caller expects it, and it breaks no context
PEERS = """
import simulated
import nexus
driver = simulated.Driver()
here, there = nexus.get_device("cuda:0"), nexus.get_device("cuda:1")
buffer = there.create_buffer(64)
for function in ("cuDeviceCanAccessPeer", "cuCtxEnablePeerAccess", "cuMemPoolSetAccess"):
    driver.fail(function, 1, 999)
    try:
        here.create_buffer_from_handle(buffer.native_handle, 64)
    except nexus.NexusError as error:
        assert "CUDA_ERROR_UNKNOWN (999)" in str(error), error
        assert error.native_code == 999
    else:
        raise AssertionError(function)
    assert driver.clear_failures() == 0
here.create_buffer_from_handle(buffer.native_handle, 64).fill(3)
assert set(buffer.numpy().tobytes()) == {3}
"""
LOST_ON_THE_WAY = """
import os
import simulated
import nexus
from nexus.status import Status
driver = simulated.Driver()
here, there = nexus.get_device("cuda:0"), nexus.get_device("cuda:1")
buffer = there.create_buffer(64)
driver.fail(os.environ["FUNCTION"], 1, simulated.ILLEGAL_ADDRESS)
for use in (lambda: here.create_buffer_from_handle(buffer.native_handle, 64),
            lambda: here.create_buffer(64)):
    try:
        use()
    except nexus.NexusError as error:
        assert error.status == Status.NXS_DeviceLost, error
        assert os.environ["FUNCTION"] in str(error), error
    else:
        raise AssertionError("it was not told")
buffer.fill(3)
assert set(buffer.numpy().tobytes()) == {3}
"""


def over_memory(cuda: simulated.Driver, gpu: nexus.Device) -> object:
    memory = number(allocated(cuda, floats()))
    cuda.forget()
    return gpu.create_buffer_from_handle(memory, (16,))


def over_stream(cuda: simulated.Driver, gpu: nexus.Device) -> object:
    return gpu.create_stream(foreign=number(stream_of(cuda)))


def in_stream(cuda: simulated.Driver, gpu: nexus.Device) -> object:
    buffer = gpu.create_buffer((16,))
    with gpu.create_stream(foreign=number(stream_of(cuda))) as stream:
        buffer.fill(1.0, stream=stream)
    return buffer


def pickled(cuda: simulated.Driver, gpu: nexus.Device) -> object:
    return pickle.dumps(gpu.create_buffer(floats(), shareable=True))


def shareable(cuda: simulated.Driver, gpu: nexus.Device) -> object:
    return gpu.create_buffer(floats(), shareable=True)


def trimmed(cuda: simulated.Driver, gpu: nexus.Device) -> object:
    gpu.create_buffer(64).close()
    gpu.trim_memory()
    return None


def bounded(cuda: simulated.Driver, gpu: nexus.Device) -> object:
    gpu.set_release_threshold(None)
    return None


def reserved(cuda: simulated.Driver, gpu: nexus.Device) -> object:
    return gpu.memory_reserved


@pytest.mark.parametrize(
    ("function", "program"),
    [
        ("cuPointerGetAttributes", over_memory),
        ("cuStreamGetCtx", over_stream),
        ("cuStreamIsCapturing", in_stream),
        ("cuIpcGetMemHandle", pickled),
        ("cuMemAlloc", shareable),
        ("cuMemPoolTrimTo", trimmed),
        ("cuMemPoolSetAttribute", bounded),
        ("cuMemPoolGetAttribute", reserved),
    ],
)
def test_a_refusal_is_told_and_the_next_call_works(
    cuda: simulated.Driver,
    gpu: nexus.Device,
    function: str,
    program: Callable[[simulated.Driver, nexus.Device], object],
) -> None:
    program(cuda, gpu)  # what is made once is there
    cuda.fail(function, 1, UNKNOWN)
    error = refusal(lambda: program(cuda, gpu))
    assert "CUDA_ERROR_UNKNOWN (999)" in str(error)
    assert cuda.clear_failures() == 0
    program(cuda, gpu)
    assert gpu.create_buffer(floats()).numpy().tolist() == floats().tolist()


@pytest.mark.parametrize("function", ["cuStreamWaitEvent", "cuEventRecord"])
def test_a_stream_that_is_not_followed_at_first_is_so_at_the_second_try(
    cuda: simulated.Driver, gpu: nexus.Device, function: str
) -> None:
    cuda.fail(function, 1, UNKNOWN)
    in_stream(cuda, gpu)
    assert cuda.clear_failures() == 0


@pytest.mark.parametrize("function", ["cuStreamWaitEvent", "cuEventRecord"])
def test_a_stream_that_can_not_be_followed_is_told_and_the_next_one_works(
    cuda: simulated.Driver, gpu: nexus.Device, function: str
) -> None:
    for _ in range(2):
        cuda.fail(function, 1, UNKNOWN)
    error = refusal(lambda: in_stream(cuda, gpu))
    assert f"{function} returned CUDA_ERROR_UNKNOWN (999)" in str(error)
    assert cuda.clear_failures() == 0
    in_stream(cuda, gpu)
    assert gpu.create_buffer(floats()).numpy().tolist() == floats().tolist()


@pytest.mark.parametrize(
    "function", ["cuDeviceCanAccessPeer", "cuCtxEnablePeerAccess", "cuMemPoolSetAccess"]
)
def test_a_gpu_that_is_lost_on_the_way_to_another_says_so_from_then_on(function: str) -> None:
    run_alone(LOST_ON_THE_WAY, FUNCTION=function)


def test_the_way_to_another_gpu_is_tried_again() -> None:
    run_alone(PEERS)

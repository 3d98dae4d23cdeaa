# SPDX-License-Identifier: Apache-2.0
"""Streams of other libraries, which ours are made over."""

from __future__ import annotations

import gc
import threading
import weakref
from typing import Any

import numpy as np
import pytest
from eventually import eventually
from gpu_arrays import CudaStream, DlpackArray, floats, slow_fill

import nexus


def test_an_object_with_the_protocol_is_adopted(gpu: nexus.Device) -> None:
    kept = gpu.create_stream()  # the pretended driver ends a stream with the one that it made
    foreign = CudaStream(kept.native_handle)
    stream = gpu.create_stream(foreign=foreign)
    assert stream.native_handle == kept.native_handle
    assert stream.device == gpu


def test_an_attribute_in_place_of_a_method_serves_too(gpu: nexus.Device) -> None:
    kept = gpu.create_stream()

    class Old:
        __cuda_stream__ = (0, kept.native_handle)

    assert gpu.create_stream(foreign=Old()).native_handle == kept.native_handle


def test_our_streams_have_the_protocol(gpu: nexus.Device) -> None:
    stream = gpu.create_stream()
    assert stream.__cuda_stream__() == (0, stream.native_handle)
    assert gpu.create_stream(foreign=stream).native_handle == stream.native_handle
    with pytest.raises(TypeError, match="'cpu:0', which is not a CUDA device"):
        nexus.get_device("cpu").create_stream().__cuda_stream__()


def test_work_of_both_is_in_one_order(gpu: nexus.Device) -> None:
    buffer = gpu.create_buffer((16,))
    theirs = slow_fill(gpu, buffer, 1.0)
    ours = gpu.create_stream(foreign=theirs.native_handle)
    copy = np.empty(16, np.float32)
    buffer.copy(copy, stream=ours)
    assert (copy == 1.0).all()


def test_a_kernel_runs_in_it_on_the_memory_of_an_array(gpu: nexus.Device) -> None:
    array, theirs = floats(), gpu.create_stream()
    buffer = nexus.from_dlpack(DlpackArray(array))
    kernel = gpu.load_library(b"nexus-reference 1\nscale_f32\n").get_kernel("scale_f32")
    schedule = gpu.create_schedule()
    schedule.create_command(kernel, (buffer, np.float32(3.0), buffer), 16, 16)
    schedule.run(gpu.create_stream(foreign=theirs.native_handle))
    assert array.tolist() == (floats() * 3).tolist()


@pytest.mark.parametrize("who", ["the host", "a stream"])
def test_to_wait_for_it_is_to_wait_for_theirs_too(gpu: nexus.Device, who: str) -> None:
    theirs = slow_fill(gpu, gpu.create_buffer((16,)), 1.0)
    waiting = ours = gpu.create_stream(foreign=theirs.native_handle)
    if who == "a stream":
        waiting = gpu.create_stream()
        waiting.wait(ours)
    waiting.synchronize()
    assert theirs.is_idle


def test_it_is_idle_when_theirs_is(gpu: nexus.Device) -> None:
    theirs = slow_fill(gpu, gpu.create_buffer((16,)), 1.0)
    ours = gpu.create_stream(foreign=theirs.native_handle)
    while not ours.is_idle:  # asks by work of its own, which a busy machine may not do at once
        pass
    assert theirs.is_idle
    while ours.get_property_str("Status") != "Complete":
        pass


def test_a_callback_comes_after_their_work(gpu: nexus.Device) -> None:
    buffer, called = gpu.create_buffer((16,)), threading.Event()
    theirs = slow_fill(gpu, buffer, 1.0)
    seen: list[bool] = []

    def note(error: nexus.NexusError | None) -> None:
        seen.append(error is None and theirs.is_idle)
        called.set()

    gpu.create_stream(foreign=theirs.native_handle).add_callback(note)
    assert called.wait(20)
    assert seen == [True]


def test_the_object_lives_as_long_as_the_stream(gpu: nexus.Device) -> None:
    kept = gpu.create_stream()
    foreign = CudaStream(kept.native_handle)
    reference = weakref.ref(foreign)
    stream = gpu.create_stream(foreign=foreign)
    del foreign
    gc.collect()
    assert reference() is not None
    stream.close()
    del stream
    gpu.synchronize()
    gpu.create_stream().close()
    assert eventually(lambda: reference() is None)


def test_the_object_is_let_go_where_the_stream_is_refused(gpu: nexus.Device) -> None:
    foreign = CudaStream(98765)
    reference = weakref.ref(foreign)
    with pytest.raises(ValueError, match="handle is 98765; no stream has it"):
        gpu.create_stream(foreign=foreign)
    del foreign
    assert eventually(lambda: reference() is None)


class Broken:
    def __init__(self, told: object) -> None:
        self.told = told

    def __cuda_stream__(self) -> object:
        return self.told


@pytest.mark.parametrize(
    ("foreign", "error", "words"),
    [
        ("1", TypeError, "foreign has to be a native handle .int. or an object with __cuda_stream"),
        (True, TypeError, "foreign has to be"),
        (1.5, TypeError, "foreign has to be"),
        (CudaStream, TypeError, "foreign has to be"),
        (-1, ValueError, "foreign is -1"),
        (1 << 70, ValueError, "foreign is 1180591620717411303424"),
        (CudaStream(3, version=1), ValueError, "The version in __cuda_stream__ of foreign is 1"),
        (Broken(3), TypeError, "__cuda_stream__ of foreign has to be a tuple of a version and a"),
        (Broken((0, "3")), TypeError, "__cuda_stream__ of foreign has to be a tuple"),
        (Broken((0,)), TypeError, "__cuda_stream__ of foreign has to be a tuple"),
        (CudaStream(-3), ValueError, "the handle in __cuda_stream__ of foreign is -3"),
    ],
)
def test_what_is_no_stream_is_told(
    gpu: nexus.Device, foreign: Any, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        gpu.create_stream(foreign=foreign)


def test_a_foreign_stream_has_its_own_priority(gpu: nexus.Device) -> None:
    with pytest.raises(ValueError, match="priority is 1: leave it out with foreign"):
        gpu.create_stream(1, foreign=1)


def test_a_stream_of_cuda_is_for_cuda(rocm: nexus.Device) -> None:
    for device in (rocm, nexus.get_device("cpu")):
        with pytest.raises(ValueError, match="foreign is a stream of CUDA, and the device"):
            device.create_stream(foreign=CudaStream(1))


def test_a_backend_without_foreign_streams_says_so() -> None:
    with pytest.raises(nexus.NexusError, match="nxsCreateStreamFromHandle") as raised:
        nexus.get_device("cpu").create_stream(foreign=1)
    assert raised.value.status == nexus.status.NXS_NotSupported

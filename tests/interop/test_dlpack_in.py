# SPDX-License-Identifier: Apache-2.0
"""nexus.from_dlpack and create_buffer of arrays that lie on a GPU, by DLPack."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gpu_arrays import CUDA, CUDA_MANAGED, ROCM, BufferProtocolArray, DlpackArray, floats, slow_fill

import nexus

COPIED, READ_ONLY = 2, 1


def test_the_memory_is_the_arrays(gpu: nexus.Device) -> None:
    array = floats()
    buffer = nexus.from_dlpack(DlpackArray(array))
    assert (buffer.device, buffer.shape, buffer.dtype) == (gpu, (16,), "float32")
    buffer.fill(7.0)
    assert (array == 7.0).all()


def test_an_array_with_the_buffer_protocol_is_the_devices_too(gpu: nexus.Device) -> None:
    array = floats()
    buffer = nexus.from_dlpack(BufferProtocolArray(array))
    assert buffer.device == gpu
    buffer.fill(7.0)
    assert (array == 7.0).all()
    assert gpu.create_buffer(BufferProtocolArray(array)).numpy().tolist() == [7.0] * 16


def test_managed_memory_is_the_devices(gpu: nexus.Device) -> None:
    array = DlpackArray(floats(), (CUDA_MANAGED, 0))
    assert nexus.from_dlpack(array).device == gpu


def test_the_byte_offset_counts(gpu: nexus.Device) -> None:
    array = floats()
    producer = DlpackArray(array, shape=(4,))
    producer.tensor.byte_offset = 16
    assert nexus.from_dlpack(producer).numpy().tolist() == [4.0, 5.0, 6.0, 7.0]


def test_the_producer_is_told_the_default_stream(gpu: nexus.Device) -> None:
    producer = DlpackArray(floats())
    nexus.from_dlpack(producer)
    assert producer.asked["stream"] == gpu.default_stream.native_handle
    assert producer.asked["copy"] is False


def test_the_producer_is_told_the_stream_that_is_named(gpu: nexus.Device) -> None:
    producer, stream = DlpackArray(floats()), gpu.create_stream()
    buffer = nexus.from_dlpack(producer, stream=stream)
    assert buffer.device == gpu
    assert producer.asked["stream"] == stream.native_handle


def test_a_producer_from_before_dlpack_1_is_told_the_stream_too(gpu: nexus.Device) -> None:
    producer = DlpackArray(floats(), versioned=False)
    with pytest.raises(ValueError, match=r"x comes from DLPack before 1\.0.*writable=True"):
        nexus.from_dlpack(producer)
    nexus.from_dlpack(producer, writable=True)
    assert producer.asked == {"stream": gpu.default_stream.native_handle}


def test_the_call_waits_for_what_the_producer_put_before_the_stream(gpu: nexus.Device) -> None:
    """The producer's work is done when the call returns, as nothing else could order the host."""
    array = floats()
    inner = nexus.from_dlpack(DlpackArray(array))
    work: list[nexus.Stream] = []

    class Late(DlpackArray):
        def __dlpack__(self, **arguments: Any) -> Any:
            work.append(slow_fill(gpu, inner, 3.0))
            gpu.create_stream(foreign=arguments["stream"]).wait(work[0])
            return super().__dlpack__(**arguments)

    nexus.from_dlpack(Late(array))
    assert (array == 3.0).all()


@pytest.mark.parametrize("dtype", ["float64", "int8", "uint16", "bool"])
def test_dtypes(gpu: nexus.Device, dtype: str) -> None:
    array = np.arange(24).reshape(2, 3, 4).astype(dtype)
    codes = {"float64": (2, 64, 1), "int8": (0, 8, 1), "uint16": (1, 16, 1), "bool": (6, 8, 1)}
    buffer = nexus.from_dlpack(DlpackArray(array, dtype=codes[dtype]))
    assert (buffer.dtype, buffer.shape) == (dtype, (2, 3, 4))
    np.testing.assert_array_equal(buffer.numpy(), array)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"device": (CUDA, 5)}, BufferError, "x lies in the memory of CUDA device 5, and no back"),
        ({"device": (8, 0)}, BufferError, "x lies in the memory of Metal device 0, and no backend"),
        ({"flags": COPIED}, ValueError, "x can't be shared"),
        ({"strides": (1 << 62,)}, ValueError, "x has strides beyond any memory"),
        ({"dtype": (5, 32, 1)}, TypeError, "x has elements of the type complex32"),
    ],
)
def test_what_cant_be_shared_is_told(
    gpu: nexus.Device, options: dict[str, Any], error: type[Exception], words: str
) -> None:
    producer = DlpackArray(floats(), **options)
    with pytest.raises(error, match=words):
        nexus.from_dlpack(producer)


def test_another_device_than_the_arrays_is_refused(gpu: nexus.Device) -> None:
    with pytest.raises(BufferError, match=r"CUDA device 0, and device is 'cpu:0'"):
        nexus.from_dlpack(DlpackArray(floats()), "cpu:0")
    with pytest.raises(BufferError, match="device is 'pretending:0', which is CUDA device 0"):
        nexus.from_dlpack(DlpackArray(floats(), (CUDA, 1)), gpu)
    with pytest.raises(BufferError, match="memory of ROCm device 0"):
        nexus.from_dlpack(DlpackArray(floats(), (ROCM, 0)), gpu)


def test_a_stream_of_another_device_is_refused(gpu: nexus.Device) -> None:
    stream = nexus.get_device("cpu").create_stream()
    with pytest.raises(BufferError, match="device is 'cpu:0'"):
        nexus.from_dlpack(DlpackArray(floats()), stream=stream)


def test_create_buffer_copies_an_array_of_its_device(gpu: nexus.Device) -> None:
    array = floats()
    buffer = gpu.create_buffer(DlpackArray(array))
    array[:] = 0
    assert (buffer.device, buffer.dtype) == (gpu, "float32")
    assert buffer.numpy().tolist() == floats().tolist()
    with pytest.raises(TypeError, match="dtype has to be that of the array, float32"):
        gpu.create_buffer(DlpackArray(floats()), dtype="int32")


def test_create_buffer_copies_an_array_to_another_device_or_the_host(gpu: nexus.Device) -> None:
    cpu = nexus.get_device("cpu")
    buffer = cpu.create_buffer(DlpackArray(floats(), flags=READ_ONLY))
    system = nexus.create_buffer(DlpackArray(floats()))
    assert (buffer.device, system.device) == (cpu, None)
    assert buffer.numpy().tolist() == system.numpy().tolist() == floats().tolist()


def test_a_copy_to_the_host_names_the_way(gpu: nexus.Device) -> None:
    buffer = gpu.create_buffer((16,))
    with pytest.raises(BufferError, match="array lies in the memory of CUDA device 0"):
        buffer.copy_from(DlpackArray(floats()))


def test_rocm_has_numbers_of_its_own(rocm: nexus.Device) -> None:
    producer = DlpackArray(floats(), (ROCM, 0))
    buffer = nexus.from_dlpack(producer)
    assert buffer.device == rocm
    assert producer.asked["stream"] == rocm.default_stream.native_handle

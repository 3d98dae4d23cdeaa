# SPDX-License-Identifier: Apache-2.0
"""CuPy, torch, numba and jax on a real GPU, where they and nexus-cuda are installed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nexus

COUNT = 1 << 16


@pytest.fixture(scope="module")
def cuda() -> nexus.Device:
    """The first device of the backend `cuda`."""
    try:
        return nexus.get_device("cuda")
    except nexus.NexusError as error:
        pytest.skip(f"needs a GPU and nexus-cuda: {error}")


def peer(name: str) -> Any:
    """A library, which has to see a GPU too."""
    found = pytest.importorskip(name)
    available = {
        "cupy": lambda: found.cuda.runtime.getDeviceCount() > 0,
        "torch": lambda: found.cuda.is_available(),
        "numba.cuda": lambda: found.is_available(),
        "jax": lambda: found.default_backend() == "gpu",
    }[name]()
    if not available:
        pytest.skip(f"{name} sees no GPU")
    return found


def numbers() -> Any:
    return np.arange(COUNT, dtype=np.float32)


def test_cupy_shares_a_buffer(cuda: nexus.Device) -> None:
    cupy = peer("cupy")
    buffer = cuda.create_buffer(numbers())
    array = cupy.from_dlpack(buffer)
    assert array.data.ptr == buffer.native_handle
    array += 1
    cupy.cuda.get_current_stream().synchronize()
    np.testing.assert_array_equal(buffer.numpy(), numbers() + 1)
    assert cupy.asarray(buffer).data.ptr == buffer.native_handle


def test_a_buffer_is_cupys_array(cuda: nexus.Device) -> None:
    cupy = peer("cupy")
    array = cupy.asarray(numbers()) * 2  # in flight, perhaps
    buffer = nexus.from_dlpack(array)
    assert buffer.device == cuda
    np.testing.assert_array_equal(buffer.numpy(), numbers() * 2)
    buffer.fill(3)
    assert bool((array == 3).all())
    np.testing.assert_array_equal(cuda.create_buffer(array).numpy(), np.full(COUNT, 3, np.float32))


def test_work_goes_to_cupys_stream(cuda: nexus.Device) -> None:
    cupy = peer("cupy")
    theirs = cupy.cuda.Stream(non_blocking=True)
    with theirs:
        array = cupy.asarray(numbers()) + 5
        stream = cuda.create_stream(foreign=theirs.ptr)
        buffer = nexus.from_dlpack(array, stream=stream)
        copy = np.empty(COUNT, np.float32)
        buffer.copy(copy, stream=stream)
    np.testing.assert_array_equal(copy, numbers() + 5)


# CuPy 14.2 prefers Stream.from_external(), which older versions lack.
@pytest.mark.filterwarnings("ignore:ExternalStream is deprecated:DeprecationWarning")
def test_cupys_work_goes_to_our_stream(cuda: nexus.Device) -> None:
    cupy = peer("cupy")
    stream, buffer = cuda.create_stream(), cuda.create_buffer(numbers())
    with cupy.cuda.ExternalStream(stream.native_handle):
        array = cupy.from_dlpack(buffer)
        array *= 4
    copy = np.empty(COUNT, np.float32)
    buffer.copy(copy, stream=stream)
    np.testing.assert_array_equal(copy, numbers() * 4)


def test_torch_goes_both_ways(cuda: nexus.Device) -> None:
    torch = peer("torch")
    buffer = cuda.create_buffer(numbers())
    tensor = torch.from_dlpack(buffer)
    assert tensor.data_ptr() == buffer.native_handle
    tensor.mul_(2)
    other = nexus.from_dlpack(tensor)
    np.testing.assert_array_equal(other.numpy(), numbers() * 2)
    stream = cuda.create_stream(foreign=torch.cuda.current_stream().cuda_stream or 1)
    other.fill(1, stream=stream)
    assert bool((tensor == 1).all())


def test_numba_goes_both_ways(cuda: nexus.Device) -> None:
    numba = peer("numba.cuda")
    buffer = cuda.create_buffer(numbers())
    array = numba.as_cuda_array(buffer)
    np.testing.assert_array_equal(array.copy_to_host(), numbers())
    other = nexus.from_dlpack(numba.to_device(numbers() + 1))
    np.testing.assert_array_equal(other.numpy(), numbers() + 1)


def test_jax_goes_both_ways(cuda: nexus.Device) -> None:
    jax = peer("jax")
    buffer = cuda.create_buffer(numbers())
    array = jax.dlpack.from_dlpack(buffer)
    np.testing.assert_array_equal(np.asarray(array + 1), numbers() + 1)
    with pytest.raises((ValueError, BufferError)):
        nexus.from_dlpack(array)  # its arrays never change
    np.testing.assert_array_equal(cuda.create_buffer(array).numpy(), numbers())


def test_numpy_sees_page_locked_memory(cuda: nexus.Device) -> None:
    buffer = cuda.create_buffer(numbers(), memory="host")
    assert buffer.__dlpack_device__()[0] == 3
    np.testing.assert_array_equal(np.from_dlpack(buffer), numbers())

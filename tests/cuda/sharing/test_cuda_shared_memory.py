# SPDX-License-Identifier: Apache-2.0
"""Shared buffers of a GPU: by driver handles, or in the system's shared memory."""

from __future__ import annotations

import io
import multiprocessing
import pickle
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from typing import Any, NamedTuple

import numpy as np
import other_process
import pytest
import simulated
from eventually import eventually
from their_memory import refusal

import nexus
from nexus import _core

SPAWN = multiprocessing.get_context("spawn")
CONTENT = np.arange(12.0).reshape(3, 4)


class Other(NamedTuple):
    """A process that shares a buffer of eight values 5.0."""

    pickled: bytes
    end: Callable[[], None]


@pytest.fixture
def other(cuda: simulated.Driver) -> Iterator[Other]:
    """Starts such a process."""
    here, there = SPAWN.Pipe()
    go, wait = SPAWN.Pipe()
    process = SPAWN.Process(target=other_process.keep, args=(there, wait))
    process.start()

    def end() -> None:
        if process.is_alive():
            go.send(None)
            process.join(60)

    yield Other(here.recv_bytes(), end)
    end()


def told_by(pickled: bytes) -> tuple[bytes, tuple[Any, ...]]:
    """Returns the bytes that the backend exported, and the rest of the pickle."""
    arguments = pickle_arguments(pickled)
    return arguments[1], arguments


def pickle_arguments(pickled: bytes) -> tuple[Any, ...]:
    """Returns the arguments with which the pickle calls nexus._shared.open_buffer."""
    found: list[tuple[Any, ...]] = []

    class Reader(pickle.Unpickler):
        def find_class(self, module: str, name: str) -> Any:
            assert (module, name) == ("nexus._shared", "open_buffer")
            return lambda *arguments: found.append(arguments)

    Reader(io.BytesIO(pickled)).load()
    return found[0]


def opened(device: nexus.Device, handle: bytes, size: int = 64) -> nexus.Buffer:
    """Returns the memory behind a handle as bytes."""
    return _core.import_buffer(device, handle, 0, size, 0, (size,))


@pytest.mark.parametrize(("memory", "dlpack"), [("device", (2, 0)), ("host", (3, 0))])
def test_another_process_works_in_the_same_memory(
    gpu: nexus.Device, memory: Any, dlpack: tuple[int, int]
) -> None:
    buffer = gpu.create_buffer(CONTENT, memory=memory, shareable=True)
    here, there = SPAWN.Pipe()
    arguments: tuple[bytes, Connection] = (pickle.dumps(buffer), there)
    process = SPAWN.Process(target=other_process.add_one, args=arguments)
    process.start()
    assert here.recv() == ((3, 4), "float64", dlpack)
    process.join(60)
    assert process.exitcode == 0
    assert buffer.numpy().tolist() == (CONTENT + 1).tolist()


def test_memory_of_another_process_is_given_back(cuda: simulated.Driver, other: Other) -> None:
    before = cuda.live("imported memory")
    buffer = pickle.loads(other.pickled)
    assert cuda.live("imported memory") == before + 1
    buffer.fill(1.0, blocking=False)
    buffer.close()
    assert eventually(lambda: cuda.live("imported memory") == before)


def test_where_the_driver_does_not_take_it_back_all_goes_on(
    cuda: simulated.Driver, gpu: nexus.Device, other: Other
) -> None:
    buffer = pickle.loads(other.pickled)
    cuda.fail("cuIpcCloseMemHandle", 1, 999)
    buffer.close()
    assert eventually(lambda: cuda.calls("cuIpcCloseMemHandle") == 1)
    assert cuda.clear_failures() == 0
    assert gpu.create_buffer(CONTENT).numpy().tolist() == CONTENT.tolist()
    assert pickle.loads(other.pickled).numpy().tolist() == [5.0] * 8


def test_an_import_that_fails_halfway_leaves_nothing_open(
    cuda: simulated.Driver, other: Other
) -> None:
    before = cuda.live("imported memory")
    cuda.fail("cuPointerGetAttributes", 1, 999)
    error = refusal(lambda: pickle.loads(other.pickled))
    assert "cuPointerGetAttributes returned CUDA_ERROR_UNKNOWN (999)" in str(error)
    assert cuda.live("imported memory") == before


def test_an_import_that_the_driver_refuses_may_be_tried_again(
    cuda: simulated.Driver, other: Other
) -> None:
    cuda.fail("cuIpcOpenMemHandle", 1, 999)
    error = refusal(lambda: pickle.loads(other.pickled))
    assert isinstance(error, nexus.NexusError)
    assert (error.status, error.native_code) == (nexus.status.NXS_InvalidOperation, 999)
    assert pickle.loads(other.pickled).numpy().tolist() == [5.0] * 8


def test_memory_is_imported_on_its_own_gpu(
    other: Other, gpu: nexus.Device, other_gpu: nexus.Device
) -> None:
    handle, _ = told_by(other.pickled)
    error = refusal(lambda: opened(other_gpu, handle))
    assert isinstance(error, nexus.NexusError)
    assert error.status == nexus.status.NXS_InvalidValue
    for device in (gpu, other_gpu):
        uuid = device.get_property_str("UUID")
        assert f"{uuid[:8]}-{uuid[8:12]}" in str(error)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda handle: handle[:-1],
        lambda handle: handle + b"\n",
        lambda handle: handle.replace(b"memory 1", b"memory 2"),
        lambda handle: handle.replace(b" ", b"  ", 3),
        lambda handle: handle.replace(b"\n", b"g\n"),
        lambda handle: b"nexus-cuda",
        lambda handle: b"\xff" * 300,
    ],
)
def test_bytes_that_nobody_exported_are_refused(
    other: Other, gpu: nexus.Device, spoil: Callable[[bytes], bytes]
) -> None:
    error = refusal(lambda: opened(gpu, spoil(told_by(other.pickled)[0])))
    assert isinstance(error, nexus.NexusError)
    assert error.status == nexus.status.NXS_InvalidValue


def test_a_size_that_the_memory_has_not_is_refused(
    cuda: simulated.Driver, other: Other, gpu: nexus.Device
) -> None:
    before = cuda.live("imported memory")
    parts = told_by(other.pickled)[0].split(b" ")
    assert parts[6] == b"64"
    parts[6] = b"65536"
    error = refusal(lambda: opened(gpu, b" ".join(parts)))
    assert "handle has a size of 65536 bytes, and its memory has fewer" in str(error)
    assert cuda.live("imported memory") == before


def test_memory_of_another_process_is_not_exported_again(other: Other) -> None:
    buffer = pickle.loads(other.pickled)
    with pytest.raises(TypeError, match="can't be pickled"):
        pickle.dumps(buffer)


# ---- Back in the process that exported it, to which the driver does not give it ----


def test_the_process_that_made_it_gets_the_same_memory(gpu: nexus.Device) -> None:
    buffer = gpu.create_buffer(CONTENT, shareable=True)
    other = pickle.loads(pickle.dumps(buffer))
    other.fill(2.0)
    assert buffer.numpy().tolist() == np.full((3, 4), 2.0).tolist()
    assert other.native_handle == buffer.native_handle
    part = pickle.loads(pickle.dumps(buffer[1:]))
    assert part.native_handle == buffer.native_handle + 32


def test_there_the_memory_outlives_the_first_buffer(gpu: nexus.Device) -> None:
    buffer = gpu.create_buffer(CONTENT, shareable=True)
    other = pickle.loads(pickle.dumps(buffer))
    buffer.close()
    gpu.synchronize()
    assert other.numpy().tolist() == CONTENT.tolist()


def test_there_a_closed_buffer_is_shared_no_more(gpu: nexus.Device) -> None:
    buffer = gpu.create_buffer(CONTENT, shareable=True)
    pickled = pickle.dumps(buffer)
    buffer.close()
    error = refusal(lambda: pickle.loads(pickled))
    assert isinstance(error, nexus.NexusError)
    assert error.status == nexus.status.NXS_InvalidOperation
    assert "the memory of handle is gone" in str(error)


# ---- What is not shared ----


def test_managed_memory_is_not_shareable(gpu: nexus.Device) -> None:
    error = refusal(lambda: gpu.create_buffer(64, memory="managed", shareable=True))
    assert isinstance(error, nexus.NexusError)
    assert error.status == nexus.status.NXS_NotSupported
    assert "processes can't share managed memory" in str(error)


def test_shareable_memory_is_given_back(cuda: simulated.Driver, gpu: nexus.Device) -> None:
    used = cuda.memory_used(0)
    gpu.create_buffer(1 << 20, shareable=True).close()
    assert eventually(lambda: cuda.memory_used(0) <= used)


def test_exhausted_memory_is_told_of_a_shareable_buffer_too(gpu: nexus.Device) -> None:
    most = gpu.create_buffer(3 << 30, shareable=True)
    error = refusal(lambda: gpu.create_buffer(most.nbytes, shareable=True))
    assert isinstance(error, nexus.NexusError)
    assert error.status == nexus.status.NXS_MemObjectAllocationFailure
    assert gpu.create_buffer(1 << 20, shareable=True).nbytes == 1 << 20

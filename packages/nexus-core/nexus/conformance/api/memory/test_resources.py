# SPDX-License-Identifier: Apache-2.0
"""Buffers with memory from an allocator of the program, or from a pool."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from threading import Thread

import numpy as np
import pytest

import nexus
from nexus.conformance._applies import not_applicable
from nexus.conformance.api.workbench import LONG, Workbench, values


class Log(nexus.MemoryResource):
    """An allocator over the backend's own memory that records what is in use."""

    def __init__(self, device: nexus.Device) -> None:
        self.inner = device.memory_resource
        self.live: dict[int, int] = {}

    def allocate(self, size: int, /) -> int:
        address = self.inner.allocate(size)
        self.live[address] = size
        return address

    def deallocate(self, address: int, size: int, /) -> None:
        assert self.live.pop(address) == size
        self.inner.deallocate(address, size)


def has_addresses(device: nexus.Device) -> bool:
    """Returns whether a buffer's handle is an address: not in OpenCL, Vulkan, Metal and WebGPU."""
    return device.properties.get("DLPackDevice", [0, 0])[0] not in (4, 7, 8, 15)


@pytest.fixture
def addressed(work: Workbench) -> nexus.Device:
    """Returns the device, if programs can allocate memory for it."""
    if not has_addresses(work.device):
        not_applicable("buffer handles are not addresses, so only the backend allocates memory")
    return work.device


@pytest.fixture
def log(addressed: nexus.Device) -> Iterator[Log]:
    """Returns the allocator of the device during the test."""
    log = Log(addressed)
    addressed.memory_resource = log
    yield log
    addressed.memory_resource = None


def soon(condition: Callable[[], bool]) -> bool:
    """Returns whether the condition becomes true soon."""
    end = time.monotonic() + LONG
    while not condition() and time.monotonic() < end:
        time.sleep(0.001)
    return condition()


def addresses(device: nexus.Device, count: int) -> set[int]:
    """Returns the addresses of buffers that exist at the same time."""
    buffers = [device.create_buffer(64, "int32") for _ in range(count)]
    return {buffer.native_handle for buffer in buffers}


@pytest.mark.needs("ForeignMemory")
@pytest.mark.promise("memory-resource")
def test_new_buffers_have_its_memory(work: Workbench, log: Log) -> None:
    device = work.device
    assert device.memory_resource is log
    made = {
        64: device.create_buffer(np.arange(16, dtype=np.int32)),
        100: device.create_buffer(100, memory="device"),
        32: nexus.zeros(8, device=device),
    }
    assert sorted(log.live.values()) == sorted(made)
    assert {buffer.native_handle for buffer in made.values()} == set(log.live)
    copy = device.copy_buffer(made[64])
    assert copy.numpy().tolist() == list(range(16))
    assert sorted(log.live.values()) == [32, 64, 64, 100]
    others = [device.create_buffer(0), device.create_buffer(4096, memory="host")]
    assert len(log.live) == 4
    for buffer in (*made.values(), copy, *others):
        buffer.close()
    assert log.live == {}


@pytest.mark.needs("ForeignMemory")
@pytest.mark.promise("memory-resource")
def test_work_uses_it_and_it_goes_back_after_the_work(work: Workbench, log: Log) -> None:
    out, stream = work.ints(), work.device.create_stream()
    spinning = work.spinning()
    before = set(log.live)
    buffer = work.ints(1)
    (address,) = set(log.live) - before
    part = buffer[4:8]
    copying = work.copying(part, out[4:8])
    spinning.run(stream, blocking=False)
    copying.run(stream, blocking=False)
    for each in (copying, part, buffer):
        each.close()
    assert address in log.live
    stream.synchronize(LONG)
    assert out.numpy().tolist() == [0] * 4 + [1] * 4 + [0] * 8
    assert soon(lambda: address not in log.live)


@pytest.mark.needs("ForeignMemory")
@pytest.mark.promise("memory-resource")
def test_a_schedule_keeps_it(work: Workbench, log: Log) -> None:
    before = set(log.live)
    buffer = work.ints(1)
    (address,) = set(log.live) - before
    schedule = work.filling(buffer, 2)
    buffer.close()
    schedule.run(timeout=LONG)
    assert address in log.live
    schedule.close()
    assert soon(lambda: address not in log.live)


@pytest.mark.needs("ForeignMemory")
@pytest.mark.promise("memory-resource")
def test_a_resource_that_was_replaced_gets_its_memory_back(work: Workbench, log: Log) -> None:
    buffer = work.ints(3)
    work.device.memory_resource = None
    assert len(log.live) == 1
    other = work.ints(4)
    assert len(log.live) == 1
    assert (values(buffer), values(other)) == ({3}, {4})
    buffer.close()
    assert log.live == {}


@pytest.mark.needs("ForeignMemory")
@pytest.mark.promise("memory-pool")
def test_a_pool_uses_memory_again_only_after_its_work(
    work: Workbench, addressed: nexus.Device
) -> None:
    device = addressed
    device.memory_resource = pool = device.create_memory_pool()
    try:
        stream, spinning = device.create_stream(), work.spinning()
        first = device.create_buffer(64, "int32")
        address = first.native_handle
        filling = work.filling(first, 1)
        spinning.run(stream, blocking=False)
        filling.run(stream, blocking=False)
        for each in (filling, first):
            each.close()
        assert address not in addresses(device, 4)
        stream.synchronize(LONG)
        del spinning
        gc.collect()
        assert soon(lambda: pool.used == 0)
        assert address in addresses(device, 8)  # more than the pool has: all of its blocks
    finally:
        device.memory_resource = None
    assert soon(lambda: pool.used == 0)
    assert pool.reserved > 0
    pool.trim()
    assert pool.reserved == 0


@pytest.mark.needs("ForeignMemory")
@pytest.mark.promise("memory-pool")
def test_threads_share_a_pool(work: Workbench, log: Log) -> None:
    device = work.device
    device.memory_resource = pool = device.create_memory_pool(log, release_threshold=1 << 16)
    wrong: list[int] = []

    def churn(value: int) -> None:
        for turn in range(30):
            buffer = device.create_buffer(np.full(100 * (1 + turn % 5), value, np.int32))
            if values(buffer) != {value}:
                wrong.append(value)

    threads = [Thread(target=churn, args=(value,)) for value in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    device.memory_resource = None
    assert wrong == []
    assert soon(lambda: pool.used == 0)
    pool.trim()
    assert soon(lambda: not log.live)


@pytest.mark.promise("memory-resource")
def test_where_memory_has_no_addresses_it_is_refused(
    work: Workbench, capabilities: frozenset[str]
) -> None:
    device = work.device
    if "ForeignMemory" not in capabilities or not has_addresses(device):
        with pytest.raises(nexus.NexusError, match="by its address") as raised:
            device.memory_resource = device.create_memory_pool()
        assert raised.value.status == nexus.status.NXS_NotSupported
    assert isinstance(device.memory_resource, nexus.DeviceMemoryResource)

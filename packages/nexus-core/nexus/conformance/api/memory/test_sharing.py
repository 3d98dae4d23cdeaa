# SPDX-License-Identifier: Apache-2.0
"""Views, DLPack and kinds of memory: shared if the host can access it, else refused."""

from __future__ import annotations

import gc
import mmap
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import nexus
from nexus.conformance._applies import not_applicable
from nexus.conformance.api.workbench import COUNT, LONG, Workbench, attempted, refused, values

SHARED: dict[str, Callable[[nexus.Buffer], Any]] = {
    "asarray": np.asarray,
    "memoryview": lambda buffer: np.asarray(memoryview(buffer)),
    "from_dlpack": np.from_dlpack,
}


# ---- Views ----


@pytest.mark.needs("HostVisibleMemory")
@pytest.mark.promise("share-view")
@pytest.mark.parametrize("way", SHARED)
def test_a_view_shares_the_memory(work: Workbench, way: str) -> None:
    buffer = work.ints(1)
    view = SHARED[way](buffer)
    assert set(view.tolist()) == {1}
    work.filling(buffer, 2).run(timeout=LONG)
    assert set(view.tolist()) == {2}
    if way != "from_dlpack" or view.flags.writeable:
        view[:] = 3
        result = work.ints()
        work.copying(buffer, result).run(timeout=LONG)
        assert values(result) == {3}


@pytest.mark.needs("HostVisibleMemory")
@pytest.mark.promise("order-view")
@pytest.mark.parametrize("way", SHARED)
def test_a_view_waits_for_the_work_that_uses_the_buffer(work: Workbench, way: str) -> None:
    buffer, stream = work.ints(1), work.device.create_stream()
    work.spinning().run(stream, blocking=False)
    work.filling(buffer, 2).run(stream, blocking=False)
    assert set(SHARED[way](buffer).tolist()) == {2}
    stream.synchronize(LONG)


@pytest.mark.needs("HostVisibleMemory")
@pytest.mark.promise("life-views")
@pytest.mark.parametrize("way", SHARED)
def test_a_view_keeps_the_memory_and_forbids_closing(work: Workbench, way: str) -> None:
    buffer = work.ints(5, 1 << 18)
    view = SHARED[way](buffer)
    with pytest.raises(BufferError):
        buffer.close()
    del buffer
    gc.collect()
    for _ in range(4):
        work.ints(6, 1 << 18)
    assert set(view.tolist()) == {5}
    del view
    gc.collect()


@pytest.mark.needs("HostVisibleMemory")
@pytest.mark.promise("share-view")
@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "float16", "float64", "bool"])
def test_a_view_has_the_dtype_and_shape(work: Workbench, dtype: str) -> None:
    data = np.arange(24).reshape(2, 3, 4).astype(dtype)
    buffer = work.device.create_buffer(data)
    for way in SHARED.values():
        view = way(buffer)
        assert (view.dtype, view.shape) == (data.dtype, data.shape)
        assert np.array_equal(view, data)
    assert np.array_equal(np.asarray(buffer[1:]), data[1:])


@pytest.mark.promise("share-view")
@pytest.mark.parametrize("way", SHARED)
def test_where_the_host_does_not_see_it_the_copy_is_named(
    work: Workbench, capabilities: frozenset[str], way: str
) -> None:
    if "HostVisibleMemory" in capabilities:
        not_applicable("the host sees the device's memory")
    words = r"numpy|copy|Unsupported device"  # the last words are numpy's own
    with pytest.raises((BufferError, TypeError, nexus.NexusError), match=words):
        SHARED[way](work.ints())


# ---- Imports ----


@pytest.mark.needs("HostVisibleMemory")
@pytest.mark.promise("share-import")
def test_an_import_uses_the_memory_in_place(work: Workbench) -> None:
    array = np.full(COUNT, 1, np.int32)
    buffer = nexus.from_dlpack(array, work.device)
    work.filling(buffer, 2).run(timeout=LONG)
    assert set(array.tolist()) == {2}
    array[:] = 3
    assert values(buffer) == {3}


@pytest.mark.needs("HostVisibleMemory")
@pytest.mark.promise("life-import")
def test_an_import_keeps_the_array_until_the_last_use_is_gone(work: Workbench) -> None:
    array = np.full(COUNT, 4, np.int32)
    seen = weakref.ref(array)
    buffer, result = nexus.from_dlpack(array, work.device), work.ints()
    del array
    gc.collect()
    stream = work.device.create_stream()
    work.spinning().run(stream, blocking=False)
    work.copying(buffer, result).run(stream, blocking=False)
    buffer.close()
    del buffer
    gc.collect()
    stream.synchronize(LONG)
    assert values(result) == {4}
    stream.close()
    work.device.synchronize(LONG)
    gc.collect()
    assert seen() is None


@pytest.mark.promise("share-import")
def test_an_import_is_in_place_or_refused(work: Workbench) -> None:
    array = np.full(COUNT, 1, np.int32)
    buffer = attempted(lambda: nexus.from_dlpack(array, work.device))
    if isinstance(buffer, nexus.Buffer):
        buffer.fill(2)
        assert set(array.tolist()) == {2}
    else:
        assert "copy" in str(buffer) or "create_buffer" in str(buffer)


# ---- Kinds of memory ----


@pytest.mark.parametrize("memory", [None, "device", "host", "managed"])
def test_each_kind_of_memory_works_or_is_refused(
    work: Workbench, capabilities: frozenset[str], memory: Any
) -> None:
    data = np.arange(1000, dtype=np.int32)
    buffer = attempted(lambda: work.device.create_buffer(data, memory=memory))
    if memory == "managed" and "ManagedMemory" not in capabilities:
        assert not isinstance(buffer, nexus.Buffer)
    if not isinstance(buffer, nexus.Buffer):
        assert isinstance(buffer, nexus.NexusError)
        assert buffer.status == nexus.status.NXS_NotSupported
        assert memory == "host" or "ManagedMemory" not in capabilities
        return
    copied = work.ints(0, 1000)
    work.copying(buffer, copied).run(timeout=LONG)
    assert np.array_equal(copied.numpy(), data)
    buffer[10:20].fill(-1)
    data[10:20] = -1
    assert np.array_equal(buffer.numpy(), data)
    buffer.copy_from(copied)
    assert np.array_equal(buffer.numpy(), np.arange(1000))


# ---- System buffers ----


@pytest.mark.promise("share-system")
def test_a_system_buffer_is_used_in_place_or_refused(work: Workbench) -> None:
    system = nexus.create_buffer(np.full(COUNT, 1, np.int32))
    assert system.device is None
    assert np.asarray(system).ctypes.data % mmap.PAGESIZE == 0
    schedule = attempted(lambda: work.filling(system, 2))
    if not isinstance(schedule, nexus.Schedule):
        assert isinstance(schedule, nexus.NexusError)
        assert schedule.status == nexus.status.NXS_NotSupported
        return
    schedule.run(timeout=LONG)
    assert set(np.asarray(system).tolist()) == {2}
    np.asarray(system)[:] = 3
    result = work.ints()
    work.copying(system, result).run(timeout=LONG)
    assert values(result) == {3}


@pytest.mark.promise("share-system")
def test_a_system_buffer_is_copied_from_and_to_a_device(work: Workbench) -> None:
    data = np.random.default_rng(3).integers(0, 256, 100_003, np.uint8)
    system, buffer = nexus.create_buffer(data), work.device.create_buffer(data.nbytes, "uint8")
    buffer.copy_from(system)
    assert np.array_equal(buffer.numpy(), data)
    system.fill(0)
    system.copy_from(buffer)
    assert np.array_equal(system.numpy(), data)
    assert np.array_equal(work.device.copy_buffer(system).numpy(), data)
    stream = work.device.create_stream()
    buffer.fill(9, stream=stream, blocking=False)
    if in_place(lambda: system.copy_from(buffer, stream=stream)):
        assert values(system) == {9}


@pytest.mark.promise("share-system", "life-any-order")
def test_a_system_buffer_is_kept_for_the_work(work: Workbench) -> None:
    data = np.full(COUNT, 7, np.int32)
    system, result = nexus.create_buffer(data), work.ints()
    stream = work.device.create_stream()
    work.spinning().run(stream, blocking=False)
    copies = in_place(partial(result.copy_from, system, stream=stream, blocking=False))
    system.close()
    del system
    gc.collect()
    stream.synchronize(LONG)
    assert not copies or values(result) == {7}
    assert refused(lambda: closed().numpy()).status == nexus.status.NXS_InvalidBuffer


def in_place(use: Callable[[], object]) -> bool:
    """Returns whether a stream of the device can use a system buffer."""
    used = attempted(use)
    if isinstance(used, nexus.NexusError):
        assert used.status == nexus.status.NXS_NotSupported
    return not isinstance(used, Exception)


def closed() -> nexus.Buffer:
    """Returns a system buffer that was closed."""
    with nexus.create_buffer(64) as system:
        return system

# SPDX-License-Identifier: Apache-2.0
"""Large memory: sizes above 4 GiB, many objects, and no leaks."""

from __future__ import annotations

import ctypes

import pytest

from nexus.conformance._applies import not_applicable
from nexus.conformance._native import N
from nexus.conformance._resident import available, require_resident, resident
from nexus.conformance._settings import Settings
from nexus.conformance.capi import calls
from nexus.conformance.capi.bench import Bench, part, pattern

_LARGE = (1 << 32) + (1 << 20)
_FREE = 12 << 30  # of the host, so that other programs have enough


def require_memory(bench: Bench, settings: Settings, size: int) -> None:
    """Ends the test if the buffer is too large for this machine."""
    if settings.max_bytes is not None and settings.max_bytes < size:
        not_applicable(f"nexus_conformance.toml allows {settings.max_bytes} bytes")
    most = bench.property("Device", bench.device, "MaxBufferSize")
    if most is not None and most < size:
        not_applicable(f"the device's buffers have at most {most} bytes")
    if (available() or 0) < _FREE:
        not_applicable("the machine has less than 12 GiB of free memory")


def test_a_buffer_above_4_gib_is_addressed_to_its_end(bench: Bench, settings: Settings) -> None:
    require_memory(bench, settings, _LARGE)
    native, stream = bench.native, bench.stream()
    status = native.try_("CreateBuffer", bench.device, _LARGE, 0, None, calls.OUT)
    if status == "NXS_MemObjectAllocationFailure":
        not_applicable("the device has no memory for a buffer above 4 GiB")
    assert status == "NXS_Success"
    buffer = bench.adopt("Buffer", calls.OUT.value)
    assert bench.property("Buffer", buffer, "Size") == _LARGE
    places = [0, (1 << 31) - 8, 1 << 31, (1 << 32) - 8, 1 << 32, _LARGE - 16]
    for number, place in enumerate(places):
        where = part(buffer, place, 16)
        native.get("FillBuffer", stream, where, pattern(bytes([number + 1])), 1)
    native.get("TransferBuffer", stream, part(buffer, (1 << 32) + 64, 16), part(buffer, 0, 16))
    memory = ctypes.create_string_buffer(b"end of buffer", 16)
    ticket = native.get("WriteBuffer", buffer, _LARGE - 48, memory, 16, stream)
    bench.finish(stream, ticket)
    for number, place in list(enumerate(places))[2::3]:
        assert bench.read(buffer, 16, place, stream) == bytes([number + 1]) * 16
    assert bench.read(buffer, 16, (1 << 32) + 64, stream) == b"\1" * 16
    assert bench.read(buffer, 16, _LARGE - 48, stream) == memory.raw
    assert bench.read(buffer, 16, _LARGE - 16, stream) == b"\6" * 16
    outside = (_LARGE - 8, 16), (_LARGE, 1), ((1 << 32) - 1, _LARGE)
    for offset, size in outside:
        native.refuse("NXS_InvalidValue", "CopyBuffer", buffer, offset, memory, size, stream)


def test_memory_that_there_is_not_is_refused_and_the_device_goes_on(bench: Bench) -> None:
    most = bench.property("Device", bench.device, "MaxBufferSize") or 1 << 50
    status = bench.native.try_("CreateBuffer", bench.device, max(most, 1 << 46), 0, None, calls.OUT)
    if status == "NXS_Success":
        bench.adopt("Buffer", calls.OUT.value)
    else:
        assert status in ("NXS_MemObjectAllocationFailure", "NXS_InvalidBufferSize")
    assert bench.read(bench.buffer(b"still works"), 11) == b"still works"


_TRIES = 8  # an allocator may grow in some rounds, a leak in each
_CYCLES = ["buffer", "stream", "event", "schedule", "library", "run", "refused"]


def cycle(bench: Bench, what: str) -> None:
    """Creates an object and releases it."""
    native = bench.native
    if what == "run":
        schedule, stream, out = bench.schedule(), bench.stream(), bench.buffer(64)
        bench.fill_command(schedule, out, 1, 4)
        bench.finish(stream, native.get("RunSchedule", schedule, stream, 0))
    elif what == "refused":
        native.try_("CreateBuffer", bench.device, 0, 0, None)
        native.try_("GetKernel", bench.library(), "none")
        native.try_("CreateCopyCommand", bench.schedule(), part(0, 0, 4), part(0, 0, 4))
    elif what == "buffer":
        bench.buffer(1 << 16)
    elif what == "library":
        bench.kernel()
    else:
        getattr(bench, what)()
    bench.close()


@pytest.mark.parametrize("what", _CYCLES)
def test_what_is_released_leaves_no_memory(bench: Bench, what: str) -> None:
    """After the first rounds, which fill caches, memory does not grow."""
    require_resident()
    count = 40 if what == "library" else 250
    for _ in range(count):
        cycle(bench, what)
    most = 64 * 1024 * (1 if what != "buffer" else 16)
    growth = [most]
    while growth[-1] >= most and len(growth) <= _TRIES:
        before = resident()
        for _ in range(count):
            cycle(bench, what)
        growth.append(resident() - before)
    assert growth[-1] < most, f"bytes in {count} rounds: {growth[1:]}"


def test_many_buffers_live_at_once(bench: Bench) -> None:
    count, size = 2000, N()["NXS_ID_INDEX_BITS"] + 40
    buffers = [bench.buffer(number.to_bytes(4, "little") * (size // 4)) for number in range(count)]
    stream = bench.stream()
    for number in (0, 1, count // 2, count - 1):
        assert bench.read(buffers[number], 4, 0, stream) == number.to_bytes(4, "little")

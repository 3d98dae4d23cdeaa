# SPDX-License-Identifier: Apache-2.0
"""Memory and streams of other libraries, by their native handles, and memory returned."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from nexus.conformance._applies import not_applicable
from nexus.conformance.capi import calls
from nexus.conformance.capi.bench import Bench


def over(bench: Bench, buffer: int, offset: int, size: int) -> int:
    """Creates a buffer over a part of another buffer's memory."""
    handle = calls.native_handle(bench, "Buffer", buffer)
    return bench.create("CreateBufferFromHandle", bench.device, handle, offset, size)


def over_stream(bench: Bench, stream: int) -> int:
    """Creates a stream over another stream's handle."""
    handle = calls.native_handle(bench, "Stream", stream)
    return bench.create("CreateStreamFromHandle", bench.device, handle)


@pytest.mark.needs("ForeignMemory")
def test_a_buffer_from_a_handle_is_the_memory_itself(bench: Bench) -> None:
    buffer = bench.buffer(bytes(range(64)))
    other = over(bench, buffer, 0, 64)
    assert bench.read(other, 64) == bytes(range(64))
    stream = bench.stream()
    bench.finish(stream, bench.fill(stream, other, 64, b"7"))
    assert bench.read(buffer, 64) == b"7" * 64


@pytest.mark.needs("ForeignMemory")
@pytest.mark.parametrize(("offset", "size"), [(0, 1), (16, 48), (32, 16), (63, 1)])
def test_a_buffer_from_a_handle_begins_at_the_offset(bench: Bench, offset: int, size: int) -> None:
    content = bytes(range(64))
    other = over(bench, bench.buffer(content), offset, size)
    assert bench.property("Buffer", other, "Size") == size
    assert bench.read(other, size) == content[offset : offset + size]


@pytest.mark.needs("ForeignMemory")
def test_the_memory_outlives_a_buffer_from_its_handle(bench: Bench) -> None:
    buffer = bench.buffer(b"5" * 64)
    bench.release("Buffer", over(bench, buffer, 0, 64))
    assert bench.read(buffer, 64) == b"5" * 64


@pytest.mark.needs("ForeignMemory")
def test_no_memory_has_the_handle_0(bench: Bench) -> None:
    bench.native.refuse("NXS_InvalidHostPtr", "CreateBufferFromHandle", bench.device, 0, 0, 64)


@pytest.mark.needs("ForeignMemory")
def test_a_buffer_from_a_handle_has_at_least_one_byte(bench: Bench) -> None:
    handle = calls.native_handle(bench, "Buffer", bench.buffer(64))
    bench.native.refuse(
        "NXS_InvalidBufferSize", "CreateBufferFromHandle", bench.device, handle, 0, 0
    )


@pytest.mark.needs("ForeignStream")
def test_two_streams_of_one_handle_have_one_order(bench: Bench) -> None:
    stream = bench.stream()
    other = over_stream(bench, stream)
    work = bench.long_work(1 << 20, stream)
    bench.finish(other, bench.fill(other, work.buffer, 4, b"3"))
    assert not bench.running(stream, work.ticket)
    assert bench.read(work.buffer, 4, stream=stream) == b"3333"


@pytest.mark.needs("ForeignStream")
def test_the_tickets_of_a_foreign_stream_are_its_own(bench: Bench) -> None:
    stream = bench.stream()
    ticket = bench.fill(stream, bench.buffer(64), 64, b"1")
    other = over_stream(bench, stream)
    bench.native.refuse("NXS_InvalidValue", "QueryStream", other, ticket + 1)
    assert not bench.running(other)


@pytest.mark.needs("ForeignStream")
def test_a_stream_outlives_one_over_its_handle(bench: Bench) -> None:
    stream = bench.stream()
    bench.release("Stream", over_stream(bench, stream))
    buffer = bench.buffer(bytes(64))
    bench.finish(stream, bench.fill(stream, buffer, 64, b"1"))
    assert bench.read(buffer, 64) == b"1" * 64


@pytest.mark.parametrize("kind", ["Device", "Buffer", "Stream", "Kernel", "Library"])
def test_a_native_handle_stays_the_same(bench: Bench, kind: str) -> None:
    makers: dict[str, Callable[[], int]] = {
        "Device": lambda: bench.device,
        "Buffer": lambda: bench.buffer(64),
        "Stream": bench.stream,
        "Kernel": bench.kernel,
        "Library": bench.library,
    }
    made = makers[kind]()
    handle = bench.property(kind, made, "NativeHandle")
    if handle is None:
        not_applicable(f"the backend reports no native handle for a {kind.lower()}")
    assert isinstance(handle, int)
    assert bench.property(kind, made, "NativeHandle") == handle
    if kind in ("Buffer", "Stream"):
        again = bench.buffer(64) if kind == "Buffer" else bench.stream()
        assert bench.property(kind, again, "NativeHandle") != handle


def test_the_name_of_a_device_in_dlpack_is_two_numbers(bench: Bench) -> None:
    for kind, made in (("Device", bench.device), ("Buffer", bench.buffer(64))):
        named = bench.property(kind, made, "DLPackDevice")
        if named is None:
            not_applicable("the backend does not report a DLPack device")
        assert [type(number) for number in named] == [int, int]
        assert named[0] >= 1
        assert named[1] >= 0


def test_memory_that_is_kept_is_given_back(bench: Bench) -> None:
    calls.need(bench, "TrimMemory")
    bench.release("Buffer", bench.buffer(1 << 20))
    before = bench.property("Device", bench.device, "MemoryReserved")
    bench.native.get("TrimMemory", bench.device, 0)
    after = bench.property("Device", bench.device, "MemoryReserved")
    assert after is None or after <= before


def test_memory_beyond_the_threshold_is_given_back(bench: Bench) -> None:
    calls.need(bench, "SetReleaseThreshold")
    before = bench.property("Device", bench.device, "MemoryReserved")
    bench.native.get("SetReleaseThreshold", bench.device, 0)
    try:
        bench.release("Buffer", bench.buffer(1 << 20))
        after = bench.property("Device", bench.device, "MemoryReserved")
        assert after is None or after <= before
        assert bench.read(bench.buffer(b"t" * 64), 64) == b"t" * 64
    finally:
        bench.native.get("SetReleaseThreshold", bench.device, (1 << 64) - 1)


def test_buffers_are_made_as_before_when_memory_was_given_back(bench: Bench) -> None:
    calls.need(bench, "TrimMemory")
    kept = bench.buffer(b"k" * 64)
    bench.native.get("TrimMemory", bench.device, 0)
    bench.native.get("TrimMemory", bench.device, (1 << 64) - 1)
    assert bench.read(kept, 64) == b"k" * 64
    assert bench.read(bench.buffer(b"n" * 64), 64) == b"n" * 64

# SPDX-License-Identifier: Apache-2.0
"""Mapped memory: the host reads and writes the buffer, and a mapping ends only once."""

from __future__ import annotations

import ctypes

import pytest

from nexus.conformance._native import N
from nexus.conformance.capi import calls
from nexus.conformance.capi.bench import Bench, part

_READ, _WRITE = N()["NXS_MapAccess_Read"], N()["NXS_MapAccess_Write"]


@pytest.fixture(autouse=True)
def mapping(bench: Bench) -> None:
    """Ends the test if the backend can't map buffers."""
    calls.need(bench, "MapBuffer")
    calls.need(bench, "UnmapBuffer")


def mapped(bench: Bench, stream: int, buffer: int, offset: int, size: int, access: int) -> int:
    """Maps a buffer and waits; returns the address."""
    where = part(buffer, offset, size)
    pointer, ticket = bench.native.get("MapBuffer", stream, where, access)
    assert pointer
    bench.finish(stream, ticket)
    return int(pointer)


def unmap(bench: Bench, stream: int, buffer: int, pointer: int) -> None:
    """Ends a mapping."""
    bench.finish(stream, bench.native.get("UnmapBuffer", stream, buffer, pointer))


@pytest.mark.parametrize(("offset", "size"), [(0, 100), (1, 98), (4, 4), (64, 36), (99, 1)])
def test_a_mapping_shows_the_range(bench: Bench, offset: int, size: int) -> None:
    content = bytes(range(100))
    stream, buffer = bench.stream(), bench.buffer(content)
    pointer = mapped(bench, stream, buffer, offset, size, _READ)
    assert ctypes.string_at(pointer, size) == content[offset : offset + size]
    unmap(bench, stream, buffer, pointer)


def test_the_stream_s_later_work_sees_what_the_host_wrote(bench: Bench) -> None:
    stream, buffer = bench.stream(), bench.buffer(bytes(100))
    pointer = mapped(bench, stream, buffer, 10, 50, _READ | _WRITE)
    ctypes.memset(pointer, 7, 50)
    bench.native.get("UnmapBuffer", stream, buffer, pointer)
    assert bench.read(buffer, 100, stream=stream) == bytes(10) + b"\7" * 50 + bytes(40)


def test_a_mapping_shows_what_the_work_before_it_wrote(bench: Bench) -> None:
    work = bench.long_work(1 << 22)
    pointer = mapped(bench, work.stream, work.buffer, 0, 4, _READ)
    seen = ctypes.string_at(pointer, 4)
    unmap(bench, work.stream, work.buffer, pointer)
    assert seen != b"\7\0\0\0"
    assert bench.read(work.buffer, 4) == seen


def test_one_buffer_has_several_mappings(bench: Bench) -> None:
    stream, buffer = bench.stream(), bench.buffer(bytes(range(100)))
    first = mapped(bench, stream, buffer, 0, 50, _READ)
    second = mapped(bench, stream, buffer, 50, 50, _READ)
    unmap(bench, stream, buffer, first)
    assert ctypes.string_at(second, 50) == bytes(range(50, 100))
    unmap(bench, stream, buffer, second)


def test_a_mapping_ends_once(bench: Bench) -> None:
    stream, buffer = bench.stream(), bench.buffer(64)
    pointer = mapped(bench, stream, buffer, 0, 64, _READ)
    unmap(bench, stream, buffer, pointer)
    bench.native.refuse("NXS_InvalidValue", "UnmapBuffer", stream, buffer, pointer)


def test_a_pointer_that_is_no_mapping_is_refused(bench: Bench) -> None:
    stream, buffer, other = bench.stream(), bench.buffer(64), bench.buffer(64)
    pointer = mapped(bench, stream, buffer, 0, 64, _READ)
    outside = ctypes.create_string_buffer(64)
    refuse = bench.native.refuse
    refuse("NXS_InvalidValue", "UnmapBuffer", stream, buffer, ctypes.addressof(outside))
    refuse("NXS_InvalidValue", "UnmapBuffer", stream, other, pointer)
    unmap(bench, stream, buffer, pointer)


@pytest.mark.parametrize(("offset", "size"), [(0, 65), (64, 1), (65, 0), ((1 << 64) - 1, 2)])
def test_a_range_outside_is_not_mapped(bench: Bench, offset: int, size: int) -> None:
    where = part(bench.buffer(64), offset, size)
    bench.native.refuse("NXS_InvalidValue", "MapBuffer", bench.stream(), where, _READ)


def test_an_access_that_there_is_not_is_refused(bench: Bench) -> None:
    where = part(bench.buffer(64), 0, 64)
    bench.native.refuse(
        ("NXS_InvalidValue", "NXS_NotSupported"), "MapBuffer", bench.stream(), where, 1 << 40
    )


def test_a_fill_after_a_mapping_was_ended_is_seen_by_the_next(bench: Bench) -> None:
    stream, buffer = bench.stream(), bench.buffer(bytes(64))
    for value in range(1, 10):
        pointer = mapped(bench, stream, buffer, 0, 64, _READ)
        assert ctypes.string_at(pointer, 64) == bytes([value - 1]) * 64
        bench.native.get("UnmapBuffer", stream, buffer, pointer)
        bench.fill(stream, buffer, 64, bytes([value]))
    bench.finish(stream)

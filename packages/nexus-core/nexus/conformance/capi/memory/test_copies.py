# SPDX-License-Identifier: Apache-2.0
"""Copies and fills: all kinds of offsets and sizes, ranges outside, overlap, order."""

from __future__ import annotations

import ctypes
import struct
import time

import pytest

from nexus.conformance._native import N
from nexus.conformance.capi.bench import Bench, part, pattern

_SIZE = 300
_CONTENT = bytes((11 * i + 3) & 0xFF for i in range(_SIZE))
_RANGES = [
    (0, 1), (0, _SIZE), (1, 1), (1, 298), (_SIZE - 1, 1), (3, 5), (4, 4), (7, 64), (8, 128),
    (63, 66), (64, 64), (65, 63), (127, 129), (128, 128), (0, 0), (_SIZE, 0), (5, 0),
]  # fmt: skip
_OUTSIDE = [
    (0, _SIZE + 1), (1, _SIZE), (_SIZE, 1), (_SIZE + 1, 0), (_SIZE + 1, 1), (0, 1 << 63),
    (1 << 63, 1 << 63), ((1 << 64) - 1, 1), (1, (1 << 64) - 1), ((1 << 64) - 2, 3),
    ((1 << 64) - _SIZE, _SIZE),
]  # fmt: skip


@pytest.mark.parametrize(("offset", "size"), _RANGES)
def test_a_copy_to_the_host_takes_exactly_its_range(bench: Bench, offset: int, size: int) -> None:
    stream, buffer = bench.stream(), bench.buffer(_CONTENT)
    memory = pattern(b"\xcc" * (size + 32))
    start = ctypes.addressof(memory) + 16
    bench.finish(stream, bench.native.get("CopyBuffer", buffer, offset, start, size, stream))
    assert memory.raw == b"\xcc" * 16 + _CONTENT[offset : offset + size] + b"\xcc" * 16


@pytest.mark.parametrize(("offset", "size"), _RANGES)
def test_a_copy_from_the_host_writes_exactly_its_range(
    bench: Bench, offset: int, size: int
) -> None:
    stream, buffer = bench.stream(), bench.buffer(_CONTENT)
    memory = pattern(bytes((200 - i) & 0xFF for i in range(max(size, 1))))
    bench.finish(stream, bench.native.get("WriteBuffer", buffer, offset, memory, size, stream))
    wanted = _CONTENT[:offset] + memory.raw[:size] + _CONTENT[offset + size :]
    assert bench.read(buffer, _SIZE, stream=stream) == wanted


@pytest.mark.parametrize("sizes", [(1 << 12, 4 << 20), (3 << 19, 3 << 19), (4 << 20, 1 << 12)])
def test_copies_to_the_same_memory_of_the_host_come_in_order(
    bench: Bench, sizes: tuple[int, int]
) -> None:
    """A backend may copy small and large ones in different ways."""
    stream, memory = bench.stream(), ctypes.create_string_buffer(max(sizes))
    buffers = [bench.buffer(bytes([65 + n]) * size) for n, size in enumerate(sizes)]
    wanted = b"B" * sizes[1] + b"A" * max(0, sizes[0] - sizes[1])
    for _ in range(10):
        for buffer, size in zip(buffers, sizes, strict=True):
            ticket = bench.native.get("CopyBuffer", buffer, 0, memory, size, stream)
        time.sleep(0.01)  # for backends that go on only when they are asked
        bench.finish(stream, ticket)
        assert memory.raw == wanted


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize(("offset", "size"), [each for each in _RANGES if each[1]])
@pytest.mark.parametrize("to", [0, 1, 64])
def test_a_copy_between_buffers_moves_exactly_its_range(
    bench: Bench, offset: int, size: int, to: int, recorded: bool
) -> None:
    stream, source, target = bench.stream(), bench.buffer(_CONTENT), bench.buffer(bytes(400))
    ranges = part(target, to, size), part(source, offset, size)
    transfer(bench, stream, recorded, *ranges)
    wanted = bytes(to) + _CONTENT[offset : offset + size] + bytes(400 - to - size)
    assert bench.read(target, 400, stream=stream) == wanted
    assert bench.read(source, _SIZE, stream=stream) == _CONTENT


def transfer(bench: Bench, stream: int, recorded: bool, target: object, source: object) -> None:
    """Copies between buffers, directly or by a schedule."""
    if recorded:
        schedule = bench.schedule()
        bench.create("CreateCopyCommand", schedule, target, source)
        ticket = bench.native.get("RunSchedule", schedule, stream, 0)
    else:
        ticket = bench.native.get("TransferBuffer", stream, target, source)
    bench.finish(stream, ticket)


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize(("to", "offset", "size"), [(0, 150, 150), (150, 0, 150), (1, 0, 1),
                                                    (100, 200, 100), (299, 0, 1)])  # fmt: skip
def test_parts_of_one_buffer_that_touch_are_copied(
    bench: Bench, to: int, offset: int, size: int, recorded: bool
) -> None:
    stream, buffer = bench.stream(), bench.buffer(_CONTENT)
    transfer(bench, stream, recorded, part(buffer, to, size), part(buffer, offset, size))
    wanted = bytearray(_CONTENT)
    wanted[to : to + size] = _CONTENT[offset : offset + size]
    assert bench.read(buffer, _SIZE, stream=stream) == bytes(wanted)


@pytest.mark.parametrize("name", ["TransferBuffer", "CreateCopyCommand"])
@pytest.mark.parametrize(("to", "offset", "size"), [(0, 0, 4), (0, 1, 2), (1, 0, 2), (10, 5, 6),
                                                    (0, 299, 300), (300, 1, 300)])  # fmt: skip
def test_parts_that_overlap_are_refused(
    bench: Bench, name: str, to: int, offset: int, size: int
) -> None:
    buffer = bench.buffer(2 * _SIZE)
    first = bench.stream() if name == "TransferBuffer" else bench.schedule()
    bench.native.refuse(
        "NXS_MemCopyOverlap", name, first, part(buffer, to, size), part(buffer, offset, size)
    )


@pytest.mark.parametrize("name", ["TransferBuffer", "CreateCopyCommand"])
def test_a_copy_of_two_sizes_is_refused(bench: Bench, name: str) -> None:
    first = bench.stream() if name == "TransferBuffer" else bench.schedule()
    source, target = bench.buffer(64), bench.buffer(64)
    for sizes in ((32, 33), (33, 32), (0, 1), (64, 1)):
        bench.native.refuse(
            "NXS_InvalidValue", name, first, part(target, 0, sizes[0]), part(source, 0, sizes[1])
        )


@pytest.mark.parametrize("name", ["CopyBuffer", "WriteBuffer"])
@pytest.mark.parametrize(("offset", "size"), _OUTSIDE)
def test_a_range_outside_the_buffer_is_refused(
    bench: Bench, name: str, offset: int, size: int
) -> None:
    memory = pattern(b"\xcc" * 512)
    buffer = bench.buffer(_CONTENT)
    bench.native.refuse("NXS_InvalidValue", name, buffer, offset, memory, size, bench.stream())
    assert memory.raw == b"\xcc" * 512
    assert bench.read(buffer, _SIZE) == _CONTENT


@pytest.mark.parametrize("name", ["TransferBuffer", "CreateCopyCommand", "FillBuffer",
                                  "CreateFillCommand"])  # fmt: skip
@pytest.mark.parametrize(("offset", "size"), _OUTSIDE)
def test_a_range_of_a_struct_outside_the_buffer_is_refused(
    bench: Bench, name: str, offset: int, size: int
) -> None:
    first = bench.stream() if name.endswith("Buffer") else bench.schedule()
    small, outside = bench.buffer(_SIZE), part(bench.buffer(_SIZE), offset, size)
    if "Fill" in name:
        bench.native.refuse("NXS_InvalidValue", name, first, outside, pattern(b"\1"), 1)
    else:
        inside = part(small, 0, size)
        bench.native.refuse("NXS_InvalidValue", name, first, inside, outside)
        bench.native.refuse("NXS_InvalidValue", name, first, outside, inside)


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize("width", [1, 2, 4, 8, 16])
@pytest.mark.parametrize(("first", "count"), [(0, 1), (0, 18), (1, 1), (1, 17), (3, 5), (17, 1)])
def test_a_fill_repeats_its_pattern_through_the_range(
    bench: Bench, width: int, first: int, count: int, recorded: bool
) -> None:
    stream, buffer = bench.stream(), bench.buffer(_CONTENT)
    value = bytes(range(0xA0, 0xA0 + width))
    where = part(buffer, first * width, count * width)
    fill(bench, stream, recorded, where, value)
    wanted = bytearray(_CONTENT)
    wanted[first * width : (first + count) * width] = value * count
    assert bench.read(buffer, _SIZE, stream=stream) == bytes(wanted)


def fill(bench: Bench, stream: int, recorded: bool, where: object, value: bytes) -> None:
    """Fills, directly or by a schedule."""
    if recorded:
        schedule = bench.schedule()
        bench.create("CreateFillCommand", schedule, where, pattern(value), len(value))
        ticket = bench.native.get("RunSchedule", schedule, stream, 0)
    else:
        ticket = bench.native.get("FillBuffer", stream, where, pattern(value), len(value))
    bench.finish(stream, ticket)


@pytest.mark.parametrize("name", ["FillBuffer", "CreateFillCommand"])
@pytest.mark.parametrize("width", [0, 3, 5, 6, 7, 12, 15, 17, 32, 1 << 32, (1 << 64) - 1])
def test_a_pattern_of_another_size_is_refused(bench: Bench, name: str, width: int) -> None:
    first = bench.stream() if name == "FillBuffer" else bench.schedule()
    where = part(bench.buffer(480), 0, 480)
    bench.native.refuse("NXS_InvalidValue", name, first, where, pattern(bytes(64)), width)


@pytest.mark.parametrize("name", ["FillBuffer", "CreateFillCommand"])
@pytest.mark.parametrize("width", [2, 4, 8, 16])
def test_a_range_that_is_no_multiple_of_the_pattern_is_refused(
    bench: Bench, name: str, width: int
) -> None:
    first = bench.stream() if name == "FillBuffer" else bench.schedule()
    buffer = bench.buffer(480)
    for offset, size in ((1, width), (0, width + 1), (width, width - 1), (width // 2, width)):
        bench.native.refuse(
            "NXS_InvalidValue", name, first, part(buffer, offset, size), pattern(bytes(16)), width
        )


@pytest.mark.parametrize("name", ["CopyBuffer", "WriteBuffer"])
def test_no_host_memory_is_refused(bench: Bench, name: str) -> None:
    bench.native.refuse("NXS_InvalidHostPtr", name, bench.buffer(64), 0, None, 64, bench.stream())


def test_copies_and_fills_of_one_stream_keep_their_order(bench: Bench) -> None:
    """Each step needs the result of the one before."""
    stream, a, b = bench.stream(), bench.buffer(bytes(4096)), bench.buffer(bytes(4096))
    native, result = bench.native, ctypes.create_string_buffer(4096)
    sources = [pattern(struct.pack("<i", number) * 1024) for number in range(20)]
    for source in sources:
        native.get("WriteBuffer", a, 0, source, 4096, stream)
        native.get("TransferBuffer", stream, part(b, 0, 4096), part(a, 0, 4096))
        bench.fill(stream, a, 4096, b"\xff")
        ticket = native.get("CopyBuffer", b, 0, result, 4096, stream)
    bench.finish(stream, ticket)
    assert result.raw == sources[-1].raw
    assert bench.read(a, 4096, stream=stream) == b"\xff" * 4096


def test_a_copy_follows_the_kernel_before_it(bench: Bench) -> None:
    work = bench.long_work(1 << 22)
    before = bench.running(work.stream, work.ticket)
    first = bench.read(work.buffer, 4, stream=work.stream)
    assert bench.state(work.stream, work.ticket) == N()["NXS_CompletionState_Completed"]
    assert first == bench.read(work.buffer, 4), f"read while work ran: {before}"
    assert first != struct.pack("<I", 7)


def test_copies_do_not_wait_for_the_work_before_them(bench: Bench) -> None:
    """The calls return while earlier work still runs."""
    memory, other = ctypes.create_string_buffer(64), bench.buffer(bytes(64))
    native = bench.native

    def enqueue(work: object) -> None:
        stream = work.stream  # type: ignore[attr-defined]
        native.get("CopyBuffer", other, 0, memory, 64, stream)
        native.get("WriteBuffer", other, 0, memory, 64, stream)
        bench.fill(stream, other, 64, b"\1")
        native.get("TransferBuffer", stream, part(other, 0, 32), part(other, 32, 32))

    bench.while_running(enqueue)

# SPDX-License-Identifier: Apache-2.0
"""Making buffers: sizes, settings, content, and memory of the caller."""

from __future__ import annotations

import ctypes
import gc

import pytest

from nexus.conformance._native import N
from nexus.conformance.capi import calls
from nexus.conformance.capi.bench import Bench, pattern

_ON_HOST = N()["NXS_BufferSettings_OnHost"]
_ON_DEVICE = N()["NXS_BufferSettings_OnDevice"]
_MAINTAIN = N()["NXS_BufferSettings_Maintain"]
_PAGE = 65536  # no device needs host memory aligned to more


def aligned(size: int) -> tuple[int, object]:
    """Returns the address of page-aligned host memory, and the object that owns it."""
    memory = ctypes.create_string_buffer(size + _PAGE)
    return -(-ctypes.addressof(memory) // _PAGE) * _PAGE, memory


@pytest.mark.parametrize("size", [1, 2, 3, 7, 63, 64, 65, 4095, 4096, 4097, 1 << 20, (1 << 20) + 1])
def test_a_buffer_holds_each_byte(bench: Bench, size: int) -> None:
    content = bytes((7 * i + i // 251) & 0xFF for i in range(size))
    buffer = bench.buffer(content)
    assert (bench.read(buffer, size) == content) is True  # no diff of a megabyte


def test_host_memory_is_copied_before_the_call_returns(bench: Bench) -> None:
    content = bytes(range(256)) * 4096
    memory = pattern(content)
    buffer = bench.create("CreateBuffer", bench.device, len(content), 0, memory)
    ctypes.memset(memory, 0, len(content))
    assert (bench.read(buffer, len(content)) == content) is True


def test_a_buffer_of_no_bytes_is_refused(bench: Bench) -> None:
    for pointer in (None, pattern(b"12345678")):
        bench.native.refuse("NXS_InvalidBufferSize", "CreateBuffer", bench.device, 0, 0, pointer)


def test_a_buffer_above_the_largest_is_refused(bench: Bench) -> None:
    most = bench.property("Device", bench.device, "MaxBufferSize")
    sizes = [(1 << 64) - 1, 1 << 63, *([most + 1] if most else [])]
    for size in sizes:
        bench.native.refuse(
            ("NXS_InvalidBufferSize", "NXS_MemObjectAllocationFailure"),
            "CreateBuffer", bench.device, size, 0, None,
        )  # fmt: skip


def test_a_size_that_overflows_with_its_bookkeeping_is_refused(bench: Bench) -> None:
    for less in (1, 8, 63, 64, 4095, 4096, 65536):
        bench.native.refuse(
            ("NXS_InvalidBufferSize", "NXS_MemObjectAllocationFailure"),
            "CreateBuffer", bench.device, (1 << 64) - less, 0, None,
        )  # fmt: skip


@pytest.mark.parametrize("settings", [_ON_DEVICE, _ON_HOST, _ON_HOST | _ON_DEVICE])
def test_a_setting_works_or_is_refused(bench: Bench, settings: int) -> None:
    content = bytes(range(200))
    status = bench.native.try_(
        "CreateBuffer", bench.device, len(content), settings, pattern(content), calls.OUT
    )
    managed = settings == _ON_HOST | _ON_DEVICE
    if managed and not bench.claims("ManagedMemory"):
        assert status == "NXS_NotSupported"
    elif managed or settings == _ON_DEVICE:
        assert status == "NXS_Success"
    if status != "NXS_Success":
        assert status == "NXS_NotSupported"
        return
    bench.adopt("Buffer", calls.OUT.value)
    assert bench.read(calls.OUT.value, len(content)) == content


def test_a_setting_that_nobody_knows_is_refused(bench: Bench) -> None:
    bench.native.refuse("NXS_NotSupported", "CreateBuffer", bench.device, 64, 1 << 40, None)


def test_maintain_without_memory_is_refused(bench: Bench) -> None:
    bench.native.refuse(
        ("NXS_InvalidHostPtr", "NXS_NotSupported"),
        "CreateBuffer", bench.device, 64, _MAINTAIN, None,
    )  # fmt: skip


def maintained(bench: Bench, address: int, size: int) -> int:
    """Makes a buffer in the caller's memory; returns 0 if the backend can't."""
    status = bench.native.try_(
        "CreateBuffer", bench.device, size, _MAINTAIN | _ON_HOST, address, calls.OUT
    )
    if status != "NXS_Success":
        assert status in ("NXS_NotSupported", "NXS_InvalidHostPtr")
        return 0
    return bench.adopt("Buffer", calls.OUT.value)


def test_maintained_memory_is_the_buffer(bench: Bench) -> None:
    address, _memory = aligned(4096)
    ctypes.memmove(address, b"\x07\x00\x00\x00" * 1024, 4096)
    buffer = maintained(bench, address, 4096)
    if not buffer:
        return  # after NXS_NotSupported or NXS_InvalidHostPtr
    assert bench.read(buffer, 4096) == b"\x07\x00\x00\x00" * 1024
    stream, schedule = bench.stream(), bench.schedule()
    bench.fill_command(schedule, buffer, 9, 1024)
    bench.run(schedule, stream)
    bench.read(buffer, 1, stream=stream)
    assert ctypes.string_at(address, 4096) == b"\x09\x00\x00\x00" * 1024


def test_maintained_memory_is_not_freed_nor_written_after_its_release(bench: Bench) -> None:
    address, memory = aligned(4096)
    buffer = maintained(bench, address, 4096)
    if buffer:
        bench.release("Buffer", buffer)
        ctypes.memset(address, 5, 4096)
        for _ in range(20):
            bench.buffer(bytes(4096))
        assert ctypes.string_at(address, 4096) == b"\x05" * 4096
    del memory
    gc.collect()


def test_memory_of_one_buffer_is_not_that_of_another(bench: Bench) -> None:
    contents = [bytes([number]) * (17 + number) for number in range(60)]
    buffers = [bench.buffer(content) for content in contents]
    for buffer, content in zip(buffers, contents, strict=True):
        assert (bench.read(buffer, len(content)) == content) is True


def test_writing_to_the_edges_of_a_buffer_leaves_its_neighbours(bench: Bench) -> None:
    stream = bench.stream()
    buffers = [bench.buffer(bytes([number]) * 33) for number in range(16)]
    middle = buffers[8]
    bench.finish(stream, bench.fill(stream, middle, 33, b"\xee"))
    for number, buffer in enumerate(buffers):
        wanted = b"\xee" if number == 8 else bytes([number])
        assert bench.read(buffer, 33, stream=stream) == wanted * 33

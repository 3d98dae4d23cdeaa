# SPDX-License-Identifier: Apache-2.0
"""Capability bits: what is claimed works, and what is not claimed is refused."""

from __future__ import annotations

import ctypes

import pytest

import nexus
from nexus.conformance import _applies
from nexus.conformance._native import N
from nexus.conformance.capi import calls
from nexus.conformance.capi.bench import Bench, part, pattern

_MANAGED = N()["NXS_BufferSettings_OnHost"] | N()["NXS_BufferSettings_OnDevice"]


def test_there_is_no_bit_that_nobody_knows(bench: Bench) -> None:
    unknown = bench.native.capabilities & ~sum(_applies.BITS.values())
    assert unknown == 0, f"the backend claims the unknown bits {unknown:#x}"


def test_the_core_shows_the_bits(bench: Bench, device: nexus.Device) -> None:
    shown = device.runtime.get_property_int("Capabilities")
    assert shown == bench.native.capabilities


@pytest.mark.parametrize("name", sorted(calls.BIT_OF))
def test_a_function_is_there_where_its_bit_is(bench: Bench, name: str) -> None:
    bit = calls.BIT_OF[name]
    if name in calls.BESIDE_ITS_BIT:
        calls.need(bench, name)
    if bench.claims(bit):
        assert not bench.native.lacks(name), f"{bit} is claimed, and nxs{name} is not there"
        calls.succeed(bench, name, calls.arguments(bench, name))


@pytest.mark.parametrize("name", [each for each in sorted(calls.BIT_OF) if each != "UnmapBuffer"])
def test_a_function_is_refused_where_its_bit_is_not(bench: Bench, name: str) -> None:
    """Programs ask for the bit, so a function without its bit must not work."""
    bit = calls.BIT_OF[name]
    if bench.claims(bit):
        return
    if name == "GetElapsedTime":
        if not bench.native.lacks(name):  # without it libnexus makes no event with a time
            bench.native.refuse(
                "NXS_NotSupported", "CreateEvent", bench.device, N()["NXS_ExecutionSettings_Timing"]
            )
        return
    wanted = ("NXS_NotSupported", "NXS_KernelArgInfoNotAvailable", "NXS_CompilerNotAvailable")
    bench.native.refuse(wanted, name, *calls.arguments(bench, name))


def test_priorities_are_there_where_they_are_claimed(bench: Bench) -> None:
    statuses = [_try_priority(bench, priority) for priority in (-1, 1)]
    if bench.claims("StreamPriority"):
        assert "NXS_Success" in statuses
    else:
        assert statuses == ["NXS_InvalidValue"] * 2


def _try_priority(bench: Bench, priority: int) -> str:
    status = bench.native.try_("CreateStream", bench.device, priority, calls.OUT)
    if status == "NXS_Success":
        bench.adopt("Stream", calls.OUT.value)
        shown = bench.property("Stream", calls.OUT.value, "Priority")
        assert shown in (None, priority)
    return status


def test_managed_memory_is_there_where_it_is_claimed(bench: Bench) -> None:
    status = bench.native.try_("CreateBuffer", bench.device, 64, _MANAGED, None, calls.OUT)
    if status == "NXS_Success":
        bench.adopt("Buffer", calls.OUT.value)
    assert status == ("NXS_Success" if bench.claims("ManagedMemory") else "NXS_NotSupported")


@pytest.mark.needs("HostVisibleMemory")
def test_host_visible_memory_is_mapped_without_a_copy(bench: Bench) -> None:
    """Two mappings of one range are the same memory."""
    stream, buffer = bench.stream(), bench.buffer(bytes(4096))
    access = N()["NXS_MapAccess_Read"] | N()["NXS_MapAccess_Write"]
    pointers = []
    for _ in range(2):
        pointer, ticket = bench.native.get("MapBuffer", stream, part(buffer, 0, 4096), access)
        bench.finish(stream, ticket)
        pointers.append(pointer)
    ctypes.memset(pointers[0], 9, 4096)
    assert ctypes.string_at(pointers[1], 4096) == b"\x09" * 4096
    for pointer in pointers:
        bench.native.get("UnmapBuffer", stream, buffer, pointer)
    assert bench.read(buffer, 4096, stream=stream) == b"\x09" * 4096


def test_a_library_from_memory_is_loaded_where_it_is_claimed(bench: Bench) -> None:
    code = bench.kernels.code("elements")
    given = (bench.device, pattern(code), len(code))
    if not bench.claims("LibraryFromMemory"):
        bench.native.refuse("NXS_NotSupported", "CreateLibrary", *given)
    else:
        bench.create("CreateLibrary", *given)


@pytest.mark.needs("Compile")
def test_a_backend_that_compiles_lists_its_languages(bench: Bench) -> None:
    listed = calls.languages(bench)
    assert listed
    assert len(set(listed)) == len(listed)
    for language in listed:
        info = calls.compile_info(bench, language=language, source="")
        bench.native.get("DescribeCompile", bench.device, info)

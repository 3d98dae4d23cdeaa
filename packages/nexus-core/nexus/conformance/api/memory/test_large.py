# SPDX-License-Identifier: Apache-2.0
"""Memory beyond 4 GiB, if there is enough: no index is truncated to 32 bits."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import nexus
from nexus.conformance._applies import not_applicable
from nexus.conformance._resident import available
from nexus.conformance._settings import Settings
from nexus.conformance.api.workbench import LONG, Workbench

GIB = 2**30
SIZE = 4 * GIB + 3 * 4096  # of each buffer
FAR = 4 * GIB + 4096 + 8  # an offset beyond 32 bits
PART = 1 << 16
NEEDED = 2 * SIZE + GIB  # two buffers, and the host's memory
PLACES = (0, 4096, 4 * GIB - 1, 4 * GIB, FAR, SIZE - 4096, SIZE - 1)


def bytes_at(buffer: nexus.Buffer, *places: int) -> list[int]:
    """Returns the bytes at these offsets."""
    return [int(buffer[at : at + 1].numpy()[0]) for at in places]


def free_memory(device: nexus.Device) -> int:
    """Returns the bytes that are free on both the device and the host."""
    told = device.properties.get("GlobalMemoryFree")
    found = [int(each) for each in (told, available()) if each is not None]
    return min(found, default=0)


@pytest.fixture(scope="module")
def large(work: Workbench, settings: Settings) -> Iterator[nexus.Buffer]:
    """Makes one buffer above 4 GiB for all tests: its first touch may take half a minute."""
    most = work.device.properties.get("MaxBufferSize")
    if most is not None and int(most) < SIZE:
        not_applicable(f"the device's largest buffer has {most} bytes")
    free = min(free_memory(work.device), settings.max_bytes or 2**63)
    if free < NEEDED:
        not_applicable(f"it needs {NEEDED} bytes of memory, and {free} are free")
    with work.device.create_buffer(SIZE) as buffer:
        yield buffer


def test_places_beyond_4_gib_are_not_those_32_bits_below(
    work: Workbench, large: nexus.Buffer
) -> None:
    near = FAR - 4 * GIB
    data = np.random.default_rng(1).integers(0, 256, PART, np.uint8).tobytes()
    large[near : near + PART].fill(7)
    large[SIZE - 1 : SIZE].fill(9)
    large[FAR : SIZE - 1].fill(8)
    large[FAR : FAR + 64].copy_from(data[:64])
    assert large[SIZE - 1 : SIZE].numpy().tolist() == [9]
    assert large[FAR : FAR + 64].numpy().tobytes() == data[:64]
    assert set(large[FAR + 64 : SIZE - 1].numpy().tolist()) == {8}
    assert set(large[near : near + PART].numpy().tolist()) == {7}
    large[near : near + 64].copy_from(large[FAR : FAR + 64])
    assert large[near : near + 64].numpy().tobytes() == data[:64]
    work.device.synchronize(LONG)


def test_a_kernel_reaches_a_byte_beyond_4_gib(work: Workbench, large: nexus.Buffer) -> None:
    near = FAR - 4 * GIB
    for at in (near, FAR, SIZE - 1):
        large[at : at + 1].fill(1)
    work.launch("set_byte", (large, np.int64(FAR), np.uint8(200)))
    work.launch("set_byte", (large, np.int64(SIZE - 1), np.uint8(201)))
    assert bytes_at(large, near, FAR, SIZE - 1) == [1, 200, 201]


def test_a_slice_that_begins_beyond_4_gib_is_an_argument(
    work: Workbench, large: nexus.Buffer
) -> None:
    alignment = int(work.device.properties.get("BufferOffsetAlignment", 4096))
    first = -(-FAR // alignment) * alignment
    if first >= SIZE:
        not_applicable(f"slices begin at multiples of {alignment} bytes")
    near = first - 4 * GIB
    large[near : near + 1].fill(1)
    work.launch("set_byte", (large[first:], np.int64(0), np.uint8(77)))
    assert bytes_at(large, near, first) == [1, 77]


def test_a_fill_of_more_than_4_gib_reaches_the_end(large: nexus.Buffer) -> None:
    large.fill(0x5A)
    assert bytes_at(large, *PLACES) == [0x5A] * len(PLACES)


def test_a_copy_of_more_than_4_gib_between_buffers_reaches_the_end(
    work: Workbench, large: nexus.Buffer
) -> None:
    with work.device.create_buffer(SIZE) as source:
        for number, at in enumerate(PLACES):
            source[at : at + 1].fill(number)
        large.copy_from(source)
    assert bytes_at(large, *PLACES) == list(range(len(PLACES)))


def test_a_copy_of_more_than_4_gib_from_the_host_reaches_the_end(large: nexus.Buffer) -> None:
    host = np.zeros(SIZE, np.uint8)
    host[list(PLACES)] = np.arange(101, 101 + len(PLACES))
    large.copy_from(host.data)
    assert bytes_at(large, *PLACES) == list(range(101, 101 + len(PLACES)))

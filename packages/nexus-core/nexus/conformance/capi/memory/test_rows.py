# SPDX-License-Identifier: Apache-2.0
"""Copies of rows with gaps between them, by nxsCopyRows."""

from __future__ import annotations

import pytest

from nexus.conformance.capi import calls
from nexus.conformance.capi.bench import Bench, part
from nexus.conformance.capi.calls import rows_of

_SIZE = 4096
_CONTENT = bytes((7 * i + i // 256) % 256 for i in range(_SIZE))


def _extent(size: int, counts: tuple[int, int], pitches: tuple[int, int]) -> int:
    return (counts[0] - 1) * pitches[0] + (counts[1] - 1) * pitches[1] + size


@pytest.mark.parametrize(
    ("size", "counts", "to", "source"),
    [
        (1, (1, 1), (1, 1), (1, 1)),
        (4, (16, 1), (4, 64), (12, 192)),
        (3, (10, 5), (3, 30), (7, 140)),
        (17, (4, 6), (40, 320), (17, 68)),
        (64, (2, 3), (64, 256), (64, 128)),
    ],
)
def test_the_rows_are_copied_and_nothing_else(
    bench: Bench, size: int, counts: tuple[int, int], to: tuple[int, int], source: tuple[int, int]
) -> None:
    calls.need(bench, "CopyRows")
    stream, target, origin = bench.stream(), bench.buffer(bytes(_SIZE)), bench.buffer(_CONTENT)
    wanted = bytearray(_SIZE)
    for slice_ in range(counts[1]):
        for row in range(counts[0]):
            into = 5 + slice_ * to[1] + row * to[0]
            of = 9 + slice_ * source[1] + row * source[0]
            wanted[into : into + size] = _CONTENT[of : of + size]
    ranges = (
        part(target, 5, _extent(size, counts, to)),
        part(origin, 9, _extent(size, counts, source)),
    )
    bench.native.get("CopyRows", stream, *ranges, rows_of(size, counts, to, source))
    assert bench.read(target, _SIZE, stream=stream) == bytes(wanted)


@pytest.mark.parametrize(
    ("size", "counts", "to"),
    [
        (0, (1, 1), (1, 1)),
        (4, (0, 1), (4, 4)),
        (4, (1, 0), (4, 4)),
        (4, (2, 1), (3, 8)),
        (4, (2, 2), (4, 4)),
        (4, (2, 2), (4, 9)),
        (4, (2, 1), (1 << 31, 1 << 32)),
        (4, (1 << 62, 1), (8, 8)),
        (4, (2, 1 << 62), (4, 8)),
    ],
)
def test_rows_that_do_not_fit_are_refused(
    bench: Bench, size: int, counts: tuple[int, int], to: tuple[int, int]
) -> None:
    calls.need(bench, "CopyRows")
    ranges = part(bench.buffer(64), 0, 8), part(bench.buffer(64), 0, 8)
    bench.native.refuse(
        "NXS_InvalidValue", "CopyRows", bench.stream(), *ranges, rows_of(size, counts, to, (4, 8))
    )


@pytest.mark.parametrize(("to", "source"), [(9, 8), (8, 7), (0, 8), (8, 100)])
def test_a_range_of_another_size_is_refused(bench: Bench, to: int, source: int) -> None:
    calls.need(bench, "CopyRows")
    ranges = part(bench.buffer(64), 0, to), part(bench.buffer(64), 0, source)
    bench.native.refuse(
        "NXS_InvalidValue", "CopyRows", bench.stream(), *ranges, rows_of(4, (2, 1), (4, 8), (4, 8))
    )


@pytest.mark.parametrize(("to", "source"), [(0, 0), (0, 11), (11, 0)])
def test_ranges_that_overlap_are_refused(bench: Bench, to: int, source: int) -> None:
    calls.need(bench, "CopyRows")
    buffer = bench.buffer(64)
    rows = rows_of(4, (2, 1), (8, 16), (8, 16))
    bench.native.refuse(
        "NXS_MemCopyOverlap", "CopyRows", bench.stream(), part(buffer, to, 12),
        part(buffer, source, 12), rows,
    )  # fmt: skip


def test_rows_are_copied_within_one_buffer(bench: Bench) -> None:
    calls.need(bench, "CopyRows")
    buffer, stream = bench.buffer(bytes(range(64))), bench.stream()
    rows = rows_of(2, (3, 2), (4, 12), (3, 12))
    ranges = (
        part(buffer, 40, _extent(2, (3, 2), (4, 12))),
        part(buffer, 1, _extent(2, (3, 2), (3, 12))),
    )
    bench.native.get("CopyRows", stream, *ranges, rows)
    wanted = bytearray(range(64))
    for slice_ in range(2):
        for row in range(3):
            at, of = 40 + 12 * slice_ + 4 * row, 1 + 12 * slice_ + 3 * row
            wanted[at : at + 2] = bytes([of, of + 1])
    assert bench.read(buffer, 64, stream=stream) == bytes(wanted)


def test_rows_are_copied_in_the_streams_order(bench: Bench) -> None:
    calls.need(bench, "CopyRows")
    work = bench.long_work(1 << 20)
    target = bench.buffer(bytes(8))
    rows = rows_of(1, (4, 1), (2, 8), (1, 4))
    bench.native.get("CopyRows", work.stream, part(target, 0, 7), part(work.buffer, 0, 4), rows)
    copied = bench.read(target, 8, stream=work.stream)
    assert copied[::2] == bench.read(work.buffer, 4)

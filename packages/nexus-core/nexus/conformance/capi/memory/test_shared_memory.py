# SPDX-License-Identifier: Apache-2.0
"""Memory that processes share: exported by one, imported by another."""

from __future__ import annotations

import pytest

from nexus.conformance._applies import not_applicable
from nexus.conformance._native import N
from nexus.conformance.capi.bench import Bench, pattern
from nexus.conformance.capi.calls import Sink
from nexus.conformance.capi.exporter import Exporter, content, exported

_SIZE = 5000
_SHAREABLE = N()["NXS_BufferSettings_Shareable"]
_PLACES = {
    "device": N()["NXS_BufferSettings_OnDevice"],
    "host": N()["NXS_BufferSettings_OnHost"],
}


@pytest.fixture(autouse=True)
def sharing(request: pytest.FixtureRequest, capabilities: frozenset[str]) -> None:
    """Ends the test if the backend does not claim it; then the setting must be refused."""
    if "ShareableMemory" in capabilities:
        return
    bench: Bench = request.getfixturevalue("bench")
    bench.native.refuse("NXS_NotSupported", "CreateBuffer", bench.device, 64, _SHAREABLE, None)
    not_applicable("the backend does not claim ShareableMemory")


@pytest.fixture
def other(bench: Bench) -> Exporter:
    """Starts a process that exports a buffer of that size."""
    return bench.keep(Exporter(bench.native.selector, _SIZE))


def imported(bench: Bench, handle: bytes) -> int:
    """Imports the buffer of a handle."""
    return bench.create("ImportBuffer", bench.device, pattern(handle), len(handle))


def test_an_imported_buffer_holds_what_the_other_process_wrote(
    bench: Bench, other: Exporter
) -> None:
    buffer = imported(bench, other.handle)
    assert bench.property("Buffer", buffer, "Size") >= _SIZE
    assert bench.read(buffer, _SIZE) == content(_SIZE)


def test_the_other_process_sees_what_is_written(bench: Bench, other: Exporter) -> None:
    buffer, stream = imported(bench, other.handle), bench.stream()
    bench.finish(stream, bench.fill(stream, buffer, 100, b"x"))
    assert other.read() == b"x" * 100 + content(_SIZE)[100:]


def test_a_handle_is_good_for_many(bench: Bench, other: Exporter) -> None:
    first, second = imported(bench, other.handle), imported(bench, other.handle)
    bench.release("Buffer", first)
    assert bench.read(second, _SIZE) == content(_SIZE)


def test_a_kernel_uses_imported_memory(bench: Bench, other: Exporter) -> None:
    buffer, schedule = imported(bench, other.handle), bench.schedule()
    bench.fill_command(schedule, buffer, 9, 25)
    bench.run(schedule)
    assert other.read()[:100] == bytes([9, 0, 0, 0]) * 25


@pytest.mark.parametrize("place", sorted(_PLACES))
def test_a_shareable_buffer_is_a_buffer_as_any(bench: Bench, place: str) -> None:
    settings = _SHAREABLE | _PLACES[place]
    made = bench.native.try_("CreateBuffer", bench.device, 64, settings, pattern(b"a" * 64))
    if made != "NXS_Success":
        assert (made, place) == ("NXS_NotSupported", "host")
        return
    buffer = bench.buffer(b"a" * 64, settings)
    assert bench.read(buffer, 64) == b"a" * 64
    assert exported(bench.native, buffer)


def test_a_buffer_that_is_not_shareable_is_not_exported(bench: Bench) -> None:
    bench.native.refuse("NXS_InvalidOperation", "ExportBuffer", bench.buffer(64), Sink().struct)


def test_an_imported_buffer_is_not_exported_again(bench: Bench, other: Exporter) -> None:
    buffer = imported(bench, other.handle)
    bench.native.refuse("NXS_InvalidOperation", "ExportBuffer", buffer, Sink().struct)


def test_bytes_that_are_no_handle_are_refused(bench: Bench, other: Exporter) -> None:
    wrong = [b"", b"?", bytes(64), other.handle[:-1], other.handle + b"?", b"\xff" * 4096]
    for handle in wrong:
        bench.native.refuse(
            "NXS_InvalidValue", "ImportBuffer", bench.device, pattern(handle or b"?"), len(handle)
        )


def test_memory_of_a_process_that_ended_is_refused(bench: Bench) -> None:
    with Exporter(bench.native.selector, 64) as ended:
        handle = ended.handle
    bench.native.refuse(
        "NXS_InvalidOperation", "ImportBuffer", bench.device, pattern(handle), len(handle)
    )


def test_maintained_memory_is_not_shareable(bench: Bench) -> None:
    settings = _SHAREABLE | N()["NXS_BufferSettings_Maintain"]
    memory = pattern(bytes(8192))
    status = ("NXS_NotSupported", "NXS_InvalidHostPtr")
    bench.native.refuse(status, "CreateBuffer", bench.device, 4096, settings, memory)

# SPDX-License-Identifier: Apache-2.0
"""Events that processes share: exported, and imported by the same process."""

from __future__ import annotations

import pytest

from nexus.conformance._applies import not_applicable
from nexus.conformance._native import N
from nexus.conformance.capi.bench import Bench, pattern
from nexus.conformance.capi.calls import Sink, exported_event, shareable_event

_SHAREABLE = N()["NXS_ExecutionSettings_Shareable"]


@pytest.fixture(autouse=True)
def sharing(request: pytest.FixtureRequest, capabilities: frozenset[str]) -> None:
    """Ends the test if the backend does not claim it; then the setting must be refused."""
    if "ShareableEvents" in capabilities:
        return
    bench: Bench = request.getfixturevalue("bench")
    bench.native.refuse("NXS_NotSupported", "CreateEvent", bench.device, _SHAREABLE)
    not_applicable("the backend does not claim ShareableEvents")


def imported(bench: Bench, handle: bytes) -> int:
    """Imports the event of a handle."""
    return bench.create("ImportEvent", bench.device, pattern(handle), len(handle))


def test_a_shareable_event_is_an_event_as_any(bench: Bench) -> None:
    event, stream = shareable_event(bench), bench.stream()
    bench.native.refuse("NXS_InvalidOperation", "WaitEvent", event, stream)
    bench.finish(stream, bench.native.get("SignalEvent", event, stream))
    bench.finish(stream, bench.native.get("WaitEvent", event, stream))


def test_an_imported_event_waits_for_the_signal(bench: Bench) -> None:
    event, stream = shareable_event(bench), bench.stream()
    other = imported(bench, exported_event(bench, event))
    bench.native.refuse("NXS_InvalidOperation", "WaitEvent", other, stream)
    bench.finish(stream, bench.native.get("SignalEvent", event, stream))
    bench.finish(stream, bench.native.get("WaitEvent", other, stream))


def test_an_imported_event_is_not_signalled(bench: Bench) -> None:
    other = imported(bench, exported_event(bench))
    bench.native.refuse("NXS_InvalidOperation", "SignalEvent", other, bench.stream())


def test_an_imported_event_is_not_exported_again(bench: Bench) -> None:
    other = imported(bench, exported_event(bench))
    bench.native.refuse("NXS_InvalidOperation", "ExportEvent", other, Sink().struct)


def test_an_event_that_is_not_shareable_is_not_exported(bench: Bench) -> None:
    bench.native.refuse("NXS_InvalidOperation", "ExportEvent", bench.event(), Sink().struct)


def test_an_event_with_a_clock_is_not_shareable(bench: Bench) -> None:
    settings = _SHAREABLE | N()["NXS_ExecutionSettings_Timing"]
    status = ("NXS_InvalidValue", "NXS_NotSupported")
    bench.native.refuse(status, "CreateEvent", bench.device, settings)


def test_bytes_that_are_no_event_are_refused(bench: Bench) -> None:
    handle = exported_event(bench)
    for wrong in (b"", b"?", bytes(64), handle[:-1], b"?" + handle, b"\xff" * 4096):
        bench.native.refuse(
            "NXS_InvalidValue", "ImportEvent", bench.device, pattern(wrong or b"?"), len(wrong)
        )


def test_an_event_that_was_released_is_gone(bench: Bench) -> None:
    event = shareable_event(bench)
    handle = exported_event(bench, event)
    bench.release("Event", event)
    bench.native.refuse(
        "NXS_InvalidOperation", "ImportEvent", bench.device, pattern(handle), len(handle)
    )

# SPDX-License-Identifier: Apache-2.0
"""Ids: each function refuses ids that are not of its kind, and does not crash."""

from __future__ import annotations

import pytest

from nexus.conformance import _headers
from nexus.conformance._native import N
from nexus.conformance.capi import calls
from nexus.conformance.capi.bench import GIVES, Bench, buffer_argument, launch, part

_KIND_OF = {"start_event": "event", "end_event": "event", "nested": "schedule"}
_BAD = ("zero", "negative", "foreign", "wrongly typed", "of a later generation", "of no object",
        "all bits", "a small number")  # fmt: skip
_TYPE_SHIFT, _TAG_SHIFT, _GENERATION_SHIFT = 56, 44, 24


def kind_of(parameter: str) -> str:
    """Returns the kind of object that an id parameter names: 'Buffer'."""
    return _KIND_OF.get(parameter, parameter).capitalize()


def bad_id(what: str, good: int) -> int:
    """Returns an id with one error."""
    if what == "wrongly typed":
        wrong = "Event" if good >> _TYPE_SHIFT != N()["NXS_ObjectType_Event"] else "Buffer"
        return (good & ((1 << _TYPE_SHIFT) - 1)) | N()[f"NXS_ObjectType_{wrong}"] << _TYPE_SHIFT
    return {
        "zero": 0,
        "negative": good - (1 << 63),
        "foreign": good ^ (0x801 << _TAG_SHIFT),
        "of a later generation": good ^ (1 << _GENERATION_SHIFT),
        "of no object": good | 0xFFFFFF,
        "all bits": -1,
        "a small number": 1,
    }[what]


_PLACES = [
    (name, place) for name, function in _headers.functions().items() for place in function.ids
]


@pytest.mark.parametrize("what", _BAD)
@pytest.mark.parametrize(
    ("name", "place"),
    _PLACES,
    ids=[f"{name}-{_headers.functions()[name].parameters[place].name}" for name, place in _PLACES],
)
def test_an_id_that_is_none_is_refused(bench: Bench, name: str, place: int, what: str) -> None:
    calls.need(bench, name)
    given = list(calls.arguments(bench, name))
    kind = kind_of(_headers.functions()[name].parameters[place].name)
    given[place] = bad_id(what, given[place])
    bench.native.refuse(f"NXS_Invalid{kind}", name, *given)


@pytest.mark.parametrize("name", sorted(_headers.functions()))
def test_the_call_succeeds_with_good_ids(bench: Bench, name: str) -> None:
    calls.need(bench, name)
    calls.succeed(bench, name, calls.arguments(bench, name))


_MADE = sorted(set(GIVES.values()))


@pytest.mark.parametrize("name", [
    name for name, function in _headers.functions().items()
    if kind_of(function.parameters[0].name) in _MADE
])  # fmt: skip
def test_a_stale_id_is_refused(bench: Bench, name: str) -> None:
    calls.need(bench, name)
    given = calls.arguments(bench, name)
    kind = kind_of(_headers.functions()[name].parameters[0].name)
    if kind == "Schedule":
        for command in [made for each, made in bench.made() if each == "Command"]:
            bench.forget("Command", command)
    bench.release(kind, given[0])
    bench.native.refuse(f"NXS_Invalid{kind}", name, *given)


@pytest.mark.parametrize("kind", _MADE)
def test_an_id_is_never_valid_again(bench: Bench, kind: str) -> None:
    get = f"Get{kind}Property"
    old = []
    for _ in range(300):
        given = calls.arguments(bench, get)
        old.append(given[0])
        bench.release(kind, given[0])
        bench.close()
    assert len(set(old)) == len(old)
    for made in old:
        bench.native.refuse(f"NXS_Invalid{kind}", get, made, N()["NP_Keys"])


@pytest.mark.parametrize("kind", _MADE)
def test_ids_have_their_kind_and_the_plugins_tag(bench: Bench, kind: str) -> None:
    made = calls.arguments(bench, f"Get{kind}Property")[0]
    assert made > 0
    assert made >> _TYPE_SHIFT == N()[f"NXS_ObjectType_{kind}"]
    assert (made >> _TAG_SHIFT) & 0xFFF == bench.native.tag


@pytest.mark.parametrize("what", _BAD)
@pytest.mark.parametrize("name", ["TransferBuffer", "CreateCopyCommand", "CopyRows"])
@pytest.mark.parametrize("end", ["destination", "source"])
def test_a_range_of_no_buffer_is_refused(bench: Bench, name: str, end: str, what: str) -> None:
    calls.need(bench, name)
    first, *ranges = calls.arguments(bench, name)
    at = ranges[0] if end == "destination" else ranges[1]
    at.buffer = bad_id(what, at.buffer)
    bench.native.refuse("NXS_InvalidBuffer", name, first, *ranges)


@pytest.mark.parametrize("what", _BAD)
@pytest.mark.parametrize("name", ["FillBuffer", "CreateFillCommand", "MapBuffer"])
def test_a_range_to_fill_or_map_of_no_buffer_is_refused(bench: Bench, name: str, what: str) -> None:
    calls.need(bench, name)
    first, at, *rest = calls.arguments(bench, name)
    bench.native.refuse(
        "NXS_InvalidBuffer", name, first, part(bad_id(what, at.buffer), 0, 64), *rest
    )


@pytest.mark.parametrize("what", _BAD)
def test_an_argument_that_is_no_buffer_is_refused(bench: Bench, what: str) -> None:
    command = bench.raw_command(bench.schedule())
    argument = buffer_argument(bad_id(what, bench.buffer(64)), 64)
    bench.native.refuse("NXS_InvalidBuffer", "SetCommandArgument", command, 0, argument)


def test_a_released_buffer_is_no_argument(bench: Bench) -> None:
    command = bench.raw_command(bench.schedule())
    buffer = bench.buffer(64)
    bench.release("Buffer", buffer)
    bench.native.refuse(
        "NXS_InvalidBuffer", "SetCommandArgument", command, 0, buffer_argument(buffer, 64)
    )


def test_the_end_of_a_schedule_is_the_end_of_its_commands(bench: Bench) -> None:
    schedule = bench.schedule()
    finalized = bench.fill_command(schedule, bench.buffer(64), 1, 4)
    raw = bench.raw_command(schedule)
    bench.release("Schedule", schedule)
    for command in (finalized, raw):
        bench.native.refuse("NXS_InvalidCommand", "ReleaseCommand", command)
        bench.native.refuse("NXS_InvalidCommand", "FinalizeCommand", command, launch(4))
        bench.forget("Command", command)


def test_a_schedule_cant_hold_another_devices_kernel(bench: Bench, second_device: int) -> None:
    schedule = bench.schedule(second_device)
    bench.native.refuse("NXS_InvalidDevice", "CreateCommand", schedule, bench.kernel())


@pytest.mark.parametrize(
    "name", ["CopyBuffer", "WriteBuffer", "TransferBuffer", "FillBuffer", "RunSchedule",
             "SignalEvent", "PrepareSchedule", "MapBuffer", "CreateCopyCommand",
             "CreateFillCommand", "CopyRows"]
)  # fmt: skip
def test_objects_of_two_devices_are_refused(bench: Bench, second_device: int, name: str) -> None:
    calls.need(bench, name)
    given = list(calls.arguments(bench, name))
    parameters = _headers.functions()[name].parameters
    at = next(i for i, each in enumerate(parameters) if each.name in ("stream", "schedule"))
    if name in ("RunSchedule", "PrepareSchedule"):
        at = 1
    elsewhere = bench.stream if parameters[at].name == "stream" else bench.schedule
    given[at] = elsewhere(device=second_device)
    bench.native.refuse("NXS_InvalidDevice", name, *given)


def test_an_argument_of_another_device_is_refused(bench: Bench, second_device: int) -> None:
    command = bench.raw_command(bench.schedule())
    argument = buffer_argument(bench.buffer(64, device=second_device), 64)
    bench.native.refuse("NXS_InvalidDevice", "SetCommandArgument", command, 0, argument)

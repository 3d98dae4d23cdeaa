# SPDX-License-Identifier: Apache-2.0
"""Properties: required and listed ones exist, with the types of the catalogue."""

from __future__ import annotations

import ctypes
import functools
import json
from pathlib import Path
from typing import Any

import pytest

import nexus
from nexus.conformance import _c_types
from nexus.conformance._native import N
from nexus.conformance.capi import calls
from nexus.conformance.capi.bench import Bench

_ALWAYS = {
    "Runtime": {"Name": "Str", "Size": "Int"},
    "Device": {"Name": "Str", "Vendor": "Str", "Type": "Str", "Architecture": "Str"},
    "Buffer": {"Size": "Int"},
    "Library": {},
    "Kernel": {"Name": "Str"},
    "Stream": {"LastTicket": "Int"},
    "Event": {},
    "Schedule": {"Size": "Int"},
    "Command": {"GroupSize": "IntVec", "GridSize": "IntVec", "GroupCount": "IntVec"},
}
_TYPES = {"int": "Int", "flt": "Flt", "str": "Str", "int_vec": "IntVec", "flt_vec": "FltVec",
          "str_vec": "StrVec", "obj": "Json", "obj_vec": "Json"}  # fmt: skip
_SIZES = {"Int": (8,), "Flt": (8,)}
_VENDORS_FIRST = N()["NXS_PROPERTY_VENDOR_FIRST"]


@functools.cache
def catalogue() -> dict[int, dict[str, Any]]:
    """Returns the properties that Nexus knows, by number."""
    include = Path(nexus.get_include())
    found = next(
        path for path in (include.parent / "schema" / "properties.json",
                          Path(nexus.__file__).parent / "schema" / "properties.json")
        if path.is_file()
    )  # fmt: skip
    listed = json.loads(found.read_text("utf-8"))["properties"]
    return {each["number"]: each for each in listed}


def objects(bench: Bench, kind: str) -> int:
    """Makes an object of the kind."""
    return int(calls.arguments(bench, f"Get{kind}Property")[0])


def ask(bench: Bench, kind: str, made: int, number: int, capacity: int) -> Any:
    """Reads a property into memory of that size, which is followed by a pattern."""
    memory = ctypes.create_string_buffer(b"\xa5" * (capacity + 16), capacity + 16)
    value = _c_types.make(
        "nxs_value", data=ctypes.addressof(memory) if capacity else None, capacity=capacity
    )
    value.memory = memory
    status = bench.native.call(f"Get{kind}Property", made, number, ctypes.byref(value))
    assert status == 0, f"nxsGet{kind}Property returned {status}"
    return value


@pytest.mark.parametrize("kind", _ALWAYS)
def test_what_is_always_answered_is_answered(bench: Bench, kind: str) -> None:
    made = objects(bench, kind)
    for key, expected in {**_ALWAYS[kind], "Keys": "IntVec"}.items():
        value = ask(bench, kind, made, N()[f"NP_{key}"], 4096)
        assert value.type == N()[f"NXS_ValueType_{expected}"], key
        if expected == "Str":
            assert bench.property(kind, made, key).strip(), key


@pytest.mark.parametrize("kind", _ALWAYS)
def test_keys_lists_what_is_answered_and_nothing_else(bench: Bench, kind: str) -> None:
    made = objects(bench, kind)
    listed = bench.property(kind, made, "Keys")
    assert len(set(listed)) == len(listed)
    answered = {number for number in catalogue() if bench.property(kind, made, number) is not None}
    unlisted = answered - set(listed) - {N()["NP_Keys"]}
    assert not unlisted, (
        f"answered and not in NP_Keys: {[catalogue()[n]['name'] for n in unlisted]}"
    )
    missing = {number for number in listed if number < _VENDORS_FIRST} - answered
    assert not missing, f"in NP_Keys and not answered: {missing}"
    for number in listed:
        assert bench.property(kind, made, number) is not None


@pytest.mark.parametrize("kind", _ALWAYS)
def test_each_property_has_the_type_of_the_catalogue(bench: Bench, kind: str) -> None:
    made = objects(bench, kind)
    for number in bench.property(kind, made, "Keys"):
        value = ask(bench, kind, made, number, 1 << 16)
        if number < _VENDORS_FIRST:
            wanted = _TYPES[catalogue()[number]["type"]]
            assert value.type == N()[f"NXS_ValueType_{wanted}"], catalogue()[number]["name"]
        if value.type == N()["NXS_ValueType_Json"]:
            json.loads(bench.property(kind, made, number))


@pytest.mark.parametrize("kind", _ALWAYS)
@pytest.mark.parametrize("number", [-1, 65535, 1 << 30, -(1 << 31)])
def test_a_property_that_is_none_is_refused(bench: Bench, kind: str, number: int) -> None:
    bench.native.refuse("NXS_InvalidProperty", f"Get{kind}Property", objects(bench, kind), number)


@pytest.mark.parametrize("kind", _ALWAYS)
def test_memory_that_is_too_small_is_told_the_size_and_not_written(bench: Bench, kind: str) -> None:
    made = objects(bench, kind)
    for number in bench.property(kind, made, "Keys"):
        whole = ask(bench, kind, made, number, 1 << 16)
        for capacity in {0, 1, whole.size // 2, whole.size - 1} - {whole.size, -1}:
            value = ask(bench, kind, made, number, capacity)
            assert value.type == whole.type
            if value.size > capacity:  # a value that changes may be shorter meanwhile
                assert value.memory.raw == b"\xa5" * (capacity + 16), f"{number} at {capacity}"
        exact = ask(bench, kind, made, number, whole.size)
        if exact.size == whole.size:
            assert exact.memory.raw[whole.size :] == b"\xa5" * 16, f"{number} wrote too much"


def test_the_runtime_counts_its_devices(bench: Bench) -> None:
    native = bench.native
    count = bench.property("Runtime", native.runtime, "Size")
    assert count >= 1
    ids = [native.get("GetDevice", native.runtime, index) for index in range(count)]
    assert len(set(ids)) == count
    for index in (count, count + 1, (1 << 32) - 1):
        native.refuse("NXS_InvalidDevice", "GetDevice", native.runtime, index)


def test_a_device_has_the_same_id_each_time(bench: Bench) -> None:
    native = bench.native
    assert len({native.get("GetDevice", native.runtime, 0) for _ in range(10)}) == 1


def test_the_runtimes_name_is_the_backends(bench: Bench, backend: str) -> None:
    assert bench.property("Runtime", bench.native.runtime, "Name") == backend


@pytest.mark.parametrize("size", [1, 3, 64, 4097])
def test_a_buffer_tells_its_size(bench: Bench, size: int) -> None:
    assert bench.property("Buffer", bench.buffer(size), "Size") == size


def test_a_schedule_counts_its_commands(bench: Bench) -> None:
    schedule, buffer = bench.schedule(), bench.buffer(64)
    for count in range(3):
        assert bench.property("Schedule", schedule, "Size") == count
        bench.fill_command(schedule, buffer, count, 4)


def test_a_stream_tells_its_newest_ticket(bench: Bench) -> None:
    stream, buffer = bench.stream(), bench.buffer(bytes(64))
    for _ in range(3):
        memory = ctypes.create_string_buffer(64)
        ticket = bench.native.get("CopyBuffer", buffer, 0, memory, 64, stream)
        assert bench.property("Stream", stream, "LastTicket") == ticket
        bench.finish(stream, ticket)


def test_a_kernel_has_the_name_that_it_was_found_by(bench: Bench) -> None:
    assert bench.property("Kernel", bench.kernel("add_i32"), "Name") == "add_i32"


@pytest.mark.needs("ArgumentInfo")
def test_a_kernel_counts_its_arguments(bench: Bench) -> None:
    assert bench.property("Kernel", bench.kernel("add_i32"), "Count") == 3


def test_a_command_tells_its_launch(bench: Bench) -> None:
    schedule = bench.schedule()
    made = bench.fill_command(schedule, bench.buffer(64), 1, 13)
    group = bench.property("Command", made, "GroupSize")
    assert bench.property("Command", made, "GridSize") == [13, 1, 1]
    count = bench.property("Command", made, "GroupCount")
    assert [a * b >= c for a, b, c in zip(group, count, [13, 1, 1], strict=True)] == [True] * 3


def test_a_command_that_is_not_finalized_has_no_launch(bench: Bench) -> None:
    command = bench.raw_command(bench.schedule())
    for key in ("GroupSize", "GridSize", "GroupCount"):
        assert bench.property("Command", command, key) is None

# SPDX-License-Identifier: Apache-2.0
"""Random paths into the properties of every object: a value, or an error that names the path."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from workbench import Workbench

import nexus

NAMES = [member.name for member in nexus.property.Property]
STEPS = st.one_of(
    st.sampled_from(NAMES),
    st.sampled_from(["MemorySubsystem", "MemoryTypes", "CoreSubsystem", "Limits"]),
    st.sampled_from(list(nexus.property.Property)),
    st.integers(-3, 60),
    st.integers(-(2**63), 2**63 - 1),
    st.text(max_size=5),
)
PATHS = st.one_of(STEPS, st.lists(STEPS, min_size=1, max_size=6))
READERS = ["", "_str", "_int", "_flt", "_str_vec", "_int_vec", "_flt_vec"]

OBJECTS: dict[str, Callable[[Workbench], Any]] = {
    "runtime": lambda b: b.device.runtime,
    "device": lambda b: b.device,
    "buffer": lambda b: b.data,
    "library": lambda b: b.library,
    "kernel": lambda b: b.kernel,
    "stream": lambda b: b.stream,
    "event": lambda b: b.event,
    "schedule": lambda b: b.schedule,
    "kernel command": lambda b: b.command,
    "signal command": lambda b: b.signalling,
}


def first_name(path: Any) -> str:
    """Returns the name of a path's first step in errors."""
    step = path[0] if isinstance(path, list) else path
    if isinstance(step, str):
        return step.replace("\0", "\\0")
    known = [member.name for member in nexus.property.Property if member == step]
    return known[0] if known else str(int(step))


@settings(
    deadline=None,
    max_examples=80,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(what=st.sampled_from(sorted(OBJECTS)), path=PATHS, reader=st.sampled_from(READERS))
def test_any_path_reads_a_value_or_is_not_found(
    bench: Workbench, what: str, path: Any, reader: str
) -> None:
    each = OBJECTS[what](bench)
    value, refusal = read(getattr(each, f"get_property{reader}"), path)
    if isinstance(refusal, nexus.PropertyNotFoundError):
        assert refusal.status == nexus.status.NXS_InvalidProperty
        if path not in ("", [""]):
            assert first_name(path)[:20] in str(refusal)
    elif refusal is not None:  # text that is not a property's name in any encoding
        assert "key is" in str(refusal)
    else:
        kinds = {"_str": str, "_int": int, "_flt": float}
        assert isinstance(value, kinds.get(reader, object))
        assert each.get_property(path) is not None


def read(reader: Callable[[Any], Any], path: Any) -> tuple[Any, Exception | None]:
    """The value, or what was raised."""
    try:
        return reader(path), None
    except (nexus.PropertyNotFoundError, ValueError) as error:
        return None, error


@pytest.mark.parametrize("what", OBJECTS)
@pytest.mark.parametrize(
    ("key", "error"),
    [
        ("Nmae", nexus.PropertyNotFoundError),
        (["Name", 0], nexus.PropertyNotFoundError),
        (["Name", "Name"], nexus.PropertyNotFoundError),
        (10_000, nexus.PropertyNotFoundError),
        (-1, nexus.PropertyNotFoundError),
        (2**70, ValueError),
        ([], ValueError),
        ((), ValueError),
        (None, TypeError),
        (1.5, TypeError),
        (True, TypeError),
        (b"Name", TypeError),
        ([["Name"]], TypeError),
        ({"Name": 0}, TypeError),
    ],
    ids=repr,
)
def test_what_is_no_key_is_refused(
    cpu_bench: Workbench, what: str, key: Any, error: type[Exception]
) -> None:
    each = OBJECTS[what](cpu_bench)
    for reader in READERS:
        with pytest.raises(error, match=r"key|Nmae|Name|10000|-1"):
            getattr(each, f"get_property{reader}")(key)

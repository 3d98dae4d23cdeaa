# SPDX-License-Identifier: Apache-2.0
"""The suite shows every status that nxs_functions.def names, by a test that exists."""

from __future__ import annotations

import re

import pytest

from nexus.conformance import _c_types, _headers, _identity
from nexus.conformance._headers import Function
from nexus.conformance.capi import calls, statuses

FUNCTIONS = _headers.functions()
HEAD = (_headers.folder() / "nxs_functions.def").read_text("utf-8").partition("#endif")[0]


def words(comment: str) -> str:
    """A comment on one line, without its stars."""
    return " ".join(re.sub(r"\n \* ?", " ", comment).split())


def named(function: Function) -> set[str]:
    """The statuses that a function's comment names, and those of the functions it refers to."""
    text = words(function.comment)
    without = set(re.findall(r"without (NXS_\w+)", text))
    text = text.partition("Statuses:")[2] or text
    found = set(re.findall(r"NXS_\w+", text)) & set(_headers.statuses().values())
    for other in re.findall(r"\bas (nxs\w+(?: and nxs\w+)*)", text):
        for name in re.findall(r"nxs(\w+)", other):
            if name in FUNCTIONS and name != function.name:
                found |= named(FUNCTIONS[name])
    return found - without


def of_its_parameters(function: Function) -> dict[str, str]:
    """The statuses that hold for every function with such parameters."""
    found = {}
    kinds = {"start_event": "event", "end_event": "event", "nested": "schedule"}
    for place in function.ids:
        name = function.parameters[place].name
        found[f"NXS_Invalid{kinds.get(name, name).capitalize()}"] = statuses.ID
    if function.name.endswith("Property"):
        found["NXS_InvalidProperty"] = statuses.PROPERTY
    return found


def shown(function: Function) -> dict[str, str]:
    return {**of_its_parameters(function), **statuses.SHOWN.get(function.name, {})}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_status_of_a_function_is_shown_or_said_not_to_be(name: str) -> None:
    missing = {
        status
        for status in named(FUNCTIONS[name]) - {"NXS_Success"}
        if status not in shown(FUNCTIONS[name]) and (name, status) not in statuses.NOT_SHOWN
    }
    assert missing == set()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_status_is_shown_that_the_header_does_not_name(name: str) -> None:
    general = {"NXS_InvalidValue", "NXS_InvalidDevice"}  # the head names them for all
    assert set(statuses.SHOWN.get(name, {})) - named(FUNCTIONS[name]) - general == set()


def test_the_statuses_of_every_function_are_shown_or_said_not_to_be() -> None:
    for status in set(re.findall(r"NXS_[A-Z]\w+", HEAD)) & set(_headers.statuses().values()):
        known = ("NXS_Success", "NXS_InvalidValue", "NXS_InvalidDevice")
        assert status in known or ("*", status) in statuses.NOT_SHOWN, status


@pytest.mark.parametrize(
    "test",
    sorted(
        {test for each in statuses.SHOWN.values() for test in each.values()}
        | {statuses.ID, statuses.PROPERTY, statuses.NULL, statuses.STRUCT_SIZE, statuses.STRING}
    ),
)
def test_a_named_test_exists(test: str) -> None:
    assert _identity.exists(test)


def test_what_is_not_shown_has_a_reason_and_is_not_shown() -> None:
    for (name, status), reason in statuses.NOT_SHOWN.items():
        assert reason.strip()
        assert name == "*" or status not in shown(FUNCTIONS[name]), (name, status)


def test_there_is_a_call_of_every_function() -> None:
    assert list(calls.CALLS) == list(FUNCTIONS)


def test_every_struct_of_the_header_is_read() -> None:
    """The types come from the headers, so they must have been understood."""
    for name in _headers.structs():
        assert _c_types.struct(name)._fields_
    assert len(FUNCTIONS) == len(re.findall(r"^NXS_FUNCTION\(", (
        _headers.folder() / "nxs_functions.def").read_text("utf-8"), re.MULTILINE))  # fmt: skip

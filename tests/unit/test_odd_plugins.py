# SPDX-License-Identifier: Apache-2.0
"""Plug-ins that break the rules of the C-API, or hang: each costs its own sentence."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from native import Install
from python_process import run_python
from system import System

AUTHORS = "report it to the plug-in's authors."

BROKEN = {
    "writes_beyond.c": (
        "beyond", f"It wrote beyond the struct_size of nxs_functions that it was given; {AUTHORS}"),
    "writes_beyond_answer.c": (
        "behind", f"It wrote beyond the struct_size of nxs_plugin that it was given; {AUTHORS}"),
    "wrong_struct_size.c": (
        "resized",
        f"It changed the struct_size of nxs_plugin, which is the host's, to 8; {AUTHORS}"),
    "own_table.c": (
        "owner",
        f"It gave a table of functions of its own instead of filling the host's; {AUTHORS}"),
    "no_table.c": (
        "bare",
        f"It gave a table of functions of its own instead of filling the host's; {AUTHORS}"),
    "not_code.c": ("data", f"Its table has nxsCreateStream at an address without code; {AUTHORS}"),
    "unreadable_name.c": (
        "nameless",
        "It gives its name as 8 bytes of memory that can't be read, or as too many; " + AUTHORS),
    "endless_name.c": (
        "endless",
        "It gives its name as 9223372036854775807 bytes of memory that can't be read, or as too "
        "many; " + AUTHORS,
    ),
    "many_devices.c": (
        "many",
        "It says that it has 2000000000 devices, and more than 65536 are not believed; " + AUTHORS),
    "negative_devices.c": (
        "debt", f"It does not answer NP_Size of its runtime with a number of devices; {AUTHORS}"),
}  # fmt: skip


def report_on(system: System, install: Install, source: str, name: str) -> dict[str, str]:
    """The record of one plug-in beside a good one, which works."""
    install(name, source)
    install("good")
    report = system.report()
    assert report.runtimes == ["good"]
    return report[name]


@pytest.mark.parametrize("source", BROKEN)
def test_a_plugin_that_breaks_the_rules_is_refused_in_words(
    system: System, install: Install, source: str
) -> None:
    name, reason = BROKEN[source]
    record = report_on(system, install, source, name)
    assert (record["state"], record["reason"]) == ("FAIL", reason)


@pytest.mark.parametrize(
    ("source", "name", "function"),
    [
        ("hangs.c", "hanging", "nxsQueryPlugin"),
        ("hangs_counting.c", "counting", "nxsGetRuntimeProperty, which counts the devices,"),
    ],
)
def test_a_plugin_that_hangs_is_given_up(
    system: System, install: Install, source: str, name: str, function: str
) -> None:
    system.environment = {"NEXUS_PLUGIN_TIMEOUT": "0.2"}
    record = report_on(system, install, source, name)
    assert record["state"] == "FAIL"
    assert record["reason"] == (
        f"Its {function} did not return within 0.2 s, and was given up; NEXUS_PLUGIN_TIMEOUT sets "
        "another number of seconds."
    )


@pytest.mark.parametrize("value", ["soon", "-1", "0", "nan", "3 s"])
def test_a_time_limit_that_is_none_counts_as_the_usual_one(
    system: System, install: Install, value: str
) -> None:
    install("good")
    system.environment = {"NEXUS_PLUGIN_TIMEOUT": value}
    report = system.report()
    assert report["good"]["state"] == "PASS"
    assert f"NEXUS_PLUGIN_TIMEOUT is '{value}'" in report.stderr


ASK = "import nexus; print(ascii(nexus.get_device({name!r}).get_property_str('Vendor')))"
INFO = "import nexus; print(sorted(nexus.get_device({name!r}).get_info().get_keys()))"


def asked(program: str, name: str, manifest: Path) -> subprocess.CompletedProcess[str]:
    """A Python program that has one more backend."""
    return run_python(
        "-c",
        program.format(name=name),
        more={"NEXUS_PLUGIN_PATH": str(manifest), "NEXUS_LAYERS": ""},
    )


ODD_ANSWERS = {
    "foreign_device.c": ("streamy", "The backend streamy gives for its device 0 the id "),
    "wrong_type.c": ("mistyped", "answers the property 'Vendor' with an int where the catalogue"),
    "unknown_type.c": ("untyped", "answers the property 'Vendor' with a value of the unknown type"),
    "huge_value.c": ("huge", "the property 'Vendor' with a value of 1152921504606846976 bytes"),
    "growing_value.c": ("growing", "'Vendor' with a value that grows each time it is read"),
}


@pytest.mark.parametrize("source", ODD_ANSWERS)
def test_an_answer_that_can_not_be_is_an_error_that_says_what_it_is(
    install: Install, source: str
) -> None:
    name, reason = ODD_ANSWERS[source]
    manifest = install(name, source)
    done = asked(ASK, name, manifest)
    assert done.returncode == 1
    assert "nexus.NexusError: " in done.stderr or "nexus._errors.NexusError: " in done.stderr
    assert reason in done.stderr


@pytest.mark.parametrize("source", ["wrong_type.c", "huge_value.c", "growing_value.c"])
def test_what_else_the_device_says_counts(install: Install, source: str) -> None:
    name, _ = ODD_ANSWERS[source]
    done = asked(INFO, name, install(name, source))
    assert done.returncode == 0, done.stderr
    assert "'Name'" in done.stdout
    assert "'Vendor'" not in done.stdout
    assert "answers the property 'Vendor'" in done.stderr


def test_a_text_that_is_not_utf8_is_shown_with_marks(install: Install) -> None:
    manifest = install("latin", "not_text.c")
    assert asked(ASK, "latin", manifest).stdout == "'Soci\\ufffdt\\ufffd'\n"

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
    "beyond": "It wrote beyond the struct_size of nxs_functions that it was given; ",
    "overlong": "It wrote beyond the struct_size of nxs_plugin that it was given; ",
    "resized": "It changed the struct_size of nxs_plugin, which only the host sets, to 8; ",
    "owner": "It gave a table of functions of its own instead of filling the host's; ",
    "bare": "It gave a table of functions of its own instead of filling the host's; ",
    "data": "Its table has nxsCreateStream at an address without code; ",
    "nameless": "It returned 8 bytes as its name, which are too many or can't be read; ",
    "endless": (
        "It returned 9223372036854775807 bytes as its name, which are too many or can't be read; "
    ),
    "many": "It reports 2000000000 devices; at most 65536 are accepted; ",
    "debt": "It does not answer NP_Size of its runtime with a number of devices; ",
}
"""Names of broken.c, and what is told."""


def report_on(system: System, install: Install, name: str) -> dict[str, str]:
    """The record of one plug-in beside a good one, which works."""
    install(name, "broken.c")
    install("good")
    report = system.report()
    assert report.runtimes == ["good"]
    return report[name]


@pytest.mark.parametrize("name", BROKEN)
def test_a_plugin_that_breaks_the_rules_is_refused_in_words(
    system: System, install: Install, name: str
) -> None:
    record = report_on(system, install, name)
    assert (record["state"], record["reason"]) == ("FAIL", BROKEN[name] + AUTHORS)


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("hanging", "nxsQueryPlugin"),
        ("counting", "nxsGetRuntimeProperty, which counts the devices,"),
    ],
)
def test_a_plugin_that_hangs_is_given_up(
    system: System, install: Install, name: str, function: str
) -> None:
    system.environment = {"NEXUS_PLUGIN_TIMEOUT": "0.2"}
    record = report_on(system, install, name)
    assert record["state"] == "FAIL"
    assert record["reason"] == (
        f"Its {function} did not return within 0.2 s, and was given up; set NEXUS_PLUGIN_TIMEOUT "
        "to more seconds to wait longer."
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
    "streamy": "for its device 0, which is not the id of one of its devices",
    "mistyped": "answers the property 'Vendor' with an int where the catalogue",
    "untyped": "answers the property 'Vendor' with a value of the unknown type",
    "huge": "the property 'Vendor' with a value of 1152921504606846976 bytes",
    "growing": "'Vendor' with a value that grows each time it is read",
}


@pytest.mark.parametrize("name", ODD_ANSWERS)
def test_an_answer_that_can_not_be_is_an_error_that_says_what_it_is(
    install: Install, name: str
) -> None:
    done = asked(ASK, name, install(name, "broken.c"))
    assert done.returncode == 1
    assert "nexus.NexusError: " in done.stderr or "nexus._errors.NexusError: " in done.stderr
    assert ODD_ANSWERS[name] in done.stderr


@pytest.mark.parametrize("name", ["mistyped", "huge", "growing"])
def test_what_else_the_device_says_counts(install: Install, name: str) -> None:
    done = asked(INFO, name, install(name, "broken.c"))
    assert done.returncode == 0, done.stderr
    assert "'Name'" in done.stdout
    assert "'Vendor'" not in done.stdout
    assert "answers the property 'Vendor'" in done.stderr


def test_a_text_that_is_not_utf8_is_shown_with_marks(install: Install) -> None:
    manifest = install("latin", "broken.c")
    assert asked(ASK, "latin", manifest).stdout == "'Soci\\ufffdt\\ufffd'\n"

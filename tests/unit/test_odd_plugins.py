# SPDX-License-Identifier: Apache-2.0
"""Plug-ins that break the rules of the C-API, or hang: each costs its own sentence."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from native import MakePlugin, write_manifest
from system import System

AUTHORS = "report it to the plug-in's authors."

BROKEN = {
    "beyond": "It wrote beyond the struct_size of nxs_functions that it was given; ",
    "overlong": "It wrote beyond the struct_size of nxs_plugin that it was given; ",
    "resized": "It changed the struct_size of nxs_plugin, which is the host's, to 8; ",
    "owner": "It gave a table of functions of its own instead of filling the host's; ",
    "bare": "It gave a table of functions of its own instead of filling the host's; ",
    "data": "Its table has nxsCreateStream at an address without code; ",
    "nameless": "It gives its name as 8 bytes of memory that can't be read, or as too many; ",
    "endless": (
        "It gives its name as 9223372036854775807 bytes of memory that can't be read, or as too "
        "many; "
    ),
    "many": "It says that it has 2000000000 devices, and more than 65536 are not believed; ",
    "debt": "It does not answer NP_Size of its runtime with a number of devices; ",
}
"""Names of broken.c, and what is told."""


def build_broken(build_plugin: MakePlugin, tmp_path: Path, name: str) -> Path:
    """The manifest of a plug-in of broken.c."""
    return write_manifest(tmp_path / name, name, build_plugin("broken.c", f'-DNAME="{name}"'))


def report_on(
    system: System, build_plugin: MakePlugin, tmp_path: Path, name: str
) -> dict[str, str]:
    """The record of one plug-in beside a good one, which works."""
    good = build_plugin("plain.c", '-DNAME="good"')
    system.add(build_broken(build_plugin, tmp_path, name))
    system.add(write_manifest(tmp_path / "good", "good", good))
    report = system.report()
    assert report.runtimes == ["good"]
    return report[name]


@pytest.mark.parametrize("name", BROKEN)
def test_a_plugin_that_breaks_the_rules_is_refused_in_words(
    system: System, build_plugin: MakePlugin, tmp_path: Path, name: str
) -> None:
    record = report_on(system, build_plugin, tmp_path, name)
    assert (record["state"], record["reason"]) == ("FAIL", BROKEN[name] + AUTHORS)


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("hanging", "nxsQueryPlugin"),
        ("counting", "nxsGetRuntimeProperty, which counts the devices,"),
    ],
)
def test_a_plugin_that_hangs_is_given_up(
    system: System, build_plugin: MakePlugin, tmp_path: Path, name: str, function: str
) -> None:
    system.environment = {"NEXUS_PLUGIN_TIMEOUT": "0.2"}
    record = report_on(system, build_plugin, tmp_path, name)
    assert record["state"] == "FAIL"
    assert record["reason"] == (
        f"Its {function} did not return within 0.2 s, and was given up; NEXUS_PLUGIN_TIMEOUT sets "
        "another number of seconds."
    )


@pytest.mark.parametrize("value", ["soon", "-1", "0", "nan", "3 s"])
def test_a_time_limit_that_is_none_counts_as_the_usual_one(
    system: System, build_plugin: MakePlugin, tmp_path: Path, value: str
) -> None:
    system.add(write_manifest(tmp_path / "good", "good", build_plugin("plain.c", '-DNAME="good"')))
    system.environment = {"NEXUS_PLUGIN_TIMEOUT": value}
    report = system.report()
    assert report["good"]["state"] == "PASS"
    assert f"NEXUS_PLUGIN_TIMEOUT is '{value}'" in report.stderr


ASK = "import nexus; print(ascii(nexus.get_device({name!r}).get_property_str('Vendor')))"
INFO = "import nexus; print(sorted(nexus.get_device({name!r}).get_info().get_keys()))"


def asked(program: str, name: str, manifest: Path) -> subprocess.CompletedProcess[str]:
    """A Python program that has one more backend."""
    return subprocess.run(
        [sys.executable, "-c", program.format(name=name)],
        env=os.environ | {"NEXUS_PLUGIN_PATH": str(manifest), "NEXUS_LAYERS": ""},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


ODD_ANSWERS = {
    "streamy": "The backend streamy gives for its device 0 the id ",
    "mistyped": "answers the property 'Vendor' with an int where the catalogue",
    "untyped": "answers the property 'Vendor' with a value of the unknown type",
    "huge": "the property 'Vendor' with a value of 1152921504606846976 bytes",
    "growing": "'Vendor' with a value that grows each time it is read",
}


@pytest.mark.parametrize("name", ODD_ANSWERS)
def test_an_answer_that_can_not_be_is_an_error_that_says_what_it_is(
    build_plugin: MakePlugin, tmp_path: Path, name: str
) -> None:
    done = asked(ASK, name, build_broken(build_plugin, tmp_path, name))
    assert done.returncode == 1
    assert "nexus.NexusError: " in done.stderr or "nexus._errors.NexusError: " in done.stderr
    assert ODD_ANSWERS[name] in done.stderr


@pytest.mark.parametrize("name", ["mistyped", "huge", "growing"])
def test_what_else_the_device_says_counts(
    build_plugin: MakePlugin, tmp_path: Path, name: str
) -> None:
    done = asked(INFO, name, build_broken(build_plugin, tmp_path, name))
    assert done.returncode == 0, done.stderr
    assert "'Name'" in done.stdout
    assert "'Vendor'" not in done.stdout
    assert "answers the property 'Vendor'" in done.stderr


def test_a_text_that_is_not_utf8_is_shown_with_marks(
    build_plugin: MakePlugin, tmp_path: Path
) -> None:
    done = asked(ASK, "latin", build_broken(build_plugin, tmp_path, "latin"))
    assert done.stdout == "'Soci\\ufffdt\\ufffd'\n"

# SPDX-License-Identifier: Apache-2.0
"""After fork(), in the child: objects of before refuse, new ones work."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from native import MakePlugin, write_manifest
from system import System

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="this system has no fork()")


@pytest.fixture
def machine(system: System, build_plugin: MakePlugin, tmp_path: Path) -> System:
    """A system with the backend acme."""
    library = build_plugin("plain.c", '-DNAME="acme"')
    system.add(write_manifest(tmp_path / "acme", "acme", library))
    return system


def test_a_device_of_before_refuses_in_the_child(machine: System) -> None:
    result = machine.call("with_old_device_in_child", "acme")
    assert result["status"] == "NXS_InvalidOperation"
    assert "fork()" in result["text"]


def test_a_new_device_works_in_the_child(machine: System) -> None:
    machine.calls = [["create_stream", "acme"], ["in_child", "create_stream", "acme"]]
    before, after = machine.report().results
    assert before == after == {"status": "NXS_Success"}


def test_a_child_finds_backends_that_its_parent_did_not_load(machine: System) -> None:
    assert machine.call("in_child", "select", "acme")["device"] == "acme:0"


def test_a_child_of_a_child_works(machine: System) -> None:
    machine.calls = [["create_stream", "acme"], ["in_child", "in_child", "select", "acme"]]
    assert machine.report().results[1]["device"] == "acme:0"

# SPDX-License-Identifier: Apache-2.0
"""nxsQueryPlugin: hosts of this and other versions, and errors; each in a separate process."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

import nexus
from nexus.conformance import _headers
from nexus.conformance.capi.bench import Bench

_VERSION = [
    _headers.constants()["NXS_API_VERSION_MAJOR"],
    _headers.constants()["NXS_API_VERSION_MINOR"],
]


@pytest.fixture
def library(backend: str) -> str:
    """Returns the plug-in's path."""
    return next(each.library for each in nexus.get_backends() if each.name == backend)


def ask(case: str, library: str) -> Any:
    """Returns the result of a case in a child process."""
    (backend,) = (each.name for each in nexus.get_backends() if each.library == library)
    command = [sys.executable, "-m", "nexus.conformance.capi.child", case, library, backend]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, f"the process ended with {done.returncode}: {done.stderr}"
    return json.loads(done.stdout.splitlines()[-1])


def test_a_host_of_this_version_is_served(library: str, backend: str) -> None:
    found = ask("current", library)
    assert found["status"] == "NXS_Success"
    assert found["works"]
    assert found["version"] <= _VERSION
    assert found["name"] == backend
    assert found["text"]
    assert found["reserved"] == 0
    assert found["missing"] == []
    assert found["beyond"], "it wrote beyond the table that it was given"
    assert found["tags"] == [], "it called the host with a tag that it was not given"


def test_a_newer_host_is_served_with_the_table_that_the_plugin_knows(library: str) -> None:
    found = ask("newer", library)
    assert found["status"] == "NXS_Success"
    assert found["works"]
    assert found["version"][0] == _VERSION[0]
    assert found["version"][1] <= _VERSION[1] + 7


@pytest.mark.parametrize("case", ["next major", "major before"])
def test_a_host_that_does_not_fit_is_refused_in_words(library: str, case: str) -> None:
    found = ask(case, library)
    assert found["status"] == "NXS_IncompatibleVersion"
    assert found["words"]
    assert found["words"][0].strip()


@pytest.mark.parametrize("case", ["no host", "no table", "small plugin"])
def test_a_host_that_makes_a_mistake_is_refused(library: str, case: str) -> None:
    found = ask(case, library)
    assert found["status"] in ("NXS_InvalidValue", "NXS_IncompatibleVersion")


def test_no_function_is_written_beyond_the_hosts_table(library: str) -> None:
    found = ask("small table", library)
    assert found == {"status": "NXS_Success", "first": True, "beyond": False}


def test_in_the_child_of_a_fork_it_begins_anew_or_says_that_it_can_t(library: str) -> None:
    found = ask("fork", library)
    assert found["exit"] == 0, f"the child ended with {found['exit']}"
    assert found["parent"], "the parent's objects do not work after the fork"
    if found["status"] == "NXS_Success":
        assert found["works"]
        assert found["old"] == "NXS_InvalidDevice"  # an id of another host
    else:
        assert found["status"] == "NXS_DeviceNotAvailable"
        assert found["words"]
        assert found["words"][0].strip()


def test_the_table_has_every_required_function(bench: Bench) -> None:
    for name, function in _headers.functions().items():
        if function.required:
            assert not bench.native.lacks(name)

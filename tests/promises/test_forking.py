# SPDX-License-Identifier: Apache-2.0
"""fork() with work in flight: the child refuses what it inherited, works anew, and the parent goes
on."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

import pytest
from python_process import run_python

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="this system has no fork()")

HERE = Path(__file__).parent
FORKS_FIRST = """
import os, nexus
child = os.fork()
if child == 0:
    print(nexus.get_device("cpu").create_buffer(b"child").numpy().tobytes(), flush=True)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
print(nexus.get_device("cpu").create_buffer(b"parent").numpy().tobytes())
"""


@cache
def run_program(library: Path, trace: Path) -> dict[str, str]:
    """Returns the program's findings, by name."""
    done = run_python(
        "-W",
        "ignore",
        str(HERE / "forking_program.py"),
        str(library),
        more={"NEXUS_LAYERS": "calls", "NEXUS_CALLS_FILE": str(trace)},
        check=True,
    )
    return dict(line.split(": ", 1) for line in done.stdout.splitlines())


@pytest.fixture
def found(cpu_library: Path) -> dict[str, str]:
    return run_program(cpu_library, cpu_library.with_name("calls.txt"))


def test_what_the_child_inherited_refuses_all_use(found: dict[str, str]) -> None:
    refused = {name: text for name, text in found.items() if name.startswith("use of ")}
    assert len(refused) == 16
    assert set(refused.values()) == {"NXS_InvalidOperation"}


def test_letting_go_of_what_the_child_inherited_calls_no_plugin(found: dict[str, str]) -> None:
    assert found["calls for new objects"] != "0"
    assert found["calls for what was inherited"] == "0"


def test_new_objects_work_in_the_child(found: dict[str, str]) -> None:
    assert found["child's result"] == "{5}"


def test_the_parent_goes_on(found: dict[str, str]) -> None:
    assert found["parent's results"] == "[{1}, {2}, {3}]"


def test_a_child_of_the_child_works_too(found: dict[str, str]) -> None:
    assert found["grandchild's result"] == "{6}"


def test_a_child_uses_a_backend_that_its_parent_has_not_loaded() -> None:
    done = run_python("-W", "ignore", "-c", FORKS_FIRST, check=True)
    assert done.stdout == "b'child'\nb'parent'\n"

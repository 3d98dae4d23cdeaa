# SPDX-License-Identifier: Apache-2.0
"""Discovery of libraries, platforms and devices, and the messages if there are none."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import devices, run_python

REPORT = """
import json
import pocl_processor
pocl_processor.name_this_processor()
import nexus
record = next(each for each in nexus.get_backends() if each.name == "opencl")
found = [runtime for runtime in nexus.get_runtimes() if runtime.name == "opencl"]
platforms = [str(device.get_info()["Extensions", "OpenCL", "Platform"])
             for runtime in found for device in runtime.get_devices()]
told = {"state": record.state, "reason": record.reason, "platforms": platforms}
print(json.dumps(told), flush=True)
"""


def report(program: str = REPORT, **environment: str) -> dict[str, Any]:
    """Returns the backend's properties in a new process with these variables."""
    output = run_python("-c", program, environment=environment)
    told: dict[str, Any] = json.loads(output.splitlines()[-1])
    return told


def absent(**environment: str) -> str:
    """Returns the reason of the backend's record, whose state must be ABSENT."""
    told = report(**environment)
    assert told["state"] == "ABSENT", told
    assert told["platforms"] == []
    return str(told["reason"])


def a_vendors_library() -> str:
    """Returns the path of a vendor's library in a wheel."""
    import nexus_opencl

    libraries = nexus_opencl.nexus_config().get("opencl.vendors", "").split(os.pathsep)
    if not libraries[0]:
        pytest.skip("no wheel here brings an OpenCL runtime; pip install 'nexus-opencl[test]'")
    return libraries[0]


def test_runtimes_of_wheels_are_found_without_a_word() -> None:
    a_vendors_library()
    assert report()["state"] == "PASS"


def test_a_library_that_can_not_be_used_is_named(tmp_path: Path) -> None:
    reason = absent(NEXUS_OPENCL_LIBRARY="/nowhere/libOpenCL.so.1")
    assert "/nowhere/libOpenCL.so.1" in reason
    assert "NEXUS_OPENCL_LIBRARY" in reason
    path = tmp_path / "libOpenCL.so.1"
    path.write_text("text\n", "utf-8")
    assert "is not a shared library" in absent(NEXUS_OPENCL_LIBRARY=str(path))
    if sys.platform == "linux":
        assert "is not an OpenCL library" in absent(NEXUS_OPENCL_LIBRARY="libm.so.6")


@pytest.mark.parametrize("part", [0.001, 0.3, 0.9])
def test_a_library_that_was_cut_is_refused(tmp_path: Path, part: float) -> None:
    whole = Path(a_vendors_library()).read_bytes()
    path = tmp_path / "libcut.so"
    path.write_bytes(whole[: int(len(whole) * part)])
    assert "libcut.so" in absent(NEXUS_OPENCL_LIBRARY=str(path))


def test_a_named_library_is_the_only_one_that_is_used() -> None:
    told = report(NEXUS_OPENCL_LIBRARY=a_vendors_library())
    assert told["state"] == "PASS"
    assert len(set(told["platforms"])) == 1


def test_without_libraries_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    if any(Path(folder, "libOpenCL.so.1").exists() for folder in ("/usr/lib", "/usr/lib64")):
        pytest.skip("this system has an OpenCL loader")
    reason = absent(NEXUS_OPENCL_VENDORS="/nowhere/libvendor.so")
    assert "libvendor.so" in reason
    assert "install the driver of your device" in reason


def test_platforms_can_be_chosen_and_ordered() -> None:
    names = [str(device.get_info()["Extensions", "OpenCL", "Platform"]) for device in devices()]
    if len(set(names)) < 2:
        pytest.skip("there are no two platforms here; pip install 'nexus-opencl[test]'")
    last, first = names[-1], names[0]
    assert report(NEXUS_OPENCL_PLATFORMS=last.upper())["platforms"] == [last]
    both = report(NEXUS_OPENCL_PLATFORMS=f"{last},{first}")["platforms"]
    assert both == [last, first]


def test_a_platform_that_is_not_there_is_told_with_those_that_are() -> None:
    a_vendors_library()
    reason = absent(NEXUS_OPENCL_PLATFORMS="nowhere")
    assert "nowhere" in reason
    assert str(devices()[0].get_info()["Extensions", "OpenCL", "Platform"]) in reason


FORKED = f"""{REPORT}
import os
child = os.fork()
if child == 0:
    record = next(each for each in nexus.get_backends() if each.name == "opencl")
    print(json.dumps({{"state": record.state, "reason": record.reason}}), flush=True)
    os._exit(0)
os.waitpid(child, 0)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_the_child_of_a_fork_is_told_why_it_has_no_opencl() -> None:
    a_vendors_library()
    told = report(FORKED)
    assert told["state"] == "ABSENT"
    assert "before a fork()" in str(told["reason"])

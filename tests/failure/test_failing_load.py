# SPDX-License-Identifier: Apache-2.0
"""A plug-in that fails while it is loaded leaves a record, and the other backends work."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from python_process import run_python

PROGRAM = """
import json, sys
import nexus
from nexus import _core
_core.add_manifest(sys.argv[1], "")
told = {}
try:
    nexus.get_device("faulty")
except nexus.NexusError as error:
    told["error"] = [error.status.name, str(error)]
told["reason"] = {record.name: record.reason for record in nexus.get_backends()}["faulty"]
told["size"] = nexus.get_device("cpu").create_buffer(64).nbytes
print(json.dumps(told))
"""


def load(manifest: Path, faults: str) -> dict[str, Any]:
    """Returns the output of a process in which the plug-in fails."""
    done = run_python("-c", PROGRAM, manifest, more={"NEXUS_FAULTY_FAULTS": faults}, check=True)
    told: dict[str, Any] = json.loads(done.stdout)
    assert told["size"] == 64
    return told


def test_a_runtime_that_does_not_answer_is_a_record(manifest: Path) -> None:
    told = load(manifest, "GetRuntimeProperty:1=NXS_DeviceLost")
    assert "nxsGetRuntimeProperty fails on demand" in told["reason"]
    assert "nxsGetRuntimeProperty fails on demand" in told["error"][1]


@pytest.mark.parametrize(
    ("function", "status"),
    [("GetDevice", "NXS_DeviceNotAvailable"), ("GetDeviceProperty", "NXS_DeviceLost")],
)
def test_a_device_that_does_not_answer_is_an_error(
    manifest: Path, function: str, status: str
) -> None:
    told = load(manifest, f"{function}={status}")
    assert told["error"][0] == status
    assert f"nxs{function} fails on demand" in told["error"][1]

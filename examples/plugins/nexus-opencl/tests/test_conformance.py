# SPDX-License-Identifier: Apache-2.0
"""Runs the conformance suite of nexus-core on every device; minutes for each."""

from __future__ import annotations

from pathlib import Path

from conftest import HERE, platform_of, run_python
from pocl_processor import name_this_processor

import nexus


def test_the_device_passes_conformance(device: nexus.Device, tmp_path: Path) -> None:
    command = ["-m", "pytest", "-q", "-p", "pocl_processor", "-p", "no:cacheprovider"]
    command += ["-n", "2", "--dist", "loadfile", "--pyargs", "nexus.conformance"]
    command += ["--nexus-backend", "opencl", "--nexus-device", device.selector]
    if platform_of(device) == "pocl":
        left_out = "not test_algorithms"  # it takes minutes to compile these
        if name_this_processor():  # in a process that does not do so, PoCL is another device
            left_out += " and not test_processes"
        command += ["-k", left_out]
    settings = HERE / f"{platform_of(device)}_conformance.toml"
    if settings.is_file():
        command += ["--nexus-settings", str(settings)]
    run_python(*command, cwd=tmp_path)

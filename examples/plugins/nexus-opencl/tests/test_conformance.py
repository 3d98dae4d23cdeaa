# SPDX-License-Identifier: Apache-2.0
"""The conformance suite of nexus-core on every device. It takes minutes a device."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from conftest import platform_of

import nexus

HERE = Path(__file__).parent


def test_the_device_passes_conformance(device: nexus.Device, tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "pocl_processor",
        "-p",
        "no:cacheprovider",
    ]
    command += ["--pyargs", "nexus.conformance", "--nexus-backend", "opencl"]
    command += ["--nexus-device", device.selector]
    settings = HERE / f"{platform_of(device)}_conformance.toml"
    if settings.is_file():
        command += ["--nexus-settings", str(settings)]
    run = subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{HERE}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr

# SPDX-License-Identifier: Apache-2.0
"""Compiling in a process that has come to a limit of its own."""

from __future__ import annotations

from pathlib import Path

from python_process import run_python

PROGRAM = """
import os, resource, nexus
device = nexus.get_device("cpu")
device.compile("NEXUS_KERNEL(k, (int, n)) {}")  # Python opens files too
try:
    device.compile("this is refused")
except nexus.CompileError:
    pass
resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200))
files = []
while True:
    try:
        files.append(os.open("/dev/null", os.O_RDONLY))
    except OSError:
        break
for left in range(8):
    try:
        device.compile(f"NEXUS_KERNEL(k{left}, (int, n)) {{}}")
    except nexus.NexusError as error:
        assert "file" in str(error), error
    os.close(files.pop())
"""


def test_without_files_left_to_open_nothing_is_left_behind(tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    run_python("-c", PROGRAM, more={"TMPDIR": str(temporary), "NEXUS_CACHE": "0"}, check=True)
    assert list(temporary.iterdir()) == []

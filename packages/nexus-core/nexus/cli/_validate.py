# SPDX-License-Identifier: Apache-2.0
"""`nexus validate`: runs a script under the layer `validate`, and summarizes its findings."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from nexus.cli._isolate import signal_meaning, signal_name

_FILE = "NEXUS_VALIDATE_FILE"
_SUMMARY = "summary: "
_UNCHECKED = (
    "the layer found no reason. It does not check memory that Nexus did not allocate: copy such "
    "data into a buffer."
)


def run(options: argparse.Namespace) -> int:
    """Runs the script; returns its exit status, or 1 if that is 0 and there were findings."""
    command = [sys.executable, options.script, *options.arguments]
    status, found = watch(
        lambda environment: subprocess.run(command, env=environment, check=False).returncode
    )
    if status < 0:
        end = f"the script ended by {signal_name(-status)}{signal_meaning(-status)}"
        found.append(f"{end}; {_UNCHECKED}" if not found else f"{end}.")
    for line in found or ["nothing was found."]:
        print(f"nexus validate: {line}", file=sys.stderr)
    if status < 0:
        return 128 - status  # as shells report a signal
    return 1 if status == 0 and found else status


def watch(start: Callable[[dict[str, str]], int]) -> tuple[int, list[str]]:
    """Starts a child in an environment that enables the layer.

    Returns:
        The result of start, which is the child's exit status, and the findings.
    """
    with tempfile.TemporaryDirectory(prefix="nexus-validate-") as folder:
        file = Path(os.environ.get(_FILE) or Path(folder) / "messages.txt")
        before = file.stat().st_size if file.exists() else 0
        layers = [name for name in os.environ.get("NEXUS_LAYERS", "").split(",") if name]
        if "validate" not in layers:
            layers.insert(0, "validate")
        status = start(os.environ | {"NEXUS_LAYERS": ",".join(layers), _FILE: str(file)})
        return status, _found(file, before)


def _found(file: Path, before: int) -> list[str]:
    """Returns the summary of each process, or its messages if it ended without a summary."""
    if not file.exists():
        return []
    lines = file.read_bytes()[before:].decode(errors="replace").splitlines()
    summaries = [line.removeprefix(_SUMMARY) for line in lines if line.startswith(_SUMMARY)]
    return summaries or lines

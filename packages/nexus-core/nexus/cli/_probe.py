# SPDX-License-Identifier: Apache-2.0
"""`nexus info --isolate`: each backend is loaded in a child, which it can end or block."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib.metadata import entry_points
from typing import Any

import nexus
from nexus import _core
from nexus._hooks import GROUP
from nexus.cli._child_end import signal_meaning, signal_name

_AT_ONCE = 4
_CHILD = """\
import sys; sys.path[:] = {path!r}
from nexus.cli._probe import answer; answer({name!r}, {value!r})
"""


@dataclass(frozen=True)
class _Target:
    """What one child loads: a backend's entry point, or one of the paths in NEXUS_PLUGIN_PATH."""

    name: str
    value: str = ""
    distribution: str = ""
    plugin_path: str = ""


def describe_machine() -> dict[str, Any]:
    """As nexus.cli._info.describe_machine, of what each child told or came to."""
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        reports = list(pool.map(_probe, _targets()))
    return {
        "version": nexus.__version__,
        "python": platform.python_version(),
        "backends": [backend for report in reports for backend in report["backends"]],
        "devices": [device for report in reports for device in report["devices"]],
    }


def answer(name: str, value: str) -> None:
    """In a child: prints what there is where one entry point counts alone."""
    from nexus import _discovery
    from nexus.cli import _info

    _discovery.restrict(name, value)
    report = _info.describe_machine()
    sys.stdout.write("\n" + json.dumps(report))  # a line of its own: modules may print as well
    sys.stdout.flush()
    os._exit(0)  # threads that hang keep nobody waiting


def _targets() -> list[_Target]:
    targets = [
        _Target(each.name, each.value, each.dist.name if each.dist else "")
        for each in sorted(entry_points(group=GROUP), key=lambda each: each.name)
    ]
    paths = os.environ.get("NEXUS_PLUGIN_PATH", "").split(":")
    return targets + [_Target(path, plugin_path=path) for path in paths if path.strip()]


def _probe(target: _Target) -> dict[str, Any]:
    """What a child says of its backend, or how it ended."""
    limit = 10 + 4 * _core.plugin_timeout()  # for Python's start, hooks, nxsQueryPlugin, devices
    code = _CHILD.format(
        path=sys.path, name="" if target.plugin_path else target.name, value=target.value
    )
    try:
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=os.environ | {"NEXUS_PLUGIN_PATH": target.plugin_path},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return _failed(target, f"Its process did not end within {limit:g} s, and was ended.")
    if done.returncode == 0 and done.stdout:
        report: dict[str, Any] = json.loads(done.stdout.rpartition(b"\n")[2])
        return report
    if done.returncode < 0:
        name, meaning = signal_name(-done.returncode), signal_meaning(-done.returncode)
        return _failed(target, f"Loading it ended the process by {name}{meaning}.")
    return _failed(target, f"Loading it ended the process with exit status {done.returncode}.")


def _failed(target: _Target, reason: str) -> dict[str, Any]:
    record = {
        "name": target.name,
        "state": "FAIL",
        "reason": reason,
        "version": "",
        "distribution": target.distribution,
        "manifest": target.plugin_path,
        "library": "",
    }
    return {"backends": [record], "devices": []}

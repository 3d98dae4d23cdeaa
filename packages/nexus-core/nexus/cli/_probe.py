# SPDX-License-Identifier: Apache-2.0
"""The reports of `nexus info` and `nexus doctor`; with --isolate, and for the doctor, each backend
reports from a child process."""

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
from nexus._discovery._hooks import GROUP
from nexus.cli._isolate import signal_meaning, signal_name

_AT_ONCE = 4
_TRIAL_LIMIT = 60  # seconds for compiling and running kernels
_CHILD = """\
import sys; sys.path[:] = {path!r}
from nexus.cli._probe import answer; answer({name!r}, {value!r}, {trying!r})
"""


@dataclass(frozen=True)
class _Target:
    """A backend's entry point, or a path in NEXUS_PLUGIN_PATH, that one child loads."""

    name: str
    value: str = ""
    distribution: str = ""
    plugin_path: str = ""


def describe_machine() -> dict[str, Any]:
    """Returns the backends and devices, in the form of `nexus info --json`."""
    return {
        "version": nexus.__version__,
        "python": platform.python_version(),
        "backends": [
            {
                "name": backend.name,
                "state": backend.state,
                "reason": backend.reason,
                "version": backend.version,
                "distribution": backend.distribution,
                "manifest": backend.manifest,
                "library": backend.library,
            }
            for backend in nexus.get_backends()
        ],
        "devices": [
            device for runtime in nexus.get_runtimes() for device in _describe_devices(runtime)
        ],
    }


def describe_device(device: nexus.Device) -> dict[str, Any]:
    """Returns a device's selector and properties, in the form of `nexus info cpu:0 --json`."""
    info = device.get_info()
    return {
        "selector": device.selector,
        "properties": {key: info.get(key) for key in info.get_keys()},
    }


def describe_isolated(*, trying: bool = False) -> dict[str, Any]:
    """Like describe_machine, but each backend is loaded in a child process.

    Args:
        trying: runs a kernel on each device; its `trial` is the result of `_trial.try_device`.
    """
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        reports = list(pool.map(lambda target: _probe(target, trying), _targets()))
    return {
        "version": nexus.__version__,
        "python": platform.python_version(),
        "backends": _found([backend for report in reports for backend in report["backends"]]),
        "devices": [device for report in reports for device in report["devices"]],
    }


def _found(backends: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Drops a child's report of a backend that NEXUS_BACKENDS names and another child has."""
    own = [each for each in backends if each["distribution"] or each["manifest"]]
    names = {each["name"] for each in own}
    missing = {each["name"]: each for each in backends if each["name"] not in names}
    return [*own, *missing.values()]


def answer(name: str, value: str, trying: bool) -> None:
    """Prints, in a child, the report for one entry point."""
    from nexus import _discovery

    _discovery.restrict(name, value)
    report = describe_machine()
    if trying:
        from nexus.cli._trial import try_device

        for device in report["devices"]:
            if "problem" not in device:
                device["trial"] = try_device(nexus.get_device(device["selector"]))
    sys.stdout.write("\n" + json.dumps(report))  # on a line of its own: modules may print too
    sys.stdout.flush()
    os._exit(0)  # does not wait for hanging threads


def _targets() -> list[_Target]:
    targets = [
        _Target(each.name, each.value, each.dist.name if each.dist else "")
        for each in sorted(entry_points(group=GROUP), key=lambda each: each.name)
    ]
    paths = os.environ.get("NEXUS_PLUGIN_PATH", "").split(":")
    return targets + [_Target(path, plugin_path=path) for path in paths if path.strip()]


def _probe(target: _Target, trying: bool) -> dict[str, Any]:
    """Returns a child's report of its backend, or how the child ended."""
    limit = 10 + 4 * _core.plugin_timeout()  # for Python's start, hooks, nxsQueryPlugin, devices
    if trying:
        limit += _TRIAL_LIMIT
    code = _CHILD.format(
        path=sys.path,
        name="" if target.plugin_path else target.name,
        value=target.value,
        trying=trying,
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


def _describe_devices(runtime: nexus.Runtime) -> list[dict[str, Any]]:
    """Returns a runtime's devices in brief; an error's text for a device that can't be read."""
    try:
        devices = runtime.get_devices()
    except nexus.NexusError as error:
        return [{"selector": f"{runtime.name}:?", "problem": str(error)}]
    return [_describe(device) for device in devices]


def _describe(device: nexus.Device) -> dict[str, Any]:
    try:
        return {"selector": device.selector, **_headline(device)}
    except nexus.NexusError as error:
        return {"selector": device.selector, "problem": str(error)}


def _headline(device: nexus.Device) -> dict[str, Any]:
    """Returns a device in brief; None for values that it lacks."""
    info = device.get_info()
    keys = set(info.get_keys())
    wanted = ("Name", "Type", "Vendor", "Architecture", "CoreCount", "GlobalMemorySize")
    return {key: info.get(key) if key in keys else None for key in wanted}

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
from pathlib import Path
from typing import Any

import nexus
from nexus import _core
from nexus._discovery._hooks import GROUP
from nexus.cli._isolate import signal_meaning, signal_name

_AT_ONCE = 4
_TRIAL_LIMIT = 60  # seconds for compiling and running kernels
_MANIFEST = "nxs_plugin.json"
_CHILD = """\
import sys; sys.path[:] = {path!r}
from nexus.cli._probe import answer; answer({trying!r}, {restriction!r})
"""


@dataclass(frozen=True)
class _Target:
    """A backend's entry point or manifest, which one child loads; or why there is none."""

    name: str
    value: str = ""  # of the entry point
    distribution: str = ""
    manifest: str = ""
    failure: str = ""


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


def answer(trying: bool, restriction: tuple[str, ...]) -> None:
    """Prints, in a child, the report for one backend.

    Args:
        trying: as for describe_isolated.
        restriction: the arguments of `_discovery.restrict`.
    """
    from nexus import _discovery

    _discovery.restrict(*restriction)
    report = describe_machine()
    if trying:
        from nexus.cli._trial import try_device

        for device in report["devices"]:
            if "problem" not in device:
                device["trial"] = try_device(nexus.get_device(device["selector"]))
    sys.stdout.write("\n" + json.dumps(report))  # on its own line: modules may print too
    sys.stdout.flush()
    os._exit(0)  # does not wait for hanging threads


def _targets() -> list[_Target]:
    """Returns what `_discovery.discover` and libnexus find, without loading any of it."""
    points = sorted(entry_points(group=GROUP), key=lambda each: each.name)
    places = map(str.strip, os.environ.get("NEXUS_PLUGIN_PATH", "").split(":"))
    found = [_Target(each.name, each.value, each.dist.name if each.dist else "") for each in points]
    for place in filter(None, places):
        found += _targets_in(Path(place))
    asked = {each.value.partition(":")[0].strip().partition(".")[0] for each in points}
    for manifest in sorted(Path(_core.__file__).parent.parent.glob(f"nexus_*/{_MANIFEST}")):
        package = manifest.parent.name
        if package not in asked:
            distribution = package.replace("_", "-")
            name = package.removeprefix("nexus_")
            found.append(_Target(name, distribution=distribution, manifest=str(manifest)))
    return found


def _targets_in(place: Path) -> list[_Target]:
    """Returns the manifests of one place in NEXUS_PLUGIN_PATH: the place itself, a file in it, or
    a file in each of its folders."""
    own = [place, place / _MANIFEST]
    manifests = [each for each in own if each.is_file()][:1]
    manifests = manifests or sorted(place.glob(f"*/{_MANIFEST}"))
    if not manifests:
        known = f"holds no {_MANIFEST}, nor do its folders"
        why = known if place.is_dir() else "does not exist or can't be read"
        failure = f"NEXUS_PLUGIN_PATH names '{place}', which {why}."
        return [_Target(place.name, failure=failure)]
    return [_Target(each.parent.name, manifest=str(each)) for each in manifests]


def _probe(target: _Target, trying: bool) -> dict[str, Any]:
    """Returns a child's report of its backend, or how the child ended."""
    if target.failure:
        return _failed(target, target.failure)
    limit = 10 + 4 * _core.plugin_timeout()  # for Python's start, hooks, nxsQueryPlugin, devices
    if trying:
        limit += _TRIAL_LIMIT
    point = ("", "") if target.manifest else (target.name, target.value)
    restriction = (*point, target.manifest, target.distribution)
    code = _CHILD.format(path=sys.path, trying=trying, restriction=restriction)
    try:
        done = subprocess.run(
            [sys.executable, "-c", code],
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
        "manifest": target.manifest,
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

# SPDX-License-Identifier: Apache-2.0
"""The checks of `nexus doctor`."""

from __future__ import annotations

import os
import platform
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import nexus
from nexus._units import counted, size_text
from nexus.cli import _probe
from nexus.cli._requirements import (
    KNOWN,
    Requirement,
    closed_files,
    count_gpus,
    driver_advice,
    exists_here,
)

OK, MISSING, OFF, BROKEN = "ok", "missing", "off", "broken"
_REFUSED = "It refused to start: "
_PACKAGES = ("nexus-core", "numpy", "rich", "pluggy")


@dataclass(frozen=True)
class Check:
    """The result of one check.

    Attributes:
        area: "backend", "device" or "cache".
        state: OK; MISSING (something optional); OFF (the user disabled it); BROKEN.
        text: what was found.
        fix: a command or address that fixes it; empty if there is none.
    """

    area: str
    name: str
    state: str
    text: str
    fix: str = ""


def diagnose() -> dict[str, Any]:
    """Checks this machine, and returns the report in the form of `nexus doctor --json`."""
    report = _probe.describe_isolated(trying=True)
    checks = [*_backends(report), *_devices(report["devices"]), _cache()]
    return {
        "version": report["version"],
        "python": report["python"],
        "system": _system(),
        "packages": _packages(report["backends"]),
        "environment": _environment(),
        "checks": [asdict(check) for check in checks],
        "problems": sum(check.state == BROKEN for check in checks),
    }


def _backends(report: dict[str, Any]) -> Iterator[Check]:
    found = {backend["name"]: backend for backend in report["backends"]}
    for name in [*KNOWN, *(name for name in found if name not in KNOWN)]:
        requirement = KNOWN.get(name, Requirement())
        if name in found:
            devices = [each["selector"] for each in report["devices"]]
            count = sum(selector.partition(":")[0] == name for selector in devices)
            yield _installed(found[name], requirement, count)
        else:
            yield _not_installed(name, requirement)


def _installed(backend: dict[str, Any], requirement: Requirement, devices: int) -> Check:
    name, reason = backend["name"], backend["reason"].removeprefix(_REFUSED)
    reason = reason[:1].upper() + reason[1:]
    package = f"{backend['distribution'] or backend['manifest']} {backend['version']}".strip()
    if backend["state"] == "PASS":
        return Check("backend", name, OK, f"{package}, {counted(devices, 'device')}")
    if backend["state"] == "OFF":
        return Check("backend", name, OFF, reason)
    for path, group in closed_files(requirement):
        text = f"This user may not read and write {path}, which belongs to the group {group}."
        fix = f"sudo usermod -aG {group} $USER   # then log in again"
        return Check("backend", name, BROKEN, text, fix)
    if backend["state"] == "ABSENT":
        text = f"{_gpus(requirement)}{reason}"
        fix = "" if count_gpus(requirement) == 0 else driver_advice(requirement)
        return Check("backend", name, MISSING, text, fix)
    return Check("backend", name, BROKEN, reason)


def _not_installed(name: str, requirement: Requirement) -> Check:
    if not exists_here(requirement):
        return Check("backend", name, MISSING, "It needs macOS.")
    text = f"{_gpus(requirement)}nexus-{name} is not installed."
    fix = "" if count_gpus(requirement) == 0 else f"pip install nexus-{name}"
    return Check("backend", name, MISSING, text, fix)


def _gpus(requirement: Requirement) -> str:
    count = count_gpus(requirement)
    if count is None:
        return ""
    gpus = f"{requirement.maker} GPU"
    return f"This machine has {counted(count, gpus) if count else f'no {gpus}'}. "


def _devices(devices: list[dict[str, Any]]) -> Iterator[Check]:
    for device in devices:
        selector = device["selector"]
        if "problem" in device:
            yield Check("device", selector, BROKEN, device["problem"])
            continue
        trial = device["trial"]
        driver = f", driver {trial['driver']}" if trial["driver"] else ""
        title = f"{device['Name'] or 'unnamed'}{driver}"
        if trial["compiled"] is None:
            text = f"{title}. It does not compile Nexus's portable language, so no kernel was run."
            yield Check("device", selector, OK, text)
        elif not trial["problem"]:
            compiler = f" with {trial['compiler']}" if trial["compiler"] else ""
            text = f"{title}. It compiled a kernel{compiler} and ran it; the result is right."
            yield Check("device", selector, OK, text)
        else:
            what = "run" if trial["compiled"] else "compile"
            requirement = KNOWN.get(selector.partition(":")[0], Requirement())
            fix = "" if trial["compiled"] else requirement.compiler
            text = f"{title}. It did not {what} a kernel: {trial['problem']}"
            yield Check("device", selector, BROKEN, text, fix)


def _cache() -> Check:
    info = nexus.get_cache_info()
    if info.off:
        return Check("cache", "disk", OFF, info.off)
    try:
        Path(info.folder).mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=info.folder):
            pass
    except OSError as error:
        text = f"{info.folder} can't be written: {error.strerror}. Each process compiles anew."
        return Check("cache", "disk", BROKEN, text, "export NEXUS_CACHE_DIR=FOLDER")
    size = f"{size_text(info.size)} of {size_text(info.limit)}"
    return Check("cache", "disk", OK, f"{info.folder}, {counted(info.entries, 'program')}, {size}")


def _system() -> str:
    try:
        name = platform.freedesktop_os_release().get("PRETTY_NAME", "")
    except OSError:
        name = ""
    return ", ".join(filter(None, (name, platform.platform())))


def _packages(backends: list[dict[str, Any]]) -> dict[str, str]:
    names = [*_PACKAGES, *(each["distribution"] for each in backends if each["distribution"])]
    return {name: _version(name) for name in dict.fromkeys(names)}


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "unknown"


def _environment() -> dict[str, str]:
    """Returns the variables that change what Nexus does."""
    named = ("CC", "CUDA_HOME", "CUDA_PATH", "CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES",
             "LD_LIBRARY_PATH", "ROCM_PATH")  # fmt: skip
    return {
        key: value
        for key, value in sorted(os.environ.items())
        if key in named or key.startswith("NEXUS_")
    }

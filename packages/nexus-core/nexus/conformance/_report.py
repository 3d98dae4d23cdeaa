# SPDX-License-Identifier: Apache-2.0
"""Makes the JSON report of the tests' results."""

from __future__ import annotations

import datetime
import json
import platform
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from nexus import _core
from nexus.conformance import _identity
from nexus.conformance._subject import Subject

VERSION = 1  # of the report's format
OUTCOMES = ("passed", "failed", "expected failure", "not applicable", "skipped")
_DEVICE_KEYS = (
    "Name", "Vendor", "Type", "Architecture", "Version", "CoreCount", "GlobalMemorySize",
    "MaxBufferSize", "MaxThreadsPerBlock", "BufferOffsetAlignment", "UnifiedMemory", "Languages",
    "Compiler",
)  # fmt: skip


@dataclass
class Result:
    """A test's id, group and outcome, its seconds, and why it did not pass."""

    test: str
    group: str
    outcome: str
    duration: float
    reason: str = ""


def counts(results: list[Result]) -> dict[str, int]:
    """Returns the number of tests with each outcome."""
    return {outcome: sum(result.outcome == outcome for result in results) for outcome in OUTCOMES}


def describe(subject: Subject, results: list[Result]) -> dict[str, Any]:
    """Returns the report as a dict for JSON."""
    device = subject.device
    return {
        "report_version": VERSION,
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "nexus": _core.version(),
        "abi": abi_version(),
        "python": platform.python_version(),
        "platform": f"{platform.system()}-{platform.machine()}",
        "backend": {
            "name": subject.backend,
            "version": subject.record.version,
            "distribution": subject.record.distribution,
        },
        "device": {
            "selector": device.selector,
            **{key: device.get_property(key) for key in _DEVICE_KEYS if key in device.properties},
        },
        "capabilities": sorted(subject.capabilities),
        "settings": {
            "max_bytes": subject.settings.max_bytes,
            "prebuilt_kernels": subject.kernels is not None,
        },
        "counts": counts(results),
        "tests": [asdict(result) for result in sorted(results, key=lambda each: each.test)],
    }


def write(path: Path, subject: Subject, results: list[Result]) -> None:
    """Writes the report, one line for each test."""
    report = describe(subject, results)
    tests = report.pop("tests")
    head = json.dumps(report, indent=1, ensure_ascii=False).removesuffix("\n}")
    lines = ",\n".join("  " + json.dumps(each, ensure_ascii=False) for each in tests)
    path.write_text(f'{head},\n "tests": [\n{lines}\n ]\n}}\n', encoding="utf-8")


def abi_version() -> str:
    """Returns the version of the C-API of nexus-core, such as '1.0'."""
    from nexus.conformance import _headers

    numbers = _headers.constants()
    return f"{numbers['NXS_API_VERSION_MAJOR']}.{numbers['NXS_API_VERSION_MINOR']}"


def result(test: str, outcome: str, duration: float, reason: str) -> Result:
    return Result(test, _identity.group(test), outcome, round(duration, 4), reason)


__all__ = ["OUTCOMES", "Result", "abi_version", "counts", "describe", "result", "write"]

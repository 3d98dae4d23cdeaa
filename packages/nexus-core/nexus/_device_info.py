# SPDX-License-Identifier: Apache-2.0
"""Makes records of the device database from libnexus' JSON. Imported when first needed."""

from __future__ import annotations

import json
from typing import Any

from nexus import _core
from nexus._collections import Citation, DeviceFileProblem, PropertySource


def problems() -> list[DeviceFileProblem]:
    """Implements nexus.get_device_info_problems()."""
    return [
        DeviceFileProblem(each["File"], each.get("Line", 0), each.get("Column", 0), each["Reason"])
        for each in json.loads(_core.device_info_problems())
    ]


def source(text: str) -> PropertySource:
    """Makes the result of Properties.source() from libnexus' text."""
    told: dict[str, Any] = json.loads(text)
    return PropertySource(
        told["Kind"],
        told.get("File", ""),
        tuple(_citation(each) for each in told["Citations"]),
        tuple(told.get("From", ())),
    )


def _citation(told: dict[str, object]) -> Citation:
    keys = ("Title", "Publisher", "Date", "Version", "Section", "Address", "Read")
    return Citation(*(str(told.get(key, "")) for key in keys))

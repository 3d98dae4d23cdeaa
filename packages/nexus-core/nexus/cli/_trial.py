# SPDX-License-Identifier: Apache-2.0
"""Compiles and runs a kernel on one device, for `nexus doctor`."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import nexus
from nexus.cli._demo import by_numpy, measure
from nexus.cli._demo_library import SOURCE, compiler_name

_WIDTH, _HEIGHT = 128, 64  # pixels


def try_device(device: nexus.Device) -> dict[str, Any]:
    """Compiles the kernel of `nexus demo`, runs it, and compares the result with numpy's.

    Returns:
        `compiler` and `driver`, None if unknown; `compiled` and `ran`, each True or False, or None
        if not tried; and `problem`, empty if nothing failed.
    """
    info = device.get_info()
    keys = info.get_keys()
    told = {
        "compiler": compiler_name(info.get("Compiler")) if "Compiler" in keys else None,
        "driver": info.get("DriverVersion") if "DriverVersion" in keys else None,
        "compiled": None,
        "ran": None,
        "problem": "",
    }
    if "nexus" not in (info.get("Languages") if "Languages" in keys else ()):
        return told
    try:
        told["compiled"] = False
        text = files("nexus.cli").joinpath(SOURCE).read_text(encoding="utf-8")
        code = nexus.Program(text, name=SOURCE).compile(device)
        told["compiled"], told["ran"] = True, False
        outcome = measure(device, device.load_library(code), by_numpy(_WIDTH, _HEIGHT))
    except nexus.NexusError as error:
        return told | {"problem": str(error)}
    return told | {"ran": not outcome.problem, "problem": outcome.problem}

# SPDX-License-Identifier: Apache-2.0
"""Tells nexus-core where the CPU backend and its compiler are."""

from __future__ import annotations

import importlib.resources
import importlib.util
import os
from pathlib import Path

import pluggy

_hook = pluggy.HookimplMarker("nexus")


def _file(name: str) -> Path | None:
    """The installed file of that name; in an editable install it is not beside this one."""
    path = Path(str(importlib.resources.files(__name__).joinpath(name)))
    return path if path.exists() else None


def _compiler() -> str:
    """The compiler of the `ziglang` wheel, where that is installed, else ''."""
    spec = importlib.util.find_spec("ziglang")
    if spec is None or not spec.submodule_search_locations:
        return ""
    path = Path(spec.submodule_search_locations[0], "zig.exe" if os.name == "nt" else "zig")
    return str(path) if path.exists() else ""


@_hook
def nexus_manifest() -> Path | None:
    """The path of nxs_plugin.json, which lies beside the library."""
    return _file("nxs_plugin.json")


@_hook
def nexus_config() -> dict[str, str]:
    """Paths: a library of kernels to try, the compiler of a wheel."""
    config = {
        "cpu.demo_kernels": str(_file("libnexus_cpu_demo_kernels.so") or ""),
        "cpu.zig": _compiler(),
    }
    return {key: value for key, value in config.items() if value}

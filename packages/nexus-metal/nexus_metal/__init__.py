# SPDX-License-Identifier: Apache-2.0
"""Tells nexus-core where the Metal backend is."""

from __future__ import annotations

import importlib.resources
from pathlib import Path

import pluggy

_hook = pluggy.HookimplMarker("nexus")


@_hook
def nexus_manifest() -> Path | None:
    """The path of nxs_plugin.json, which lies beside the library."""
    path = Path(str(importlib.resources.files(__name__).joinpath("nxs_plugin.json")))
    return path if path.exists() else None

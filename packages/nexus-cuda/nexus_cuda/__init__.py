# SPDX-License-Identifier: Apache-2.0
"""Tells nexus-core where the CUDA backend and NVIDIA's compilers are."""

from __future__ import annotations

import importlib.resources
from pathlib import Path

import pluggy

from nexus_cuda._toolkit import toolkit_config

_hook = pluggy.HookimplMarker("nexus")


@_hook
def nexus_manifest() -> Path | None:
    """Returns the path of nxs_plugin.json, in the folder of the library."""
    path = Path(str(importlib.resources.files(__name__).joinpath("nxs_plugin.json")))
    return path if path.exists() else None


@_hook
def nexus_config() -> dict[str, str]:
    """Returns the settings for NVRTC, nvJitLink, libNVVM and headers of this environment."""
    return toolkit_config()

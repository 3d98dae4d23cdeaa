# SPDX-License-Identifier: Apache-2.0
"""Hooks that return the OpenCL backend's manifest and the OpenCL runtimes in this environment."""

from __future__ import annotations

import importlib.metadata
import importlib.resources
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pluggy

_hook = pluggy.HookimplMarker("nexus")

# Distributions with a vendor's library, which no loader finds, and the library's name.
_VENDORS = (
    ("pocl-binary-distribution", re.compile(r"libpocl[-.\w]*\.(so[.\d]*|dylib)")),
    ("intel-opencl-rt", re.compile(r"libintelocl\.so")),
)


@_hook
def nexus_manifest() -> Path | None:
    """Returns the path of nxs_plugin.json, which is beside the library."""
    path = Path(str(importlib.resources.files(__name__).joinpath("nxs_plugin.json")))
    return path if path.exists() else None


@_hook
def nexus_config() -> dict[str, str]:
    """Returns the OpenCL libraries of this environment, used in addition to the system's."""
    found = [str(path) for path in (*_loaders(), *_vendors())]
    return {"opencl.vendors": os.pathsep.join(found)} if found else {}


def _loaders() -> Iterator[Path]:
    """Yields the loader of a conda environment, which knows conda's runtimes."""
    prefix = Path(sys.prefix)
    loader = prefix / "lib" / "libOpenCL.so.1"
    if (prefix / "conda-meta").is_dir() and loader.exists():
        yield loader


def _vendors() -> Iterator[Path]:
    """Yields the vendors' libraries in installed wheels."""
    for distribution, name in _VENDORS:
        try:
            files = importlib.metadata.files(distribution) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        paths = (Path(str(file.locate())).resolve() for file in files if name.fullmatch(file.name))
        yield from (path for path in paths if path.is_file())

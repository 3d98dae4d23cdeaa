# SPDX-License-Identifier: Apache-2.0
"""Tells scikit-build-core the dependencies of the metapackage `nexus`.

In a clone they are the packages beside this file, so that `pip install .` installs the clone. An
sdist has no packages folder, so the published wheels, built from it, depend on nexus-core by name.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("nexus-core", "nexus-cpu")


class Dependencies:
    """A provider of the dynamic field `dependencies`."""

    def __init__(self) -> None:
        self._sdist = False

    def build_state(self, build_state: str) -> None:
        """Is called first: an sdist's own metadata must not name folders of this machine."""
        self._sdist = build_state == "sdist"

    def dynamic_metadata(
        self, settings: Mapping[str, Any], project: Mapping[str, Any]
    ) -> dict[str, list[str]]:
        """Returns the fragment of [project] with the dependencies."""
        folders = {name: ROOT / "packages" / name for name in PACKAGES}
        if self._sdist or not all((path / "pyproject.toml").is_file() for path in folders.values()):
            return {"dependencies": [f"nexus-core=={project['version']}"]}
        return {"dependencies": [f"{name} @ {path.as_uri()}" for name, path in folders.items()]}

# SPDX-License-Identifier: Apache-2.0
"""What the metapackage `nexus` depends on, told to scikit-build-core when it is built.

In a clone the dependencies are the packages beside this file, so that `pip install .` installs
what is in the tree. An sdist has no packages folder, and so the wheels built from it, which are
the ones that are published, depend on nexus-core by name.
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
        """Told first: an sdist's own metadata must not name folders of this machine."""
        self._sdist = build_state == "sdist"

    def dynamic_metadata(
        self, settings: Mapping[str, Any], project: Mapping[str, Any]
    ) -> dict[str, list[str]]:
        """The fragment of [project] that holds the dependencies."""
        folders = {name: ROOT / "packages" / name for name in PACKAGES}
        if self._sdist or not all((path / "pyproject.toml").is_file() for path in folders.values()):
            return {"dependencies": [f"nexus-core=={project['version']}"]}
        return {"dependencies": [f"{name} @ {path.as_uri()}" for name, path in folders.items()]}

# SPDX-License-Identifier: Apache-2.0
"""Makes a folder look like site-packages with a third party's backend in it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

HOOK = """
import pathlib
import pluggy

@pluggy.HookimplMarker("nexus")
def nexus_manifest():
    return pathlib.Path(__file__).parent / "nxs_plugin.json"
"""


@dataclass(frozen=True)
class BackendPackage:
    """An installed distribution `<name>` with the backend `backend`.

    Attributes:
        site: the folder that goes on the Python path.
        library: the file that the manifest names; the test writes it, or leaves it away.
    """

    site: Path
    name: str
    library: Path

    @staticmethod
    def write(
        site: Path, backend: str, *, name: str = "", code: str = HOOK, abi_min: str = "1.0"
    ) -> BackendPackage:
        """Writes the distribution's metadata, its module and its manifest."""
        name = name or f"acme_{backend}"
        module = site / name
        module.mkdir(parents=True)
        (module / "__init__.py").write_text(code)
        library = module / f"lib{name}.so"
        manifest = {
            "manifest_version": 1, "name": backend, "library": library.name, "version": "1.0",
            "abi": {"min": abi_min, "max": abi_min},
        }  # fmt: skip
        (module / "nxs_plugin.json").write_text(json.dumps(manifest))
        metadata = site / f"{name}-1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (metadata / "entry_points.txt").write_text(f"[nexus]\n{backend} = {name}\n")
        return BackendPackage(site, name, library)
